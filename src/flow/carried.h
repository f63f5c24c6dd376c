// What one direction of a TCP connection carries: SIP messages, WebSocket frames with them, HEP
// envelopes, RTP in the framing of RFC 4571, TLS, or something else; and cutting it into pieces.
//
// Comes in: bytes in order, gaps, the end. Goes out, through the sink: each SIP message, HEP
// envelope and RTP or RTCP packet, with the frames that it came in. What lies whole in the bytes
// given is handed on where it stands; only what spans several calls is copied. Memory of one
// direction is bounded by CARRIED_MESSAGE_MAX and its list of frames. Not thread-safe.
//
// SIP: by Content-Length (RFC 3261 18.3); CRLF between messages is keep-alive (RFC 5626 3.5.1);
// a missing Content-Length is 0; an absurd one ends the message with its headers, and so does a
// gap: it is handed on as incomplete, and reading goes on at the next start line. WebSocket (RFC
// 6455, 7118): after an upgrade on any port, or where frames are met in mid-stream whose content is
// SIP; masked or not, text or binary, fragmented with control frames between.
#ifndef SIDETONE_FLOW_CARRIED_H
#define SIDETONE_FLOW_CARRIED_H

#include "decode/oddity.h"
#include "wire/packet.h"
#include "wire/sip/sip.h"

// Bytes of one message. Not smaller: notifications of presence lists reach some 100 kB. Not larger:
// a thousand connections may each hold one. What is longer is cut there and handed on as
// incomplete; the rest is skipped by its length.
#define CARRIED_MESSAGE_MAX (1u << 20)

enum carried_kind {
    CARRIED_UNKNOWN, // not enough bytes yet
    CARRIED_SIP,
    CARRIED_HTTP, // a request or response that may upgrade to WebSocket
    CARRIED_WEBSOCKET,
    CARRIED_HEP,
    CARRIED_RTP, // RFC 4571
    CARRIED_TLS,
    CARRIED_OTHER,
};

enum carried_piece_kind {
    PIECE_SIP,
    PIECE_HEP,
    PIECE_PACKET,    // RTP, RTCP, STUN or DTLS in its framing: for rtp_classify
    PIECE_KEEPALIVE, // bytes: CRLF CRLF or CRLF (one ping or pong), or a WebSocket ping or pong
};

struct carried_piece {
    enum carried_piece_kind kind;
    const uint8_t *bytes;
    uint32_t n;
    bool is_borrowed;                 // bytes are the caller's; else valid during the call only
    bool is_websocket;                // came in WebSocket frames
    bool is_incomplete;               // bytes are missing at its end
    struct sip_message *sip;          // PIECE_SIP: parsed already, from these bytes
    const struct packet_ref *packets; // the frames that its bytes came in, in the order of bytes
    uint32_t packet_count;            // at least 1
};

struct carried_sink {
    void *context;
    void (*piece)(void *context, const struct carried_piece *piece);
};

struct carried; // opaque

struct carried *carried_new(void);
void carried_free(struct carried *c);

enum carried_kind carried_kind(const struct carried *c);

size_t carried_memory(const struct carried *c); // all bytes that it takes

// Gives back the room that is empty at the moment.
void carried_slim(struct carried *c);

// The other direction of a new one speaks HTTP or WebSocket, and the beginning of this one was not
// captured: it holds no SIP but in WebSocket.
void carried_answers_http(struct carried *c);

// May bytes that begin so be the beginning of something that is followed? For a direction whose
// beginning was not captured.
bool carried_starts_well(const uint8_t *p, uint32_t n);

void carried_bytes(struct carried *c, const uint8_t *p, uint32_t n, struct packet_ref from,
                   bool is_borrowed, const struct carried_sink *sink, uint64_t odd[FLOW_ODD_COUNT]);
void carried_gap(struct carried *c, uint64_t n, const struct carried_sink *sink,
                 uint64_t odd[FLOW_ODD_COUNT]);
void carried_end(struct carried *c, const struct carried_sink *sink, uint64_t odd[FLOW_ODD_COUNT]);

#endif
