// Lists of calls by keys, and what of a call is compared.
#include "listen/legs.h"

#include "base/memory.h"

#include <stdlib.h>

#define FIRST_ROOM 256

// Digits at the end of two numbers that must be equal. Not smaller: a subscriber number has as many
// nearly everywhere. Not larger: what stands before it is written in many ways.
#define NUMBER_SUFFIX_DIGITS 7

void leg_keys_fini(struct leg_keys *k)
{
    memory_free(k->items);
    *k = (struct leg_keys){0};
}

void leg_keys_add(struct leg_keys *k, uint64_t key, uint32_t call, uint32_t extra)
{
    if (k->count == k->room) {
        k->items = memory_grow(k->items, &k->room, sizeof *k->items, FIRST_ROOM);
    }
    k->items[k->count++] = (struct leg_key){key, call, extra};
}

static int compare(const void *left, const void *right)
{
    const struct leg_key *a = left, *b = right;
    if (a->key != b->key) {
        return a->key < b->key ? -1 : 1;
    }
    if (a->call != b->call) {
        return a->call < b->call ? -1 : 1;
    }
    return (a->extra > b->extra) - (a->extra < b->extra);
}

void leg_keys_sort(struct leg_keys *k)
{
    if (k->count > 0) {
        qsort(k->items, k->count, sizeof *k->items, compare);
    }
}

struct leg_group leg_keys_group(const struct leg_keys *k, uint32_t begin)
{
    uint32_t end = begin;
    while (end < k->count && k->items[end].key == k->items[begin].key) {
        end++;
    }
    return (struct leg_group){begin, end};
}

// The first place from `low` on, below `high`, that does not stand before key and call.
static uint32_t lower_bound(const struct leg_keys *k, uint32_t low, uint32_t high, uint64_t key,
                            uint32_t call)
{
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct leg_key *at = &k->items[middle];
        if (at->key < key || (at->key == key && at->call < call)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

struct leg_group leg_keys_find(const struct leg_keys *k, uint64_t key)
{
    uint32_t begin = lower_bound(k, 0, k->count, key, 0);
    uint32_t end = key == UINT64_MAX ? k->count : lower_bound(k, begin, k->count, key + 1, 0);
    return (struct leg_group){begin, end};
}

uint32_t leg_keys_place(const struct leg_keys *k, struct leg_group group, uint32_t call)
{
    return group.begin == group.end
               ? group.begin
               : lower_bound(k, group.begin, group.end, k->items[group.begin].key, call);
}

uint64_t leg_place(const struct call *c, struct endpoint end)
{
    if (!address_eq(c->src.addr, c->dst.addr)) {
        end.port = 0;
    }
    return endpoint_hash(end, hash_secret);
}

static uint32_t add_place(uint64_t places[LEG_ARRIVALS_MAX], uint32_t count, uint64_t place)
{
    for (uint32_t i = 0; i < count; i++) {
        if (places[i] == place) {
            return count;
        }
    }
    if (count < LEG_ARRIVALS_MAX) {
        places[count++] = place;
    }
    return count;
}

uint32_t leg_arrivals(const struct call *c, uint64_t places[LEG_ARRIVALS_MAX])
{
    uint64_t src = leg_place(c, c->src);
    uint32_t count = 0;
    places[count++] = leg_place(c, c->dst);
    if (c->hop_count < 2) {
        return count;
    }
    for (const struct call_hop *h = c->hops; h; h = h->next) {
        uint64_t ends[2] = {leg_place(c, h->src), leg_place(c, h->dst)};
        for (int i = 0; i < 2; i++) {
            count = ends[i] != src ? add_place(places, count, ends[i]) : count;
        }
    }
    return count;
}

bool leg_came_to(const struct call *c, uint64_t place)
{
    uint64_t places[LEG_ARRIVALS_MAX];
    uint32_t count = leg_arrivals(c, places);
    bool found = false;
    for (uint32_t i = 0; i < count && !found; i++) {
        found = places[i] == place;
    }
    return found;
}

struct slice leg_user(struct slice user, char digits[SIP_NUMBER_DIGITS_MAX])
{
    size_t n = sip_number(user, digits);
    if (n == 0) {
        return user;
    }
    size_t skipped = n > NUMBER_SUFFIX_DIGITS ? n - NUMBER_SUFFIX_DIGITS : 0;
    return slice_of(digits + skipped, n - skipped);
}

uint64_t leg_user_hash(struct slice uri, enum leg_key_of what)
{
    char digits[SIP_NUMBER_DIGITS_MAX];
    struct sip_uri parts;
    sip_uri(uri, &parts);
    return parts.user.n > 0 ? leg_hash(leg_user(parts.user, digits), what) : 0;
}
