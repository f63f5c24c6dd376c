// How long does a packet take from the bytes of a capture to its RTP header? A usual mix of frames
// in memory, in steps: walking the records (pcap, pcapng), peeling the frames (the short way, and
// the plain one that it is held against), telling RTP from others.
//
// The mix: of 32 frames 28 are RTP with 160 bytes over IPv4 (12 of them with a VLAN tag), one is
// RTP over IPv6, one RTCP, one SIP and one ARP.
#include "base/bytes.h"
#include "base/memory.h"
#include "bench.h"
#include "wire/cap/pcap_write.h"
#include "wire/cap/walk.h"
#include "wire/net/linktype.h"
#include "wire/net/walk.h"
#include "wire/rtp/rtp.h"

#include <stdio.h>
#include <stdlib.h>

#define FRAMES     8192 // some 2 MB: more than a core's own cache, as the chunks of a capture
#define TIMES      20
#define FRAME_ROOM 640

struct capture {
    struct cap_format format;
    struct pcapng *state; // where the blocks begin; NULL for pcap
    uint8_t *bytes;
    size_t n;
};

// --- the mix ---

enum kind {
    KIND_RTP,
    KIND_RTP_VLAN,
    KIND_RTP_IPV6,
    KIND_RTCP,
    KIND_SIP,
    KIND_ARP,
};

static enum kind kind_of(uint32_t i)
{
    switch (i % 32) { // a place in the mix
    case 5:
        return KIND_RTP_IPV6;
    case 13:
        return KIND_RTCP;
    case 21:
        return KIND_SIP;
    case 29:
        return KIND_ARP;
    default:
        return i % 2 ? KIND_RTP_VLAN : KIND_RTP;
    }
}

static uint32_t put_payload(uint8_t *p, enum kind kind, uint32_t i)
{
    static const char SIP[] = "OPTIONS sip:bob@biloxi.example.com SIP/2.0\r\n"
                              "Via: SIP/2.0/UDP 192.0.2.10:5060;branch=z9hG4bK74bf9;rport\r\n"
                              "From: \"Alice\" <sip:alice@atlanta.example.com>;tag=9fxced76sl\r\n"
                              "To: \"Bob\" <sip:bob@biloxi.example.com>\r\n"
                              "Call-ID: 3848276298220188511@atlanta.example.com\r\n"
                              "CSeq: 1 OPTIONS\r\nContent-Length: 0\r\n\r\n";
    if (kind == KIND_SIP) {
        memcpy(p, SIP, sizeof SIP - 1);
        return sizeof SIP - 1;
    }
    uint32_t n = kind == KIND_RTCP ? 28 : 172;
    memset(p, (int)(i & 0xff), n);
    p[0] = 0x80;
    p[1] = kind == KIND_RTCP ? 200 : 0; // a sender report without blocks, or PCMU
    put_be16(p + 2, kind == KIND_RTCP ? 6 : (uint16_t)i);
    put_be32(p + 4, i * 160);
    put_be32(p + 8, i % 64);
    return n;
}

// UDP at p with its payload behind it. Returns the length of both.
static uint32_t put_udp(uint8_t *p, enum kind kind, uint32_t i)
{
    uint32_t n = 8 + put_payload(p + 8, kind, i);
    put_be16(p, kind == KIND_SIP ? 5060 : (uint16_t)(20000 + i % 64 * 2));
    put_be16(p + 2, kind == KIND_SIP ? 5060 : (uint16_t)(30000 + i % 64 * 2));
    put_be16(p + 4, (uint16_t)n);
    put_be16(p + 6, 0xbeef);
    return n;
}

static uint32_t put_ipv4(uint8_t *p, enum kind kind, uint32_t i)
{
    uint32_t n = 20 + put_udp(p + 20, kind, i);
    memset(p, 0, 20);
    p[0] = 0x45;
    put_be16(p + 2, (uint16_t)n);
    put_be16(p + 4, (uint16_t)i);
    p[8] = 64;
    p[9] = 17;
    put_be32(p + 12, 0xc0000200 + i % 64);
    put_be32(p + 16, 0xc6336400 + i % 64);
    return n;
}

static uint32_t put_ipv6(uint8_t *p, enum kind kind, uint32_t i)
{
    uint32_t n = put_udp(p + 40, kind, i);
    memset(p, 0, 40);
    p[0] = 0x60;
    put_be16(p + 4, (uint16_t)n);
    p[6] = 17;
    p[7] = 64;
    put_be32(p + 8, 0x20010db8);
    put_be32(p + 24, 0x20010db8);
    p[39] = (uint8_t)i;
    return n + 40;
}

// A whole Ethernet frame. Returns its length.
static uint32_t put_frame(uint8_t *p, uint32_t i)
{
    enum kind kind = kind_of(i);
    uint32_t at = 12;
    memset(p, 2, 12);
    if (kind == KIND_RTP_VLAN) {
        put_be16(p + at, 0x8100);
        put_be16(p + at + 2, 20);
        at += 4;
    }
    bool is_ipv6 = kind == KIND_RTP_IPV6;
    put_be16(p + at, kind == KIND_ARP ? 0x0806 : is_ipv6 ? 0x86dd : 0x0800);
    at += 2;
    if (kind == KIND_ARP) {
        memset(p + at, 0, 46);
        return at + 46;
    }
    return at + (is_ipv6 ? put_ipv6(p + at, kind, i) : put_ipv4(p + at, kind, i));
}

