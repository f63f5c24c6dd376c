// Who and what took part in a capture, and how often: states, methods, codes, programs, addresses,
// codecs, findings.
#include "count/stats_parts.h"

#include "base/memory.h"
#include "wire/address.h"

#include <math.h>
#include <stdlib.h>

// Addresses that one call counts for. Not smaller: a call has up to 32 hops. Not larger: no call
// has more.
#define CALL_ADDRESSES_MAX 64

// --- items: the key, and what is shown of it ---

struct state_item {
    struct sidetone_text key; // kind and state
    struct sidetone_state_count shown;
};

struct agent_item {
    struct sidetone_agent_count shown;
};

struct talker_item {
    struct sidetone_talker shown; // its address as bytes, and as text in the end
};

struct codec_item {
    struct sidetone_codec_count shown;
    uint32_t index; // in the order of making
    double mos_sum;
};

struct finding_item {
    struct sidetone_text key; // its name
    struct sidetone_finding_count shown;
};

void stats_lists_init(struct stats_lists *l, struct arena *arena, size_t streams)
{
    *l = (struct stats_lists){
        .arena = arena,
        .states = {.arena = arena, .item_bytes = sizeof(struct state_item)},
        .agents = {.arena = arena, .item_bytes = sizeof(struct agent_item)},
        .talkers = {.arena = arena, .item_bytes = sizeof(struct talker_item)},
        .codecs = {.arena = arena, .item_bytes = sizeof(struct codec_item)},
        .findings = {.arena = arena, .item_bytes = sizeof(struct finding_item)},
    };
    l->codec_mos.list = memory_alloc((streams + 1) * sizeof *l->codec_mos.list);
}

void stats_lists_fini(struct stats_lists *l)
{
    tally_set_fini(&l->states);
    tally_set_fini(&l->agents);
    tally_set_fini(&l->talkers);
    tally_set_fini(&l->codecs);
    tally_set_fini(&l->findings);
    memory_free(l->codec_mos.list);
}

// --- calls ---

static void list_state(struct stats_lists *l, const struct sidetone_call *c)
{
    char key[64]; // both are names of ours
    struct slice kind = slice_str(c->kind), state = slice_str(c->state);
    size_t n = 0;
    if (kind.n + state.n + 1 > sizeof key || kind.n == 0 || state.n == 0) {
        return;
    }
    memcpy(key, kind.p, kind.n);
    n = kind.n;
    key[n++] = ' ';
    memcpy(key + n, state.p, state.n);
    struct state_item *item = tally_item(&l->states, slice_of(key, n + state.n));
    item->shown.kind = c->kind;
    item->shown.state = c->state;
    item->shown.count++;
}

static void list_findings(struct stats_lists *l, const struct sidetone_finding *f, size_t count,
                          bool is_stream)
{
    for (size_t i = 0; i < count; i++) {
        struct finding_item *item = tally_item(&l->findings, slice_str(f[i].name));
        item->shown.name = f[i].name;
        if (f[i].severity > item->shown.severity) {
            item->shown.severity = f[i].severity;
        }
        item->shown.streams += is_stream;
        item->shown.calls += !is_stream;
    }
}

// By the bytes of the address: there are far more sightings than addresses, so only these get text.
static struct talker_item *talker(struct stats_lists *l, const struct sidetone_endpoint *e)
{
    bool is_known = !address_is_zero(address_v6(e->address));
    return is_known ? tally_item(&l->talkers, slice_of((const char *)e->address, sizeof e->address))
                    : NULL;
}

static void finish_talkers(struct stats_lists *l)
{
    for (uint32_t i = 0; i < l->talkers.count; i++) {
        struct talker_item *t = l->talkers.items[i];
        char text[ENDPOINT_TEXT_BYTES];
        uint8_t bytes[16];
        memcpy(bytes, t->shown.address.p, sizeof bytes);
        struct slice kept =
            arena_slice(l->arena, slice_of(text, address_text(address_v6(bytes), text)));
        t->shown.address = (struct sidetone_text){kept.p, kept.n};
    }
}

// The addresses between which messages of a call travelled.
struct call_addresses {
    struct talker_item *list[CALL_ADDRESSES_MAX];
    size_t count;
};

static void list_talker(struct call_addresses *a, struct talker_item *t, uint32_t messages)
{
    size_t i = 0;
    if (!t) {
        return;
    }
    t->shown.messages += messages;
    while (i < a->count && a->list[i] != t) {
        i++;
    }
    if (i == a->count && a->count < CALL_ADDRESSES_MAX) {
        a->list[a->count++] = t;
    }
}

