// Registrations and subscriptions: what their messages bind, for how long (RFC 3261 10, RFC 6665).
#include "track/call.h"

static int64_t seconds(struct slice text)
{
    uint64_t value;
    return slice_u64(slice_trim(text), UINT32_MAX, &value) ? (int64_t)value : -1;
}

// Keeps a contact at *at, in the place of the one that stood there: refreshes must not grow memory.
static void keep_contact(struct call_contact **at, struct arena *arena, struct slice uri,
                         int64_t expires_s)
{
    if (!*at) {
        *at = ARENA_NEW(arena, struct call_contact);
    }
    kept_text_set(&(*at)->uri, arena, uri);
    (*at)->expires_s = expires_s;
}

// Contact: <uri>;expires=60, "*", or a list of them; Expires counts where a contact has none of its
// own.
static void keep_contacts(struct call *c, struct arena *arena, const struct sip_message *full)
{
    int64_t for_all = seconds(sip_value(full, SIP_H_EXPIRES));
    struct call_contact **at = &c->contacts;
    c->contact_count = 0;
    for (int i = sip_next(full, SIP_H_CONTACT, -1); i >= 0; i = sip_next(full, SIP_H_CONTACT, i)) {
        struct slice rest = full->headers[i].value;
        struct slice value;
        struct sip_name_addr contact;
        while (c->contact_count < CALL_CONTACTS_MAX && sip_list_next(&rest, &value)) {
            if (!sip_name_addr(value, &contact)) {
                continue;
            }
            bool found;
            int64_t own = seconds(sip_param(contact.params, SLICE("expires"), &found));
            keep_contact(at, arena, contact.uri, own >= 0 ? own : for_all);
            at = &(*at)->next;
            c->contact_count++;
        }
    }
}

static bool any_alive(const struct call *c)
{
    const struct call_contact *at = c->contacts;
    for (unsigned i = 0; i < c->contact_count; i++, at = at->next) {
        if (at->expires_s != 0) {
            return true;
        }
    }
    return false;
}

// "*", or contacts that are to be bound for no time at all (RFC 3261 10.2.2).
static bool takes_back(const struct sip_message *full)
{
    bool for_all = seconds(sip_value(full, SIP_H_EXPIRES)) == 0;
    bool any = false;
    for (int i = sip_next(full, SIP_H_CONTACT, -1); i >= 0; i = sip_next(full, SIP_H_CONTACT, i)) {
        struct slice rest = full->headers[i].value;
        struct slice value;
        while (sip_list_next(&rest, &value)) {
            struct sip_name_addr contact;
            bool found = false;
            bool is_one = sip_name_addr(value, &contact);
            int64_t own =
                is_one ? seconds(sip_param(contact.params, SLICE("expires"), &found)) : -1;
            if (own > 0 || (own < 0 && !for_all)) {
                return false;
            }
            any = true;
        }
    }
    return any;
}

static void on_registered(struct call *c, struct arena *arena, const struct sip_message *full)
{
    keep_contacts(c, arena, full);
    c->facts &= ~(uint32_t)FACT_REMOVED;
    if (c->removes || !any_alive(c)) { // what is left belongs to others of the same address
        c->facts |= FACT_REMOVED;
    }
}

// RFC 6665 8.2.3: the notifier's word decides.
static void on_notify(struct call *c, const struct sip_message *full)
{
    struct slice state, params;
    slice_cut(sip_value(full, SIP_H_SUBSCRIPTION_STATE), ';', &state, &params);
    state = slice_trim(state);
    if (slice_eq_nocase(state, SLICE("terminated"))) {
        c->facts |= FACT_TERMINATED;
    } else if (slice_eq_nocase(state, SLICE("active"))) {
        c->facts = (c->facts & ~(uint32_t)FACT_TERMINATED) | FACT_ANSWERED;
    } else if (slice_eq_nocase(state, SLICE("pending"))) {
        c->facts &= ~(uint32_t)(FACT_TERMINATED | FACT_ANSWERED);
    }
}

void call_binding_message(struct call *c, struct arena *arena, const struct sip_record *m)
{
    struct sip_message full;
    bool is_ok = !m->is_request && m->code >= 200 && m->code < 300;
    if (c->kind == KIND_REGISTRATION && m->is_request && m->method == SIP_REGISTER) {
        c->removes = sip_record_parse(m, &full) && takes_back(&full);
    }
    if (c->kind == KIND_REGISTRATION && is_ok && m->method == SIP_REGISTER &&
        sip_record_parse(m, &full)) {
        on_registered(c, arena, &full);
    }
    if (c->kind == KIND_SUBSCRIPTION && m->is_request && m->method == SIP_NOTIFY &&
        sip_record_parse(m, &full)) {
        on_notify(c, &full);
    }
    if (c->kind == KIND_SUBSCRIPTION && m->method == SIP_SUBSCRIBE && is_ok &&
        sip_record_parse(m, &full)) {
        if (m->code == 202) { // RFC 3265 had it for "pending"
            c->facts &= ~(uint32_t)FACT_ANSWERED;
        }
        if (seconds(sip_value(&full, SIP_H_EXPIRES)) == 0) {
            c->facts |= FACT_TERMINATED;
        } else {
            c->facts &= ~(uint32_t)FACT_TERMINATED;
        }
    }
}
