// The parts of the findings, shared by their files and nobody else.
#ifndef SIDETONE_JUDGE_FINDINGS_PARTS_H
#define SIDETONE_JUDGE_FINDINGS_PARTS_H

#include "judge/findings.h"

// `text`: a literal, or lives as long as the list. `at`: order.at of the packet that shows it.
void findings_add(struct finding_list *out, const char *name, enum sidetone_severity severity,
                  const char *text, uint64_t at);

// The same with a sentence that is put together, of at most FINDING_TEXT_BYTES - 1.
void findings_add_format(struct finding_list *out, const char *name,
                         enum sidetone_severity severity, uint64_t at, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

// An ICMP error, where one came back.
void findings_icmp(const struct icmp_seen *icmp, struct finding_list *out);

#endif
