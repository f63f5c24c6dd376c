// The record of a SIP message: what tracking needs of it; everything else stays in its bytes.
#include "decode/parts.h"

#include <stddef.h>

#include "wire/sip/core.h"

// Header lines of one message that tie it to other dialogs: more are passed over. Not smaller: a
// call that was forwarded some times has as many of History-Info. Not larger: a message of nothing
// else must not cost more than its bytes.
#define LINKS_MAX 16

// In which messages a header means something.
static const struct {
    enum sip_header_id id;
    enum sip_link_kind kind;
    bool in_invite; // only
} LINK_HEADERS[] = {
    {SIP_H_X_CALL_ID, SIP_LINK_CALL_ID, false},     {SIP_H_SESSION_ID, SIP_LINK_SESSION, false},
    {SIP_H_REPLACES, SIP_LINK_REPLACES, true},      {SIP_H_DIVERSION, SIP_LINK_DIVERSION, true},
    {SIP_H_HISTORY_INFO, SIP_LINK_DIVERSION, true}, {SIP_H_REFERRED_BY, SIP_LINK_REFERRED_BY, true},
};

struct link_list {
    struct arena *arena;
    struct sip_link **end;
    unsigned count;
};

static void add_link(struct link_list *list, enum sip_link_kind kind, struct slice value)
{
    if (list->count < LINKS_MAX && value.n > 0) {
        struct sip_link *link = ARENA_NEW(list->arena, struct sip_link);
        *link = (struct sip_link){NULL, kind, value};
        *list->end = link;
        list->end = &link->next;
        list->count++;
    }
}

// Join has no place in the index of headers: it is looked for where a dialog begins only.
static void add_joins(struct link_list *list, const struct sip_message *m)
{
    for (uint32_t i = 0; i < m->header_count; i++) {
        const struct sip_header *h = &m->headers[i];
        if (h->id == SIP_H_OTHER && h->name.n == 4 && slice_eq_nocase(h->name, SLICE("join"))) {
            add_link(list, SIP_LINK_JOIN, h->value);
        }
    }
}

// Most messages have none of these headers: no index of them is 0 or above then.
static inline bool has_links(const struct sip_message *m)
{
    return (m->first[SIP_H_X_CALL_ID] & m->first[SIP_H_SESSION_ID] & m->first[SIP_H_REPLACES] &
            m->first[SIP_H_DIVERSION] & m->first[SIP_H_HISTORY_INFO] &
            m->first[SIP_H_REFERRED_BY]) >= 0;
}

static void fill_links(struct arena *arena, struct sip_record *r, const struct sip_message *m)
{
    struct link_list list = {arena, &r->links, 0};
    bool is_invite = m->is_request && m->method == SIP_INVITE;
    for (size_t i = 0; i < sizeof LINK_HEADERS / sizeof *LINK_HEADERS; i++) {
        int at = m->first[LINK_HEADERS[i].id];
        if (at < 0 || (LINK_HEADERS[i].in_invite && !is_invite)) {
            continue;
        }
        for (; at >= 0; at = sip_next(m, LINK_HEADERS[i].id, at)) {
            add_link(&list, LINK_HEADERS[i].kind, m->headers[at].value);
        }
    }
    if (is_invite) {
        add_joins(&list, m);
    }
}

// Delta-seconds in front of the parameters; 0 where there are none.
static uint32_t session_expires(const struct sip_message *m)
{
    struct slice value = sip_value(m, SIP_H_SESSION_EXPIRES);
    uint64_t seconds;
    value.n = slice_find(value, ';');
    return slice_u64(slice_trim(value), UINT32_MAX, &seconds) ? (uint32_t)seconds : 0;
}

// What few messages have: so that tracking takes only these apart once more.
static void fill_rare(struct sip_record *r, const struct sip_message *m)
{
    const int16_t *first = m->first; // all of them are -1: none is there
    r->has_rtp_stat = (first[SIP_H_X_RTP_STAT] & first[SIP_H_P_RTP_STAT] & first[SIP_H_RTP_RXSTAT] &
                       first[SIP_H_RTP_TXSTAT]) >= 0;
    if (first[SIP_H_REASON] >= 0 && m->is_request && m->method == SIP_BYE) {
        r->lapse = (uint8_t)sip_lapse(m);
    }
    r->has_other_body = m->body.n > 0 && !r->has_sdp;
    if (first[SIP_H_SESSION_EXPIRES] >= 0 && r->code >= 200 && r->code < 300) {
        r->session_expires_s = session_expires(m);
    }
}

