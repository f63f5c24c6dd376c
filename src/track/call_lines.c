// Keeping what offers and answers said, and what follows from it: holds, branches, maps.
#include "track/call_lines.h"

#include "track/call.h"

uint32_t call_branch_mark(struct slice to_tag)
{
    uint32_t mark = (uint32_t)hash_bytes(to_tag.p, to_tag.n, 0);
    return mark != 0 ? mark : 1;
}

// --- lines ---

static struct endpoint line_endpoint(const struct call_line *l)
{
    return (struct endpoint){l->addr, l->port};
}

static bool is_same_line(const struct call_line *l, const struct media_news *news)
{
    const struct announcement *a = &news->what;
    return l->by_caller == a->by_caller && l->index == a->line && l->branch == a->branch &&
           l->kind == a->kind && l->map == a->map && endpoint_eq(line_endpoint(l), news->endpoint);
}

void call_line_note(struct call_media *m, struct arena *arena, const struct media_news *news,
                    bool has_ice)
{
    const struct announcement *a = &news->what;
    struct call_line **at = &m->lines;
    while (*at && !is_same_line(*at, news)) {
        at = &(*at)->next;
    }
    struct call_line *l = *at;
    if (!l) {
        if (m->line_count == CALL_LINES_MAX) {
            return;
        }
        l = *at = ARENA_NEW(arena, struct call_line);
        *l = (struct call_line){
            .addr = news->endpoint.addr,
            .port = news->endpoint.port,
            .map = a->map,
            .from_ns = a->time_ns,
            .branch = a->branch,
            .index = a->line,
            .kind = a->kind & 7,
            .by_caller = a->by_caller,
        };
        m->line_count++;
    }
    l->direction = a->direction & 3;
    l->has_ice = l->has_ice || has_ice;
}

static const struct call_line *lines_of(const struct call *c)
{
    return c->media ? c->media->lines : NULL;
}

bool call_named_host(const struct call *c, bool by_caller, struct endpoint e, bool *is_known)
{
    bool is_named = false;
    const struct call_media *m = c->media;
    bool has_others = m && (m->line_count == CALL_LINES_MAX || m->has_name[by_caller]);
    bool is_any = false;
    for (const struct call_line *l = lines_of(c); l; l = l->next) {
        if (l->by_caller == by_caller) {
            is_named = is_named || address_eq(l->addr, e.addr);
            has_others = has_others || l->has_ice;
            is_any = true;
        }
    }
    *is_known = is_any && !has_others;
    return is_named;
}

const struct payload_map *call_line_map(const struct call *c, bool by_caller, uint8_t index,
                                        int64_t until_ns)
{
    const struct call_line *best = NULL;
    for (const struct call_line *l = lines_of(c); l; l = l->next) {
        bool fits = l->by_caller == by_caller && l->index == index && l->map;
        if (fits && (!best || (l->from_ns <= until_ns && l->from_ns >= best->from_ns))) {
            best = l;
        }
    }
    return best ? best->map : NULL;
}

// --- branches ---

static bool has_named(const struct call *c, const struct call_branch *b, struct endpoint src,
                      struct endpoint dst)
{
    uint32_t mark = call_branch_mark(kept_text(&b->to_tag));
    for (const struct call_line *l = lines_of(c); l; l = l->next) {
        if (!l->by_caller && l->branch == mark &&
            (endpoint_eq(line_endpoint(l), dst) || endpoint_eq(line_endpoint(l), src))) {
            return true;
        }
    }
    return false;
}

// Phones behind one relay may all name its address: then the one that was answered counts.
int call_branch_of_media(const struct call *c, struct endpoint src, struct endpoint dst)
{
    int found = -1, answered = -1;
    int count = 0, answered_count = 0;
    int place = -1;
    for (const struct call_branch *b = c->branches; b; b = b->next) {
        place += !b->is_only_named;
        if (b->is_only_named || !has_named(c, b, src, dst)) {
            continue;
        }
        found = place;
        count++;
        if (b->final_code >= 200 && b->final_code < 300) {
            answered = place;
            answered_count++;
        }
    }
    return count == 1 ? found : answered_count == 1 ? answered : -1;
}

// --- holds ---

static bool is_holding(enum sdp_direction d)
{
    return d == SDP_SENDONLY || d == SDP_INACTIVE;
}

// The line that decides whether a body holds: the first one of audio that was not refused, else the
// first of any kind. False: all were refused.
static bool deciding_direction(const struct sdp *sdp, enum sdp_direction *out)
{
    const struct sdp_media *found = NULL;
    for (uint32_t i = 0; i < sdp->media_count; i++) {
        const struct sdp_media *m = &sdp->media[i];
        bool is_better = !found || (m->kind == SDP_AUDIO && found->kind != SDP_AUDIO);
        if (m->rtp.port != 0 && is_better) {
            found = m;
        }
    }
    *out = found ? found->direction : SDP_SENDRECV;
    return found != NULL;
}

