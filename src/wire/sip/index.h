// The index of the header lines of a message, made in one pass over their bytes.
//
// Budget: 64 bytes at a time with AVX2, about 35 instructions a block, and about 80 a line for its
// end, its colon, its name and its value (proof: bench/sip_parse). The plain version, some ten
// times slower, is the reference; tests/unit/sip_index.c holds the fast one against it.
#ifndef SIDETONE_WIRE_SIP_INDEX_H
#define SIDETONE_WIRE_SIP_INDEX_H

#include "wire/sip/sip.h"

struct sip_index {
    // The message whose first, headers, header_count, has_high_bytes and oddities are made here;
    // the caller has emptied them.
    struct sip_message *m;
    const char *p;
    uint32_t n;
    uint32_t at;       // offset of the first header line; then that of the body, n where none is
    uint32_t head_end; // offset behind the last header line
    bool whole;        // the empty line that ends the headers is there
    bool has_more_lengths; // lines of Content-Length behind the first
    uint32_t lost;         // offset behind a line that has no place in the index, 0 for none
};

// Reads all header lines from x->at (at least 1) on.
void sip_index_lines(struct sip_index *x);

// The two versions by name, for the test and the bench. sip_index_has_fast: may the fast one be
// called here?
void sip_index_plain(struct sip_index *x);
void sip_index_fast(struct sip_index *x);
bool sip_index_has_fast(void);

#endif
