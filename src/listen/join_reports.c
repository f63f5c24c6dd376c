// The join of endpoint reports: a body that names another call's Call-ID goes to that call.
//
// Comes in: the report's calls, in their order. Goes out: their lists of reports, in capture order.
// A Call-ID that was used again stands for the newest call that had begun when the report came:
// reports and calls are walked together in capture order.
#include "listen/report.h"

#include "base/index_table.h"
#include "base/memory.h"
#include "track/call_extras.h"
#include "wire/sip/aor.h"

#include <stdlib.h>

#define FIRST_ROOM 64

static uint32_t hash_of(struct slice call_id)
{
    return (uint32_t)hash_bytes(call_id.p, call_id.n, hash_secret);
}

static bool is_about_other(const struct call *c, const struct call_report *r)
{
    return r->about.n > 0 && !slice_eq(kept_text(&r->about), c->call_id);
}

// A report that is to leave the exchange it came in.
struct move {
    struct call *from;
    struct call_report *report;
    size_t at; // among the moves, as they were found
};

struct moves {
    struct move *items;
    uint32_t count, room;
};

static int compare_moves(const void *left, const void *right)
{
    const struct move *a = left;
    const struct move *b = right;
    int order = order_compare(a->report->order, b->report->order);
    return order != 0 ? order : (a->at > b->at) - (a->at < b->at);
}

static void find_moves(const struct sidetone_report *r, struct moves *moves)
{
    for (size_t i = 0; i < r->call_count; i++) {
        struct call *c = r->calls[i];
        struct call_report *report = c->extras ? c->extras->reports : NULL;
        for (; report; report = report->next) {
            if (!is_about_other(c, report)) {
                continue;
            }
            if (moves->count == moves->room) {
                moves->items =
                    memory_grow(moves->items, &moves->room, sizeof *moves->items, FIRST_ROOM);
            }
            moves->items[moves->count] = (struct move){c, report, moves->count};
            moves->count++;
        }
    }
    if (moves->count > 0) {
        qsort(moves->items, moves->count, sizeof *moves->items, compare_moves);
    }
}

// The newest call with this Call-ID among those that were entered, or INDEX_NONE.
static uint32_t newest(const struct sidetone_report *r, const struct index_table *table,
                       struct slice call_id)
{
    uint32_t hash = hash_of(call_id);
    uint32_t at = hash;
    uint32_t i;
    while ((i = index_next(table, hash, &at)) != INDEX_NONE &&
           !slice_eq(r->calls[i]->call_id, call_id)) {
    }
    return i;
}

static void enter(const struct sidetone_report *r, struct index_table *table, uint32_t i)
{
    const struct call *c = r->calls[i];
    uint32_t before = c->kind == KIND_CALL ? newest(r, table, c->call_id) : INDEX_NONE;
    if (before != INDEX_NONE) {
        index_table_replace(table, hash_of(c->call_id), before, i);
    } else if (c->kind == KIND_CALL) {
        index_table_add(table, hash_of(c->call_id), i);
    }
}

// Into the place of its order; there is room.
static void insert(struct call *c, struct arena *arena, struct call_report *report)
{
    struct call_extras *x = call_extras_of(c, arena);
    struct call_report **at = &x->reports;
    while (*at && !order_before(report->order, (*at)->order)) {
        at = &(*at)->next;
    }
    report->next = *at;
    *at = report;
    x->report_count++;
}

static bool is_same_user(struct slice a, struct slice b)
{
    char room_a[SIP_AOR_BYTES], room_b[SIP_AOR_BYTES];
    return slice_eq(sip_aor(a, room_a), sip_aor(b, room_b));
}

// Whose endpoint it is: by the user that it names, else by where the report came from.
static uint8_t reporter(const struct call *c, const struct call_report *r)
{
    struct slice user = kept_text(&r->local_id);
    bool is_caller = is_same_user(user, c->from);
    bool is_callee = is_same_user(user, c->to);
    if (user.n == 0 || is_caller == is_callee) {
        is_caller = address_eq(r->src.addr, c->src.addr);
        is_callee = address_eq(r->src.addr, c->dst.addr);
    }
    return is_caller == is_callee ? 0 : is_caller ? BY_CALLER : BY_CALLEE;
}

static void settle_reporter(const struct call *c, struct call_report *r)
{
    bool is_of_call = c->kind == KIND_CALL && !is_about_other(c, r);
    uint8_t by = !is_of_call ? 0 : r->by != 0 ? r->by : reporter(c, r);
    r->by = by != 0 && r->is_of_remote ? (by == BY_CALLER ? BY_CALLEE : BY_CALLER) : by;
}

static void take_out(struct call *c, const struct call_report *report)
{
    struct call_report **at = &c->extras->reports;
    while (*at != report) {
        at = &(*at)->next;
    }
    *at = report->next;
    c->extras->report_count--;
}

static bool move_to_call(struct sidetone_report *r, const struct index_table *table,
                         const struct move *move)
{
    uint32_t i = newest(r, table, kept_text(&move->report->about));
    struct call *to = i == INDEX_NONE ? NULL : r->calls[i];
    if (to && (!to->extras || to->extras->report_count < CALL_REPORTS_MAX)) {
        take_out(move->from, move->report);
        insert(to, &r->arena, move->report);
    }
    return to != NULL;
}

static void move_all(struct sidetone_report *r, struct moves *moves)
{
    struct index_table table = {0};
    uint32_t entered = 0, left = 0;
    for (uint32_t i = 0; i < moves->count; i++) {
        struct move *move = &moves->items[i];
        while (entered < r->call_count &&
               !order_before(move->report->order, r->calls[entered]->first)) {
            enter(r, &table, entered++);
        }
        if (!move_to_call(r, &table, move)) {
            moves->items[left++] = *move;
        }
    }
    while (left > 0 && entered < r->call_count) {
        enter(r, &table, entered++);
    }
    for (uint32_t i = 0; i < left; i++) { // came before their call: clocks of two captures
        move_to_call(r, &table, &moves->items[i]);
    }
    index_table_fini(&table);
}

void report_join_reports(struct sidetone_report *r)
{
    struct moves moves = {0};
    find_moves(r, &moves);
    if (moves.count > 0) {
        move_all(r, &moves);
    }
    memory_free(moves.items);
    for (size_t i = 0; i < r->call_count; i++) {
        struct call_report *report = r->calls[i]->extras ? r->calls[i]->extras->reports : NULL;
        for (; report; report = report->next) {
            if (report->format == CALL_REPORT_VQ) {
                settle_reporter(r->calls[i], report);
            }
        }
    }
}
