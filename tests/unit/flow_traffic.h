// Random traffic of everything that takes several packets, for tests of the whole reader: SIP and
// RTP in fragments, TCP with SIP, WebSocket, HEP, framed RTP, TLS and noise, SCTP, HEP datagrams,
// ICMP errors, in VLANs and tunnels that use the same addresses.
#ifndef SIDETONE_TESTS_FLOW_TRAFFIC_H
#define SIDETONE_TESTS_FLOW_TRAFFIC_H

#include "flow/tcp.h"
#include "flow_frames.h"
#include "hep_maker.h"
#include "rtcp_maker.h"
#include "sctp_maker.h"

#define FLOW_SECONDS 50

static inline int64_t flow_time(struct flow_frames *f)
{
    return CAPTURE_START_NS + (int64_t)random_below(&f->rng, FLOW_SECONDS * 1000) * MS;
}

// Few addresses and ports in few tunnels: what must be told apart is alike.
static inline struct flow_way flow_way_any(struct flow_frames *f)
{
    return (struct flow_way){
        .is_v6 = flow_chance(f, 40),
        .a = (uint8_t)(1 + flow_pick(f, 4)),
        .b = (uint8_t)(11 + flow_pick(f, 3)),
        .a_port = (uint16_t)(40000 + flow_pick(f, 6)),
        .b_port = 5060,
        .vlan = (uint16_t)(flow_chance(f, 30) ? 100 + flow_pick(f, 2) : 0),
        .tunnel = flow_chance(f, 40) ? (enum flow_tunnel)flow_pick(f, TUNNELS) : TUNNEL_NONE,
        .tunnel_id = 7 + flow_pick(f, 2),
        .inner_fragments = flow_chance(f, 30) ? 60 : 0,
        .outer_fragments = flow_chance(f, 30) ? 60 : 0,
    };
}

// --- messages ---

static inline void sip_text(struct flow_frames *f, struct bytes *out, size_t body_n)
{
    static const char *const STARTS[][2] = {
        {"INVITE sip:b@x SIP/2.0", "1 INVITE"}, {"SIP/2.0 180 Ringing", "1 INVITE"},
        {"SIP/2.0 200 OK", "1 INVITE"},         {"ACK sip:b@x SIP/2.0", "1 ACK"},
        {"BYE sip:b@x SIP/2.0", "2 BYE"},       {"MESSAGE sip:b@x SIP/2.0", "3 MESSAGE"},
    };
    char text[800], sdp[300] = "";
    uint32_t row = flow_pick(f, 6);
    uint32_t id = flow_pick(f, 12);
    size_t sdp_n = 0;
    if (row == 0 || row == 2) {
        sdp_n = (size_t)snprintf(sdp, sizeof sdp,
                                 "v=0\r\no=- 1 1 IN IP4 10.0.0.%u\r\ns=-\r\nc=IN IP4 10.0.0.%u\r\n"
                                 "t=0 0\r\nm=audio %u RTP/AVP 0 8\r\n",
                                 1 + id % 4, 1 + id % 4, 20000 + id * 2);
    }
    int n = snprintf(text, sizeof text,
                     "%s\r\nVia: SIP/2.0/TCP h;branch=z9hG4bK%u\r\nFrom: <sip:a%u@x>;tag=f\r\n"
                     "To: <sip:b@x>%s\r\nCall-ID: id%u@x\r\nCSeq: %s\r\nContent-Type: %s\r\n"
                     "Content-Length: %zu\r\n\r\n",
                     STARTS[row][0], id, id, row ? ";tag=t" : "", id, STARTS[row][1],
                     sdp_n ? "application/sdp" : "text/plain", sdp_n + body_n);
    bytes_put(out, text, (size_t)n);
    bytes_put(out, sdp, sdp_n);
    memset(bytes_grow(out, body_n), 'x', body_n);
}

static inline size_t body_any(struct flow_frames *f)
{
    return flow_chance(f, 40) ? 0 : flow_pick(f, flow_chance(f, 20) ? 6000 : 300);
}

