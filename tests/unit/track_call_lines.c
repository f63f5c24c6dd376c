// Tests of what a call keeps of its offers and answers: lines, branches, holds, and their limits.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "call_script.h"

static struct script s;

static int begin(void **state)
{
    (void)state;
    script_begin(&s);
    return 0;
}

static int end(void **state)
{
    (void)state;
    script_end(&s);
    return 0;
}

// A message as in call_script.h whose body has these lines; NULL: none.
static void say(const char *line, const char *media)
{
    static char body[1024];
    script_message(&s, slice_of(line + 1, strlen(line + 1)), line[0] == '>');
    s.now_ms += 10;
    s.ip_id++;
    if (media) {
        snprintf(body, sizeof body, "v=0\r\no=- 1 1 IN IP4 192.0.2.1\r\ns=-\r\nt=0 0\r\n%s", media);
        s.last.body = slice_str(body);
        s.last.has_sdp = true;
    }
    script_give(&s);
}

#define AT(address)     "c=IN IP4 " address "\r\n"
#define AUDIO(port)     "m=audio " port " RTP/AVP 0\r\n"
#define CALLER          AT("192.0.2.1") AUDIO("4000")
#define CALLEE          AT("192.0.2.2") AUDIO("5000")
#define SAYS(direction) "a=" direction "\r\n"

static struct call *call(void)
{
    assert_int_equal(s.bin.call_count, 1);
    return s.bin.calls[0];
}

static void answered(void)
{
    say(">INVITE 1", CALLER);
    say("<200 1", CALLEE);
    say(">ACK 1", NULL);
}

static struct endpoint at(uint8_t host, uint16_t port)
{
    return (struct endpoint){address_v4((const uint8_t[]){192, 0, 2, host}), port};
}

// "caller 100-200, callee 300-" in milliseconds since the start.
static const char *holds(void)
{
    static char text[4096];
    size_t n = 0;
    text[0] = '\0';
    for (const struct call_hold *h = call_first_hold(call()->media); h; h = h->next) {
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s %d-", n > 0 ? ", " : "",
                              h->by_caller ? "caller" : "callee",
                              (int)((h->start_ns - CAPTURE_START_NS) / MS));
        if (h->end_ns != TIME_NOT_SEEN) {
            n += (size_t)snprintf(text + n, sizeof text - n, "%d",
                                  (int)((h->end_ns - CAPTURE_START_NS) / MS));
        }
    }
    return text;
}

static void lines_of_the_usual_call_are_two(void **state)
{
    (void)state;
    answered();
    const struct call_media *m = call()->media;
    assert_int_equal(m->line_count, 2);
    assert_true(m->lines->by_caller && !m->lines->next->by_caller);
    assert_true(address_eq(m->lines->addr, at(1, 4000).addr) && m->lines->port == 4000);
    assert_int_equal(m->lines->branch, 0);
    assert_int_equal(m->lines->next->branch, call_branch_mark(SLICE("b")));
    assert_int_equal(m->lines->kind, SDP_AUDIO);
    assert_string_equal(holds(), "");
    // The same once more, at another hop and in a refresh.
    script_run(&s, "hop\n");
    say(">INVITE 2 t=b", CALLER);
    say("<200 2", CALLEE);
    assert_int_equal(m->line_count, 2);
}

static void lines_of_a_call_without_bodies_need_nothing(void **state)
{
    (void)state;
    script_run(&s, ">INVITE 1\n<200 1\n>ACK 1\n");
    assert_null(call()->media);
    assert_false(call_was_held(call(), INT64_MIN, INT64_MAX));
    bool is_known;
    assert_false(call_named_host(call(), true, at(1, 4000), &is_known) || is_known);
    assert_null(call_line_map(call(), true, 0, INT64_MAX));
    assert_int_equal(call_branch_of_media(call(), at(1, 1), at(2, 2)), -1);
}

static void line_map_is_that_of_the_time(void **state)
{
    (void)state;
    answered();
    int64_t first_ns = CAPTURE_START_NS + s.now_ms * MS;
    s.now_ms += 1000;
    say(">INVITE 2 t=b", AT("192.0.2.1") "m=audio 4000 RTP/AVP 8\r\n");
    say("<200 2", AT("192.0.2.2") "m=audio 5000 RTP/AVP 8\r\n");
    struct call *c = call();
    assert_non_null(payload_map_find(call_line_map(c, true, 0, first_ns), 0));
    assert_non_null(payload_map_find(call_line_map(c, true, 0, INT64_MAX), 8));
    assert_non_null(payload_map_find(call_line_map(c, true, 0, 0), 0)); // before all: the first
    assert_null(call_line_map(c, true, 1, INT64_MAX));
}

