// Finding the calls of one conversation: what the files legs*.c share.
//
// Each kind of evidence has a pass of its own over the calls, which ties pairs of them by edges. A
// conversation is what hangs together. Passes find calls by keys (hashes of what must be equal) in
// sorted lists, and look at a bounded number of candidates: all of them together take about n log n
// steps for n calls, whatever senders wrote.
#ifndef SIDETONE_LISTEN_LEGS_H
#define SIDETONE_LISTEN_LEGS_H

#include "listen/report.h"
#include "track/call_extras.h"

struct leg_edge {
    uint32_t from, to;
    uint8_t by; // enum leg_evidence
};

// Being found.
struct legs {
    const struct sidetone_report *report;
    struct leg_edge *edges; // each of them both ways
    uint32_t count, room;
};

// Ties a and b; nothing happens where they are one.
void legs_tie(struct legs *l, uint32_t a, uint32_t b, enum leg_evidence by);

void legs_by_header(struct legs *l);    // legs_header.c: Call-IDs and sessions
void legs_by_diversion(struct legs *l); // likewise
void legs_by_refer(struct legs *l);     // legs_refer.c
void legs_by_origin(struct legs *l);    // legs_origin.c
void legs_by_number(struct legs *l);    // legs_number.c: after all others

// --- keys ---

// A call under a key; sorted by key, then by position.
struct leg_key {
    uint64_t key;
    uint32_t call;
    uint32_t extra; // what the pass wants to know
};

struct leg_keys {
    struct leg_key *items;
    uint32_t count, room;
};

// A group: the places of all items with one key.
struct leg_group {
    uint32_t begin, end;
};

void leg_keys_fini(struct leg_keys *k);
void leg_keys_add(struct leg_keys *k, uint64_t key, uint32_t call, uint32_t extra);
void leg_keys_sort(struct leg_keys *k);

// All with this key; begin == end: none.
struct leg_group leg_keys_find(const struct leg_keys *k, uint64_t key);

// The group that begins at a place.
struct leg_group leg_keys_group(const struct leg_keys *k, uint32_t begin);

// The first place in a group whose call is not before `call`.
uint32_t leg_keys_place(const struct leg_keys *k, struct leg_group group, uint32_t call);

// --- calls ---

// What a key is made of: equal texts that mean something else have other keys.
enum leg_key_of {
    LEG_KEY_CALL_ID,
    LEG_KEY_SESSION,
    LEG_KEY_DIVERTED,
    LEG_KEY_REPLACED,
    LEG_KEY_TARGET,
    LEG_KEY_REFERRER,
    LEG_KEY_CALLER,
    LEG_KEY_CALLED,
};

static inline uint64_t leg_hash(struct slice text, enum leg_key_of what)
{
    return hash_bytes(text.p, text.n, hash_mix(hash_secret, what));
}

// What a call says of others, in order.
static inline const struct call_link *leg_links(const struct call *c)
{
    return c->links ? c->links->links : NULL;
}

// Were both going on at one time?
static inline bool legs_overlap(const struct call *a, const struct call *b)
{
    return a->start_ns <= b->end_ns && b->start_ns <= a->end_ns;
}

// An end of a call as a place that its other legs may begin or end at: the host; on one host alone
// its ports too.
uint64_t leg_place(const struct call *c, struct endpoint end);

// Places that a call came to: not smaller: proxies stand between a caller and a B2BUA. Not larger:
// they are looked through for each pair of calls.
#define LEG_ARRIVALS_MAX 8

// Where a call came to: where its first message went, and the other hosts that it was seen at.
// Returns how many.
uint32_t leg_arrivals(const struct call *c, uint64_t places[LEG_ARRIVALS_MAX]);

// Did the call come to this place?
bool leg_came_to(const struct call *c, uint64_t place);

// What is compared of the user part of a URI: the last digits of a number, else all of it.
struct slice leg_user(struct slice user, char digits[SIP_NUMBER_DIGITS_MAX]);

// Of the user part of a URI; 0 where there is none.
uint64_t leg_user_hash(struct slice uri, enum leg_key_of what);

#endif
