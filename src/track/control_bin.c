// The fold of a bin: copies are told, the packets of a compound find the accounts that they tell
// of.
#include "track/control_bin.h"

#include "base/memory.h"

#define FIRST_ROOM 64

void control_bin_init(struct control_bin *b)
{
    *b = (struct control_bin){0};
    frames_seen_init(&b->seen, CONTROL_COPY_SETS);
    arena_init(&b->arena, 16 * 1024);
}

void control_bin_fini(struct control_bin *b)
{
    arena_fini(&b->arena);
    memory_free(b->senders);
    memory_free(b->abouts);
    index_table_fini(&b->by_sender);
    index_table_fini(&b->by_about);
    frames_seen_fini(&b->seen);
}

// --- accounts ---

static uint32_t hash_of(struct endpoint src, struct endpoint dst, uint32_t speaker, uint32_t about)
{
    uint64_t ends = hash_mix(endpoint_hash(src, hash_secret), endpoint_hash(dst, hash_secret));
    return (uint32_t)hash_mix(ends, ((uint64_t)speaker << 32 | about) ^ hash_secret);
}

static bool may_make(struct control_bin *b)
{
    bool has_room = b->sender_count + b->about_count < CONTROL_ACCOUNTS_MAX;
    if (!has_room || b->made == CONTROL_NEW_MAX) {
        b->left_out++;
        return false;
    }
    b->made++;
    return true;
}

// Makes `index` the one that is found under a hash.
static void enter(struct index_table *t, uint32_t hash, uint32_t before, uint32_t index)
{
    if (before == INDEX_NONE) {
        index_table_add(t, hash, index);
    } else {
        index_table_replace(t, hash, before, index);
    }
}

static uint32_t sender_index(const struct control_bin *b, struct endpoint src, struct endpoint dst,
                             uint32_t ssrc, uint32_t hash)
{
    uint32_t at = hash;
    uint32_t i;
    while ((i = index_next(&b->by_sender, hash, &at)) != INDEX_NONE) {
        const struct control_sender *s = b->senders[i];
        if (s->ssrc == ssrc && endpoint_eq(s->src, src) && endpoint_eq(s->dst, dst)) {
            break;
        }
    }
    return i;
}

static struct control_sender *sender_find(const struct control_bin *b, struct endpoint src,
                                          struct endpoint dst, uint32_t ssrc)
{
    uint32_t i = sender_index(b, src, dst, ssrc, hash_of(src, dst, ssrc, 0));
    return i == INDEX_NONE ? NULL : b->senders[i];
}

static struct control_sender *sender_make(struct control_bin *b, const struct control_record *r,
                                          uint32_t ssrc)
{
    if (!may_make(b)) {
        return NULL;
    }
    uint32_t hash = hash_of(r->src, r->dst, ssrc, 0);
    uint32_t before = sender_index(b, r->src, r->dst, ssrc, hash);
    struct control_sender *s = ARENA_NEW(&b->arena, struct control_sender);
    *s = (struct control_sender){
        .src = r->src,
        .dst = r->dst,
        .ssrc = ssrc,
        .hash = hash,
        .epoch = before == INDEX_NONE ? 0 : b->senders[before]->epoch + 1,
        .first = r->order,
    };
    if (b->sender_count == b->sender_room) {
        b->senders = memory_grow(b->senders, &b->sender_room, sizeof *b->senders, FIRST_ROOM);
    }
    enter(&b->by_sender, hash, before, b->sender_count);
    b->senders[b->sender_count++] = s;
    return s;
}

static uint32_t about_index(const struct control_bin *b, const struct control_record *r,
                            uint32_t reporter, uint32_t ssrc, uint32_t hash)
{
    uint32_t at = hash;
    uint32_t i;
    while ((i = index_next(&b->by_about, hash, &at)) != INDEX_NONE) {
        const struct control_about *a = b->abouts[i];
        if (a->ssrc == ssrc && a->reporter == reporter && endpoint_eq(a->src, r->src) &&
            endpoint_eq(a->dst, r->dst)) {
            break;
        }
    }
    return i;
}