static void fill(struct sip_record *r, const struct sip_message *m, const struct sip_core *core)
{
    struct sip_cseq cseq = {0};
    r->raw = m->raw;
    r->body = m->body;
    r->is_request = m->is_request;
    r->method = m->method;
    r->method_text = m->method_text;
    r->uri = m->uri;
    r->code = m->is_request || m->code < 100 || m->code > 699 ? 0 : m->code; // RFC 3261 7.2
    r->reason = m->reason;
    uint64_t rseq;
    if (r->code > 100 && r->code < 200 && slice_u64(sip_value(m, SIP_H_RSEQ), UINT32_MAX, &rseq)) {
        r->rseq = (uint32_t)rseq;
    }
    r->call_id = sip_value(m, SIP_H_CALL_ID);
    r->call_id_hash = (uint32_t)hash_bytes(r->call_id.p, r->call_id.n, hash_secret);
    r->from = core->from;
    r->from_tag = core->from_tag;
    r->to = core->to;
    r->to_tag = core->to_tag;
    r->cseq_text = sip_value(m, SIP_H_CSEQ);
    sip_cseq(r->cseq_text, &cseq);
    r->cseq = cseq.number;
    r->branch = core->branch;
    r->agent = sip_value(m, SIP_H_USER_AGENT);
    if (r->agent.n == 0) {
        r->agent = sip_value(m, SIP_H_SERVER);
    }
    r->oddities = m->oddities;
    r->has_sdp = m->body.n > 0 && sip_body_part(m, SLICE("application/sdp"), &r->body);
    fill_rare(r, m);
}

static uint32_t part_of(const struct record_list *list)
{
    const struct sip_record *all = list->items;
    const struct sip_record *last = &all[list->count - 1];
    bool goes_on = list->count > 1 && last[-1].order.at == last->order.at;
    return goes_on ? last[-1].part + 1 : 0;
}

// Judges a message, and makes its record.
static struct sip_record *push(struct records *records, struct sip_message *m,
                               const struct datagram *d, enum transport transport,
                               const struct origin *from)
{
    struct sip_core core;
    sip_core_read(&core, m);
    sip_judge_core(m, &core);
    struct slice call_id = sip_value(m, SIP_H_CALL_ID);
    struct sip_record *r =
        RECORDS_PUSH(records, SIP_RECORDS, struct sip_record, bin_of_call(call_id));
    *r = (struct sip_record){
        .order = from->order,
        .time_ns = from->time_ns,
        .src = d->src,
        .dst = d->dst,
        .path = records_path(records, &d->path),
        .first_ns = from->first_ns,
        .packets = from->packets,
        .packet_count = from->packet_count,
        .ttl = d->ttl,
        .transport = (uint8_t)transport,
    };
    fill(r, m, &core);
    bool begins = m->is_request && m->method == SIP_INVITE && r->to_tag.n == 0;
    if (begins || has_links(m)) {
        fill_links(&records->kept, r, m);
    }
    r->part = part_of(&records->lists[SIP_RECORDS]);
    return r;
}

static void move(struct slice *s, ptrdiff_t by)
{
    s->p = s->p ? s->p + by : NULL;
}

// The message's bytes are going to be overwritten: they, and all that points to them, move into
// memory of the batch.
static void keep_bytes(struct records *records, struct sip_record *r)
{
    struct slice *all[] = {&r->body,    &r->method_text, &r->uri,   &r->reason,
                           &r->call_id, &r->from,        &r->to,    &r->from_tag,
                           &r->to_tag,  &r->branch,      &r->agent, &r->cseq_text};
    struct slice copy = arena_slice(&records->kept, r->raw);
    ptrdiff_t by = copy.p - r->raw.p;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        move(all[i], by);
    }
    for (struct sip_link *link = r->links; link; link = link->next) {
        move(&link->value, by);
    }
    r->raw = copy;
}

void decode_message(struct records *records, struct sip_message *m, const struct datagram *d,
                    enum transport transport, enum message_state state, const struct origin *from)
{
    struct sip_record *r = push(records, m, d, transport, from);
    r->truncated = (state & MESSAGE_CUT) != 0;
    r->frame_hash = from->frame != 0 ? frame_hash_of(d, from->frame) : 0;
    r->frame_set = (uint32_t)from->frame;
    if (state & MESSAGE_LENT) {
        keep_bytes(records, r);
    }
}

struct sip_record *decode_sip_datagram(struct records *records, const struct datagram *d,
                                       enum transport transport, const struct origin *from)
{
    struct sip_message m;
    bool truncated = d->payload_n < d->payload_length;
    if (sip_parse(&m, (const char *)d->payload, d->payload_n, SIP_DATAGRAM, truncated) <= 0) {
        return NULL;
    }
    struct sip_record *r = push(records, &m, d, transport, from);
    r->frame_hash = frame_hash_of(d, frame_marks_of(d));
    r->frame_set = frame_set_of(d);
    r->truncated = truncated;
    return r;
}
