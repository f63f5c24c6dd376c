// Fuzz target of one direction of TCP: the input is a list of segments, acknowledgements and steps
// of time. Every byte must come out at most once, in order, as it came first; what is held is
// bounded; and where nothing was lost all that has come has gone out.
#include "base/memory.h"
#include "flow/tcp.h"

#include <stdlib.h>
#include <string.h>

#define MUST(condition)                                                                            \
    if (!(condition)) {                                                                            \
        abort();                                                                                   \
    }

#define BEFORE  65536u             // numbers of the model before the first one
#define NUMBERS (BEFORE + 196608u) // and all

// What was sent by its place, the first of each; places further away are not followed.
static struct {
    struct tcp_side *side;
    uint8_t bytes[NUMBERS];
    uint32_t frames[NUMBERS]; // up to `since`: did not come
    uint32_t since;           // frames before this side
    uint32_t base;            // sequence number of place 0
    int64_t at;               // place of the next byte that comes out; -1: unknown
    bool is_lossy;            // something was lost, cut or ended
    bool began_well;
    uint32_t frame;
} m;

static uint64_t odd[FLOW_ODD_COUNT];

static void sink_bytes(void *context, const uint8_t *p, uint32_t n, struct packet_ref from,
                       bool is_borrowed)
{
    (void)is_borrowed;
    MUST(context == &m && n > 0 && from.at > m.since && from.at <= m.frame);
    if (m.at < 0) { // the beginning was not captured: the first byte says where it is
        m.at = 0;
        while (m.at < (int64_t)NUMBERS && m.frames[m.at] <= m.since) {
            m.at++;
        }
    }
    for (uint32_t i = 0; i < n; i++, m.at++) {
        if (m.at < (int64_t)NUMBERS) {
            MUST(m.frames[m.at] == from.at && m.bytes[m.at] == p[i]);
        }
    }
}

static void sink_gap(void *context, uint64_t n)
{
    MUST(context == &m);
    if (n > 0) {
        MUST(m.at >= 0 || !m.began_well);
        m.is_lossy = true;
        m.at = m.at < 0 ? (int64_t)NUMBERS : m.at + (int64_t)n;
    }
}

static const struct tcp_sink SINK = {&m, sink_bytes, sink_gap};

static void begin(uint32_t base)
{
    m.side = tcp_side_new();
    m.since = m.frame; // clearing a MiB would take longer than all else
    m.base = base;
    m.at = -1;
    m.is_lossy = m.began_well = false;
}

static void end(void)
{
    tcp_side_finish(m.side, &SINK, odd);
    MUST(tcp_side_held(m.side) == 0);
    tcp_side_free(m.side);
}

// Before the side is asked: what it may deliver.
static void note(const struct tcp_segment *seg, bool is_syn)
{
    uint32_t first = seg->sequence + is_syn - m.base;
    for (uint32_t i = 0; i < seg->n; i++) {
        uint32_t place = first + i;
        if (place < NUMBERS && m.frames[place] <= m.since && (int64_t)place >= m.at) {
            m.frames[place] = (uint32_t)seg->from.at;
            m.bytes[place] = seg->bytes[i];
        }
    }
}

// It brought nothing.
static void forget(const struct tcp_segment *seg, bool is_syn)
{
    uint32_t first = seg->sequence + is_syn - m.base;
    for (uint32_t i = 0; i < seg->n; i++) {
        uint32_t place = first + i;
        if (place < NUMBERS && m.frames[place] == seg->from.at) {
            m.frames[place] = 0;
        }
    }
}

// Before the side is asked: where the stream begins.
static void note_start(const struct tcp_segment *seg, bool is_syn)
{
    bool is_first = !tcp_side_has_begun(m.side) && !tcp_side_is_over(m.side);
    if (is_syn) {
        m.at = (uint32_t)(seg->sequence + 1 - m.base);
        m.began_well = m.began_well || is_first;
    } else if ((seg->length > 0 || (seg->flags & TCP_FIN)) &&
               seg->sequence - m.base >= NUMBERS - seg->length) {
        m.at = NUMBERS; // not followed
    }
}

