// Messages as text, decoded like those of a capture and folded into a bin: for what tracking reads
// from the message itself.
#ifndef SIDETONE_TESTS_CALL_SAID_H
#define SIDETONE_TESTS_CALL_SAID_H

#include "capture.h"
#include "decode/decode.h"
#include "track/call_bin.h"

struct said {
    struct call_bin bin;
    struct records records;
    int64_t now_ns;
    uint64_t record;
    uint16_t ip_id;
};

static inline void said_begin(struct said *s)
{
    *s = (struct said){.now_ns = CAPTURE_START_NS};
    call_bin_init(&s->bin, 0);
}

static inline void said_end(struct said *s)
{
    call_bin_fini(&s->bin);
}

static inline struct endpoint said_host(uint8_t last)
{
    return (struct endpoint){address_v4((const uint8_t[]){192, 0, 2, last}), 5060};
}

// `start`: start line. `cseq`: "2 BYE". `more`: header lines with their ends, an empty line and a
// body, or NULL. Tags: the caller's is f, the callee's t; `by_caller`: whose request it is, or
// answers. To has no tag where `to_tag` is false.
struct said_message {
    const char *start, *cseq, *more;
    uint8_t from, to;
    uint16_t from_port, to_port; // 0: 5060
    bool by_callee, no_to_tag;
};

static inline void said_give(struct said *s, const struct said_message *m)
{
    char text[4096];
    const char *tags[] = {"f", "t"};
    int n = snprintf(text, sizeof text,
                     "%s\r\nVia: SIP/2.0/UDP 192.0.2.%u;branch=z9hG4bK%s%u\r\n"
                     "From: <sip:x@ex.com>;tag=%s\r\nTo: <sip:y@ex.com>%s%s\r\nCall-ID: c@x\r\n"
                     "CSeq: %s\r\n%s",
                     m->start, m->from, m->cseq, m->to, tags[m->by_callee],
                     m->no_to_tag ? "" : ";tag=", m->no_to_tag ? "" : tags[!m->by_callee], m->cseq,
                     m->more ? m->more : "\r\n");
    assert(n > 0 && (size_t)n < sizeof text);
    struct datagram d = {
        .src = said_host(m->from),
        .dst = said_host(m->to),
        .payload = (const uint8_t *)text,
        .payload_n = (uint32_t)n,
        .ttl = 64,
    };
    d.src.port = m->from_port != 0 ? m->from_port : d.src.port;
    d.dst.port = m->to_port != 0 ? m->to_port : d.dst.port;
    struct origin from = {
        .order = order_of(s->now_ns, 0, ++s->record), .time_ns = s->now_ns, .frame = ++s->ip_id};
    static struct sip_message parsed;
    int64_t taken = sip_parse(&parsed, text, (size_t)n, SIP_DATAGRAM, false);
    assert(taken > 0);
    (void)taken;
    records_init(&s->records);
    decode_message(&s->records, &parsed, &d, TRANSPORT_UDP, 0, &from);
    call_bin_message(&s->bin, s->records.lists[SIP_RECORDS].items);
    records_fini(&s->records);
}

#define SAID(s, ...) said_give((s), &(struct said_message){__VA_ARGS__})

// INVITE and 200 between hosts 10 and 20; `more` of the 200.
static inline void said_answered(struct said *s, const char *more)
{
    SAID(s, "INVITE sip:y@ex.com SIP/2.0", "1 INVITE", .from = 10, .to = 20, .no_to_tag = true);
    SAID(s, "SIP/2.0 200 OK", "1 INVITE", more, .from = 20, .to = 10);
    SAID(s, "ACK sip:y@ex.com SIP/2.0", "1 ACK", .from = 10, .to = 20);
}

#endif
