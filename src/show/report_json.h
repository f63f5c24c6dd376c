// A report as one JSON object: the shape that scripts rely on (docs/json.md).
#ifndef SIDETONE_SHOW_REPORT_JSON_H
#define SIDETONE_SHOW_REPORT_JSON_H

#include "show/json_writer.h"

// Counts changes that break a reader.
#define REPORT_JSON_SCHEMA_VERSION 1

// {"schema_version":1, "capture":{...}, "calls":[...], "streams":[...]} and a line end; each call
// and stream on a line of its own.
void report_json(struct output *out, const struct sidetone_report *report);

// {"capture":{...}} and a line end: the last line of a listing of messages.
void report_json_capture_line(struct output *out, const struct sidetone_report *report);

#endif
