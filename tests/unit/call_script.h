// A small language for what is said in a call, and the calls that a bin makes of it.
//
// A script has one message a line: who sends it, what, its CSeq, and what is unusual about it.
//
//     >INVITE 1             a request of the caller; <BYE 2 is one of the callee
//     <180 1                a response to an INVITE; <200 2 BYE to another method
//     >ACK 1 @350           350 ms after the start; else 10 ms after the line before
//     <200 1 t=b2 c=3       another To tag, another Call-ID
//     copy @30              the frame of the line before once more, as a mirror port makes it
//     again                 the message of the line before sent once more
//     hop                   the message of the line before seen at another hop
//
// Words: f= From tag, t= To tag, c= Call-ID, b= branch, u= user in From and To, n= display, rest of
// the line after "| " header lines with "; " between them. A dash is an empty value.
#ifndef SIDETONE_TESTS_CALL_SCRIPT_H
#define SIDETONE_TESTS_CALL_SCRIPT_H

#include "capture.h"
#include "track/call_bin.h"

#define SCRIPT_TEXT 4096

struct script {
    struct call_bin bin;
    int64_t now_ms;
    uint64_t record;
    uint16_t ip_id;
    // of the message that was said last
    struct sip_record last;
    char raw[SCRIPT_TEXT];
    char words[SCRIPT_TEXT];
};

static inline void script_begin(struct script *s)
{
    *s = (struct script){0};
    call_bin_init(&s->bin, 0);
}

static inline void script_end(struct script *s)
{
    call_bin_fini(&s->bin);
}

// The frame hash as decoding makes it: of where and what, and the IP identification.
static inline void script_give(struct script *s)
{
    struct sip_record *m = &s->last;
    uint64_t h = hash_mix(endpoint_hash(m->src, hash_secret), endpoint_hash(m->dst, hash_secret));
    h = hash_mix(h ^ s->ip_id, m->ttl);
    struct sip_record given = *m;
    given.frame_hash = hash_bytes(m->raw.p, m->raw.n, h);
    given.time_ns = CAPTURE_START_NS + s->now_ms * MS;
    given.order = order_of(given.time_ns, 0, ++s->record);
    call_bin_message(&s->bin, &given);
}

// Values of "f=..." and the like. *default_value where the word is not there; "-" is empty.
static inline struct slice script_value(struct slice words, char name, const char *default_value)
{
    struct slice word, rest = words;
    while (rest.n > 0) {
        slice_cut(rest, ' ', &word, &rest);
        if (word.n >= 2 && word.p[0] == name && word.p[1] == '=') {
            struct slice value = slice_of(word.p + 2, word.n - 2);
            return slice_eq(value, SLICE("-")) ? slice_of(NULL, 0) : value;
        }
    }
    return slice_str(default_value);
}

static inline bool script_is_first(enum sip_method method)
{
    return method == SIP_INVITE || method == SIP_CANCEL || method == SIP_REGISTER ||
           method == SIP_SUBSCRIBE || method == SIP_OPTIONS || method == SIP_MESSAGE ||
           method == SIP_PUBLISH || method == SIP_METHOD_OTHER;
}

static inline void script_text(struct script *s, const char *start, struct slice headers)
{
    struct sip_record *m = &s->last;
    int n = snprintf(s->raw, sizeof s->raw,
                     "%s\r\nVia: SIP/2.0/UDP h;branch=%.*s\r\nFrom: <%.*s>;tag=%.*s\r\n"
                     "To: <%.*s>;tag=%.*s\r\nCall-ID: %.*s\r\nCSeq: %llu %.*s\r\n",
                     start, (int)m->branch.n, m->branch.p, (int)m->from.n, m->from.p,
                     (int)m->from_tag.n, m->from_tag.p, (int)m->to.n, m->to.p, (int)m->to_tag.n,
                     m->to_tag.p, (int)m->call_id.n, m->call_id.p, (unsigned long long)m->cseq,
                     (int)m->method_text.n, m->method_text.p);
    while (headers.n > 0) {
        struct slice line;
        slice_cut(headers, '/', &line, &headers);
        line = slice_trim(line);
        n += snprintf(s->raw + n, sizeof s->raw - (size_t)n, "%.*s\r\n", (int)line.n, line.p);
    }
    n += snprintf(s->raw + n, sizeof s->raw - (size_t)n, "\r\n");
    m->raw = slice_of(s->raw, (size_t)n);
}

