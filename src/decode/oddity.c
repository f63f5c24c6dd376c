// Names of the oddities of flows.
#include "decode/oddity.h"

const char *flow_oddity_name(enum flow_oddity o)
{
    static const char *const NAMES[FLOW_ODD_COUNT] = {
        [FLOW_FRAGMENT_INCOMPLETE] = "ip.fragment.incomplete",
        [FLOW_FRAGMENT_CONFLICT] = "ip.fragment.conflict",
        [FLOW_FRAGMENT_OVERLAP_V6] = "ip.fragment.overlap_v6",
        [FLOW_FRAGMENT_OVERLONG] = "ip.fragment.overlong",
        [FLOW_FRAGMENT_TINY] = "ip.fragment.tiny",
        [FLOW_FRAGMENT_FORGOTTEN] = "ip.fragment.forgotten",
        [FLOW_TCP_RETRANSMITTED] = "tcp.retransmitted",
        [FLOW_TCP_REORDERED] = "tcp.reordered",
        [FLOW_TCP_CONFLICT] = "tcp.overlap.conflict",
        [FLOW_TCP_GAP] = "tcp.gap",
        [FLOW_TCP_MID_STREAM] = "tcp.mid_stream",
        [FLOW_TCP_SKIPPED] = "tcp.skipped_bytes",
        [FLOW_TCP_FORGOTTEN] = "tcp.forgotten",
        [FLOW_MESSAGE_INCOMPLETE] = "sip.stream.incomplete",
        [FLOW_MESSAGE_TOO_LONG] = "sip.stream.too_long",
        [FLOW_WS_FRAME] = "ws.frame",
        [FLOW_HEP_LENGTH] = "hep.length",
        [FLOW_HEP_INFLATE] = "hep.inflate",
        [FLOW_HEP_PAYLOAD] = "hep.payload",
        [FLOW_SCTP_RETRANSMITTED] = "sctp.retransmitted",
        [FLOW_SCTP_INCOMPLETE] = "sctp.incomplete",
    };
    return NAMES[o];
}
