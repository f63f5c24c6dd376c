// Random traffic for tests of the whole reader: calls with their media, copies, losses, strangers
// and noise, as packets in time order, and their writing as pcap and pcapng.
#ifndef SIDETONE_TESTS_MIXED_H
#define SIDETONE_TESTS_MIXED_H

#include "capture.h"
#include "random_fill.h"
#include "rtcp_maker.h"

struct mixed_packet {
    int64_t time_ns;
    uint32_t number; // keeps equal times in order
    uint16_t ip_id, n;
    struct frame_path path;
    uint8_t payload[900];
};

struct mixed {
    struct random rng;
    struct mixed_packet *packets;
    size_t n, room;
};

static inline void mixed_free(struct mixed *m)
{
    free(m->packets);
}

static inline struct mixed_packet *mixed_add(struct mixed *m, int64_t time_ns,
                                             const struct frame_path *path)
{
    if (m->n == m->room) {
        m->room = m->room ? m->room * 2 : 1024;
        m->packets = realloc(m->packets, m->room * sizeof *m->packets);
        assert(m->packets);
    }
    struct mixed_packet *p = &m->packets[m->n++];
    p->time_ns = time_ns;
    p->number = (uint32_t)m->n;
    p->ip_id = (uint16_t)random_u64(&m->rng);
    p->path = *path;
    p->n = 0;
    return p;
}

struct mixed_call {
    uint32_t id;
    uint8_t caller, callee;
    uint16_t ports[2];
    bool has_media;
};

// `by`: 0 the caller, 1 the callee; `start` the start line, SDP where it says so.
static inline void mixed_sip(struct mixed *m, const struct mixed_call *c, int64_t time_ns, int by,
                             const char *start, const char *to_tag, const char *cseq, bool has_sdp)
{
    char sdp[400] = "";
    uint8_t hosts[2] = {c->caller, c->callee};
    struct frame_path path = capture_path(hosts[by], 5060, hosts[!by], 5060);
    struct mixed_packet *p = mixed_add(m, time_ns, &path);
    int sdp_n = !has_sdp ? 0
                         : snprintf(sdp, sizeof sdp,
                                    "v=0\r\no=- 1 1 IN IP4 192.0.2.%u\r\ns=-\r\n"
                                    "c=IN IP4 192.0.2.%u\r\nt=0 0\r\nm=audio %u RTP/AVP 0 8 101\r\n"
                                    "a=rtpmap:101 telephone-event/8000\r\n",
                                    hosts[by], hosts[by], c->ports[by]);
    int n = snprintf((char *)p->payload, sizeof p->payload,
                     "%s\r\nVia: SIP/2.0/UDP h;branch=z9hG4bK%u%c\r\nFrom: <sip:a%u@x>;tag=f%u\r\n"
                     "To: <sip:b@x>%s\r\nCall-ID: id%u@x\r\nCSeq: %s\r\nUser-Agent: %s\r\n"
                     "Content-Type: application/sdp\r\nContent-Length: %d\r\n\r\n%s",
                     start, c->id, cseq[0], c->id, c->id, to_tag, c->id % 7 == 0 ? 1 : c->id, cseq,
                     by ? "callee/1" : "caller/2", sdp_n, sdp);
    assert(n > 0 && (size_t)n < sizeof p->payload);
    p->n = (uint16_t)n;
    if (random_below(&m->rng, 20) == 0) { // the capture made a copy
        struct mixed_packet *copy =
            mixed_add(m, time_ns + (int64_t)random_below(&m->rng, 60 * MS), &path);
        const struct mixed_packet *first = copy - 1;
        memcpy(copy->payload, first->payload, first->n);
        copy->n = first->n;
        copy->ip_id = first->ip_id;
    }
}

struct mixed_stream {
    uint32_t ssrc;
    uint16_t sequence; // of its first packet
};

static inline struct mixed_stream mixed_media(struct mixed *m, const struct mixed_call *c, int by,
                                              int64_t time_ns, size_t count)
{
    uint8_t hosts[2] = {c->caller, c->callee};
    struct frame_path path = capture_path(hosts[by], c->ports[by], hosts[!by], c->ports[!by]);
    uint16_t sequence = (uint16_t)random_u64(&m->rng);
    uint32_t timestamp = (uint32_t)random_u64(&m->rng);
    uint32_t ssrc = (uint32_t)random_u64(&m->rng);
    uint32_t loss = (uint32_t)random_below(&m->rng, 3) * 30;
    struct mixed_stream made = {ssrc, sequence};
    for (size_t i = 0; i < count; i++, sequence++, timestamp += 160) {
        int64_t at_ns = time_ns + (int64_t)i * 20 * MS + (int64_t)random_below(&m->rng, 25 * MS);
        bool event = i % 61 == 60;
        if (random_below(&m->rng, 1000) < loss) {
            continue;
        }
        for (int copies = random_below(&m->rng, 50) == 0 ? 2 : 1; copies > 0; copies--) {
            struct mixed_packet *p = mixed_add(m, at_ns, &path);
            p->n = (uint16_t)capture_rtp(p->payload,
                                         event     ? 101
                                         : i > 200 ? 8
                                                   : 0,
                                         i == 0, sequence, timestamp, ssrc, event ? 4 : 40);
            if (event) {
                p->payload[12] = (uint8_t)(i % 16);
            }
        }
    }
    return made;
}