// Fills s->last from "INVITE 1 ..." or "180 1 ...", said by the caller or the callee.
static inline void script_message(struct script *s, struct slice line, bool by_caller)
{
    static char branch[64], start[128];
    struct slice what, number, words, headers;
    slice_cut(line, '|', &words, &headers);
    slice_cut(words, ' ', &what, &words);
    slice_cut(words, ' ', &number, &words);
    struct sip_record *m = &s->last;
    *m = (struct sip_record){.ttl = 64};
    uint64_t code = 0;
    m->is_request = !slice_u64(what, 999, &code);
    m->code = (uint16_t)code;
    bool ok = slice_u64(number, UINT64_MAX, &m->cseq);
    assert(ok);
    (void)ok;
    struct slice method, rest;
    slice_cut(words, ' ', &method, &rest);
    bool named = method.n > 0 && method.p[0] != '@' && slice_find(method, '=') == method.n;
    m->method_text = m->is_request ? what : named ? method : SLICE("INVITE");
    m->method = sip_method_by_name(m->method_text);
    // Whose transaction it is: a request of its sender, a response of the other one.
    bool of_caller = m->is_request == by_caller;
    bool has_to = m->is_request ? !script_is_first(m->method) : m->code > 100;
    m->from_tag = script_value(words, 'f', of_caller ? "a" : "b");
    m->to_tag = script_value(words, 't', !of_caller ? "a" : has_to ? "b" : "");
    m->call_id = script_value(words, 'c', "1");
    m->call_id_hash = hash_bytes(m->call_id.p, m->call_id.n, 0);
    m->from = script_value(words, 'u', of_caller ? "sip:alice@x" : "sip:bob@x");
    m->to = m->method == SIP_REGISTER ? m->from : SLICE("sip:bob@x");
    m->uri = m->is_request ? SLICE("sip:bob@x") : slice_of(NULL, 0);
    m->reason = m->is_request ? slice_of(NULL, 0) : SLICE("Because");
    int n = snprintf(branch, sizeof branch, "z9hG4bK%llu%.*s%s", (unsigned long long)m->cseq,
                     m->method == SIP_CANCEL ? 6 : (int)m->method_text.n,
                     m->method == SIP_CANCEL ? "INVITE" : m->method_text.p, of_caller ? "a" : "b");
    m->branch = script_value(words, 'b', branch);
    (void)n;
    struct endpoint caller = {address_v4((const uint8_t[]){192, 0, 2, 10}), 5060};
    struct endpoint callee = {address_v4((const uint8_t[]){192, 0, 2, 20}), 5060};
    m->src = by_caller ? caller : callee;
    m->dst = by_caller ? callee : caller;
    if (m->is_request) {
        snprintf(start, sizeof start, "%.*s sip:bob@x SIP/2.0", (int)what.n, what.p);
    } else {
        snprintf(start, sizeof start, "SIP/2.0 %u Because", m->code);
    }
    script_text(s, start, headers);
}

static inline void script_say(struct script *s, struct slice line)
{
    struct slice at = script_value(line, '@', "");
    struct slice word, rest = line;
    s->now_ms += 10;
    while (rest.n > 0) {
        uint64_t ms;
        slice_cut(rest, ' ', &word, &rest);
        if (word.n > 1 && word.p[0] == '@' &&
            slice_u64(slice_of(word.p + 1, word.n - 1), UINT32_MAX, &ms)) {
            s->now_ms = (int64_t)ms;
        }
    }
    (void)at;
    slice_cut(line, ' ', &word, &rest);
    if (slice_eq(word, SLICE("again"))) {
        s->ip_id++;
    } else if (slice_eq(word, SLICE("hop"))) {
        s->last.ttl--;
    } else if (!slice_eq(word, SLICE("copy"))) {
        assert(line.p[0] == '>' || line.p[0] == '<');
        s->ip_id++;
        script_message(s, slice_of(line.p + 1, line.n - 1), line.p[0] == '>');
    }
    script_give(s);
}

// Says every line of `text`.
static inline void script_run(struct script *s, const char *text)
{
    size_t n = strlen(text);
    assert(n < sizeof s->words);
    memcpy(s->words, text, n + 1);
    struct slice line, rest = slice_of(s->words, n);
    while (rest.n > 0) {
        slice_cut(rest, '\n', &line, &rest);
        line = slice_trim(line);
        if (line.n > 0) {
            script_say(s, line);
        }
    }
}

// --- what became of it ---

static inline int script_time(char *out, size_t room, const char *name, int64_t from, int64_t to)
{
    if (from == INT64_MIN || to == INT64_MIN) {
        return snprintf(out, room, "%s=- ", name);
    }
    return snprintf(out, room, "%s=%lld ", name, (long long)((to - from) / MS));
}

