// The texts of a generated call.
//
// Everything that identifies something is a function of the seed and a number, so that nothing is
// remembered: the same call says the same tags in each of its messages. Telephone numbers are from
// the ranges kept for fiction
// (+44 7700 900000 and +1 202 555 0100), addresses from 10.0.0.0/8.
#include "gen/carrier_call.h"

#include "base/hash.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#define CALLER_SBC      0x0a000a0au // 10.0.10.10
#define CALLEE_SBC      0x0a00140au // 10.0.20.10
#define SIP_PORT        5060
#define CONNECTION_PORT 20000u // of the caller's side, the first of CARRIER_CONNECTIONS_MAX

// Media addresses: a pair is one host of 10.32.0.0/16 and one of 10.48.0.0/16; further rounds over
// the hosts use the next even ports.
#define MEDIA_CALLER    0x0a200000u
#define MEDIA_CALLEE    0x0a300000u
#define MEDIA_HOSTS     62500u // 250 * 250
#define MEDIA_PORT      16384u
#define MEDIA_PORT_EVEN 24576u // even ports from there on

// Of a trunk: one host on each side, and all pairs of even ports.
#define TRUNK_CALLER 0x0a000a14u // 10.0.10.20
#define TRUNK_CALLEE 0x0a001414u // 10.0.20.20

// What a hash is used for, so that no two uses give the same value.
enum purpose {
    FOR_CALL_ID = 1,
    FOR_FROM_TAG,
    FOR_TO_TAG,
    FOR_BRANCH,
    FOR_NUMBER,
    FOR_PAIR
};

static uint64_t value_of(uint64_t seed, enum purpose purpose, uint64_t number)
{
    return hash_mix(hash_mix(seed, (uint64_t)purpose), number);
}

static struct frame_path sip_path(bool from_callee, uint16_t caller_port)
{
    return (struct frame_path){
        .src = from_callee ? CALLEE_SBC : CALLER_SBC,
        .dst = from_callee ? CALLER_SBC : CALLEE_SBC,
        .src_port = from_callee ? SIP_PORT : caller_port,
        .dst_port = from_callee ? caller_port : SIP_PORT,
        .ttl = from_callee ? 61 : 63,
        .dscp = 24, // CS3
    };
}

struct frame_path carrier_connection_path(uint32_t connection, bool from_callee)
{
    return sip_path(from_callee, (uint16_t)(CONNECTION_PORT + connection));
}

struct frame_path carrier_sip_path(const struct carrier_options *options,
                                   const struct carrier_call *call, enum carrier_step step)
{
    bool answer = step == CARRIER_TRYING || step == CARRIER_RINGING || step == CARRIER_OK;
    bool from_callee = answer || (step == CARRIER_BYE && call->callee_ends) ||
                       (step == CARRIER_BYE_OK && !call->callee_ends);
    return options->tcp ? carrier_connection_path(call->connection, from_callee)
                        : sip_path(from_callee, SIP_PORT);
}

static uint16_t even_port(uint32_t number)
{
    return (uint16_t)(MEDIA_PORT + 2 * (number % MEDIA_PORT_EVEN));
}

// The caller's endpoint as source, the callee's as destination.
static struct frame_path media_path(const struct carrier_options *options, uint32_t pair)
{
    struct frame_path path = {.ttl = 63, .dscp = 46}; // EF
    if (options->trunk) {
        path.src = TRUNK_CALLER;
        path.dst = TRUNK_CALLEE;
        path.src_port = even_port(pair);
        path.dst_port = even_port(pair + pair / MEDIA_PORT_EVEN);
        return path;
    }
    uint32_t host = pair % MEDIA_HOSTS;
    uint32_t offset = (host / 250) << 8 | (1 + host % 250);
    path.src = MEDIA_CALLER + offset;
    path.dst = MEDIA_CALLEE + offset;
    path.src_port = path.dst_port = even_port(pair / MEDIA_HOSTS);
    return path;
}

