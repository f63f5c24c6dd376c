// What the bodies of a call announce: where media is to be received, and what its payload types
// mean.
#include "track/call_bin_parts.h"

#include "base/memory.h"

#define FIRST_ROOM 64

static bool can_be_received(const struct sdp_media *m)
{
    return m->is_rtp && m->rtp.port != 0 && m->has_address && !address_is_zero(m->rtp.addr);
}

// What the media lines from `first` on say of its address: lines of one address and port are one
// transport (RFC 9143), told apart by payload type. Lines before it were told already.
static const struct payload_map *map_of_transport(struct call_bin *b, const struct sdp *sdp,
                                                  int count, int first)
{
    struct payload_list list = {0};
    for (int i = first; i < count; i++) {
        const struct sdp_media *m = &sdp->media[i];
        if (can_be_received(m) && endpoint_eq(m->rtp, sdp->media[first].rtp)) {
            payload_list_add(&list, m);
        }
    }
    return payload_map_intern(&b->maps, &list);
}

static bool was_told(const struct sdp *sdp, int at)
{
    for (int i = 0; i < at; i++) {
        if (can_be_received(&sdp->media[i]) && endpoint_eq(sdp->media[i].rtp, sdp->media[at].rtp)) {
            return true;
        }
    }
    return false;
}

static bool is_cut(const struct sdp *sdp)
{
    bool is_cut = sdp->media_total > sdp->media_count;
    for (uint32_t i = 0; i < sdp->media_count; i++) {
        is_cut = is_cut || sdp->media[i].format_total > sdp->media[i].format_count;
    }
    return is_cut;
}

static struct announcement *announcement_push(struct call_bin *b)
{
    if (b->announcement_count == b->announcement_room) {
        b->announcements = memory_grow(b->announcements, &b->announcement_room,
                                       sizeof *b->announcements, FIRST_ROOM);
    }
    return &b->announcements[b->announcement_count++];
}

void call_announce(struct call_bin *b, struct call *c, const struct sip_record *m, uint8_t by)
{
    struct sdp sdp;
    int count = sdp_parse(&sdp, m->body);
    call_links_note_origin(c, &b->arena, sdp.origin, m->is_request == (by == BY_CALLER));
    b->maps.left_out += count >= 0 && is_cut(&sdp);
    for (int i = 0; i < count; i++) {
        if (can_be_received(&sdp.media[i]) && !was_told(&sdp, i)) {
            *announcement_push(b) = (struct announcement){
                .order = m->order,
                .endpoint = sdp.media[i].rtp,
                .call = {b->id, c->index},
                .cseq = m->cseq,
                .by_caller = m->is_request == (by == BY_CALLER),
                .map = map_of_transport(b, &sdp, count, i),
            };
        }
    }
}