static struct control_about *about_make(struct control_bin *b, const struct control_record *r,
                                        uint32_t reporter, uint32_t ssrc)
{
    if (!may_make(b)) {
        return NULL;
    }
    uint32_t hash = hash_of(r->src, r->dst, reporter, ssrc);
    struct control_about *a = ARENA_NEW(&b->arena, struct control_about);
    *a = (struct control_about){
        .src = r->src,
        .dst = r->dst,
        .reporter = reporter,
        .ssrc = ssrc,
        .hash = hash,
        .first = r->order,
    };
    if (b->about_count == b->about_room) {
        b->abouts = memory_grow(b->abouts, &b->about_room, sizeof *b->abouts, FIRST_ROOM);
    }
    enter(&b->by_about, hash, about_index(b, r, reporter, ssrc, hash), b->about_count);
    b->abouts[b->about_count++] = a;
    return a;
}

// Several packets of a compound tell of the same: it counts once.
static void touch(struct order *last, uint64_t *packets, const struct control_record *r)
{
    bool is_new = *packets == 0 || last->at != r->order.at || last->time_ns != r->order.time_ns;
    *packets += is_new;
    *last = r->order;
}

// The account of who speaks; `info`: with a sender report, which may show that it began again.
static struct control_sender *speaker(struct control_bin *b, const struct control_record *r,
                                      uint32_t ssrc, const struct rtcp_sender_info *info)
{
    struct control_sender *s = sender_find(b, r->src, r->dst, ssrc);
    if (!s || (info && control_sender_restarts(s, info, r->time_ns))) {
        s = sender_make(b, r, ssrc);
    }
    if (s) {
        touch(&s->last, &s->packets, r);
    }
    return s;
}

// The account of what a reporter says; `report`: with a report block, likewise.
static struct control_about *about(struct control_bin *b, const struct control_record *r,
                                   uint32_t reporter, uint32_t ssrc,
                                   const struct control_sender *sender,
                                   const struct rtcp_report *report)
{
    uint32_t i = about_index(b, r, reporter, ssrc, hash_of(r->src, r->dst, reporter, ssrc));
    struct control_about *a = i == INDEX_NONE ? NULL : b->abouts[i];
    uint32_t epoch = sender ? sender->epoch : a ? a->epoch : 0;
    if (!a || a->epoch != epoch || (report && control_about_restarts(a, report))) {
        a = about_make(b, r, reporter, ssrc);
    }
    if (a) {
        a->epoch = epoch;
        touch(&a->last, &a->packets, r);
    }
    return a;
}

// --- packets ---

static void reports(struct control_bin *b, const struct control_record *r,
                    const struct rtcp_packet *p)
{
    struct rtcp_report report;
    for (uint32_t i = 0; rtcp_report(p, i, &report); i++) {
        const struct control_sender *sender = sender_find(b, r->dst, r->src, report.ssrc);
        struct control_about *a = about(b, r, p->ssrc, report.ssrc, sender, &report);
        if (a) {
            control_about_report(a, &report, sender, r->order, r->time_ns);
        }
    }
}

static void sender_report(struct control_bin *b, const struct control_record *r,
                          const struct rtcp_packet *p)
{
    struct rtcp_sender_info info;
    bool is_whole = rtcp_sender_info(p, &info);
    struct control_sender *s = speaker(b, r, p->ssrc, is_whole ? &info : NULL);
    if (s && is_whole) {
        control_sender_report(s, &info, r->time_ns);
    } else if (s) {
        s->reports++; // cut by snaplen
    }
    reports(b, r, p);
}

