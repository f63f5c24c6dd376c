// The report for people: the list of calls, registrations and other transactions.
#include "show/report_text_parts.h"

#include "show/number.h"
#include "show/thresholds.h"

// Steps of the path in the line of a call. Not smaller: a VLAN, the addresses of a tunnel and its
// number. Not larger: the line has to hold the Call-ID too; the JSON has all of them.
#define PATH_STEPS_SHOWN 3

enum {
    NUMBER,
    START,
    METHOD,
    STATE,
    CODE,
    FROM,
    TO,
    PDD,
    TALK,
    LOSS,
    MOS,
    COLUMN_COUNT
};

static const struct table_column COLUMNS[COLUMN_COUNT] = {
    [NUMBER] = {"call", true, 0},  [START] = {"start", false, 0}, [METHOD] = {"method", false, 8},
    [STATE] = {"state", false, 0}, [CODE] = {"code", true, 0},    [FROM] = {"from", false, 12},
    [TO] = {"to", false, 12},      [PDD] = {"pdd", true, 0},      [TALK] = {"length", true, 0},
    [LOSS] = {"loss", true, 0},    [MOS] = {"MOS", true, 0},
};

// The worst of a call's streams.
struct media {
    double loss_percent, mos; // NaN: nothing known
};

struct view {
    struct sidetone_scratch *calls, *streams;
    struct sidetone_call call;
    struct media media;
    size_t index;
    bool several_days;
};

static void look(const struct page *p, struct view *v, size_t index)
{
    double nothing = __builtin_nan("");
    v->index = index;
    sidetone_report_call(p->report, index, v->calls, &v->call);
    v->media = (struct media){nothing, nothing};
    for (size_t i = 0; i < v->call.stream_count; i++) {
        struct sidetone_stream s;
        sidetone_report_stream(p->report, v->call.streams[i], v->streams, &s);
        if (!(s.loss_percent <= v->media.loss_percent) && s.loss_percent > 0) {
            v->media.loss_percent = s.loss_percent;
        }
        if (!(s.mos >= v->media.mos) && s.mos == s.mos) {
            v->media.mos = s.mos;
        }
    }
}

// The user and host of a SIP URI: "sip:" stands in nearly every one, and its parameters seldom say
// who called. Other URIs as they are.
static struct slice who(struct sidetone_text t)
{
    struct slice s = text_slice(t), user, host, params;
    if (s.n <= 4 || !slice_eq_nocase(slice_of(s.p, 4), SLICE("sip:"))) {
        return s;
    }
    s = slice_of(s.p + 4, s.n - 4);
    bool has_user = slice_cut(s, '@', &user, &host);
    slice_cut(has_user ? host : s, ';', &host, &params); // a user may have a ';' of its own
    return slice_of(s.p, (size_t)(host.p - s.p) + host.n);
}

static enum paint call_paint(const struct sidetone_call *c)
{
    struct slice state = slice_str(c->state);
    if (slice_eq(state, SLICE("failed"))) {
        return PAINT_BAD;
    }
    return slice_eq(state, SLICE("partial")) ? PAINT_WARNING : PAINT_PLAIN;
}

static void add_start(struct table_row *row, const struct view *v)
{
    char text[2 * NUMBER_BYTES];
    size_t n = 0;
    if (v->call.start_ns != SIDETONE_UNKNOWN) {
        if (v->several_days) {
            n = number_date(text, v->call.start_ns);
            text[n++] = ' ';
        }
        n += number_clock(text + n, v->call.start_ns);
    }
    table_add(row, slice_of(text, n), PAINT_PLAIN);
}

static void add_pdd(struct table_row *row, int64_t ns)
{
    char text[NUMBER_BYTES];
    bool is_long = ns != SIDETONE_UNKNOWN && ns > PDD_WARNING_NS;
    size_t n = ns == SIDETONE_UNKNOWN ? 0 : number_duration(text, ns);
    table_add(row, slice_of(text, n), is_long ? PAINT_WARNING : PAINT_PLAIN);
}

static void add_length(struct table_row *row, int64_t ns)
{
    char text[NUMBER_BYTES];
    size_t n = ns == SIDETONE_UNKNOWN ? 0 : number_length(text, ns);
    table_add(row, slice_of(text, n), PAINT_PLAIN);
}

static void fill(struct table_row *row, const struct view *v)
{
    char text[NUMBER_BYTES];
    const struct sidetone_call *c = &v->call;
    bool is_call = slice_eq(slice_str(c->kind), SLICE("call"));
    table_begin(row);
    table_add(row, slice_of(text, number_u64(text, v->index)), PAINT_PLAIN);
    add_start(row, v);
    table_add(row, is_call ? SLICE("") : text_slice(c->method), PAINT_PLAIN);
    table_add(row, slice_str(c->state), call_paint(c));
    table_add(row, slice_of(text, c->final_code ? number_u64(text, c->final_code) : 0),
              call_paint(c));
    table_add(row, who(c->from), PAINT_PLAIN);
    table_add(row, who(c->to), PAINT_PLAIN);
    add_pdd(row, c->pdd_ns);
    add_length(row, c->duration_ns);
    add_loss(row, v->media.loss_percent);
    add_mos(row, v->media.mos);
}

