// Small pieces of text for people, written straight to an output.
#ifndef SIDETONE_SHOW_TEXT_PUT_H
#define SIDETONE_SHOW_TEXT_PUT_H

#include "show/output.h"
#include "sidetone/report.h"

static inline struct slice text_slice(struct sidetone_text t)
{
    return slice_of(t.p, t.n);
}

void put_str(struct output *out, const char *text);
void put_u64(struct output *out, uint64_t value); // an index: without separators
void put_grouped(struct output *out, uint64_t value);
void put_size(struct output *out, uint64_t bytes);
void put_duration(struct output *out, int64_t ns);
void put_decimal(struct output *out, double value, unsigned digits);
void put_percent(struct output *out, double percent); // "4.50 %"
void put_endpoint(struct output *out, const struct sidetone_endpoint *e);

// "1 packet", "2 packets".
void put_count(struct output *out, uint64_t count, const char *one, const char *many);

// Any bytes, safe for a terminal, in at most `columns` columns (cut in the middle; at most 256).
// Returns the columns used.
#define PUT_SAFE_COLUMNS_MAX 256
unsigned put_safe(struct output *out, struct slice text, unsigned columns);

// Any bytes, whole, each harmful one as \xNN; a character in `marked` gets `mark` in front of it.
void put_safe_whole(struct output *out, struct slice text, const char *marked, char mark);

// `value` right-aligned with thousands separators in `columns` columns.
void put_grouped_right(struct output *out, uint64_t value, unsigned columns);

// `text` and blanks up to `columns` columns, at least one.
void put_left(struct output *out, const char *text, unsigned columns);

#endif
