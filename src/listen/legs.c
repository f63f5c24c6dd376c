// Conversations: which calls belong together, and by what evidence.
//
// Comes in: the report's calls with what they say of others (track/call_links.h). Goes out: for
// each call the calls that it is tied to, in order, each once with the best evidence.
#include "listen/legs.h"

#include "base/memory.h"

#include <stdlib.h>

#define FIRST_ROOM 64

void legs_tie(struct legs *l, uint32_t a, uint32_t b, enum leg_evidence by)
{
    if (a == b) {
        return;
    }
    for (int way = 0; way < 2; way++) {
        if (l->count == l->room) {
            l->edges = memory_grow(l->edges, &l->room, sizeof *l->edges, FIRST_ROOM);
        }
        l->edges[l->count++] = (struct leg_edge){way ? b : a, way ? a : b, (uint8_t)by};
    }
}

static void by_call_id(struct legs *l)
{
    const struct sidetone_report *r = l->report;
    for (uint32_t i = 0; i < r->call_count; i++) {
        const struct call_links *links = r->calls[i]->links;
        if (links && links->same_id) {
            legs_tie(l, i, links->same_id->position, LEG_CALL_ID);
        }
    }
}

static int compare(const void *left, const void *right)
{
    const struct leg_edge *a = left, *b = right;
    if (a->from != b->from) {
        return a->from < b->from ? -1 : 1;
    }
    if (a->to != b->to) {
        return a->to < b->to ? -1 : 1;
    }
    return (a->by > b->by) - (a->by < b->by);
}

// Lists for the report, of each pair the best evidence only.
static void publish(struct sidetone_report *r, const struct legs *l)
{
    uint32_t at = 0;
    r->legs = memory_alloc(l->count * sizeof *r->legs);
    r->legs_begin = memory_zero((r->call_count + 1) * sizeof *r->legs_begin);
    for (uint32_t i = 0; i < l->count; i++) {
        const struct leg_edge *e = &l->edges[i];
        if (i == 0 || e->from != e[-1].from || e->to != e[-1].to) {
            r->legs[at++] = (struct report_leg){e->to, e->by};
            r->legs_begin[e->from + 1] = at;
        }
    }
    for (uint32_t i = 1; i <= r->call_count; i++) { // calls without legs end where they begin
        r->legs_begin[i] = r->legs_begin[i] ? r->legs_begin[i] : r->legs_begin[i - 1];
    }
}

void report_legs(struct sidetone_report *r)
{
    struct legs l = {.report = r};
    by_call_id(&l);
    legs_by_header(&l);
    legs_by_refer(&l);
    legs_by_diversion(&l);
    legs_by_origin(&l);
    if (!r->strict_legs) {
        legs_by_number(&l);
    }
    if (l.count > 0) {
        qsort(l.edges, l.count, sizeof *l.edges, compare);
        publish(r, &l);
    }
    memory_free(l.edges);
}
