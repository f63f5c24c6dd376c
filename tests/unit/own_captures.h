// Small captures for tests: a call with its media and digits, in each format and link type.
#ifndef SIDETONE_TESTS_OWN_CAPTURES_H
#define SIDETONE_TESTS_OWN_CAPTURES_H

#include "capture.h"

static inline size_t say(char *out, size_t room, const char *start, const char *tag,
                         const char *cseq)
{
    static const char SDP[] = "v=0\r\no=- 1 1 IN IP4 192.0.2.1\r\ns=-\r\nc=IN IP4 192.0.2.1\r\n"
                              "t=0 0\r\nm=audio 4000 RTP/AVP 0 101\r\n"
                              "a=rtpmap:101 telephone-event/8000\r\n";
    int n =
        snprintf(out, room,
                 "%s\r\nVia: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK%s\r\nFrom: <sip:a@x>;tag=1\r\n"
                 "To: <sip:b@x>%s\r\nCall-ID: c@x\r\nCSeq: %s\r\n"
                 "Content-Type: application/sdp\r\nContent-Length: %zu\r\n\r\n%s",
                 start, cseq, tag, cseq, sizeof SDP - 1, SDP);
    return (size_t)n;
}

static inline size_t own_payload(uint8_t *out, size_t i)
{
    static const char *const LINES[][3] = {
        {"INVITE sip:b@x SIP/2.0", "", "1 INVITE"},
        {"SIP/2.0 180 Ringing", ";tag=2", "1 INVITE"},
        {"SIP/2.0 200 OK", ";tag=2", "1 INVITE"},
        {"ACK sip:b@x SIP/2.0", ";tag=2", "1 ACK"},
    };
    if (i < 4) {
        return say((char *)out, 1400, LINES[i][0], LINES[i][1], LINES[i][2]);
    }
    if (i == 40) {
        return say((char *)out, 1400, "BYE sip:b@x SIP/2.0", ";tag=2", "2 BYE");
    }
    return capture_rtp(out, i % 7 == 3 ? 101 : 0, i == 4, (uint16_t)i, (uint32_t)i * 160, 7,
                       i % 7 == 3 ? 4 : 40);
}

static inline void own_pcap(struct bytes *b, uint32_t linktype)
{
    pcap_begin(b, linktype);
    for (size_t i = 0; i < 41; i++) {
        uint8_t payload[1472], frame[CAPTURE_FRAME_ROOM];
        struct frame_path path = capture_path(2, 4002, 1, i < 4 || i == 40 ? 5060 : 4000);
        size_t n =
            capture_frame(frame, linktype, &path, (uint16_t)i, payload, own_payload(payload, i));
        pcap_add(b, CAPTURE_START_NS + (int64_t)i * 20 * MS, frame, n);
    }
}

static inline void own_pcapng(struct bytes *b, bool big)
{
    static const uint16_t LINKS[] = {LINK_ETHERNET, LINK_SLL, LINK_RAW};
    ng_section(b, big);
    ng_interface(b, big, LINKS[0], 6);
    ng_other(b, big, 10);
    ng_interface(b, big, LINKS[1], 9);
    for (size_t i = 0; i < 41; i++) {
        uint8_t payload[1472], frame[CAPTURE_FRAME_ROOM];
        uint32_t interface = (uint32_t)(i % (i < 20 ? 2 : 3));
        int64_t time_ns = CAPTURE_START_NS + (int64_t)i * 20 * MS;
        struct frame_path path = capture_path(2, 4002, 1, i < 4 || i == 40 ? 5060 : 4000);
        size_t n = capture_frame(frame, LINKS[interface], &path, (uint16_t)i, payload,
                                 own_payload(payload, i));
        if (i == 20) {
            ng_interface(b, big, LINKS[2], 6);
        }
        if (i % 11 == 10) {
            n = capture_frame(frame, LINKS[0], &path, (uint16_t)i, payload,
                              own_payload(payload, i));
            ng_simple(b, big, frame, n);
        } else {
            ng_packet(b, big, interface, (uint64_t)(interface == 1 ? time_ns : time_ns / 1000),
                      frame, n);
        }
    }
}

#endif