static void list_hop(struct stats_lists *l, struct call_addresses *a,
                     const struct sidetone_endpoint *src, const struct sidetone_endpoint *dst,
                     uint32_t messages)
{
    struct talker_item *from = talker(l, src), *to = talker(l, dst);
    list_talker(a, from, messages);
    list_talker(a, to, to == from ? 0 : messages);
}

static void list_talkers(struct stats_lists *l, const struct sidetone_call *c, bool is_call)
{
    struct call_addresses a = {.count = 0};
    for (size_t i = 0; i < c->hop_count; i++) {
        list_hop(l, &a, &c->hops[i].src, &c->hops[i].dst, c->hops[i].messages);
    }
    if (c->hop_count == 0) {
        list_hop(l, &a, &c->src, &c->dst, c->messages);
    }
    for (size_t i = 0; i < a.count; i++) {
        a.list[i]->shown.calls += is_call;
        a.list[i]->shown.others += !is_call;
    }
}

void stats_list_call(struct stats_lists *l, const struct sidetone_call *c)
{
    bool is_call = stats_is(c->kind, "call");
    list_state(l, c);
    list_findings(l, c->findings, c->finding_count, false);
    for (size_t i = 0; i < c->user_agent_count; i++) {
        struct agent_item *item = tally_item(&l->agents, stats_slice(c->user_agents[i]));
        item->shown.calls += is_call;
        item->shown.others += !is_call;
    }
    list_talkers(l, c, is_call);
    if (is_call && c->final_code > 0 && c->final_code < MESSAGE_CODES) {
        l->final_codes[c->final_code]++;
    }
}

// --- streams ---

static void list_codec(struct stats_lists *l, const struct sidetone_stream *s)
{
    uint32_t before = l->codecs.count;
    struct codec_item *item = tally_item(&l->codecs, stats_slice(s->codec));
    if (l->codecs.count > before) {
        item->index = before;
    }
    item->shown.streams++;
    item->shown.packets += s->packets;
    item->shown.expected += s->expected;
    item->shown.lost += s->lost;
    item->shown.discarded += s->discarded;
    if (!isnan(s->mos)) {
        item->shown.mos_count++;
        item->mos_sum += s->mos;
        samples_add_mos(&l->codec_mos, item->index, s->mos);
    }
}

void stats_list_stream(struct stats_lists *l, const struct sidetone_stream *s)
{
    struct talker_item *from = talker(l, &s->src), *to = talker(l, &s->dst);
    list_findings(l, s->findings, s->finding_count, true);
    list_codec(l, s);
    if (from) {
        from->shown.streams++;
        from->shown.media_sent_bytes += s->bytes;
    }
    if (to) {
        to->shown.streams += to != from;
        to->shown.media_received_bytes += s->bytes;
    }
}

// --- the order in which they are shown ---

static int by_state(const void *left, const void *right)
{
    const struct state_item *a = *(void *const *)left, *b = *(void *const *)right;
    return stats_first_of(stats_falling(a->shown.count, b->shown.count),
                          stats_by_key(a->key, b->key), 0);
}

static int by_agent(const void *left, const void *right)
{
    const struct agent_item *a = *(void *const *)left, *b = *(void *const *)right;
    return stats_first_of(stats_falling(a->shown.calls, b->shown.calls),
                          stats_falling(a->shown.others, b->shown.others),
                          stats_by_key(a->shown.user_agent, b->shown.user_agent));
}

static int by_talker(const void *left, const void *right)
{
    const struct talker_item *p = *(void *const *)left, *q = *(void *const *)right;
    const struct sidetone_talker *a = &p->shown, *b = &q->shown;
    int order = stats_first_of(stats_falling(a->calls, b->calls),
                               stats_falling(a->media_sent_bytes + a->media_received_bytes,
                                             b->media_sent_bytes + b->media_received_bytes),
                               stats_falling(a->messages, b->messages));
    return stats_first_of(order, stats_by_key(a->address, b->address), 0);
}

static int by_codec(const void *left, const void *right)
{
    const struct codec_item *a = *(void *const *)left, *b = *(void *const *)right;
    return stats_first_of(stats_falling(a->shown.streams, b->shown.streams),
                          stats_by_key(a->shown.codec, b->shown.codec), 0);
}

static int by_finding(const void *left, const void *right)
{
    const struct finding_item *a = *(void *const *)left, *b = *(void *const *)right;
    return stats_first_of(
        stats_falling(a->shown.severity, b->shown.severity),
        stats_falling(a->shown.calls + a->shown.streams, b->shown.calls + b->shown.streams),
        stats_by_key(a->key, b->key));
}

static void sort(struct tally_set *set, int (*order)(const void *, const void *))
{
    if (set->count > 1) {
        qsort(set->items, set->count, sizeof *set->items, order);
    }
}

