// Remembering completed datagrams, so that copies of their fragments begin no new one.
#include "flow/fragments_parts.h"

bool fragment_key_eq(const struct fragment_key *a, const struct fragment_key *b)
{
    return a->id == b->id && a->path_hash == b->path_hash && address_eq(a->src, b->src) &&
           address_eq(a->dst, b->dst) && a->protocol == b->protocol && a->is_v4 == b->is_v4;
}

// The oldest one stands at the end of its chain, since newer ones are put before it.
static void forget_oldest(struct recents *r)
{
    const struct recent *oldest = &r->ring[r->first];
    uint16_t *link = &r->chains[oldest->chain];
    while (*link != r->first + 1) {
        link = &r->ring[*link - 1].chain_next;
    }
    *link = 0;
    r->first = (r->first + 1) % RECENT_MAX;
    r->count--;
}

uint32_t recents_add(struct recents *r, const struct fragment_key *key, uint32_t chain,
                     int64_t now_ns)
{
    if (r->count == RECENT_MAX) {
        forget_oldest(r);
    }
    uint32_t place = (r->first + r->count++) % RECENT_MAX;
    r->ring[place] = (struct recent){
        .key = *key,
        .completed_ns = now_ns,
        .chain = (uint16_t)chain,
        .chain_next = r->chains[chain],
    };
    r->chains[chain] = (uint16_t)(place + 1);
    return place + 1;
}

void recents_forget(struct recents *r, int64_t now_ns)
{
    while (r->count > 0 &&
           (uint64_t)now_ns - (uint64_t)r->ring[r->first].completed_ns > FRAGMENT_COPY_NS) {
        forget_oldest(r);
    }
}

struct recent *recents_find(struct recents *r, const struct fragment_key *key, uint32_t chain)
{
    for (uint16_t at = r->chains[chain]; at != 0; at = r->ring[at - 1].chain_next) {
        if (fragment_key_eq(&r->ring[at - 1].key, key)) {
            return &r->ring[at - 1];
        }
    }
    return NULL;
}
