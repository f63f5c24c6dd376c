// RTP headers (RFC 3550 5.1), and telling RTP, RTCP and others apart on one port (RFC 7983,
// RFC 5761).
#ifndef SIDETONE_WIRE_RTP_RTP_H
#define SIDETONE_WIRE_RTP_RTP_H

#include <stdbool.h>
#include <stdint.h>

struct rtp_header {
    uint32_t ssrc;
    uint32_t timestamp;
    uint16_t sequence;
    uint8_t payload_type;
    bool marker;
    uint16_t header_n;  // fixed header, CSRC list and extension
    uint16_t payload_n; // bytes that are there, without padding; 0 where it is cut before them
};

enum rtp_class {
    RTP_NOT,   // neither
    RTP_MEDIA, // *h is filled
    // RTCP: every packet of the compound is whole and their lengths fill the datagram. Or SRTCP: a
    // first report of the size that its block count demands, then bytes that nobody can read; or
    // one packet of another type with just the trailer of SRTCP after it.
    RTP_CONTROL,
    RTP_BROKEN, // version 2, but CSRC list, extension or padding do not fit: counted as odd
};

// `n` bytes of `length` on the wire are there (n < length: cut by snaplen; lengths are judged by
// `length`, and padding that cannot be seen is not taken off). Shorter than 12 bytes is no RTP. *h
// is touched only for RTP_MEDIA.
enum rtp_class rtp_classify(const uint8_t *p, uint32_t n, uint32_t length, struct rtp_header *h);

// Digit of an RFC 4733 event 0-15: 0123456789*#ABCD, 16 is '!' (flash); 0 where the event is none
// of them.
char dtmf_digit(uint8_t event);

#endif
