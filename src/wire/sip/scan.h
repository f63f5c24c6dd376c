// Line ends and name ends of SIP headers, found 64 bytes at a time.
//
// Budget: each byte of the header section is read once, about 0.15 ns a byte with AVX2 (an INVITE
// of 439 bytes and 13 lines: 990 instructions, 65 ns, gcc 12 -O3, Zen 4); proof: bench/sip_parse.
// The plain version, some ten times slower, is the reference; tests/unit/sip_scan.c holds the fast
// one against it.
#ifndef SIDETONE_WIRE_SIP_SCAN_H
#define SIDETONE_WIRE_SIP_SCAN_H

#include "base/slice.h"

struct sip_line {
    uint32_t start;
    uint32_t colon; // offset of the first ':' in the line; `end` where there is none
    uint32_t end;   // offset of the LF; the end of the bytes where the line has none
};

struct sip_scan {
    uint32_t at;  // start of the next line to be found
    bool empty;   // the empty line that ends the headers was found; `at` is behind it
    bool end;     // the bytes ended first; the last line given has no LF
    bool control; // control bytes other than HTAB and those of line ends were seen before the empty
                  // line
    bool high;    // bytes above 0x7f likewise
    bool lf_alone; // a line that was given ends by LF without CR
};

// Finds up to `max` lines from s->at on and moves s->at behind them. The empty line is not given.
// Returns the number of lines; call again while neither s->empty nor s->end.
uint32_t sip_scan_lines(struct sip_scan *s, const char *p, uint32_t n, struct sip_line *lines,
                        uint32_t max);

// The two versions by name, for the test and the bench. sip_scan_has_fast: may the fast one be
// called here?
uint32_t sip_scan_plain(struct sip_scan *s, const char *p, uint32_t n, struct sip_line *lines,
                        uint32_t max);
uint32_t sip_scan_fast(struct sip_scan *s, const char *p, uint32_t n, struct sip_line *lines,
                       uint32_t max);
bool sip_scan_has_fast(void);

#endif