static int64_t time_of(uint32_t i)
{
    return INT64_C(1700000000000000000) + (int64_t)i * 20000;
}

static struct capture make_pcap(void)
{
    struct capture c = {.bytes = memory_alloc((size_t)FRAMES * (FRAME_ROOM + 16) + 24)};
    uint8_t header[PCAP_WRITE_FILE_BYTES];
    pcap_write_file(header, LINKTYPE_ETHERNET, 65535, false);
    pcap_open(&c.format.pcap, header, sizeof header);
    for (uint32_t i = 0; i < FRAMES; i++) {
        uint32_t n = put_frame(c.bytes + c.n + PCAP_WRITE_RECORD_BYTES, i);
        pcap_write_record(c.bytes + c.n, time_of(i), n, n, false);
        c.n += PCAP_WRITE_RECORD_BYTES + n;
    }
    return c;
}

// Type and both lengths around a body of n bytes at p + 8. Returns the length of the block.
static size_t put_block(uint8_t *p, uint32_t type, uint32_t n)
{
    uint32_t total = ((n + 3) & ~3u) + 12;
    put_le32(p, type);
    put_le32(p + 4, total);
    put_le32(p + total - 4, total);
    return total;
}

static struct capture make_pcapng(void)
{
    struct capture c = {.format.kind = CAP_PCAPNG, .state = memory_zero(sizeof *c.state)};
    uint8_t head[64] = {0};
    put_le32(head + 8, 0x1a2b3c4d);
    put_le16(head + 12, 1);
    size_t at = put_block(head, 0x0a0d0d0a, 16);
    put_le16(head + at + 8, LINKTYPE_ETHERNET);
    put_block(head + at, 1, 8);
    for (size_t used = 0; used <= at;) {
        struct cap_record record;
        struct cap_block block;
        uint64_t size = 0;
        pcapng_next(c.state, head + used, sizeof head - used, &record, &size, &block);
        used += (size_t)size;
    }
    c.bytes = memory_zero((size_t)FRAMES * (FRAME_ROOM + 36));
    for (uint32_t i = 0; i < FRAMES; i++) {
        uint8_t *p = c.bytes + c.n;
        uint64_t us = (uint64_t)time_of(i) / 1000;
        uint32_t n = put_frame(p + 28, i);
        put_le32(p + 12, (uint32_t)(us >> 32));
        put_le32(p + 16, (uint32_t)us);
        put_le32(p + 20, n);
        put_le32(p + 24, n);
        c.n += put_block(p, 6, 20 + n);
    }
    return c;
}

// --- the steps ---

typedef enum reason peel_function(uint32_t, const uint8_t *, uint32_t, struct datagram *);

// Inline, so that each step below is a loop of its own, as those of the program are.
static inline __attribute__((always_inline)) void walk(const struct capture *c,
                                                       peel_function *peels, bool classifies)
{
    for (size_t at = 0; at < c->n;) {
        struct cap_record record;
        struct cap_block block;
        uint64_t size = 0;
        if (cap_walk_next(&c->format, c->state, c->bytes + at, c->n - at, &record, &size, &block) !=
            CAP_RECORD) {
            fprintf(stderr, "no record where one must be\n");
            exit(1);
        }
        at += (size_t)size;
        bench_seen += record.captured;
        struct datagram d;
        if (peels && peels(record.linktype, record.bytes, record.captured, &d) == REASON_NONE) {
            struct rtp_header h;
            bench_seen += d.dst.port;
            bench_seen += classifies &&
                          rtp_classify(d.payload, d.payload_n, d.payload_length, &h) == RTP_MEDIA;
        }
    }
}

static void walk_only(const void *context)
{
    walk(context, NULL, false);
}

static void walk_and_peel(const void *context)
{
    walk(context, peel, false);
}

static void walk_and_peel_plainly(const void *context)
{
    walk(context, peel_layers, false);
}

static void walk_peel_and_classify(const void *context)
{
    walk(context, peel, true);
}

int main(int argc, char **argv)
{
    const struct capture pcap = make_pcap();
    const struct capture pcapng = make_pcapng();
    const struct bench benches[] = {
        {"pcap: walk", walk_only, &pcap, FRAMES, TIMES},
        {"pcapng: walk", walk_only, &pcapng, FRAMES, TIMES},
        {"pcap: walk, peel", walk_and_peel, &pcap, FRAMES, TIMES},
        {"pcap: walk, peel plainly", walk_and_peel_plainly, &pcap, FRAMES, TIMES},
        {"pcap: walk, peel, classify", walk_peel_and_classify, &pcap, FRAMES, TIMES},
        {"pcapng: walk, peel, classify", walk_peel_and_classify, &pcapng, FRAMES, TIMES},
    };
    int status =
        bench_main(argc, argv, "frames: one of them", benches, sizeof benches / sizeof *benches);
    memory_free(pcap.bytes);
    memory_free(pcapng.bytes);
    memory_free(pcapng.state);
    return status;
}