static void line_of_fax_has_no_map(void **state)
{
    (void)state;
    answered();
    say(">INVITE 2 t=b", AT("192.0.2.1") "m=image 4000 udptl t38\r\n");
    const struct announcement *a = &s.bin.announcements[s.bin.announcement_count - 1].what;
    assert_true(announcement_is_fax(a));
    assert_int_equal(a->kind, SDP_IMAGE);
    assert_non_null(call_line_map(call(), true, 0, INT64_MAX)); // that of the audio before
    say(">INVITE 3 t=b", AT("192.0.2.1") "m=image 4000 TCP t38\r\nm=audio 6000 udptl x\r\n"
                                         "m=image 6002 UDP/TLS/UDPTL t38\r\n");
    assert_ptr_equal(a, &s.bin.announcements[s.bin.announcement_count - 1].what); // none of these
}

static void line_of_audio_and_fax_on_one_port_are_two(void **state)
{
    (void)state;
    say(">INVITE 1", CALLER "m=image 4000 udptl t38\r\n" AUDIO("4000"));
    assert_int_equal(s.bin.announcement_count, 2);
    assert_false(announcement_is_fax(&s.bin.announcements[0].what));
    assert_true(announcement_is_fax(&s.bin.announcements[1].what));
}

static void body_of_a_refusal_announces_nothing(void **state)
{
    (void)state;
    say(">INVITE 1", CALLER);
    say("<488 1", CALLEE);
    assert_int_equal(s.bin.announcement_count, 1);
    assert_int_equal(call()->media->line_count, 1);
}

static void host_is_known_where_its_side_named_some(void **state)
{
    (void)state;
    bool is_known;
    say(">INVITE 1", CALLER);
    assert_true(call_named_host(call(), true, at(1, 9999), &is_known) && is_known);
    assert_true(!call_named_host(call(), true, at(2, 4000), &is_known) && is_known);
    assert_true(!call_named_host(call(), false, at(2, 5000), &is_known) && !is_known);
    say("<200 1", CALLEE "a=ice-ufrag:x\r\n");
    assert_false(call_named_host(call(), false, at(3, 5000), &is_known) || is_known);
    assert_true(!call_named_host(call(), true, at(3, 5000), &is_known) && is_known);
    say(">INVITE 2 t=b", "c=IN IP4 host.example.com\r\n" AUDIO("4000"));
    assert_false(call_named_host(call(), true, at(3, 5000), &is_known) || is_known);
}

static void branch_of_media_is_that_of_its_answer(void **state)
{
    (void)state;
    say(">INVITE 1", CALLER);
    say("<183 1 t=x", CALLEE);
    say("<183 1 t=y", AT("192.0.2.3") AUDIO("5000"));
    say("<183 1 t=z", AT("192.0.2.3") AUDIO("5000"));
    struct call *c = call();
    assert_int_equal(call_branch_of_media(c, at(2, 5000), at(1, 4000)), 0);
    assert_int_equal(call_branch_of_media(c, at(1, 4000), at(2, 5000)), 0);
    assert_int_equal(call_branch_of_media(c, at(1, 4000), at(3, 5000)), -1); // y or z
    assert_int_equal(call_branch_of_media(c, at(1, 4000), at(9, 5000)), -1);
    say("<200 1 t=z", AT("192.0.2.3") AUDIO("5000"));
    assert_int_equal(call_branch_of_media(c, at(1, 4000), at(3, 5000)), 2);
    say("<200 1 t=y", AT("192.0.2.3") AUDIO("5000"));
    assert_int_equal(call_branch_of_media(c, at(1, 4000), at(3, 5000)), -1);
}

