// Tests of gaps in a stream: what is told of the message they fall into, where reading goes on,
// streams whose beginning was not captured.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "carried_stream.h"

#define TEXT_100 TEXT_WITH("Content-Length: 100\r\n", "0123456789")

struct gap_case {
    const char *before;
    uint64_t gap; // 0: unknown
    const char *after;
    const char *heard;
    uint64_t skipped, incomplete;
};

static const struct gap_case CASES[] = {
    // inside the body; exactly at its end; the rest may look like anything
    {TEXT_100, 85, "01234" OK, "MESSAGE/10! 200/0 ", 5, 1},
    {TEXT_100, 90, OK, "MESSAGE/10! 200/0 ", 0, 1},
    {TEXT_100, 90, "\r\n" OK, "MESSAGE/10! k2 200/0 ", 0, 1},
    {TEXT_WITH("Content-Length: 150\r\n", "0123456789"), 13, OK OPTIONS, "MESSAGE/10! OPTIONS/0 ",
     127, 1},
    // the length of SDP is not believed where a start line stands inside
    {INVITE_WITH("Content-Length: 500\r\n", SDP), 20, "a=b\r\n" OK OPTIONS,
     "INVITE/29! 200/0 OPTIONS/0 ", 5, 1},
    // beyond the body; of unknown size
    {TEXT_100, 91, "e\r\n" OK, "MESSAGE/10! 200/0 ", 3, 1},
    {TEXT_100, 0, "e\r\n" OK, "MESSAGE/10! 200/0 ", 3, 1},
    {TEXT_100, 0, OK, "MESSAGE/10! 200/0 ", 0, 1},
    // inside headers, inside the start line
    {"OPTIONS sip:b@x SIP/2.0\r\nCall-ID: c\r\nVia: S", 50, "h\r\nX: y\r\n\r\n" OK,
     "OPTIONS/0! 200/0 ", 11, 1},
    {"OPTIONS sip:b@x SIP/2.0\r\n", 50, OK, "OPTIONS/0! 200/0 ", 0, 1},
    {OK "OPTIO", 50, "h\r\n" OK, "200/0 200/0 ", 8, 0},
    // between messages
    {OK, 50, "x: y\r\n\r\n" OK, "200/0 200/0 ", 8, 0},
    {OK, 127, OPTIONS, "200/0 OPTIONS/0 ", 0, 0},
    {OK "\r\n", 2, OPTIONS, "200/0 k2 OPTIONS/0 ", 0, 0},
    // while a start line is searched
    {OK "x\r\nOPTIONS sip:b@x SIP/2.0\r\nVi", 9, OPTIONS, "200/0 OPTIONS/0 ", 30, 0},
    // the beginning was not captured
    {"", 0, "=sendrecv\r\n" OPTIONS, "OPTIONS/0 ", 11, 0},
    // behind the last words of a body
    {OK, 50, "last words" OPTIONS OK, "200/0 OPTIONS/0 200/0 ", 10, 0},
    {OK, 50, "last words" OK OPTIONS, "200/0 200/0 OPTIONS/0 ", 10, 0},
    {OK, 50, "v=0 SIP/2.0 2 x" OPTIONS, "200/0 OPTIONS/0 ", 15, 0},
    {"", 0, OPTIONS OK, "OPTIONS/0 200/0 ", 0, 0},
    {"", 0, "\r\n\r\n" OPTIONS, "k4 OPTIONS/0 ", 0, 0},
    {"", 0, "SIP/2.0 100 Trying\r\n\r\n" OPTIONS, "OPTIONS/0 ", 22, 0},
    {"abc\r\n", 7, "def\r\n" OPTIONS, "", 0, 0},
    {"abc", 7, "def\r\n" OPTIONS, "OPTIONS/0 ", 8, 0},
    {"\x01 bc\r\n", 7, "def\r\n" OPTIONS, "OPTIONS/0 ", 11, 0},
    {"", 7, "abc\r\n" OPTIONS, "OPTIONS/0 ", 5, 0},
    {"PROXY TCP4 192.0.2.1", 20, "1 4 5\r\n" OPTIONS, "OPTIONS/0 ", 27, 0},
    {"OPTIONS sip:b@x SIP/2.0\r\nCall-ID: c\r\n", 7, OPTIONS, "OPTIONS/0! OPTIONS/0 ", 0, 1},
    {"\r\n\r\n", 7, "x\r\n" OPTIONS, "k4 OPTIONS/0 ", 3, 0},
};

