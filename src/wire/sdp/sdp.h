// Session descriptions (RFC 8866) as far as media can be found and named by them.
//
// Comes in: a body. Goes out: the media lines with their addresses, ports, payload maps and
// directions, into a struct of the caller; texts are slices into the body. ICE candidates are read
// past, crypto is noted. LF and CRLF lines.
#ifndef SIDETONE_WIRE_SDP_SDP_H
#define SIDETONE_WIRE_SDP_SDP_H

#include "wire/address.h"
#include "wire/rtp/codec.h"

// Media lines kept; more are counted in media_total. Not smaller: conferences and WebRTC bundles
// offer some ten. Not larger: `struct sdp` lives on the stack, 50 KB with these two limits.
#define SDP_MEDIA_MAX 16

// Payload types of a media line that are kept; more are counted in format_total. Not smaller:
// softphones offer some twenty audio formats, browsers up to sixty for video. Not larger: as above.
#define SDP_FORMATS_MAX 64

enum sdp_direction {
    SDP_SENDRECV,
    SDP_SENDONLY,
    SDP_RECVONLY,
    SDP_INACTIVE
};

// What a media line is of.
enum sdp_kind {
    SDP_AUDIO,
    SDP_VIDEO,
    SDP_TEXT,  // RFC 4103
    SDP_IMAGE, // a fax in T.38 (RFC 3362)
    SDP_OTHER,
};

struct sdp_format {
    uint8_t payload_type;
    uint8_t channels; // 0: not said
    enum codec codec;
    uint32_t clock_hz; // 0: not known
    struct slice name; // as written in rtpmap; empty for a static type without one
    struct slice fmtp;
};

struct sdp_media {
    struct slice type;     // "audio"
    struct slice protocol; // "RTP/AVP"
    // Address of c= (media level, else session level) and port of m=; port 0: refused.
    struct endpoint rtp;
    struct endpoint rtcp;     // a=rtcp, else port + 1; the RTP endpoint with rtcp-mux
    bool has_address;         // c= was an address (not a name that we could not resolve)
    bool rtcp_mux, encrypted; // encrypted: a=crypto, a=fingerprint or a SAVP profile
    bool ice;
    bool is_rtp;   // the protocol is an RTP profile
    bool is_udptl; // the protocol is UDPTL, not inside DTLS (RFC 7345)
    enum sdp_kind kind;
    // Media level, else session level; c=0.0.0.0 is SDP_SENDONLY (RFC 2543 hold) unless ICE is
    // used.
    enum sdp_direction direction;
    uint16_t ptime_ms; // 0: not said
    uint8_t format_count;
    uint32_t format_total; // with those that are not kept
    struct sdp_format formats[SDP_FORMATS_MAX];
};

struct sdp {
    struct slice origin; // the o= line's value
    uint32_t media_count, media_total;
    struct sdp_media media[SDP_MEDIA_MAX];
};

// Returns the number of media lines kept, or -1 where the body is no session description at all (no
// v= or m= line).
int sdp_parse(struct sdp *s, struct slice body);

#endif