static inline void hep_envelope(struct flow_frames *f, struct bytes *out)
{
    struct bytes one = {0}, sip = {0};
    hep_begin(&one);
    for (size_t i = 0; i < USUAL_CHUNKS; i++) {
        if (USUAL[i].type != 0x0f) {
            hep_usual_chunk(&one, i);
        }
    }
    sip_text(f, &sip, flow_pick(f, 200));
    hep_chunk(&one, 0x0f, sip.p, sip.n);
    hep_settle(&one);
    bytes_put(out, one.p, one.n);
    bytes_free(&one);
    bytes_free(&sip);
}

// --- what a connection carries ---

enum flow_content {
    CONTENT_SIP,
    CONTENT_WEBSOCKET,
    CONTENT_RTP,
    CONTENT_HEP,
    CONTENT_TLS,
    CONTENT_NOISE,
    CONTENTS,
};

static inline void ws_frame(struct flow_frames *f, struct bytes *out, uint8_t first, bool masked,
                            const uint8_t *p, size_t n)
{
    uint8_t key[4] = {0};
    bytes_put(out, &first, 1);
    uint8_t *length = bytes_grow(out, n < 126 ? 1 : 3);
    length[0] = (uint8_t)((masked ? 0x80 : 0) | (n < 126 ? n : 126));
    if (n >= 126) {
        put_be16(length + 1, (uint16_t)n);
    }
    if (masked) {
        random_fill(&f->rng, key, 4);
        bytes_put(out, key, 4);
    }
    uint8_t *to = bytes_grow(out, n);
    for (size_t i = 0; i < n; i++) {
        to[i] = p[i] ^ key[i % 4];
    }
}

static inline void ws_message(struct flow_frames *f, struct bytes *out, bool masked)
{
    struct bytes sip = {0};
    sip_text(f, &sip, flow_pick(f, 2000));
    if (flow_chance(f, 30)) { // in two frames, a ping between them
        size_t half = flow_pick(f, (uint32_t)sip.n);
        ws_frame(f, out, 0x01, masked, sip.p, half);
        ws_frame(f, out, 0x89, masked, (const uint8_t *)"ping", 4);
        ws_frame(f, out, 0x80, masked, sip.p + half, sip.n - half);
    } else {
        ws_frame(f, out, 0x81, masked, sip.p, sip.n);
    }
    bytes_free(&sip);
}

static inline void content_websocket(struct flow_frames *f, struct bytes *out, int side)
{
    static const char *const HEADS[] = {
        "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: sip\r\n"
        "Sec-WebSocket-Version: 13\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\nSec-WebSocket-Protocol: sip\r\n\r\n",
    };
    bytes_put(out, HEADS[side], strlen(HEADS[side]));
    for (uint32_t i = 1 + flow_pick(f, 4); i > 0; i--) {
        ws_message(f, out, side == 0);
    }
}

// A compound of one side of a call.
static inline void rtcp_compound(struct flow_frames *f, struct bytes *out, uint32_t ssrc,
                                 uint32_t sent)
{
    struct rtcp_report block = {.ssrc = ssrc ^ 1,
                                .fraction = (uint8_t)flow_pick(f, 20),
                                .lost = (int32_t)flow_pick(f, 20) - 3,
                                .highest_sequence = sent,
                                .jitter = flow_pick(f, 300)};
    if (flow_chance(f, 20)) {
        rtcp_put_sealed(out, RTCP_RR, ssrc);
        return;
    }
    rtcp_put_sr(out, ssrc, rtcp_ntp(CAPTURE_START_NS + sent * 20 * MS), sent, &block, 1);
    rtcp_put_cname(out, ssrc, "somebody@example");
    if (flow_chance(f, 30)) {
        rtcp_put_xr(out, ssrc, ssrc ^ 1, flow_pick(f, 50));
    }
}

static inline void content_rtp(struct flow_frames *f, struct bytes *out)
{
    uint8_t rtp[256];
    uint32_t ssrc = flow_pick(f, 1000);
    for (uint16_t i = 0; i < 40; i++) {
        size_t n = capture_rtp(rtp, 0, i == 0, i, i * 160u, ssrc, 160);
        put_be16(bytes_grow(out, 2), (uint16_t)n);
        bytes_put(out, rtp, n);
        if (i % 10 == 9) {
            struct bytes b = {0};
            rtcp_compound(f, &b, ssrc, i);
            put_be16(bytes_grow(out, 2), (uint16_t)b.n);
            bytes_put(out, b.p, b.n);
            bytes_free(&b);
        }
    }
}