static void finish_codecs(struct stats_lists *l)
{
    for (uint32_t i = 0; i < l->codecs.count; i++) {
        struct codec_item *item = l->codecs.items[i];
        struct sidetone_codec_count *c = &item->shown;
        c->loss_percent = stats_percent(c->lost, c->expected);
        c->mos_mean = c->mos_count > 0 ? item->mos_sum / (double)c->mos_count : NAN;
        c->mos_p5 = c->mos_min = NAN;
    }
    samples_sort(&l->codec_mos);
    for (size_t begin = 0, end; begin < l->codec_mos.count; begin = end) {
        end = samples_run(&l->codec_mos, begin);
        struct codec_item *item = l->codecs.items[l->codec_mos.list[begin].group];
        samples_mos(&l->codec_mos, begin, end, &item->shown.mos_p5, &item->shown.mos_min);
    }
}

// --- methods and codes ---

static int by_method(const void *left, const void *right)
{
    const struct sidetone_method_count *a = *(void *const *)left, *b = *(void *const *)right;
    return stats_first_of(stats_falling(a->requests + a->responses, b->requests + b->responses),
                          strcmp(a->method, b->method), 0);
}

static void finish_methods(struct stats_lists *l, const struct message_counts *m,
                           struct sidetone_stats *out)
{
    const struct sidetone_method_count **list =
        ARENA_ARRAY(l->arena, const struct sidetone_method_count *, SIP_METHOD_COUNT);
    for (int i = 0; i < SIP_METHOD_COUNT; i++) {
        const struct message_count *requests = &m->requests[i], *responses = &m->responses[i];
        if (requests->messages + responses->messages == 0) {
            continue;
        }
        struct sidetone_method_count *item = ARENA_NEW(l->arena, struct sidetone_method_count);
        *item = (struct sidetone_method_count){
            .method = i == SIP_METHOD_OTHER ? "other" : sip_method_name((enum sip_method)i),
            .requests = requests->messages,
            .request_retransmissions = requests->retransmissions,
            .responses = responses->messages,
            .response_retransmissions = responses->retransmissions,
        };
        list[out->method_count++] = item;
    }
    qsort(list, out->method_count, sizeof *list, by_method);
    out->methods = list;
}

static void finish_codes(struct stats_lists *l, const struct message_counts *m,
                         struct sidetone_stats *out)
{
    const struct sidetone_code_count **list =
        ARENA_ARRAY(l->arena, const struct sidetone_code_count *, MESSAGE_CODES);
    for (uint16_t code = 0; code < MESSAGE_CODES; code++) {
        if (m->codes[code].messages == 0 && l->final_codes[code] == 0) {
            continue;
        }
        struct sidetone_code_count *item = ARENA_NEW(l->arena, struct sidetone_code_count);
        *item = (struct sidetone_code_count){
            .code = code,
            .responses = m->codes[code].messages,
            .retransmissions = m->codes[code].retransmissions,
            .calls = l->final_codes[code],
        };
        list[out->code_count++] = item;
    }
    out->codes = list;
}

// Pointers to what is shown of the items of a set, in their order.
#define SHOWN(l, set, item_type, shown_type, out_list, out_count)                                  \
    do {                                                                                           \
        const shown_type **list = ARENA_ARRAY((l)->arena, const shown_type *, (l)->set.count);     \
        for (uint32_t i = 0; i < (l)->set.count; i++) {                                            \
            list[i] = &((const item_type *)(l)->set.items[i])->shown;                              \
        }                                                                                          \
        (out_list) = list;                                                                         \
        (out_count) = (l)->set.count;                                                              \
    } while (0)

void stats_lists_finish(struct stats_lists *l, const struct message_counts *messages,
                        struct sidetone_stats *out)
{
    finish_codecs(l); // while they are in the order of making
    finish_talkers(l);
    sort(&l->states, by_state);
    sort(&l->agents, by_agent);
    sort(&l->talkers, by_talker);
    sort(&l->codecs, by_codec);
    sort(&l->findings, by_finding);
    SHOWN(l, states, struct state_item, struct sidetone_state_count, out->states, out->state_count);
    SHOWN(l, agents, struct agent_item, struct sidetone_agent_count, out->agents, out->agent_count);
    SHOWN(l, talkers, struct talker_item, struct sidetone_talker, out->talkers, out->talker_count);
    SHOWN(l, codecs, struct codec_item, struct sidetone_codec_count, out->codecs, out->codec_count);
    SHOWN(l, findings, struct finding_item, struct sidetone_finding_count, out->findings,
          out->finding_count);
    finish_methods(l, messages, out);
    finish_codes(l, messages, out);
}
