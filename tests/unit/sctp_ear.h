// One direction of an SCTP association in tests, and a record of what it handed on.
#ifndef SIDETONE_TESTS_SCTP_EAR_H
#define SIDETONE_TESTS_SCTP_EAR_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "flow/sctp.h"
#include "guard.h"
#include "sctp_maker.h"

struct heard {
    char log[4096]; // "text@1,2 " for each message and the frames it came in; "~" where incomplete
    size_t n, count, borrowed;
    uint32_t ppid;
};

struct ear {
    struct sctp_side *side;
    struct sctp_sink sink;
    struct heard heard;
    uint64_t odd[FLOW_ODD_COUNT];
    uint64_t frame;
    int64_t clock_ns;
    struct bytes packet;
};

static inline void hear(void *context, const struct sctp_message *m)
{
    struct heard *h = context;
    assert_true(m->n > 0 && m->packet_count > 0);
    h->count++;
    h->borrowed += m->is_borrowed;
    h->ppid = m->ppid;
    size_t room = sizeof h->log - h->n;
    int wrote = snprintf(h->log + h->n, room, "%.*s%s", m->n < 40 ? (int)m->n : 40,
                         (const char *)m->bytes, m->is_incomplete ? "~" : "");
    for (uint32_t i = 0; i < m->packet_count && i < 8; i++) {
        wrote += snprintf(h->log + h->n + wrote, room - (size_t)wrote, "%c%d", i == 0 ? '@' : ',',
                          (int)m->packets[i].at);
    }
    wrote += snprintf(h->log + h->n + wrote, room - (size_t)wrote, " ");
    h->n = h->n + 200 < sizeof h->log ? h->n + (size_t)wrote : h->n;
}

static inline void begin(struct ear *e)
{
    *e = (struct ear){.side = sctp_side_new()};
    e->sink = (struct sctp_sink){&e->heard, hear};
}

static inline void end(struct ear *e)
{
    sctp_side_free(e->side);
    bytes_free(&e->packet);
}

// Gives the packet from memory that ends at an unmapped page.
static inline bool give_n(struct ear *e, size_t n)
{
    uint8_t *p = guard_copy(e->packet.p, n);
    struct packet_ref from = {++e->frame, e->clock_ns};
    bool is_new = sctp_side_packet(e->side, p, (uint32_t)n, from, e->clock_ns, &e->sink, e->odd);
    guard_free(p, n);
    return is_new;
}

static inline bool give(struct ear *e)
{
    return give_n(e, e->packet.n);
}

static inline bool give_data(struct ear *e, uint8_t flags, uint32_t tsn, const char *text)
{
    sctp_head(&e->packet, 1);
    sctp_data_chunk(&e->packet, flags, tsn, 3, text);
    return give(e);
}

static inline void tick(struct ear *e, int64_t clock_ns)
{
    sctp_side_tick(e->side, clock_ns, &e->sink, e->odd);
}

static inline void assert_heard(struct ear *e, const char *log)
{
    assert_string_equal(e->heard.log, log);
    e->heard.log[0] = '\0';
    e->heard.n = 0;
}

#endif
