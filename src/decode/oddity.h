// What is odd about the way messages and media travel: counted in the capture's oddities
// (docs/json.md).
#ifndef SIDETONE_DECODE_ODDITY_H
#define SIDETONE_DECODE_ODDITY_H

enum flow_oddity {
    FLOW_FRAGMENT_INCOMPLETE, // a datagram of which not all fragments came
    FLOW_FRAGMENT_CONFLICT,   // fragments that overlap with other bytes
    FLOW_FRAGMENT_OVERLAP_V6, // a datagram dropped because of overlapping fragments (RFC 5722)
    FLOW_FRAGMENT_OVERLONG,   // a fragment that ends beyond 65,535 bytes
    FLOW_FRAGMENT_TINY,       // a first fragment without the whole transport header
    FLOW_FRAGMENT_FORGOTTEN,  // a datagram given up because too many were open
    FLOW_TCP_RETRANSMITTED,   // a segment whose bytes were all seen before
    FLOW_TCP_REORDERED,       // a segment that came before the one it follows
    FLOW_TCP_CONFLICT,        // bytes sent again that differ: the first ones count
    FLOW_TCP_GAP,             // bytes that the capture lacks
    FLOW_TCP_MID_STREAM,      // a stream whose beginning was not captured
    FLOW_TCP_SKIPPED,         // bytes of a stream that belong to nothing that is shown
    FLOW_TCP_FORGOTTEN,       // a connection given up because too many were open
    FLOW_MESSAGE_INCOMPLETE,  // a SIP message of a stream of which not all bytes came
    FLOW_MESSAGE_TOO_LONG,    // one beyond the limit, cut there
    FLOW_WS_FRAME,            // a WebSocket frame that cannot be
    FLOW_HEP_LENGTH,          // lengths of a HEP envelope that do not fit
    FLOW_HEP_INFLATE,         // a compressed HEP payload that cannot be inflated
    FLOW_HEP_PAYLOAD,         // an envelope of SIP that holds none
    FLOW_SCTP_RETRANSMITTED,  // a packet of which no chunk is new
    FLOW_SCTP_INCOMPLETE,     // a message of which not all DATA chunks came
    FLOW_ODD_COUNT,
};

// "tcp.gap", "ip.fragment.conflict", ...
const char *flow_oddity_name(enum flow_oddity o);

#endif