static enum tcp_result pass(const struct tcp_segment *seg, bool starts_well)
{
    bool is_syn = seg->flags & TCP_SYN, is_unknown = m.at < 0;
    // Ends, cuts, copies, probes and what is far away have rules of their own.
    m.is_lossy |= seg->flags & (TCP_FIN | TCP_RST) || seg->n != seg->length || seg->length == 1 ||
                  seg->sequence - m.base >= NUMBERS;
    if (seg->flags & TCP_RST) {
        return tcp_side_segment(m.side, seg, starts_well, &SINK, odd);
    }
    if (is_unknown) {
        note_start(seg, is_syn);
    }
    note(seg, is_syn);
    enum tcp_result r = tcp_side_segment(m.side, seg, starts_well, &SINK, odd);
    if (r != TCP_NEWS) {
        forget(seg, is_syn);
        m.at = is_unknown ? -1 : m.at;
    }
    return r;
}

static void check(enum tcp_result r)
{
    MUST(tcp_side_held(m.side) <= TCP_HELD_MAX);
    MUST(r != TCP_NEWS || tcp_side_has_begun(m.side));
    // In order and nothing lost: nothing that could go out is kept.
    if (m.began_well && !m.is_lossy && m.at >= 0 && m.at < (int64_t)NUMBERS) {
        MUST(m.frames[m.at] <= m.since);
    }
}

static uint32_t take(const uint8_t **at, const uint8_t *end_of_input, uint32_t n)
{
    uint32_t v = 0;
    for (; n > 0 && *at < end_of_input; n--) {
        v = v << 8 | *(*at)++;
    }
    return v;
}

// One segment of the input: kind, place (2 bytes), length, first of its bytes.
static void feed_segment(const uint8_t **at, const uint8_t *end_of_input, uint32_t kind,
                         int64_t clock_ns)
{
    static uint8_t content[65536];
    uint32_t place = take(at, end_of_input, 2) + (kind & 0x20 ? 0 : BEFORE);
    uint32_t length = take(at, end_of_input, 1) * (kind & 0x40 ? 40 : 1);
    uint32_t n = kind & 0x08 ? length / 2 : length;
    memset(content, (int)take(at, end_of_input, 1), n);
    uint8_t *bytes = memory_alloc(n ? n : 1);
    memcpy(bytes, content, n);
    m.frame++;
    struct tcp_segment seg = {
        .sequence = m.base + place + (kind & 0x80 ? 1u << (20 + place % 12) : 0),
        .flags = (kind & 0x04) && place % 4 == 0   ? TCP_FIN
                 : (kind & 0x04) && place % 8 == 1 ? TCP_RST
                 : (kind & 0x04) && place % 8 == 2 ? TCP_SYN
                                                   : TCP_ACK,
        .bytes = bytes,
        .n = n,
        .length = length,
        .from = {.at = m.frame, .time_ns = clock_ns},
        .clock_ns = clock_ns,
        .frame = m.frame,
    };
    enum tcp_result r = pass(&seg, kind & 0x10);
    if (r == TCP_OTHER) {
        end();
        begin(m.base);
        seg.from.at = seg.frame = ++m.frame;
        r = pass(&seg, kind & 0x10);
        MUST(r != TCP_OTHER);
    } else if (place % 16 == 3) {
        MUST(tcp_side_segment(m.side, &seg, false, &SINK, odd) == TCP_COPY);
    }
    check(r);
    memory_free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    const uint8_t *at = bytes, *end_of_input = bytes + n;
    int64_t clock_ns = 0;
    memset(odd, 0, sizeof odd);
    uint32_t base = take(&at, end_of_input, 4);
    begin(base);
    while (at < end_of_input) {
        uint32_t kind = take(&at, end_of_input, 1);
        switch (kind & 3) {
        case 0:
            clock_ns += (int64_t)take(&at, end_of_input, 1) * 20000000;
            tcp_side_tick(m.side, clock_ns, &SINK, odd);
            break;
        case 1:
            tcp_side_acknowledged(m.side, base + BEFORE + take(&at, end_of_input, 2), clock_ns,
                                  &SINK, odd);
            break;
        default:
            feed_segment(&at, end_of_input, kind, clock_ns);
            break;
        }
    }
    end();
    return 0;
}
