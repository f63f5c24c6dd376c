// What the bodies of a call announce: where media is to be received, and what its payload types
// mean.
#include "track/call_bin_parts.h"

#include "base/memory.h"

#define FIRST_ROOM 64

static bool can_be_received(const struct sdp_media *m)
{
    return (m->is_rtp || (m->is_udptl && m->kind == SDP_IMAGE)) && m->rtp.port != 0 &&
           m->has_address && !address_is_zero(m->rtp.addr);
}

static bool is_same_transport(const struct sdp_media *a, const struct sdp_media *b)
{
    return a->is_udptl == b->is_udptl && endpoint_eq(a->rtp, b->rtp);
}

// What the media lines from `first` on say of its address: lines of one address and port are one
// transport (RFC 9143), told apart by payload type. Lines before it were told already.
static const struct payload_map *map_of_transport(struct call_bin *b, const struct sdp *sdp,
                                                  int count, int first)
{
    struct payload_list list; // 4 KB, of which little is used
    list.encrypted = false;
    list.count = 0;
    if (sdp->media[first].is_udptl) {
        return NULL;
    }
    for (int i = first; i < count; i++) {
        const struct sdp_media *m = &sdp->media[i];
        if (can_be_received(m) && is_same_transport(m, &sdp->media[first])) {
            payload_list_add(&list, m);
        }
    }
    return payload_map_intern(&b->maps, &list);
}

static bool was_told(const struct sdp *sdp, int at)
{
    for (int i = 0; i < at; i++) {
        if (can_be_received(&sdp->media[i]) && is_same_transport(&sdp->media[i], &sdp->media[at])) {
            return true;
        }
    }
    return false;
}

static bool is_cut(const struct sdp *sdp)
{
    bool found = sdp->media_total > sdp->media_count;
    for (uint32_t i = 0; i < sdp->media_count && !found; i++) {
        found = sdp->media[i].format_total > sdp->media[i].format_count;
    }
    return found;
}

static struct media_news *announcement_push(struct call_bin *b)
{
    if (b->announcement_count == b->announcement_room) {
        b->announcements = memory_grow(b->announcements, &b->announcement_room,
                                       sizeof *b->announcements, FIRST_ROOM);
    }
    return &b->announcements[b->announcement_count++];
}

// Of a callee, whose phone it is.
static uint32_t branch_of(const struct sip_record *m, uint8_t by, bool by_caller)
{
    struct slice tag = by == BY_CALLER ? m->to_tag : m->from_tag;
    return by_caller || tag.n == 0 ? 0 : call_branch_mark(tag);
}

// Did m come after the offer and answer with which the call began, so that it changes what was
// agreed?
static bool is_change(const struct call *c, const struct sip_record *m, uint8_t by)
{
    bool is_invite = m->method == SIP_INVITE || m->method == SIP_ACK;
    if (c->kind != KIND_CALL || m->to_tag.n == 0 ||
        (is_invite && by == BY_CALLER && m->cseq == c->current.cseq)) {
        return false;
    }
    bool is_inside = (c->notes & NOTE_START_NOT_SEEN) && (is_invite || m->method == SIP_UPDATE);
    return (c->facts & FACT_ANSWERED) || is_inside;
}

static void announce_line(struct call_bin *b, struct call *c, const struct sip_record *m,
                          const struct sdp *sdp, int i, uint8_t by)
{
    const struct sdp_media *media = &sdp->media[i];
    bool by_caller = m->is_request == (by == BY_CALLER);
    struct media_news *news = announcement_push(b);
    news->order = m->order;
    news->endpoint = media->rtp;
    news->what = (struct announcement){
        .time_ns = m->time_ns,
        .call = {b->id, c->index},
        .cseq = m->cseq,
        .by_caller = by_caller,
        .kind = (uint8_t)media->kind,
        .direction = (uint8_t)media->direction,
        .line = (uint8_t)i,
        .branch = branch_of(m, by, by_caller),
        .map = map_of_transport(b, sdp, (int)sdp->media_count, i),
    };
    call_line_note(c->media, &b->arena, news, media->ice);
}

void call_announce(struct call_bin *b, struct call *c, const struct sip_record *m, uint8_t by)
{
    if (m->code >= 300 && c->media) {
        call_hold_refused(c->media, m, by == BY_CALLER);
    }
    if (!m->has_sdp || m->code >= 300) {
        return; // a body in a refusal says what might have been accepted (RFC 3261 21.4.26)
    }
    struct sdp sdp;
    int count = sdp_parse(&sdp, m->body);
    call_links_note_origin(c, &b->arena, sdp.origin, m->is_request == (by == BY_CALLER));
    b->maps.left_out += count >= 0 && is_cut(&sdp);
    if (count > 0 && !c->media) {
        c->media = ARENA_NEW(&b->arena, struct call_media);
    }
    for (int i = 0; i < count; i++) {
        if (can_be_received(&sdp.media[i]) && !was_told(&sdp, i)) {
            announce_line(b, c, m, &sdp, i, by);
        } else if (sdp.media[i].rtp.port != 0 && !sdp.media[i].has_address) {
            c->media->has_name[m->is_request == (by == BY_CALLER)] = true;
        }
    }
    if (count > 0) {
        call_hold_note(c->media, &b->arena, m, &sdp, by == BY_CALLER, is_change(c, m, by));
    }
}
