// What endpoints report of the media of a call: bodies of vq-rtcpxr in PUBLISH and NOTIFY (RFC
// 6035), headers of vendors in BYE, its answer and re-INVITEs.
//
// A body names the call that it is about, which mostly has another Call-ID: it is kept with the
// exchange that it came in until all calls are known (listen/join_reports.c).
#include "track/call_extras.h"

#include "wire/sip/rtp_stat.h"
#include "wire/sip/vq_report.h"

// Room for "[address]:port" of texts that make sense: longer ones are no addresses.
#define ADDRESS_TEXT_MAX 64

static struct call_report *report_push(struct call *c, struct arena *arena)
{
    struct call_extras *x = call_extras_of(c, arena);
    struct call_report **at = &x->reports;
    struct call_report *last = NULL;
    for (; *at; at = &(*at)->next) {
        last = *at;
    }
    if (x->report_count < CALL_REPORTS_MAX) {
        *at = last = ARENA_NEW(arena, struct call_report);
        x->report_count++;
    }
    return last;
}

// At another hop, or an answer that was sent again with other bytes around it.
static bool is_known(const struct call *c, uint32_t mark, enum call_report_format format)
{
    const struct call_report *r = c->extras ? c->extras->reports : NULL;
    while (r && (r->mark != mark || r->format != format)) {
        r = r->next;
    }
    return r != NULL;
}

// "address:port" as text; the port may be in the address already.
static void keep_address(struct kept_text *kept, struct arena *arena, struct slice ip,
                         struct slice port)
{
    char text[ADDRESS_TEXT_MAX];
    bool is_v6 = slice_find(ip, ':') < ip.n && port.n > 0 && ip.p[0] != '[';
    size_t n = 0;
    if (ip.n > 0 && ip.n + port.n + 3 <= ADDRESS_TEXT_MAX) {
        text[n] = '[';
        n += is_v6;
        memcpy(text + n, ip.p, ip.n);
        n += ip.n;
        text[n] = ']';
        n += is_v6;
    }
    if (n > 0 && port.n > 0) {
        text[n++] = ':';
        memcpy(text + n, port.p, port.n);
        n += port.n;
    }
    kept_text_set(kept, arena, slice_of(text, n));
}

// What a report says of itself, before its numbers.
struct heading {
    const struct sip_record *m;
    struct slice about, local_id;
    uint32_t mark;
    enum call_report_format format;
    uint8_t by;
    bool is_of_remote;
};

// In the place of an older one its texts use the room of that one.
static void keep(struct call *c, struct arena *arena, const struct heading *h,
                 const struct media_report *numbers)
{
    struct call_report *r = report_push(c, arena);
    r->order = h->m->order;
    r->src = h->m->src;
    r->mark = h->mark;
    r->format = h->format;
    r->by = h->by;
    r->is_of_remote = h->is_of_remote;
    r->numbers = *numbers;
    kept_text_set(&r->codec, arena, numbers->codec);
    kept_text_set(&r->about, arena, h->about);
    kept_text_set(&r->local_id, arena, h->local_id);
    keep_address(&r->local, arena, numbers->local_ip, numbers->local_port);
    keep_address(&r->remote, arena, numbers->remote_ip, numbers->remote_port);
}

static void keep_headers(struct call *c, struct arena *arena, struct heading *head,
                         const struct sip_message *full)
{
    static const struct {
        enum sip_header_id id;
        enum rtp_stat_format format;
        enum call_report_format kept;
    } HEADERS[] = {
        {SIP_H_X_RTP_STAT, RTP_STAT_X, CALL_REPORT_X},
        {SIP_H_P_RTP_STAT, RTP_STAT_P, CALL_REPORT_P},
        {SIP_H_RTP_RXSTAT, RTP_STAT_RX, CALL_REPORT_RX},
        {SIP_H_RTP_TXSTAT, RTP_STAT_TX, CALL_REPORT_TX},
    };
    for (size_t i = 0; i < sizeof HEADERS / sizeof HEADERS[0]; i++) {
        struct media_report numbers;
        head->format = HEADERS[i].kept;
        if (full->first[HEADERS[i].id] >= 0 && !is_known(c, head->mark, head->format) &&
            rtp_stat_read(&numbers, HEADERS[i].format, sip_value(full, HEADERS[i].id))) {
            keep(c, arena, head, &numbers);
        }
    }
}

static void keep_body(struct call *c, struct arena *arena, struct heading *head, struct slice body)
{
    struct vq_report vq;
    head->format = CALL_REPORT_VQ;
    if (is_known(c, head->mark, head->format) || !vq_report_read(&vq, body)) {
        return;
    }
    head->about = vq.call_id;
    head->local_id = vq.local_id;
    if (vq.has_local) {
        keep(c, arena, head, &vq.local);
    }
    if (vq.has_remote) {
        head->is_of_remote = true;
        keep(c, arena, head, &vq.remote);
    }
}

void call_reports_message(struct call *c, struct arena *arena, const struct sip_record *m,
                          const struct sip_message *full, uint8_t by, uint32_t mark)
{
    struct slice body;
    uint8_t sender = m->is_request ? by : by == BY_CALLER ? BY_CALLEE : BY_CALLER;
    struct heading head = {.m = m, .mark = mark, .by = c->kind == KIND_CALL ? sender : 0};
    bool has_body = m->is_request && (m->method == SIP_PUBLISH || m->method == SIP_NOTIFY) &&
                    sip_body_part(full, SLICE("application/vq-rtcpxr"), &body);
    if (has_body) {
        keep_body(c, arena, &head, body);
    } else if (m->has_rtp_stat) {
        keep_headers(c, arena, &head, full);
    }
}