// What one side sends as RTCP at this moment: whole, in part, encrypted, or none at all.
static inline void mixed_compound(struct mixed *m, struct bytes *b, const struct mixed_stream *own,
                                  const struct mixed_stream *other, int64_t time_ns,
                                  int64_t former_ns, uint32_t sent)
{
    struct rtcp_report block = {
        .ssrc = other->ssrc,
        .fraction = (uint8_t)random_below(&m->rng, 30),
        .lost = (int32_t)random_below(&m->rng, 40) - 5,
        .highest_sequence = other->sequence + sent,
        .jitter = (uint32_t)random_below(&m->rng, 500),
        .lsr = random_below(&m->rng, 4) == 0 ? 0 : rtcp_lsr(former_ns),
        .dlsr = (uint32_t)random_below(&m->rng, 65536 * 2),
    };
    switch (random_below(&m->rng, 8)) {
    case 0:
        rtcp_put_rr(b, own->ssrc, &block, 1);
        break;
    case 1:
        rtcp_put_feedback(b, own->ssrc, other->ssrc);
        return;
    case 2:
        rtcp_put_sealed(b, RTCP_SR, own->ssrc);
        return;
    case 3:
        rtcp_put_rr(b, own->ssrc, &block, 1);
        rtcp_put_xr(b, own->ssrc, other->ssrc, sent % 100);
        break;
    default:
        rtcp_put_sr(b, own->ssrc, rtcp_ntp(time_ns), sent, &block, 1);
        break;
    }
    rtcp_put_cname(b, own->ssrc, "somebody@example");
    if (random_below(&m->rng, 10) == 0) {
        rtcp_put_bye(b, own->ssrc);
    }
}

// RTCP of both sides each second, on the port of the media or the one above it, some of it copied
// by the capture.
static inline void mixed_control(struct mixed *m, const struct mixed_call *c,
                                 const struct mixed_stream streams[2], int64_t time_ns,
                                 size_t packets)
{
    uint8_t hosts[2] = {c->caller, c->callee};
    uint16_t above = (uint16_t)random_below(&m->rng, 2);
    for (uint32_t at = 50; at < packets; at += 50) {
        for (int by = 0; by < 2; by++) {
            struct bytes b = {0};
            int64_t now_ns = time_ns + at * 20 * MS + by * 3 * MS;
            struct frame_path path = capture_path(hosts[by], (uint16_t)(c->ports[by] + above),
                                                  hosts[!by], (uint16_t)(c->ports[!by] + above));
            mixed_compound(m, &b, &streams[by], &streams[!by], now_ns, now_ns - (by ? 3 : 997) * MS,
                           at);
            struct mixed_packet *p = mixed_add(m, now_ns, &path);
            p->n = (uint16_t)b.n;
            memcpy(p->payload, b.p, b.n);
            if (random_below(&m->rng, 10) == 0) {
                struct mixed_packet *copy = mixed_add(m, now_ns + 20000, &path);
                copy->ip_id = copy[-1].ip_id;
                copy->n = (uint16_t)b.n;
                memcpy(copy->payload, b.p, b.n);
            }
            bytes_free(&b);
        }
    }
}

static inline void mixed_noise(struct mixed *m, int64_t time_ns)
{
    struct frame_path path =
        capture_path((uint8_t)random_u64(&m->rng), (uint16_t)random_u64(&m->rng),
                     (uint8_t)random_u64(&m->rng), (uint16_t)random_u64(&m->rng));
    struct mixed_packet *p = mixed_add(m, time_ns, &path);
    p->n = (uint16_t)random_below(&m->rng, 300);
    random_fill(&m->rng, p->payload, p->n);
    if (random_below(&m->rng, 2) == 0) {
        p->payload[0] = 0x80; // looks like RTP
    }
}

