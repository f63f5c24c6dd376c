// Runs the lines of the carrier capture: a heap of lines by the time of their next packet.
//
// Budget: at 20,000 lines some 200 ns for an RTP packet, most of it the heap's cache misses and the
// checksum.
#include "gen/carrier.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "base/memory.h"
#include "gen/carrier_call.h"

#include <assert.h>

#define US        1000
#define MS        1000000
#define PACKET_NS (20 * (int64_t)MS)
#define RTP_BYTES 12
#define HANDSHAKE 3                                  // packets of it (RFC 9293 3.5)
#define SOUND_N   160                                // 20 ms of G.711
#define START_NS  (1704067200 * (int64_t)1000000000) // 2024-01-01: any fixed day
#define SIGNAL_NS (600 * (int64_t)MS)                // about the part of a call without media
#define JITTER_US 3000                               // below PACKET_NS, so packets keep their order

// Numbers 0 to n-1, handed out the longest idle first. Without numbers (n 0) every request gets a
// new one.
struct pool {
    uint32_t *idle; // ring of n
    uint32_t n, head, count, fresh;
};

struct entry {
    int64_t at_ns;
    uint32_t line;
};

struct carrier {
    struct carrier_options options;
    struct random random;
    uint32_t started; // calls
    uint32_t lines;
    struct pool call_ids, pairs;
    struct carrier_call *calls; // of each line
    struct entry *heap;         // lines with a call, by time, then by line
    uint32_t heap_n;
    uint32_t connections, opened; // of TCP; packets of their handshakes that were made
    uint32_t (*sent)[2];          // next sequence number of a connection's caller and callee
    size_t udp_at;                // of a payload in its frame
    uint16_t ip_id;
};

// --- pools ---

// A pool that outlasts the calls hands out 0, 1, 2 ... as an endless one does.
static void pool_init(struct pool *p, uint32_t n, uint32_t calls)
{
    n = n < calls ? n : 0;
    *p = (struct pool){.n = n, .count = n, .idle = n ? memory_alloc(n * sizeof(uint32_t)) : NULL};
    for (uint32_t i = 0; i < n; i++) {
        p->idle[i] = i;
    }
}

static uint32_t pool_take(struct pool *p)
{
    if (p->n == 0) {
        return p->fresh++;
    }
    assert(p->count > 0); // never smaller than the number of lines: carrier_check
    uint32_t number = p->idle[p->head];
    p->head = p->head + 1 == p->n ? 0 : p->head + 1;
    p->count--;
    return number;
}

static void pool_give(struct pool *p, uint32_t number)
{
    if (p->n > 0) {
        p->idle[((uint64_t)p->head + p->count) % p->n] = number;
        p->count++;
    }
}

// --- heap ---

static bool before(struct entry a, struct entry b)
{
    return a.at_ns < b.at_ns || (a.at_ns == b.at_ns && a.line < b.line);
}