static inline void content_sip(struct flow_frames *f, struct bytes *out)
{
    for (uint32_t i = 1 + flow_pick(f, 5); i > 0; i--) {
        sip_text(f, out, body_any(f));
        if (flow_chance(f, 20)) {
            bytes_put(out, "\r\n\r\n", 4);
        }
    }
}

static inline void content(struct flow_frames *f, struct bytes *out, enum flow_content kind,
                           int side)
{
    switch (kind) {
    case CONTENT_SIP:
        content_sip(f, out);
        return;
    case CONTENT_WEBSOCKET:
        content_websocket(f, out, side);
        return;
    case CONTENT_RTP:
        content_rtp(f, out);
        return;
    case CONTENT_HEP:
        for (uint32_t i = 1 + flow_pick(f, 4); i > 0; i--) {
            hep_envelope(f, out);
        }
        return;
    case CONTENT_TLS:
        bytes_put(out, "\x16\x03\x01\x00\x64\x01\x00\x00\x60\x03\x03", 11);
        break;
    case CONTENT_NOISE:
    case CONTENTS:
        break;
    }
    size_t n = 200 + flow_pick(f, 800);
    random_fill(&f->rng, bytes_grow(out, n), n);
}

// --- TCP ---

struct flow_tcp {
    struct flow_way way;
    int64_t time_ns;
    uint32_t next[2]; // sequence number of each side
};

static inline void tcp_send(struct flow_frames *f, struct flow_tcp *t, int side, int64_t time_ns,
                            uint8_t flags, uint32_t sequence, const uint8_t *p, size_t n)
{
    struct bytes b = {0};
    struct flow_way way = t->way;
    way.is_back = side == 1;
    put_be16(bytes_grow(&b, 2), side ? way.b_port : way.a_port);
    put_be16(bytes_grow(&b, 2), side ? way.a_port : way.b_port);
    bytes_put32(&b, sequence, true);
    bytes_put32(&b, t->next[1 - side], true);
    uint8_t *rest = bytes_grow(&b, 8);
    memset(rest, 0, 8);
    rest[0] = 0x50;
    rest[1] = flags;
    put_be16(rest + 4, (uint16_t)flow_pick(f, 65536));
    bytes_put(&b, p, n);
    send_ip(f, &way, time_ns, NET_TCP, &b);
    bytes_free(&b);
}

// Some segments are lost by the capture, sent again, late or there twice.
static inline void tcp_segment(struct flow_frames *f, struct flow_tcp *t, int side,
                               const uint8_t *p, size_t n, uint32_t trouble)
{
    uint32_t sequence = t->next[side];
    size_t first = f->n;
    t->next[side] += (uint32_t)n;
    t->time_ns += flow_pick(f, 60) * MS;
    if (!flow_chance(f, trouble)) {
        tcp_send(f, t, side, t->time_ns, TCP_ACK, sequence, p, n);
        return;
    }
    switch (flow_pick(f, 4)) {
    case 0: // lost
        break;
    case 1: // sent again, more of it
        tcp_send(f, t, side, t->time_ns, TCP_ACK, sequence, p, n / 2);
        tcp_send(f, t, side, t->time_ns + 250 * MS, TCP_ACK, sequence, p, n);
        break;
    case 2: // late
        tcp_send(f, t, side, t->time_ns + flow_pick(f, 150) * MS, TCP_ACK, sequence, p, n);
        break;
    case 3: // the capture made a copy
        tcp_send(f, t, side, t->time_ns, TCP_ACK, sequence, p, n);
        for (size_t i = first, end = f->n; i < end; i++) {
            struct bytes copy = {f->items[i].bytes, f->items[i].n, 0};
            flow_frame_add(f, f->items[i].time_ns + 20000, &copy);
        }
        break;
    }
}

static inline void tcp_begin(struct flow_frames *f, struct flow_tcp *t)
{
    t->next[0] = (uint32_t)random_u64(&f->rng);
    t->next[1] = (uint32_t)random_u64(&f->rng);
    if (flow_chance(f, 20)) {
        return; // in mid-stream
    }
    tcp_send(f, t, 0, t->time_ns, TCP_SYN, t->next[0]++, NULL, 0);
    tcp_send(f, t, 1, t->time_ns + 5 * MS, TCP_SYN | TCP_ACK, t->next[1]++, NULL, 0);
    t->time_ns += 10 * MS;
}

