// Transfers: a REFER inside a call, and what became of it by its notifications (RFC 3515).
#include "track/call_extras.h"

// The dialog that a Replaces in the URI names (RFC 3891); one that is longer is no evidence.
static struct sip_dialog_name replaced_by(struct slice refer_to, struct arena *arena)
{
    char text[CALL_LINK_TEXT_MAX];
    struct sip_uri uri;
    struct sip_dialog_name name = {0};
    sip_uri(refer_to, &uri);
    size_t n = sip_uri_header(uri.headers, SLICE("Replaces"), text, sizeof text);
    if (n > 0 && sip_dialog_name(slice_of(text, n), &name)) {
        name.call_id = arena_slice(arena, name.call_id);
        name.to_tag = arena_slice(arena, name.to_tag);
        name.from_tag = arena_slice(arena, name.from_tag);
    }
    return name;
}

static struct call_transfer *transfer_new(struct arena *arena, const struct sip_record *m,
                                          struct slice refer_to, uint8_t by)
{
    struct sip_name_addr a;
    struct call_transfer *t = ARENA_NEW(arena, struct call_transfer);
    *t = (struct call_transfer){
        .refer_to = arena_slice(arena, sip_name_addr(refer_to, &a) ? a.uri : slice_trim(refer_to)),
        .time_ns = m->time_ns,
        .cseq = m->cseq,
        .made = -1,
        .by = by,
    };
    t->target = replaced_by(t->refer_to, arena);
    return t;
}

static void on_refer(struct call *c, struct arena *arena, const struct sip_record *m,
                     const struct sip_message *full, uint8_t by)
{
    struct call_extras *x = call_extras_of(c, arena);
    struct call_transfer **at = &x->transfers;
    for (; *at; at = &(*at)->next) {
        if ((*at)->cseq == m->cseq && (*at)->by == by) {
            return; // the same at another hop
        }
    }
    if (x->transfer_count < CALL_TRANSFERS_MAX) {
        *at = transfer_new(arena, m, sip_value(full, SIP_H_REFER_TO), by);
    }
    x->transfer_count += x->transfer_count < UINT16_MAX;
}

// Event: refer;id=CSEQ names the REFER; without it, it is the newest one (RFC 3515 2.4.6).
static struct call_transfer *transfer_of(const struct call *c, const struct sip_message *full,
                                         uint8_t by)
{
    struct slice value = sip_value(full, SIP_H_EVENT);
    size_t end = slice_find(value, ';');
    struct slice params = slice_skip(value, end);
    bool has_id = false;
    uint64_t id = 0;
    struct call_transfer *found = NULL;
    if (!slice_eq_nocase(slice_trim(slice_of(value.p, end)), SLICE("refer"))) {
        return NULL;
    }
    bool is_number = slice_u64(sip_param(params, SLICE("id"), &has_id), UINT64_MAX, &id);
    if (!has_id && c->extras->transfer_count > CALL_TRANSFERS_MAX) {
        return NULL; // the newest is not kept
    }
    for (struct call_transfer *t = c->extras->transfers; t; t = t->next) {
        if (t->by != by && (!has_id || (is_number && t->cseq == id))) {
            found = t;
        }
    }
    return found;
}

static void add_status(struct call_transfer *t, uint16_t code)
{
    if (t->status_count > 0 && t->statuses[t->status_count - 1] == code) {
        return;
    }
    t->status_count += t->status_count < CALL_STATUSES_MAX;
    t->statuses[t->status_count - 1] = code;
}

static void on_notify(const struct call *c, const struct sip_record *m,
                      const struct sip_message *full, uint8_t by)
{
    struct slice body;
    struct sip_message fragment;
    struct call_transfer *t = c->extras ? transfer_of(c, full, by) : NULL;
    bool is_news = t && (!t->is_notified || m->cseq > t->notify_cseq);
    if (!is_news || !sip_body_part(full, SLICE("message/sipfrag"), &body)) {
        return;
    }
    t->is_notified = true;
    t->notify_cseq = m->cseq;
    bool is_response = sip_parse(&fragment, body.p, body.n, SIP_DATAGRAM, m->truncated) > 0 &&
                       !fragment.is_request && fragment.code >= 100 && fragment.code < 700;
    if (is_response) {
        add_status(t, fragment.code);
    }
}

void call_transfer_message(struct call *c, struct arena *arena, const struct sip_record *m,
                           const struct sip_message *full, uint8_t by)
{
    if (m->method == SIP_REFER) {
        on_refer(c, arena, m, full, by);
    } else if (m->method == SIP_NOTIFY) {
        on_notify(c, m, full, by);
    }
}
