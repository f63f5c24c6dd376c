// The parts of the JSON report, shared by its files and nobody else.
#ifndef SIDETONE_SHOW_REPORT_JSON_PARTS_H
#define SIDETONE_SHOW_REPORT_JSON_PARTS_H

#include "show/json_writer.h"

// "capture": {...}
void json_capture(struct json *j, const struct sidetone_capture *c);

void json_call(struct json *j, const struct sidetone_call *c);
void json_stream(struct json *j, const struct sidetone_stream *s);

// [[file, record], ...]
void json_packets(struct json *j, const struct sidetone_packet *packets, size_t count);

// "findings": [...]
void json_findings(struct json *j, const struct sidetone_finding *all, size_t n);

#endif