static inline void tcp_connection(struct flow_frames *f, struct flow_tcp *t)
{
    enum flow_content kind =
        flow_chance(f, 50) ? CONTENT_SIP : (enum flow_content)flow_pick(f, CONTENTS);
    uint32_t trouble = flow_chance(f, 50) ? 0 : 25;
    struct bytes streams[2] = {0};
    size_t at[2] = {0};
    tcp_begin(f, t);
    content(f, &streams[0], kind, 0);
    content(f, &streams[1], kind, 1);
    size_t most = flow_chance(f, 30) ? 90 : 1400;
    while (at[0] < streams[0].n || at[1] < streams[1].n) {
        int side = at[1] >= streams[1].n || (at[0] < streams[0].n && flow_chance(f, 50)) ? 0 : 1;
        size_t n = 1 + flow_pick(f, (uint32_t)most);
        n = n < streams[side].n - at[side] ? n : streams[side].n - at[side];
        tcp_segment(f, t, side, streams[side].p + at[side], n, trouble);
        at[side] += n;
    }
    if (flow_chance(f, 60)) {
        tcp_send(f, t, 0, t->time_ns + 10 * MS, TCP_FIN | TCP_ACK, t->next[0]++, NULL, 0);
        tcp_send(f, t, 1, t->time_ns + 20 * MS, TCP_FIN | TCP_ACK, t->next[1]++, NULL, 0);
    } else if (flow_chance(f, 30)) {
        tcp_send(f, t, 0, t->time_ns + 10 * MS, TCP_RST, t->next[0], NULL, 0);
    }
    t->time_ns += 100 * MS;
    bytes_free(&streams[0]);
    bytes_free(&streams[1]);
}

static inline void flow_tcp(struct flow_frames *f)
{
    struct flow_tcp t = {.way = flow_way_any(f), .time_ns = flow_time(f)};
    tcp_connection(f, &t);
    if (flow_chance(f, 20)) { // the ports again
        tcp_connection(f, &t);
    }
}

// --- the others ---

static inline void flow_sctp(struct flow_frames *f)
{
    struct flow_way way = flow_way_any(f);
    struct bytes b = {0}, sip = {0};
    char text[400];
    int64_t time_ns = flow_time(f);
    uint32_t tsn = (uint32_t)random_u64(&f->rng);
    for (uint32_t i = 2 + flow_pick(f, 4); i > 0; i--) {
        sip.n = 0;
        sip_text(f, &sip, flow_pick(f, 900));
        for (size_t at = 0; at < sip.n;) {
            size_t n = sip.n - at < sizeof text - 1 ? sip.n - at : sizeof text - 1;
            memcpy(text, sip.p + at, n);
            text[n] = '\0';
            sctp_head(&b, 1);
            sctp_data_chunk(&b, (uint8_t)((at == 0 ? B : 0) | (at + n == sip.n ? E : 0)), tsn++, 1,
                            text);
            time_ns += flow_pick(f, 50) * MS;
            if (!flow_chance(f, 5)) {
                send_ip(f, &way, time_ns + flow_pick(f, 60) * MS, NET_SCTP, &b);
            }
            at += n;
        }
    }
    bytes_free(&b);
    bytes_free(&sip);
}

static inline void flow_udp_sip(struct flow_frames *f)
{
    struct flow_way way = flow_way_any(f);
    struct bytes sip = {0};
    int64_t time_ns = flow_time(f);
    for (uint32_t i = 1 + flow_pick(f, 5); i > 0; i--) {
        sip.n = 0;
        sip_text(f, &sip, flow_pick(f, 900));
        way.is_back = flow_chance(f, 50);
        send_udp(f, &way, time_ns, sip.p, sip.n);
        time_ns += flow_pick(f, 800) * MS;
    }
    bytes_free(&sip);
}

static inline void flow_udp_hep(struct flow_frames *f)
{
    struct flow_way way = flow_way_any(f);
    struct bytes hep = {0};
    way.b_port = 9060;
    hep_envelope(f, &hep);
    send_udp(f, &way, flow_time(f), hep.p, hep.n);
    bytes_free(&hep);
}