static void play(struct heard *h, const struct gap_case *g, size_t size)
{
    heard_begin(h);
    const char *parts[] = {g->before, g->after};
    for (size_t i = 0; i < 2; i++) {
        size_t n = strlen(parts[i]);
        for (size_t at = 0; at < n; at += size) {
            heard_feed(h, parts[i] + at, size < n - at ? size : n - at);
        }
        if (i == 0) {
            heard_gap(h, g->gap);
        }
    }
    heard_end(h);
}

static void sip_gap_breaks_only_the_message_it_falls_into(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        for (size_t size = 1; size < 2000; size = size * 3 / 2 + 1) {
            struct heard h;
            play(&h, &CASES[i], size);
            stream_must(&h, CASES[i].heard, "case", i);
            assert_int_equal(h.odd[FLOW_TCP_SKIPPED], CASES[i].skipped);
            assert_int_equal(h.odd[FLOW_MESSAGE_INCOMPLETE], CASES[i].incomplete);
            heard_free(&h);
        }
    }
}

static void sip_two_gaps_in_one_body_leave_the_next_message(void **state)
{
    (void)state;
    struct heard h;
    heard_begin(&h);
    heard_feed(&h, TEXT_100, strlen(TEXT_100));
    heard_gap(&h, 20);
    heard_feed(&h, "0123456789", 10);
    heard_gap(&h, 55);
    heard_feed(&h, "01234" OK, 5 + strlen(OK));
    assert_string_equal(heard_end(&h), "MESSAGE/10! 200/0 ");
    heard_free(&h);
}

static void sip_incomplete_message_keeps_the_facts_of_its_headers(void **state)
{
    (void)state;
    struct heard h;
    heard_begin(&h);
    heard_feed(&h, TEXT_100, strlen(TEXT_100));
    heard_gap(&h, 0);
    assert_int_equal(h.bytes_n, strlen(TEXT_100));
    struct sip_message m;
    assert_true(sip_parse(&m, (const char *)h.bytes, h.bytes_n, SIP_DATAGRAM, true) > 0);
    assert_int_equal(m.content_length, 100);
    heard_end(&h);
    heard_free(&h);
}

// Drops one segment of many messages: those that have no byte in it are all heard.
static void drop_one(struct random *r, const struct stream *s, size_t messages)
{
    size_t begin = (size_t)random_below(r, s->n - 1) + 1;
    size_t lost = (size_t)random_below(r, 400) + 1;
    size_t end = begin + lost < s->n ? begin + lost : s->n;
    size_t one = s->n / messages;
    size_t touched = (end - 1) / one - begin / one + 1;
    struct heard h;
    heard_begin(&h);
    for (size_t at = 0; at < s->n;) {
        size_t n = (size_t)random_below(r, 300) + 1;
        size_t stop = at < begin ? begin : s->n;
        n = n < stop - at ? n : stop - at;
        heard_feed(&h, s->p + at, n);
        at += n;
        if (at == begin) {
            heard_gap(&h, random_below(r, 4) == 0 ? 0 : end - begin);
            at = end;
        }
    }
    heard_end(&h);
    size_t whole = 0;
    for (const char *p = h.text; (p = strstr(p, "INVITE/29 ")) != NULL; p++) {
        whole++;
    }
    assert_true(whole >= messages - touched);
    heard_free(&h);
}

static void sip_random_gaps_leave_all_other_messages(void **state)
{
    (void)state;
    struct random r;
    random_init(&r, 3261);
    struct stream s = {0};
    for (int i = 0; i < 20; i++) {
        stream_text(&s, INVITE);
    }
    for (int i = 0; i < 3000; i++) {
        drop_one(&r, &s, 20);
    }
    free(s.p);
}

static void sip_port_with_sip_stays_sip(void **state)
{
    (void)state;
    struct stream s = {0};
    stream_text(&s, OK);
    stream_fill(&s, "\x01\x02 nothing of interest\r\n", 300000);
    stream_text(&s, "\r\n" OK);
    struct heard h;
    stream_play(&s, &h, 1460);
    assert_string_equal(h.text, "200/0 200/0 ");
    assert_int_equal(h.odd[FLOW_TCP_SKIPPED], 300002);
    heard_free(&h);
    free(s.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sip_gap_breaks_only_the_message_it_falls_into),
        cmocka_unit_test(sip_two_gaps_in_one_body_leave_the_next_message),
        cmocka_unit_test(sip_incomplete_message_keeps_the_facts_of_its_headers),
        cmocka_unit_test(sip_random_gaps_leave_all_other_messages),
        cmocka_unit_test(sip_port_with_sip_stays_sip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