void carrier_pair(const struct carrier_options *options, uint32_t pair, struct carrier_flow flow[2])
{
    const struct frame_path there = media_path(options, pair);
    flow[0].path = flow[1].path = there;
    flow[1].path.src = there.dst;
    flow[1].path.dst = there.src;
    flow[1].path.src_port = there.dst_port;
    flow[1].path.dst_port = there.src_port;
    flow[1].path.ttl = 61;
    for (int d = 0; d < 2; d++) {
        struct carrier_flow *f = &flow[d];
        uint64_t v = value_of(options->seed, FOR_PAIR, (uint64_t)pair * 2 + (uint64_t)d);
        uint64_t w = hash_mix(v, FOR_PAIR);
        f->ssrc = (uint32_t)v;
        f->first_timestamp = (uint32_t)(v >> 32);
        f->first_sequence = (uint16_t)w;
    }
}

// --- texts ---

struct text {
    char *p;
    size_t n, room;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(t->p + t->n, t->room - t->n, format, arguments);
    va_end(arguments);
    assert(n >= 0 && (size_t)n < t->room - t->n);
    t->n += (size_t)n;
}

static void add_ip(struct text *t, const struct carrier_options *o, uint32_t ip)
{
    if (o->shape.is_v6) {
        add(t, FRAME_V6_PREFIX "%x:%x", ip >> 16, ip & 0xffff);
    } else {
        add(t, "%u.%u.%u.%u", ip >> 24, ip >> 16 & 255, ip >> 8 & 255, ip & 255);
    }
}

// A host as URIs and Via have it (RFC 3261 25.1).
static void add_host(struct text *t, const struct carrier_options *o, bool caller)
{
    add(t, "%s", o->shape.is_v6 ? "[" : "");
    add_ip(t, o, caller ? CALLER_SBC : CALLEE_SBC);
    add(t, "%s", o->shape.is_v6 ? "]" : "");
}

static unsigned caller_number(const struct carrier_options *o, const struct carrier_call *call)
{
    return (unsigned)(value_of(o->seed, FOR_NUMBER, call->index) % 1000);
}

static unsigned callee_number(const struct carrier_options *o, const struct carrier_call *call)
{
    return (unsigned)((value_of(o->seed, FOR_NUMBER, call->index) >> 32) % 100);
}

// A number and its host.
static void add_user(struct text *t, const struct carrier_options *o,
                     const struct carrier_call *call, bool caller)
{
    if (caller) {
        add(t, "+447700900%03u@", caller_number(o, call));
    } else {
        add(t, "+120255501%02u@", callee_number(o, call));
    }
    add_host(t, o, caller);
}

// Where a side is reached: of a Contact, and of requests inside the dialog.
static void add_target(struct text *t, const struct carrier_options *o,
                       const struct carrier_call *call, bool caller)
{
    add(t, "sip:");
    add_user(t, o, call, caller);
    add(t, ":5060%s", o->tcp ? ";transport=tcp" : "");
}

// One party's URI and tag behind From or To.
static void add_party(struct text *t, const struct carrier_options *o,
                      const struct carrier_call *call, const char *header, bool caller, bool tag)
{
    add(t, "%s: <sip:", header);
    add_user(t, o, call, caller);
    add(t, ";user=phone>");
    if (tag) {
        add(t, ";tag=%012" PRIx64,
            value_of(o->seed, caller ? FOR_FROM_TAG : FOR_TO_TAG, call->index) & 0xffffffffffffu);
    }
    add(t, "\r\n");
}

static void add_common(struct text *t, const struct carrier_options *o,
                       const struct carrier_call *call, enum carrier_step step)
{
    bool bye = step >= CARRIER_BYE;
    bool request = step == CARRIER_INVITE || step == CARRIER_ACK || step == CARRIER_BYE;
    bool caller_asks = !bye || !call->callee_ends;
    // An ACK of a 2xx is a transaction of its own (RFC 3261 17.1.1.3): three branches in a call.
    unsigned transaction = bye ? 2 : step == CARRIER_ACK ? 1 : 0;
    add(t, "Via: SIP/2.0/%s ", o->tcp ? "TCP" : "UDP");
    add_host(t, o, caller_asks);
    add(t, ":5060;branch=z9hG4bK%013" PRIx64 "\r\n",
        value_of(o->seed, FOR_BRANCH, (uint64_t)call->index * 4 + transaction) >> 12);
    if (request) {
        add(t, "Max-Forwards: 69\r\n");
    }
    add_party(t, o, call, "From", caller_asks, true);
    add_party(t, o, call, "To", !caller_asks, step > CARRIER_TRYING);
    add(t, "Call-ID: %016" PRIx64 "-%u@", value_of(o->seed, FOR_CALL_ID, call->call_id),
        call->call_id);
    add_host(t, o, true);
    add(t, "\r\n");
    add(t, "CSeq: %u %s\r\n",
        !bye          ? 1
        : caller_asks ? 2
                      : 101,
        bye                   ? "BYE"
        : step == CARRIER_ACK ? "ACK"
                              : "INVITE");
}