static inline void flow_rtp(struct flow_frames *f)
{
    struct flow_way way = flow_way_any(f);
    uint8_t rtp[300];
    int64_t time_ns = flow_time(f);
    uint32_t ssrc = (uint32_t)random_u64(&f->rng);
    way.a_port = (uint16_t)(20000 + 2 * flow_pick(f, 12));
    way.b_port = (uint16_t)(20000 + 2 * flow_pick(f, 12));
    way.outer_fragments /= 10;
    way.inner_fragments /= 10;
    for (uint16_t i = 0; i < 60; i++) {
        size_t n = capture_rtp(rtp, 0, i == 0, i, i * 160u, ssrc, 160);
        send_udp(f, &way, time_ns + i * 20 * MS, rtp, n);
    }
    way.outer_fragments *= 10;
    way.inner_fragments *= 10;
    for (uint16_t i = 0; i < 60; i += 15) {
        struct bytes b = {0};
        way.is_back = flow_chance(f, 50);
        rtcp_compound(f, &b, way.is_back ? ssrc ^ 1 : ssrc, i);
        send_udp(f, &way, time_ns + i * 20 * MS, b.p, b.n);
        bytes_free(&b);
    }
}

// An error about a message that was sent, and one about media.
static inline void flow_icmp(struct flow_frames *f)
{
    struct flow_way way = {.a = 1, .b = 11, .a_port = 5060, .b_port = 5060};
    struct bytes sip = {0}, error = {0};
    int64_t time_ns = flow_time(f);
    size_t first = f->n;
    sip_text(f, &sip, 0);
    send_udp(f, &way, time_ns, sip.p, sip.n);
    bytes_put(&error, "\3\3\0\0\0\0\0\0", 8);
    size_t n = f->items[first].n - 14;
    bytes_put(&error, f->items[first].bytes + 14, n < 28 || flow_chance(f, 50) ? n : 28);
    way.is_back = true;
    way.inner_fragments = flow_chance(f, 30) ? 100 : 0;
    send_ip(f, &way, time_ns + 10 * MS, NET_ICMP, &error);
    bytes_free(&sip);
    bytes_free(&error);
}

// The last piece of a segment comes just when another datagram of these hosts is too old: both
// messages are known with the same packet.
static inline void flow_tie(struct flow_frames *f)
{
    struct flow_tcp t = {.way = {.a = (uint8_t)(60 + flow_pick(f, 20)), .b = 99, .b_port = 5060}};
    struct bytes sip = {0};
    t.time_ns = CAPTURE_START_NS + (int64_t)flow_pick(f, 15000) * MS;
    t.way.a_port = 41000;
    sip_text(f, &sip, 0);
    struct bytes udp = {0};
    bytes_put(&udp, "\x13\xc4\x13\xc4\x13\x88\0\0", 8); // longer than what comes
    bytes_put(&udp, sip.p, sip.n & ~7u);
    struct ip_part part = {++f->id, 0, true, true};
    struct bytes packet = {0};
    ip_packet(&packet, false, t.way.a, t.way.b, NET_UDP, &part, udp.p, udp.n & ~7u);
    in_ethernet(f, t.time_ns, 0, false, &packet);
    tcp_send(f, &t, 0, t.time_ns + 20000 * MS, TCP_SYN, 100, NULL, 0);
    size_t first = f->n;
    t.way.inner_fragments = 100;
    do {
        while (f->n > first) { // until all pieces are there
            free(f->items[--f->n].bytes);
        }
        tcp_send(f, &t, 0, t.time_ns + 29000 * MS, TCP_ACK, 101, sip.p, sip.n);
    } while (f->n < first + 2);
    for (size_t i = first; i < f->n; i++) {
        f->items[i].time_ns += i + 1 == f->n ? 1500 * MS : 0;
    }
    bytes_free(&sip);
    bytes_free(&udp);
    bytes_free(&packet);
}

static inline void flow_traffic(struct flow_frames *f, uint64_t seed, uint32_t size)
{
    *f = (struct flow_frames){0};
    random_init(&f->rng, seed);
    for (uint32_t i = 0; i < size; i++) {
        flow_tcp(f);
        flow_udp_sip(f);
        if (i % 2 == 0) {
            flow_sctp(f);
            flow_udp_hep(f);
            flow_rtp(f);
            flow_icmp(f);
            flow_tie(f);
        }
    }
    flow_frames_sort(f);
}

#endif