static struct call_hold *open_hold(const struct call_media *m, bool by_caller)
{
    struct call_hold *open = NULL;
    for (struct call_hold *h = m->holds ? m->holds->first : NULL; h; h = h->next) {
        open = h->by_caller == by_caller && h->end_ns == TIME_NOT_SEEN ? h : open;
    }
    return open;
}

static struct call_hold *hold_begin(struct call_media *m, struct arena *arena, bool by_caller,
                                    int64_t at_ns)
{
    struct call_holds *all = m->holds;
    if (!all) {
        all = m->holds = ARENA_NEW(arena, struct call_holds);
    }
    if (open_hold(m, by_caller) || all->count == CALL_HOLDS_MAX) {
        return NULL;
    }
    struct call_hold *h = all->spare ? all->spare : ARENA_NEW(arena, struct call_hold);
    all->spare = NULL;
    *h = (struct call_hold){NULL, at_ns, TIME_NOT_SEEN, by_caller};
    *(all->last ? &all->last->next : &all->first) = h;
    all->last = h;
    all->count++;
    return h;
}

static struct call_hold *hold_end(struct call_media *m, bool by_caller, int64_t at_ns)
{
    struct call_hold *h = open_hold(m, by_caller);
    if (h) {
        h->end_ns = at_ns > h->start_ns ? at_ns : h->start_ns;
    }
    return h;
}

// An answer can only take away from its offer (RFC 3264 6.1), so it says something of its sender
// where the offer left a choice.
static void note_answer(struct call_media *m, struct arena *arena, bool by_caller,
                        enum sdp_direction answer, int64_t at_ns)
{
    enum sdp_direction offer = (enum sdp_direction)m->offer.direction;
    if (offer == SDP_SENDRECV && is_holding(answer)) {
        hold_begin(m, arena, by_caller, at_ns);
    } else if ((offer == SDP_SENDRECV || offer == SDP_SENDONLY) && !is_holding(answer)) {
        hold_end(m, by_caller, at_ns);
    }
}

static bool is_answer(const struct call_offer *o, const struct sip_record *r, bool by_caller,
                      bool of_caller)
{
    if (!o->is_open || o->by_caller == by_caller) {
        return false;
    }
    return r->is_request ? r->method == SIP_ACK || r->method == SIP_PRACK
                         : r->cseq == o->cseq && of_caller == o->of_caller;
}

void call_hold_note(struct call_media *m, struct arena *arena, const struct sip_record *r,
                    const struct sdp *sdp, bool of_caller, bool is_up)
{
    bool by_caller = r->is_request == of_caller;
    struct call_offer *o = &m->offer;
    enum sdp_direction direction;
    bool is_some = deciding_direction(sdp, &direction);
    if (is_answer(o, r, by_caller, of_caller)) {
        if (is_some && is_up) {
            note_answer(m, arena, by_caller, direction, r->time_ns);
        }
        if (r->code >= 200 && m->holds) {
            m->holds->began = m->holds->ended = NULL; // accepted: nothing can be taken back
        }
        return;
    }
    bool is_again = o->is_open && o->cseq == r->cseq && o->by_caller == by_caller &&
                    o->direction == (uint8_t)direction;
    if (is_again || !is_some) {
        return; // seen at another hop; or it ends all media
    }
    *o = (struct call_offer){.cseq = r->cseq,
                             .direction = (uint8_t)direction,
                             .by_caller = by_caller,
                             .of_caller = of_caller,
                             .is_open = true};
    struct call_hold *began = NULL, *ended = NULL;
    if (is_up && is_holding(direction)) {
        began = hold_begin(m, arena, by_caller, r->time_ns);
    } else if (is_up) {
        ended = hold_end(m, by_caller, r->time_ns);
    }
    if (m->holds) {
        m->holds->began = began;
        m->holds->ended = ended;
    }
}

static void forget_hold(struct call_holds *all, struct call_hold *h)
{
    struct call_hold *before = NULL;
    for (struct call_hold **at = &all->first; *at; before = *at, at = &(*at)->next) {
        if (*at == h) {
            *at = h->next;
            all->last = all->last == h ? before : all->last;
            all->count--;
            all->spare = h;
            return;
        }
    }
}

void call_hold_refused(struct call_media *m, const struct sip_record *r, bool of_caller)
{
    struct call_offer *o = &m->offer;
    if (!o->is_open || o->cseq != r->cseq || o->of_caller != of_caller) {
        return;
    }
    if (m->holds && m->holds->began) {
        forget_hold(m->holds, m->holds->began);
    }
    if (m->holds && m->holds->ended) {
        m->holds->ended->end_ns = TIME_NOT_SEEN;
    }
    o->is_open = false;
}

bool call_was_held(const struct call *c, int64_t from_ns, int64_t to_ns)
{
    for (const struct call_hold *h = call_first_hold(c->media); h; h = h->next) {
        if (h->start_ns <= to_ns && (h->end_ns == TIME_NOT_SEEN || h->end_ns >= from_ns)) {
            return true;
        }
    }
    return false;
}