static inline void mixed_call(struct mixed *m, uint32_t id, int64_t time_ns)
{
    struct mixed_call c = {.id = id,
                           .caller = (uint8_t)(1 + random_below(&m->rng, 20)),
                           .callee = (uint8_t)(100 + random_below(&m->rng, 20)),
                           .ports = {(uint16_t)(10000 + id * 4), (uint16_t)(30000 + id * 4)}};
    size_t packets = random_below(&m->rng, 400);
    mixed_sip(m, &c, time_ns, 0, "INVITE sip:b@x SIP/2.0", "", "1 INVITE", true);
    mixed_sip(m, &c, time_ns + 5 * MS, 1, "SIP/2.0 100 Trying", "", "1 INVITE", false);
    if (random_below(&m->rng, 5) == 0) {
        mixed_sip(m, &c, time_ns + 90 * MS, 1, "SIP/2.0 486 Busy Here", ";tag=t", "1 INVITE",
                  false);
        mixed_sip(m, &c, time_ns + 95 * MS, 0, "ACK sip:b@x SIP/2.0", ";tag=t", "1 ACK", false);
        return;
    }
    mixed_sip(m, &c, time_ns + 90 * MS, 1, "SIP/2.0 180 Ringing", ";tag=t", "1 INVITE", false);
    mixed_sip(m, &c, time_ns + 400 * MS, 1, "SIP/2.0 200 OK", ";tag=t", "1 INVITE", true);
    mixed_sip(m, &c, time_ns + 410 * MS, 0, "ACK sip:b@x SIP/2.0", ";tag=t", "1 ACK", false);
    struct mixed_stream streams[2];
    streams[0] = mixed_media(m, &c, 0, time_ns + 380 * MS, packets); // some before the answer
    streams[1] = mixed_media(m, &c, 1, time_ns + 420 * MS, packets);
    mixed_control(m, &c, streams, time_ns + 400 * MS, packets);
    int64_t over_ns = time_ns + 500 * MS + (int64_t)packets * 20 * MS;
    mixed_sip(m, &c, over_ns, 0, "BYE sip:b@x SIP/2.0", ";tag=t", "2 BYE", false);
    mixed_sip(m, &c, over_ns + 3 * MS, 1, "SIP/2.0 200 OK", ";tag=t", "2 BYE", false);
}

static inline int mixed_compare(const void *left, const void *right)
{
    const struct mixed_packet *a = left;
    const struct mixed_packet *b = right;
    if (a->time_ns != b->time_ns) {
        return a->time_ns < b->time_ns ? -1 : 1;
    }
    return a->number < b->number ? -1 : a->number > b->number;
}

static inline void mixed_make(struct mixed *m, uint64_t seed, uint32_t calls)
{
    *m = (struct mixed){0};
    random_init(&m->rng, seed);
    for (uint32_t i = 0; i < calls; i++) {
        mixed_call(m, i, CAPTURE_START_NS + (int64_t)random_below(&m->rng, 20000 * MS));
        mixed_noise(m, CAPTURE_START_NS + (int64_t)random_below(&m->rng, 25000 * MS));
        mixed_noise(m, CAPTURE_START_NS + (int64_t)random_below(&m->rng, 25000 * MS));
    }
    qsort(m->packets, m->n, sizeof m->packets[0], mixed_compare);
}

static inline size_t mixed_frame(const struct mixed_packet *p, uint32_t linktype, uint8_t *out)
{
    return capture_frame(out, linktype, &p->path, p->ip_id, p->payload, p->n);
}

static inline void mixed_put(struct bytes *b, const struct mixed_packet *p, uint32_t linktype)
{
    uint8_t frame[CAPTURE_FRAME_ROOM];
    pcap_add(b, p->time_ns, frame, mixed_frame(p, linktype, frame));
}

static inline void mixed_pcap(const struct mixed *m, struct bytes *b, uint32_t linktype)
{
    pcap_begin(b, linktype);
    for (size_t i = 0; i < m->n; i++) {
        mixed_put(b, &m->packets[i], linktype);
    }
}

// Sections, interfaces and blocks of other kinds begin anywhere; some packets have no time, and the
// clock of some interfaces is late.
static inline void mixed_pcapng(struct mixed *m, struct bytes *b)
{
    static const uint16_t LINKS[] = {LINK_ETHERNET, LINK_SLL, LINK_RAW, LINK_NULL, LINK_SLL2};
    uint16_t links[64];
    uint32_t interfaces = 0;
    bool big = false;
    for (size_t i = 0; i < m->n; i++) {
        uint8_t frame[CAPTURE_FRAME_ROOM];
        const struct mixed_packet *p = &m->packets[i];
        if (i == 0 || random_below(&m->rng, 1000) == 0) {
            big = random_below(&m->rng, 2) == 0;
            interfaces = 0;
            ng_section(b, big);
        }
        if (interfaces == 0 || (interfaces < 64 && random_below(&m->rng, 200) == 0)) {
            links[interfaces] = LINKS[random_below(&m->rng, 5)];
            ng_interface(b, big, links[interfaces++], 9);
        }
        if (random_below(&m->rng, 50) == 0) {
            ng_other(b, big, random_below(&m->rng, 2000));
        }
        if (random_below(&m->rng, 100) == 0) {
            ng_simple(b, big, frame, mixed_frame(p, links[0], frame));
            continue;
        }
        uint32_t interface = (uint32_t)random_below(&m->rng, interfaces);
        int64_t time_ns = p->time_ns - (random_below(&m->rng, 30) == 0 ? 70 * MS : 0);
        ng_packet(b, big, interface, (uint64_t)time_ns, frame,
                  mixed_frame(p, links[interface], frame));
    }
}

#endif
