// RTCP: the packets of a compound, and what stands in them (RFC 3550 6, RFC 4585 6.1).
//
// Comes in: a datagram that rtp_classify() calls RTP_CONTROL. Goes out: one packet after the other,
// and their parts on demand. Nothing is believed that the bytes do not hold: counts of blocks,
// lengths of items and padding are held against what is there. No allocation; texts are borrowed.
#ifndef SIDETONE_WIRE_RTP_RTCP_H
#define SIDETONE_WIRE_RTP_RTCP_H

#include "base/slice.h"

enum {
    RTCP_SR = 200,
    RTCP_RR = 201,
    RTCP_SDES = 202,
    RTCP_BYE = 203,
    RTCP_APP = 204,
    RTCP_RTPFB = 205, // feedback of the transport
    RTCP_PSFB = 206,  // feedback of the payload
    RTCP_XR = 207,    // wire/rtp/rtcp_xr.h
};

enum rtcp_form {
    RTCP_NONE,     // no RTCP
    RTCP_READABLE, // a compound, or one packet (RFC 5506)
    RTCP_SEALED,   // SRTCP (RFC 3711 3.4): only type and SSRC of the first packet can be read
};

// `n` bytes of `length` on the wire are there, n at most length.
enum rtcp_form rtcp_form(const uint8_t *p, uint32_t n, uint32_t length);

struct rtcp_reader {
    const uint8_t *p;
    uint32_t n, length, at;
    enum rtcp_form form;
};

struct rtcp_packet {
    uint8_t type;
    uint8_t count;    // of report blocks, chunks or sources; subtype or format of the others
    bool is_sealed;   // nothing but type and SSRC means anything, and there is no body
    bool has_ssrc;    // SDES, BYE: it names a source at all; others: of a type that is known
    uint32_t ssrc;    // of who speaks; SDES, BYE: the first source
    const uint8_t *p; // behind its first word, without padding; ends where snaplen cut
    uint32_t n;
};

// Any bytes: what is no RTCP has no packets.
void rtcp_begin(struct rtcp_reader *r, const uint8_t *p, uint32_t n, uint32_t length);

// Fills *out with the next packet of which at least the first word is there; false: no more.
bool rtcp_next(struct rtcp_reader *r, struct rtcp_packet *out);

// What a sender says of itself (RFC 3550 6.4.1).
struct rtcp_sender_info {
    uint64_t ntp;           // wallclock, 0: it has none
    uint32_t rtp_timestamp; // the same moment
    uint32_t packets, octets;
};

// False where it is no SR, or cut before its end.
bool rtcp_sender_info(const struct rtcp_packet *p, struct rtcp_sender_info *out);

// What a receiver says about a sender.
struct rtcp_report {
    uint32_t ssrc;
    uint8_t fraction;          // lost since the report before, of 256
    int32_t lost;              // in all; negative where more came than was sent
    uint32_t highest_sequence; // with its cycles in the upper half
    uint32_t jitter;           // in units of the timestamp
    uint32_t lsr;              // middle of the NTP time of the sender's newest report; 0: none yet
    uint32_t dlsr;             // since when, in 1/65536 s
};

// Block `index` of an SR or RR, from 0; false where there is none.
bool rtcp_report(const struct rtcp_packet *p, uint32_t index, struct rtcp_report *out);

enum {
    RTCP_ITEM_CNAME = 1,
};

// Items of a source description (RFC 3550 6.5), one by one; starts as {0}.
struct rtcp_item {
    uint32_t ssrc;
    uint8_t type;
    struct slice text;
    uint32_t at, chunk; // of the reading
    bool is_inside;
};

bool rtcp_item_next(const struct rtcp_packet *p, struct rtcp_item *item);

// Source `index` that says goodbye, from 0; false where there is none.
bool rtcp_bye(const struct rtcp_packet *p, uint32_t index, uint32_t *ssrc);

// The source that feedback is about; false where it is no feedback or names none.
bool rtcp_feedback(const struct rtcp_packet *p, uint32_t *ssrc);

#endif