static void heap_push(struct carrier *c, struct entry e)
{
    uint32_t i = c->heap_n++;
    while (i > 0 && before(e, c->heap[(i - 1) / 2])) {
        c->heap[i] = c->heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    c->heap[i] = e;
}

// Puts e in the place of the first entry.
static void heap_replace(struct carrier *c, struct entry e)
{
    uint32_t i = 0;
    for (;;) {
        uint32_t child = 2 * i + 1;
        if (child >= c->heap_n) {
            break;
        }
        if (child + 1 < c->heap_n && before(c->heap[child + 1], c->heap[child])) {
            child++;
        }
        if (!before(c->heap[child], e)) {
            break;
        }
        c->heap[i] = c->heap[child];
        i = child;
    }
    c->heap[i] = e;
}

static void heap_pop(struct carrier *c)
{
    c->heap_n--;
    if (c->heap_n > 0) {
        heap_replace(c, c->heap[c->heap_n]);
    }
}

// --- calls ---

// A time between two bounds in whole microseconds.
static int64_t between_us(struct carrier *c, int64_t low_us, int64_t high_us)
{
    return (low_us + (int64_t)random_below(&c->random, (uint64_t)(high_us - low_us + 1))) * US;
}

static int64_t media_end(const struct carrier_flow *f)
{
    return f->start_ns + f->packets * PACKET_NS;
}

static int64_t call_next_ns(const struct carrier_call *call)
{
    int64_t at = call->at_ns[call->step];
    for (int d = 0; d < 2; d++) {
        if (call->flow[d].sent < call->flow[d].packets && call->flow[d].next_ns < at) {
            at = call->flow[d].next_ns;
        }
    }
    return at;
}

static void call_start(struct carrier *c, struct carrier_call *call, int64_t at_ns)
{
    uint32_t line = (uint32_t)(call - c->calls);
    *call = (struct carrier_call){.index = c->started++};
    call->connection = c->connections > 0 ? line % c->connections : 0;
    call->call_id = pool_take(&c->call_ids);
    call->pair = pool_take(&c->pairs);
    call->callee_ends = random_below(&c->random, 3) == 0;
    carrier_pair(&c->options, call->pair, call->flow);

    int64_t *at = call->at_ns;
    at[CARRIER_INVITE] = at_ns;
    at[CARRIER_TRYING] = at_ns + between_us(c, 1500, 8000);
    at[CARRIER_RINGING] = at[CARRIER_TRYING] + between_us(c, 60000, 180000);
    at[CARRIER_OK] = at[CARRIER_RINGING] + between_us(c, 150000, 450000);
    at[CARRIER_ACK] = at[CARRIER_OK] + between_us(c, 4000, 20000);

    call->flow[0].packets = c->options.rtp_per_call - c->options.rtp_per_call / 2;
    call->flow[1].packets = c->options.rtp_per_call / 2;
    call->flow[0].start_ns = at[CARRIER_ACK] + between_us(c, 1000, 20000);
    call->flow[1].start_ns = at[CARRIER_OK] + between_us(c, 1000, 20000);
    int64_t end = at[CARRIER_ACK];
    for (int d = 0; d < 2; d++) {
        struct carrier_flow *f = &call->flow[d];
        f->next_ns = f->start_ns;
        if (f->packets > 0 && media_end(f) > end) {
            end = media_end(f);
        }
    }
    at[CARRIER_BYE] = end + between_us(c, 5000, 30000);
    at[CARRIER_BYE_OK] = at[CARRIER_BYE] + between_us(c, 2000, 12000);
}

// --- packets ---

// Sound of a quiet room: mu-law codes of the two smallest segments (ITU-T G.711 table 2), eight at
// a time.
static void put_noise(struct random *r, uint8_t *out)
{
    for (int i = 0; i < SOUND_N; i += 8) {
        uint64_t v = random_u64(r) | 0x6060606060606060u;
        memcpy(out + i, &v, 8);
    }
}

static size_t put_media(struct carrier *c, struct carrier_flow *f, uint8_t *out)
{
    uint8_t *rtp = out + c->udp_at;
    rtp[0] = 0x80;
    rtp[1] = f->sent == 0 ? 0x80 : 0; // PCMU; the marker begins a talkspurt (RFC 3551 4.1)
    put_be16(rtp + 2, (uint16_t)(f->first_sequence + f->sent));
    put_be32(rtp + 4, f->first_timestamp + f->sent * SOUND_N);
    put_be32(rtp + 8, f->ssrc);
    put_noise(&c->random, rtp + RTP_BYTES);
    f->sent++;
    f->next_ns = f->start_ns + f->sent * PACKET_NS + between_us(c, 0, JITTER_US);
    return frame_write(out, &c->options.shape, &f->path, c->ip_id++, NULL, RTP_BYTES + SOUND_N);
}

// n bytes of a connection, which stand in the frame already, or a flag that counts as one.
static size_t put_segment(struct carrier *c, uint32_t connection, const struct frame_path *path,
                          uint8_t flags, uint8_t *out, size_t n)
{
    bool from_callee = path->src_port == 5060;
    uint32_t *sent = &c->sent[connection][from_callee];
    struct frame_segment segment = {*sent, c->sent[connection][!from_callee], flags};
    *sent += (uint32_t)n + (flags & FRAME_SYN ? 1 : 0);
    return frame_write(out, &c->options.shape, path, c->ip_id++, &segment, n);
}

static size_t put_signal(struct carrier *c, struct carrier_call *call, uint8_t *out)
{
    struct frame_path path = carrier_sip_path(&c->options, call, call->step);
    size_t at = c->options.tcp ? frame_headers_bytes(&c->options.shape, true) : c->udp_at;
    size_t n =
        carrier_message(&c->options, call, call->step, (char *)out + at, CARRIER_FRAME_BYTES - at);
    call->step++;
    return c->options.tcp ? put_segment(c, call->connection, &path, FRAME_PUSH | FRAME_ACK, out, n)
                          : frame_write(out, &c->options.shape, &path, c->ip_id++, NULL, n);
}

// Before the first call: the handshakes of all connections, a packet each microsecond.
static size_t put_handshake(struct carrier *c, uint8_t *out, int64_t *time_ns)
{
    static const uint8_t flags[HANDSHAKE] = {FRAME_SYN, FRAME_SYN | FRAME_ACK, FRAME_ACK};
    uint32_t connection = c->opened / HANDSHAKE;
    uint32_t step = c->opened % HANDSHAKE;
    struct frame_path path = carrier_connection_path(connection, step == 1);
    *time_ns = START_NS - (int64_t)(c->connections * HANDSHAKE - c->opened) * US;
    c->opened++;
    return put_segment(c, connection, &path, flags[step], out, 0);
}

static void call_over(struct carrier *c, struct carrier_call *call, uint32_t line, int64_t at_ns)
{
    pool_give(&c->call_ids, call->call_id);
    pool_give(&c->pairs, call->pair);
    if (c->started == c->options.calls) {
        heap_pop(c);
        return;
    }
    call_start(c, call, at_ns + between_us(c, 2000, 30000));
    heap_replace(c, (struct entry){call_next_ns(call), line});
}

size_t carrier_next(struct carrier *c, uint8_t *out, int64_t *time_ns)
{
    if (c->opened < c->connections * HANDSHAKE) {
        return put_handshake(c, out, time_ns);
    }
    if (c->heap_n == 0) {
        return 0;
    }
    struct entry first = c->heap[0];
    struct carrier_call *call = &c->calls[first.line];
    *time_ns = first.at_ns;
    for (int d = 0; d < 2; d++) {
        struct carrier_flow *f = &call->flow[d];
        if (f->sent < f->packets && f->next_ns == first.at_ns) {
            size_t n = put_media(c, f, out);
            heap_replace(c, (struct entry){call_next_ns(call), first.line});
            return n;
        }
    }
    size_t n = put_signal(c, call, out);
    if (call->step == CARRIER_STEPS) {
        call_over(c, call, first.line, first.at_ns);
    } else {
        heap_replace(c, (struct entry){call_next_ns(call), first.line});
    }
    return n;
}

// --- options, life ---

// About the time from a call to the next one of its line.
static int64_t turn_ns(const struct carrier_options *o)
{
    return SIGNAL_NS + (o->rtp_per_call + 1) / 2 * PACKET_NS;
}

enum carrier_fault carrier_check(const struct carrier_options *o)
{
    if (o->calls == 0 || o->calls > CARRIER_CALLS_MAX) {
        return CARRIER_CALLS_RANGE;
    }
    if (o->rtp_per_call > CARRIER_RTP_MAX) {
        return CARRIER_RTP_RANGE;
    }
    if (o->concurrency == 0 || o->concurrency > CARRIER_CONCURRENCY_MAX) {
        return CARRIER_CONCURRENCY_RANGE;
    }
    if (o->call_ids > CARRIER_POOL_MAX || o->stream_pairs > CARRIER_POOL_MAX) {
        return CARRIER_POOL_RANGE;
    }
    if (o->shape.vlan > CARRIER_VLAN_MAX) {
        return CARRIER_VLAN_RANGE;
    }
    if (o->call_ids > 0 && o->call_ids < o->concurrency) {
        return CARRIER_CALL_IDS_FEW;
    }
    if (o->stream_pairs > 0 && o->stream_pairs < o->concurrency) {
        return CARRIER_PAIRS_FEW;
    }
    uint64_t turns = ((uint64_t)o->calls + o->concurrency - 1) / o->concurrency;
    uint64_t most_ms = (uint64_t)CARRIER_YEARS_MAX * 365 * 86400 * 1000;
    return turns * (uint64_t)(turn_ns(o) / MS) > most_ms ? CARRIER_TOO_LONG : CARRIER_GOOD;
}

static uint32_t line_count(const struct carrier_options *o)
{
    return o->calls < o->concurrency ? o->calls : o->concurrency;
}

static uint32_t connection_count(const struct carrier_options *o)
{
    uint32_t lines = line_count(o);
    return !o->tcp ? 0 : lines < CARRIER_CONNECTIONS_MAX ? lines : CARRIER_CONNECTIONS_MAX;
}

uint64_t carrier_total(const struct carrier_options *o)
{
    return (uint64_t)o->calls * (CARRIER_STEPS + (uint64_t)o->rtp_per_call) +
           connection_count(o) * (uint64_t)HANDSHAKE;
}

static void connections_init(struct carrier *c)
{
    c->connections = connection_count(&c->options);
    c->sent = memory_alloc((c->connections + 1) * sizeof *c->sent);
    for (uint32_t i = 0; i < c->connections; i++) {
        uint64_t first = hash_mix(c->options.seed, i);
        c->sent[i][0] = (uint32_t)first;
        c->sent[i][1] = (uint32_t)(first >> 32);
    }
}

struct carrier *carrier_new(const struct carrier_options *options)
{
    struct carrier *c = memory_zero(sizeof *c);
    c->options = *options;
    c->lines = line_count(options);
    c->udp_at = frame_headers_bytes(&options->shape, false);
    connections_init(c);
    random_init(&c->random, options->seed);
    pool_init(&c->call_ids, options->call_ids, options->calls);
    pool_init(&c->pairs, options->stream_pairs, options->calls);
    c->calls = memory_alloc(c->lines * sizeof *c->calls);
    c->heap = memory_alloc(c->lines * sizeof *c->heap);
    for (uint32_t line = 0; line < c->lines; line++) {
        // Whole microseconds: the division comes before the unit.
        int64_t stagger = turn_ns(options) / US * line / c->lines * US;
        call_start(c, &c->calls[line], START_NS + stagger);
        heap_push(c, (struct entry){call_next_ns(&c->calls[line]), line});
    }
    return c;
}

void carrier_free(struct carrier *c)
{
    if (c) {
        memory_free(c->call_ids.idle);
        memory_free(c->pairs.idle);
        memory_free(c->calls);
        memory_free(c->heap);
        memory_free(c->sent);
        memory_free(c);
    }
}
