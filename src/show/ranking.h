// Which calls and streams deserve attention most: points for what went wrong.
//
// Points are a stable, documented rule (docs/read.md), not a measure of anything: they only order.
// A call gets its own points and those of its worst stream.
#ifndef SIDETONE_SHOW_RANKING_H
#define SIDETONE_SHOW_RANKING_H

#include "sidetone/report.h"

// Points up to here are notes: worth knowing, no reason to look.
#define POINTS_OF_NOTES 10

uint32_t ranking_call_points(const struct sidetone_call *c);
uint32_t ranking_stream_points(const struct sidetone_stream *s);

// Writes the indices of the `want` highest of points[0..count) to `out`, highest first, equal ones
// by index. Returns how many were written (the smaller of want and count).
size_t ranking_top(const uint32_t *points, size_t count, size_t want, size_t *out);

#endif
