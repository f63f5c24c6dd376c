// A baseline: what a program was measured to need, and everything that this depends on. A file that
// is kept with the sources, so that a later build can be held against it (`sidetone lab gate`).
//
// Comes in: the text of a JSON object. Goes out: struct baseline, or a sentence that says what is
// wrong with the text: it may be cut, or anything. Reading allocates what jansson needs and frees
// it again; struct baseline owns nothing.
#ifndef SIDETONE_LAB_BASELINE_H
#define SIDETONE_LAB_BASELINE_H

#include "gen/carrier.h"

#include <stddef.h>

// Bytes of a file. Not smaller: a full history has 60,000. Not larger: it is no baseline then.
#define BASELINE_BYTES_MAX (256u * 1024)
// Recordings that are remembered, the newest ones. Not smaller: years of a project. Not larger: it
// is read by people, in a difference of two commits.
#define BASELINE_HISTORY_MAX   100
#define BASELINE_TEXT_BYTES    256 // of a text with its NUL; longer ones are refused
#define BASELINE_TROUBLE_BYTES 300

#define BASELINE_TOLERANCE 0.20 // where none is given

// What a figure holds for. Two that differ in it cannot be compared.
struct baseline_terms {
    bool is_generated; // by `sidetone gen carrier` with these options; else a file of the user's
    struct carrier_options options;
    char sha256[65]; // of the corpus, small hexadecimal digits
    uint64_t corpus_bytes;
    char arguments[BASELINE_TEXT_BYTES]; // what the program is told
    uint32_t cores;
    char build[BASELINE_TEXT_BYTES]; // what its --version says of how it was built
    char architecture[BASELINE_TEXT_BYTES], cpu[BASELINE_TEXT_BYTES];
    uint32_t processors; // online
};

struct baseline_figures {
    double ratio; // its time in times of the floor (lab/floor.h)
    uint64_t peak_bytes;
};

struct baseline_entry {
    char date[48]; // RFC 3339, UTC
    struct baseline_figures figures;
    char why[BASELINE_TEXT_BYTES]; // it was lowered; empty: it was not
};

struct baseline {
    struct baseline_terms terms;
    struct baseline_figures figures;
    double tolerance; // share by which both figures may be above
    uint32_t runs;    // that the figures are medians of
    size_t history_count;
    struct baseline_entry history[BASELINE_HISTORY_MAX]; // the newest last
};

// Returns false with a sentence in `trouble` (BASELINE_TROUBLE_BYTES), which begins with what the
// text lacks.
bool baseline_read(struct baseline *b, const char *text, size_t n, char *trouble);

// The text of a file, which the caller frees with memory_free.
char *baseline_text(const struct baseline *b);

// Adds an entry to the history, for the oldest one where it is full.
void baseline_remember(struct baseline *b, const struct baseline_entry *e);

#endif
