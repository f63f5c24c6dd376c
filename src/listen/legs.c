// Conversations: calls that name each other's Call-ID (X-Call-ID, X-CID), as B2BUAs write it into
// the leg that they make.
//
// Comes in: the report's calls. Goes out: a ring for each conversation, through the positions of
// its calls; a leg of a leg belongs to it too. Two rings become one when two of their places change
// their successors.
#include "listen/report.h"

#include "base/index_table.h"
#include "base/memory.h"

static uint32_t hash_of(struct slice call_id)
{
    return (uint32_t)hash_bytes(call_id.p, call_id.n, hash_secret);
}

static bool has_any(const struct sidetone_report *r)
{
    for (size_t i = 0; i < r->call_count; i++) {
        if (r->calls[i]->other_leg.n > 0) {
            return true;
        }
    }
    return false;
}

// Names lead to the oldest call of their conversation, so that none is joined twice.
static uint32_t root_of(uint32_t *roots, uint32_t i)
{
    while (roots[i] != i) {
        roots[i] = roots[roots[i]];
        i = roots[i];
    }
    return i;
}

static void join(struct sidetone_report *r, uint32_t *roots, uint32_t a, uint32_t b)
{
    uint32_t first = root_of(roots, a);
    uint32_t second = root_of(roots, b);
    if (first != second) {
        uint32_t next = r->next_leg[a];
        r->next_leg[a] = r->next_leg[b];
        r->next_leg[b] = next;
        roots[first > second ? first : second] = first < second ? first : second;
    }
}

// The first call with this Call-ID.
static uint32_t find(const struct sidetone_report *r, const struct index_table *by_call_id,
                     struct slice call_id)
{
    uint32_t hash = hash_of(call_id);
    uint32_t at = hash;
    uint32_t i;
    while ((i = index_next(by_call_id, hash, &at)) != INDEX_NONE &&
           !slice_eq(r->calls[i]->call_id, call_id)) {
    }
    return i;
}

void report_legs(struct sidetone_report *r)
{
    if (!has_any(r)) {
        return;
    }
    struct index_table by_call_id = {0};
    uint32_t *roots = memory_alloc(r->call_count * sizeof *roots);
    r->next_leg = memory_alloc(r->call_count * sizeof *r->next_leg);
    for (uint32_t i = 0; i < r->call_count; i++) {
        roots[i] = r->next_leg[i] = i;
        if (find(r, &by_call_id, r->calls[i]->call_id) == INDEX_NONE) {
            index_table_add(&by_call_id, hash_of(r->calls[i]->call_id), i);
        }
    }
    for (uint32_t i = 0; i < r->call_count; i++) {
        struct slice other = r->calls[i]->other_leg;
        uint32_t found = other.n > 0 ? find(r, &by_call_id, other) : INDEX_NONE;
        if (found != INDEX_NONE) {
            join(r, roots, i, found);
        }
    }
    memory_free(roots);
    index_table_fini(&by_call_id);
}