static void description(struct control_bin *b, const struct control_record *r,
                        const struct rtcp_packet *p)
{
    struct rtcp_item item = {0};
    while (rtcp_item_next(p, &item)) {
        struct control_sender *s = item.type == RTCP_ITEM_CNAME && item.text.n > 0
                                       ? sender_find(b, r->src, r->dst, item.ssrc)
                                       : NULL;
        if (s && s->cname.n == 0) {
            s->cname = arena_slice(&b->arena, item.text);
        }
    }
}

static void goodbye(struct control_bin *b, const struct control_record *r,
                    const struct rtcp_packet *p)
{
    uint32_t ssrc;
    for (uint32_t i = 0; rtcp_bye(p, i, &ssrc); i++) {
        struct control_sender *s = sender_find(b, r->src, r->dst, ssrc);
        if (s && !s->has_bye) {
            s->has_bye = true;
            s->bye_ns = r->time_ns;
        }
    }
}

static struct control_about *about_source(struct control_bin *b, const struct control_record *r,
                                          const struct rtcp_packet *p, uint32_t ssrc)
{
    return about(b, r, p->ssrc, ssrc, sender_find(b, r->dst, r->src, ssrc), NULL);
}

static void feedback(struct control_bin *b, const struct control_record *r,
                     const struct rtcp_packet *p)
{
    uint32_t ssrc;
    if (rtcp_feedback(p, &ssrc)) {
        about_source(b, r, p, ssrc);
    }
}

static void extended_report(struct control_bin *b, const struct control_record *r,
                            const struct rtcp_packet *p)
{
    struct rtcp_xr_block block = {0};
    while (rtcp_xr_next(p, &block)) {
        struct rtcp_xr_losses losses;
        struct rtcp_xr_statistics statistics;
        struct rtcp_xr_voip voip;
        struct control_about *a;
        if (rtcp_xr_losses(&block, &losses)) {
            if ((a = about_source(b, r, p, losses.ssrc)) != NULL) {
                control_about_losses(a, &b->arena, &losses);
            }
        } else if (rtcp_xr_statistics(&block, &statistics)) {
            if ((a = about_source(b, r, p, statistics.ssrc)) != NULL) {
                control_about_statistics(a, &b->arena, &statistics);
            }
        } else if (rtcp_xr_voip(&block, &voip)) {
            if ((a = about_source(b, r, p, voip.ssrc)) != NULL) {
                control_about_voip(a, &b->arena, &voip);
            }
        }
    }
}

static void sealed(struct control_bin *b, const struct control_record *r,
                   const struct rtcp_packet *p)
{
    struct control_sender *s = speaker(b, r, p->ssrc, NULL);
    if (s) {
        s->is_sealed = true;
        s->reports += p->type == RTCP_SR;
    }
}

static void packet(struct control_bin *b, const struct control_record *r,
                   const struct rtcp_packet *p)
{
    if (!p->has_ssrc) {
        return;
    }
    if (p->is_sealed) {
        sealed(b, r, p);
        return;
    }
    if (p->type != RTCP_SR) {
        speaker(b, r, p->ssrc, NULL);
    }
    switch (p->type) { // a byte of the wire
    case RTCP_SR:
        sender_report(b, r, p);
        break;
    case RTCP_RR:
        reports(b, r, p);
        break;
    case RTCP_SDES:
        description(b, r, p);
        break;
    case RTCP_BYE:
        goodbye(b, r, p);
        break;
    case RTCP_RTPFB:
    case RTCP_PSFB:
        feedback(b, r, p);
        break;
    case RTCP_XR:
        extended_report(b, r, p);
        break;
    }
}

void control_bin_packet(struct control_bin *b, const struct control_record *r)
{
    if (!frames_seen_note(&b->seen, r->frame_hash, r->frame_set, r->time_ns)) {
        b->copies++;
        return;
    }
    struct rtcp_reader reader;
    struct rtcp_packet p;
    b->made = 0;
    rtcp_begin(&reader, r->bytes, r->captured, r->length);
    while (rtcp_next(&reader, &p)) {
        packet(b, r, &p);
    }
}