// One line about a call: "kind=call state=ended code=200 ...".
static inline void script_describe(const struct call *c, char *out, size_t room)
{
    static const char *const BY[] = {"-", "caller", "callee", "both"};
    int64_t progress = c->current.progress_ns != INT64_MIN ? c->current.progress_ns : c->final_ns;
    size_t n = (size_t)snprintf(
        out, room,
        "kind=%s state=%s code=%u messages=%u retransmissions=%u duplicates=%u attempts=%u by=%s ",
        call_kind_name(c->kind), call_state_name(call_state(c)), c->final_code, c->messages,
        c->retransmissions, c->duplicates, c->attempts, BY[c->ended_by & 3]);
    n +=
        (size_t)script_time(out + n, room - n, "trying", c->current.begun_ns, c->current.trying_ns);
    n += (size_t)script_time(out + n, room - n, "pdd", c->current.begun_ns, progress);
    n += (size_t)script_time(out + n, room - n, "setup", c->current.begun_ns, c->answered_ns);
    n += (size_t)script_time(out + n, room - n, "ring", c->current.ringing_ns, c->answered_ns);
    n += (size_t)script_time(out + n, room - n, "up", c->answered_ns, c->bye_ns);
    uint32_t others = c->notes & ~(uint32_t)NOTE_RESPONSE_FIRST;
    n += (size_t)snprintf(out + n, room - n, "response_first=%d ",
                          (c->notes & NOTE_RESPONSE_FIRST) != 0);
    n += (size_t)snprintf(out + n, room - n, "notes=%s%s%s%s%s hops=%u ", others == 0 ? "-" : "",
                          c->notes & NOTE_START_NOT_SEEN ? "start" : "",
                          c->notes & NOTE_CALL_ID_REUSED ? "reuse" : "",
                          c->notes & NOTE_CANCEL_TOO_LATE ? "late" : "",
                          c->notes & NOTE_CHANGE_REFUSED ? "change" : "", c->hop_count);
    n += (size_t)snprintf(out + n, room - n, "acked=%d branches=", (c->facts & FACT_ACKED) != 0);
    bool is_next = false;
    for (const struct call_branch *b = c->branches; b; b = b->next) {
        if (b->is_only_named) {
            continue;
        }
        n +=
            (size_t)snprintf(out + n, room - n, "%s%.*s:%s:%u", is_next ? "," : "",
                             (int)b->to_tag.n, b->to_tag.p, call_branch_state(c, b), b->final_code);
        is_next = true;
    }
    n += (size_t)snprintf(out + n, room - n, " contacts=");
    const struct call_contact *at = c->contacts;
    for (unsigned i = 0; i < c->contact_count; i++, at = at->next) {
        n += (size_t)snprintf(out + n, room - n, "%s%.*s:%lld", i > 0 ? "," : "", (int)at->uri.n,
                              at->uri.p, (long long)at->expires_s);
    }
    snprintf(out + n, room - n, " ");
}

// The first word of `wanted` that is not in the description; empty where all are.
static inline struct slice script_missing(const char *description, const char *wanted)
{
    struct slice word, rest = slice_str(wanted);
    while (rest.n > 0) {
        slice_cut(rest, ' ', &word, &rest);
        struct slice have, left = slice_str(description);
        bool found = word.n == 0;
        while (!found && left.n > 0) {
            slice_cut(left, ' ', &have, &left);
            found = slice_eq(have, word);
        }
        if (!found) {
            return word;
        }
    }
    return slice_of(NULL, 0);
}

struct script_case {
    const char *name, *text;
    const char *calls[4]; // what each call must be, in words of the description; NULL: no more
};

// Returns whether it came out as wanted; else says what did not.
static inline bool script_check(const struct script_case *test)
{
    static struct script s;
    uint32_t wanted = 0;
    bool ok = true;
    script_begin(&s);
    script_run(&s, test->text);
    while (wanted < 4 && test->calls[wanted]) {
        wanted++;
    }
    if (s.bin.call_count != wanted) {
        printf("# %s: %u calls, not %u\n", test->name, s.bin.call_count, wanted);
        ok = false;
    }
    for (uint32_t i = 0; i < s.bin.call_count; i++) {
        char have[SCRIPT_TEXT];
        script_describe(s.bin.calls[i], have, sizeof have);
        struct slice missing =
            i < wanted ? script_missing(have, test->calls[i]) : slice_of(NULL, 0);
        if (missing.n > 0 || !ok) {
            printf("# %s: call %u: no %.*s in: %s\n", test->name, i, (int)missing.n,
                   missing.n > 0 ? missing.p : "", have);
            ok = ok && missing.n == 0;
        }
    }
    script_end(&s);
    return ok;
}

// How many did not come out as wanted; each has said what did not.
static inline size_t script_failures(const struct script_case *cases, size_t count)
{
    size_t bad = 0;
    for (size_t i = 0; i < count; i++) {
        bad += !script_check(&cases[i]);
    }
    return bad;
}

#define SCRIPT_CHECK(cases)                                                                        \
    assert_int_equal(script_failures((cases), sizeof(cases) / sizeof(cases)[0]), 0)

#endif
