// From a record of a capture to records in bins: peeling, telling SIP from media, and the fields
// that tracking needs.
#ifndef SIDETONE_READ_DECODE_H
#define SIDETONE_READ_DECODE_H

#include "read/chunk.h"

// Decodes one record into the chunk.
void decode_record(struct chunk *c, const struct cap_record *record);

// Sorts what was decoded into bins; once, after the last record.
void decode_sort(struct chunk *c);

#endif
