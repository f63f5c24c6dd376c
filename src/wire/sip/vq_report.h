// Bodies of application/vq-rtcpxr: what a phone reports of the quality of a call (RFC 6035).
//
// Comes in: such a body. Goes out: whose call it is about, and the numbers of the reporting
// endpoint and of the other one, as far as it knew them. Texts are slices into the body.
//
//     VQSessionReport: CallTerm
//     CallID: 1890463548@alice.example.org        the call that is meant
//     LocalAddr:IP=192.0.2.10 PORT=5000 SSRC=0x2468abcd
//     LocalMetrics:                               measured here, of what came from there
//     PacketLoss:NLR=5.0 JDR=2.0
//     RemoteMetrics:                              the other endpoint's word (RTCP XR)
#ifndef SIDETONE_WIRE_SIP_VQ_REPORT_H
#define SIDETONE_WIRE_SIP_VQ_REPORT_H

#include "wire/sip/media_report.h"

struct vq_report {
    struct slice call_id;
    struct slice local_id; // URI of the reporting endpoint's user
    bool has_local, has_remote;
    struct media_report local, remote; // measured by the reporting endpoint, by the other one
};

// Returns false where nothing of such a report is in the body.
bool vq_report_read(struct vq_report *out, struct slice body);

#endif
