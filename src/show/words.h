// Words for names and numbers of the report.
#ifndef SIDETONE_SHOW_WORDS_H
#define SIDETONE_SHOW_WORDS_H

#include "sidetone/report.h"

// "note", "warning", "error".
const char *words_severity(enum sidetone_severity s);

// A short explanation of a reason of capture.not_analysed; NULL where there is none.
const char *words_reason(const char *name);

// Likewise of an oddity.
const char *words_oddity(const char *name);

#endif