static void add_contact(struct text *t, const struct carrier_options *o,
                        const struct carrier_call *call, bool caller)
{
    add(t, "Contact: <");
    add_target(t, o, call, caller);
    add(t, ">\r\nAllow: INVITE, ACK, BYE, CANCEL, OPTIONS, UPDATE, INFO\r\nSupported: timer, "
           "replaces\r\n");
}

static void add_session(struct text *t, const struct carrier_options *o,
                        const struct carrier_call *call, int direction)
{
    // A side announces where it receives: the destination of the other side's flow, which is its
    // own source.
    const struct frame_path *own = &call->flow[direction].path;
    char body[400];
    struct text sdp = {body, 0, sizeof body};
    const char *family = o->shape.is_v6 ? "IP6" : "IP4";
    add(&sdp, "v=0\r\no=SBC %" PRIu32 " 1 IN %s ", call->flow[direction].ssrc, family);
    add_ip(&sdp, o, own->src);
    add(&sdp, "\r\ns=-\r\nc=IN %s ", family);
    add_ip(&sdp, o, own->src);
    add(&sdp,
        "\r\nt=0 0\r\nm=audio %u RTP/AVP 0 101\r\na=rtpmap:0 PCMU/8000\r\na=rtpmap:101 "
        "telephone-event/8000\r\n"
        "a=fmtp:101 0-15\r\na=ptime:20\r\na=sendrecv\r\n",
        own->src_port);
    add(t, "Content-Type: application/sdp\r\nContent-Length: %zu\r\n\r\n%.*s", sdp.n, (int)sdp.n,
        body);
}

static void add_request(struct text *t, const struct carrier_options *o,
                        const struct carrier_call *call, enum carrier_step step, const char *method)
{
    add(t, "%s ", method);
    add_target(t, o, call, step == CARRIER_BYE && call->callee_ends);
    add(t, "%s SIP/2.0\r\n", step == CARRIER_INVITE ? ";user=phone" : "");
    add_common(t, o, call, step);
}

static void add_answer(struct text *t, const struct carrier_options *o,
                       const struct carrier_call *call, enum carrier_step step, const char *status)
{
    add(t, "SIP/2.0 %s\r\n", status);
    add_common(t, o, call, step);
}

size_t carrier_message(const struct carrier_options *o, const struct carrier_call *call,
                       enum carrier_step step, char *out, size_t room)
{
    struct text t = {out, 0, room};
    switch (step) {
    case CARRIER_INVITE:
        add_request(&t, o, call, step, "INVITE");
        add_contact(&t, o, call, true);
        add_party(&t, o, call, "P-Asserted-Identity", true, false);
        add_session(&t, o, call, 0);
        return t.n;
    case CARRIER_TRYING:
        add_answer(&t, o, call, step, "100 Trying");
        break;
    case CARRIER_RINGING:
        add_answer(&t, o, call, step, "180 Ringing");
        add_contact(&t, o, call, false);
        break;
    case CARRIER_OK:
        add_answer(&t, o, call, step, "200 OK");
        add_contact(&t, o, call, false);
        add_session(&t, o, call, 1);
        return t.n;
    case CARRIER_ACK:
        add_request(&t, o, call, step, "ACK");
        break;
    case CARRIER_BYE:
        add_request(&t, o, call, step, "BYE");
        add(&t, "Reason: Q.850;cause=16;text=\"Normal call clearing\"\r\n");
        break;
    case CARRIER_BYE_OK:
        add_answer(&t, o, call, step, "200 OK");
        break;
    case CARRIER_STEPS:
        break;
    }
    add(&t, "Content-Length: 0\r\n\r\n");
    return t.n;
}
