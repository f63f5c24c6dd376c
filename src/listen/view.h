// Filling the public views: what the files view*.c share.
#ifndef SIDETONE_LISTEN_VIEW_H
#define SIDETONE_LISTEN_VIEW_H

#include "judge/findings.h"
#include "listen/message.h"
#include "listen/report.h"

struct sidetone_scratch {
    struct arena arena;
    struct finding_list findings;
    uint8_t payload_types[128];
    struct sidetone_fax fax;
    const char *indicators[FAX_INDICATORS_MAX];
};

// Who did it (BY_CALLER, BY_CALLEE); NULL: not known.
static inline const char *side_name(uint8_t by)
{
    return by == BY_CALLER ? "caller" : by == BY_CALLEE ? "callee" : NULL;
}

// Fills the legs of call `index`.
void view_legs(const struct sidetone_report *r, uint32_t index, struct sidetone_scratch *s,
               struct sidetone_call *out);

// Fills out->rtcp where the stream has any RTCP; `clock_hz`: of its timestamps, 0: not known.
void view_rtcp(const struct report_stream *at, uint32_t clock_hz, struct sidetone_scratch *s,
               struct sidetone_stream *out);

// Parts of the view of a call (view_call_extras.c).
void view_hops(const struct call *c, struct sidetone_scratch *s, struct sidetone_call *out);
void view_extras(const struct call *c, struct sidetone_scratch *s, struct sidetone_call *out);

#endif