static void hold_is_a_time_that_can_be_asked_for(void **state)
{
    (void)state;
    answered();
    s.now_ms = 990;
    say(">INVITE 2 t=b", CALLER SAYS("sendonly"));
    say("<200 2", CALLEE SAYS("recvonly"));
    s.now_ms = 1990;
    say(">INVITE 3 t=b", CALLER);
    assert_string_equal(holds(), "caller 1000-2000");
    static const struct {
        int from, to;
        bool held;
    } CASES[] = {{0, 999, false},   {0, 1000, true},    {1500, 1600, true},
                 {900, 2500, true}, {2000, 9000, true}, {2001, 9000, false}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        assert_int_equal(call_was_held(call(), CAPTURE_START_NS + CASES[i].from * MS,
                                       CAPTURE_START_NS + CASES[i].to * MS),
                         CASES[i].held);
    }
    s.now_ms = 2990;
    say("<INVITE 7", CALLEE SAYS("inactive"));
    assert_true(call_was_held(call(), CAPTURE_START_NS + 99999 * MS, INT64_MAX)); // goes on
}

static void hold_by_update_and_by_an_offer_in_the_answer(void **state)
{
    (void)state;
    answered();
    s.now_ms = 90;
    say("<UPDATE 5", CALLEE SAYS("sendonly"));
    say(">200 5 UPDATE", CALLER SAYS("recvonly"));
    say("<UPDATE 6", CALLEE);
    assert_string_equal(holds(), "callee 100-120");
    // An INVITE without a body: the offer comes with its 200, the answer with the ACK.
    say(">INVITE 2 t=b", NULL);
    say("<200 2", CALLEE SAYS("sendonly"));
    say(">ACK 2", CALLER SAYS("recvonly"));
    assert_string_equal(holds(), "callee 100-120, callee 140-");
    say(">INVITE 3 t=b", CALLER);
    say("<200 3", CALLEE);
    assert_string_equal(holds(), "callee 100-120, callee 140-170");
}

static void hold_that_is_refused_never_was(void **state)
{
    (void)state;
    answered();
    for (int i = 2; i < 2000; i++) { // and takes no memory
        char line[32];
        size_t before = s.bin.arena.total_bytes;
        snprintf(line, sizeof line, ">INVITE %d t=b", i);
        say(line, CALLER SAYS("inactive"));
        assert_true(call()->media->holds->count == 1 && call_first_hold(call()->media));
        snprintf(line, sizeof line, "<500 %d", i);
        say(line, NULL);
        assert_string_equal(holds(), "");
        assert_true(i < 100 || s.bin.arena.total_bytes == before);
    }
    say(">INVITE 5000 t=b", CALLER SAYS("inactive"));
    say("<200 5000", CALLEE SAYS("inactive"));
    say("<500 5000", NULL); // too late: it was accepted
    assert_int_equal(call()->media->holds->count, 1);
}

static void limits_hold_whatever_is_said(void **state)
{
    (void)state;
    answered();
    for (int i = 0; i < 1000; i++) {
        char line[32], media[128];
        snprintf(line, sizeof line, ">INVITE %d t=b", i + 2);
        snprintf(media, sizeof media, AT("192.0.2.1") "m=audio %d RTP/AVP 0\r\na=%s\r\n", 4000 + i,
                 i & 1 ? "sendrecv" : "sendonly");
        say(line, media);
    }
    const struct call_media *m = call()->media;
    assert_int_equal(m->line_count, CALL_LINES_MAX);
    assert_int_equal(m->holds->count, CALL_HOLDS_MAX);
    unsigned lines = 0, times = 0;
    for (const struct call_line *l = m->lines; l; l = l->next) {
        lines++;
    }
    for (const struct call_hold *h = call_first_hold(m); h; h = h->next) {
        times++;
    }
    assert_true(lines == CALL_LINES_MAX && times == CALL_HOLDS_MAX);
    bool is_known;
    call_named_host(call(), true, at(9, 1), &is_known);
    assert_false(is_known); // there may have been more
}

#define LINES_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        LINES_TEST(lines_of_the_usual_call_are_two),
        LINES_TEST(lines_of_a_call_without_bodies_need_nothing),
        LINES_TEST(line_map_is_that_of_the_time),
        LINES_TEST(line_of_fax_has_no_map),
        LINES_TEST(line_of_audio_and_fax_on_one_port_are_two),
        LINES_TEST(body_of_a_refusal_announces_nothing),
        LINES_TEST(host_is_known_where_its_side_named_some),
        LINES_TEST(branch_of_media_is_that_of_its_answer),
        LINES_TEST(hold_is_a_time_that_can_be_asked_for),
        LINES_TEST(hold_by_update_and_by_an_offer_in_the_answer),
        LINES_TEST(hold_that_is_refused_never_was),
        LINES_TEST(limits_hold_whatever_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
