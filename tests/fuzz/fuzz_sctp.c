// Fuzz target of SCTP: the input is a row of packets, each with a byte of seconds that pass before
// it and two of its length; what is handed on is counted against what was given.
#include "../unit/sip_inside.h"
#include "base/bytes.h"
#include "flow/sctp.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

struct given {
    const uint8_t *packet;
    uint32_t n;
    uint64_t frames, bytes, messages;
};

static void take(void *context, const struct sctp_message *m)
{
    struct given *g = context;
    INSIDE_CHECK(m->n > 0 && m->packet_count > 0 && m->packet_count <= g->frames);
    INSIDE_CHECK(!m->is_borrowed || (m->bytes >= g->packet && m->bytes + m->n <= g->packet + g->n));
    for (uint32_t i = 0; i < m->packet_count; i++) {
        INSIDE_CHECK(m->packets[i].at > 0 && m->packets[i].at <= g->frames);
    }
    uint8_t sum = 0;
    for (uint32_t i = 0; i < m->n; i++) {
        sum ^= m->bytes[i]; // each is readable
    }
    g->bytes += m->n + (sum & 0);
    g->messages++;
}

static void feed(struct sctp_side *s, const uint8_t *bytes, size_t n, bool is_again)
{
    struct given g = {.messages = 0};
    const struct sctp_sink sink = {&g, take};
    uint64_t odd[FLOW_ODD_COUNT] = {0};
    int64_t clock_ns = 0;
    for (size_t at = 0; at + 3 <= n;) {
        size_t length = be16(bytes + at + 1);
        clock_ns += INT64_C(1000000000) * bytes[at];
        at += 3;
        g.packet = bytes + at;
        g.n = (uint32_t)(length < n - at ? length : n - at);
        g.frames++;
        struct packet_ref from = {g.frames, clock_ns};
        sctp_side_tick(s, clock_ns, &sink, odd);
        sctp_side_packet(s, g.packet, g.n, from, clock_ns, &sink, odd);
        INSIDE_CHECK(sctp_side_held(s) <= SCTP_HELD_MAX);
        uint64_t messages = g.messages;
        if (is_again) { // a copy gives nothing, except where it begins another association
            struct sctp_walk w;
            struct sctp_data d;
            bool is_one = sctp_begin(&w, g.packet, g.n) && sctp_next(&w, &d) && !sctp_next(&w, &d);
            bool is_new = sctp_side_packet(s, g.packet, g.n, from, clock_ns, &sink, odd);
            INSIDE_CHECK(!is_one || w.has_init ||
                         (!is_new && (w.has_end || g.messages == messages)));
        }
        at += g.n;
    }
    sctp_side_tick(s, INT64_MAX, &sink, odd);
    INSIDE_CHECK(sctp_side_held(s) == 0);
    INSIDE_CHECK(g.bytes <= (is_again ? 2 * n : n));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    for (int again = 0; again < 2; again++) {
        struct sctp_side *s = sctp_side_new();
        feed(s, bytes, n, again == 1);
        sctp_side_free(s);
    }
    return 0;
}