static void separator(struct output *out)
{
    OUTPUT(out, " \xc2\xb7 "); // a middle dot
}

// "in vlan 100, gre 7 and 3 more": what stands around its packets, where something does.
static void put_path(struct output *out, const struct sidetone_call *c)
{
    size_t shown = c->path_count < PATH_STEPS_SHOWN ? c->path_count : PATH_STEPS_SHOWN;
    for (size_t i = 0; i < shown; i++) {
        put_str(out, i == 0 ? " in " : ", ");
        put_safe(out, text_slice(c->path[i]), TABLE_CELL_COLUMNS);
    }
    if (c->path_count > shown) {
        OUTPUT(out, " and ");
        put_grouped(out, c->path_count - shown);
        OUTPUT(out, " more");
    }
}

// Legs in the line of a call. Not smaller: most conversations have two or three. Not larger: the
// line has to hold the Call-ID too; the JSON has up to 64.
#define LEGS_SHOWN 3

// "legs 7 (session_id), 12 (number_and_time?)": the other calls of its conversation, nearest first,
// by what they are known; a guess has a question mark.
static void put_legs(struct output *out, const struct sidetone_call *c)
{
    size_t shown = c->leg_count < LEGS_SHOWN ? c->leg_count : LEGS_SHOWN;
    if (shown > 0) {
        separator(out);
        put_str(out, c->leg_count == 1 ? "leg " : "legs ");
    }
    for (size_t i = 0; i < shown; i++) {
        char number[NUMBER_BYTES];
        put_str(out, i == 0 ? "" : ", ");
        output_bytes(out, number, number_u64(number, c->legs[i].call));
        OUTPUT(out, " (");
        put_str(out, c->legs[i].by);
        put_str(out, c->legs[i].is_guess ? "?)" : ")");
    }
    if (c->leg_count > shown) {
        OUTPUT(out, " and ");
        put_grouped(out, c->leg_count - shown);
        OUTPUT(out, " more");
    }
}

// Reason, addresses, path, counts and the Call-ID that finds the call again elsewhere.
static void detail(const struct page *p, const struct sidetone_call *c, unsigned indent)
{
    page_faint_begin(p, indent);
    if (c->reason.n > 0 && c->final_code >= 300) {
        put_safe(p->out, text_slice(c->reason), 40);
        separator(p->out);
    }
    put_endpoint(p->out, &c->src);
    OUTPUT(p->out, " \xe2\x86\x92 "); // an arrow
    put_endpoint(p->out, &c->dst);
    OUTPUT(p->out, " ");
    put_str(p->out, c->transport ? c->transport : "");
    put_path(p->out, c);
    separator(p->out);
    put_count(p->out, c->messages, "message", "messages");
    if (c->retransmissions > 0) {
        OUTPUT(p->out, ", ");
        put_grouped(p->out, c->retransmissions);
        OUTPUT(p->out, " retransmitted");
    }
    if (c->ended_by) {
        separator(p->out);
        OUTPUT(p->out, "ended by ");
        put_str(p->out, c->ended_by);
    }
    put_legs(p->out, c);
    separator(p->out);
    OUTPUT(p->out, "Call-ID ");
    put_safe(p->out, text_slice(c->call_id), TABLE_CELL_COLUMNS);
    page_faint_end(p);
}

void page_calls(const struct page *p)
{
    struct view v = {.calls = sidetone_scratch_new(), .streams = sidetone_scratch_new()};
    struct table t;
    struct table_row row;
    struct rows rows;
    int64_t first = p->capture->first_ns, last = p->capture->last_ns;
    rows_choose(&rows, p, p->overview->call_points, p->overview->calls);
    v.several_days = number_between(first, last) != SIDETONE_UNKNOWN &&
                     number_between(first, last) > 86400 * INT64_C(1000000000);
    table_init(&t, COLUMNS, COLUMN_COUNT, p->options->colour);
    for (size_t i = 0; i < rows.count; i++) {
        look(p, &v, rows_index(&rows, i));
        fill(&row, &v);
        table_measure(&t, &row);
    }
    if (rows.count > 0) {
        table_fit(&t, p->options->width);
        page_list_heading(p, "Calls", &rows);
        table_print_titles(&t, p->out);
    }
    for (size_t i = 0; i < rows.count; i++) {
        look(p, &v, rows_index(&rows, i));
        fill(&row, &v);
        table_print(&t, p->out, &row);
        detail(p, &v.call, table_offset(&t, START));
        page_call_facts(p, &v.call, table_offset(&t, START));
        page_findings(p, v.call.findings, v.call.finding_count, table_offset(&t, START));
    }
    sidetone_scratch_free(v.calls);
    sidetone_scratch_free(v.streams);
}
