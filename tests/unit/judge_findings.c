// Tests of findings: which notes and facts are told, of which packet.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "judge/findings.h"

static const struct sidetone_finding *find(const struct finding_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->items[i].name, name) == 0) {
            return &list->items[i];
        }
    }
    return NULL;
}

static bool points_at(const struct sidetone_finding *f, uint32_t file, uint64_t record)
{
    return f->packet_count == 1 && f->packets[0].file == file && f->packets[0].record == record &&
           f->text.n > 0;
}

static const struct {
    const char *name;
    enum call_kind kind;
    uint32_t facts, notes;
    uint16_t code;
    const char *findings[3];
} CALLS[] = {
    {"nothing odd", KIND_CALL, FACT_START | FACT_ANSWERED | FACT_ACKED, 0, 200, {NULL}},
    {"never acknowledged", KIND_CALL, FACT_START | FACT_ANSWERED, 0, 200, {"ack_missing"}},
    {"the half with the ACK may be missing",
     KIND_CALL,
     FACT_ANSWERED,
     NOTE_START_NOT_SEEN,
     200,
     {"start_not_seen"}},
    {"answered before it was asked",
     KIND_CALL,
     FACT_START,
     NOTE_RESPONSE_FIRST,
     0,
     {"response_before_request"}},
    {"used again", KIND_CALL, FACT_START, NOTE_CALL_ID_REUSED, 0, {"call_id_reused"}},
    {"cancelled too late",
     KIND_CALL,
     FACT_START | FACT_ANSWERED | FACT_ACKED,
     NOTE_CANCEL_TOO_LATE,
     200,
     {"cancel_too_late"}},
    {"refused and cancelled too late",
     KIND_CALL,
     FACT_START | FACT_ANSWERED | FACT_ACKED,
     NOTE_CHANGE_REFUSED | NOTE_CANCEL_TOO_LATE,
     200,
     {"cancel_too_late", "change_refused"}},
    {"challenged", KIND_CALL, FACT_START | FACT_CHALLENGED, 0, 407, {"challenge_unanswered"}},
    {"interval too small is no challenge", KIND_CALL, FACT_START | FACT_CHALLENGED, 0, 422, {NULL}},
    {"an OPTIONS needs no ACK", KIND_OPTIONS, FACT_START | FACT_ANSWERED, 0, 200, {NULL}},
    {"a registration with a Call-ID used before",
     KIND_REGISTRATION,
     FACT_START,
     NOTE_CALL_ID_REUSED,
     0,
     {"call_id_reused"}},
};

static void findings_of_call_are_those_of_its_notes_and_facts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof CALLS / sizeof CALLS[0]; i++) {
        struct call c = {.kind = CALLS[i].kind,
                         .facts = CALLS[i].facts,
                         .notes = CALLS[i].notes,
                         .final_code = CALLS[i].code,
                         .first = order_of(0, 1, 2),
                         .final_at = order_of(0, 1, 3).at,
                         .cancel_at = order_of(0, 1, 4).at};
        struct finding_list list;
        size_t wanted = 0;
        findings_of_call(&c, &list);
        for (; wanted < 3 && CALLS[i].findings[wanted]; wanted++) {
            const struct sidetone_finding *f = find(&list, CALLS[i].findings[wanted]);
            if (!f) {
                fail_msg("%s: no %s", CALLS[i].name, CALLS[i].findings[wanted]);
            }
        }
        if (list.count != wanted) {
            fail_msg("%s: %zu findings", CALLS[i].name, list.count);
        }
    }
}

static void findings_of_call_point_at_the_packet_that_shows_them(void **state)
{
    (void)state;
    struct call c = {.kind = KIND_CALL,
                     .facts = FACT_START | FACT_ANSWERED,
                     .notes = NOTE_START_NOT_SEEN | NOTE_CALL_ID_REUSED | NOTE_CANCEL_TOO_LATE |
                              NOTE_CHANGE_REFUSED,
                     .first = order_of(0, 1, 2),
                     .final_at = order_of(0, 3, 44).at,
                     .cancel_at = order_of(0, 5, UINT64_C(0xfffffffffff)).at};
    struct finding_list list;
    findings_of_call(&c, &list);
    assert_int_equal(list.count, 5);
    assert_true(points_at(find(&list, "start_not_seen"), 1, 2));
    assert_true(points_at(find(&list, "ack_missing"), 3, 44));
    assert_true(points_at(find(&list, "cancel_too_late"), 5, UINT64_C(0xfffffffffff)));
}

static void findings_of_call_are_never_more_than_there_is_room_for(void **state)
{
    (void)state;
    for (uint32_t notes = 0; notes < 64; notes++) {
        for (uint32_t facts = 0; facts < 1u << 15; facts += 3) {
            struct call c = {.kind = KIND_CALL, .facts = facts, .notes = notes, .final_code = 401};
            struct finding_list list;
            findings_of_call(&c, &list);
            findings_session_timer(&list, 1);
            findings_media_stopped(&list, 1);
            assert_true(list.count < FINDINGS_MAX); // none was left out
        }
    }
}

static void findings_of_an_ending_point_at_the_packet_that_shows_it(void **state)
{
    (void)state;
    struct call c = {.kind = KIND_CALL, .facts = FACT_START | FACT_ANSWERED | FACT_ACKED};
    struct finding_list list;
    findings_of_call(&c, &list);
    findings_session_timer(&list, order_of(0, 1, 7).at);
    findings_media_stopped(&list, order_of(0, 2, 9).at);
    assert_int_equal(list.count, 2);
    assert_true(points_at(find(&list, "session_timer"), 1, 7));
    assert_true(points_at(find(&list, "media_stopped"), 2, 9));
}

static void findings_of_stream_that_took_over_are_on_both(void **state)
{
    (void)state;
    static struct stream first = {.ssrc = 1}, second = {.ssrc = 2}, again = {.ssrc = 2};
    struct finding_list list;
    first.first = order_of(0, 0, 10);
    second.first = order_of(0, 0, 20);
    again.first = order_of(0, 0, 30);
    findings_of_stream(&first, NULL, &second, &list);
    assert_int_equal(list.count, 1);
    assert_true(points_at(find(&list, "ssrc_changed"), 0, 20));
    findings_of_stream(&second, &first, &again, &list);
    assert_non_null(find(&list, "ssrc_changed"));
    findings_of_stream(&again, &second, NULL, &list);
    assert_int_equal(list.count, 1);
    assert_true(points_at(find(&list, "numbers_restarted"), 0, 30));
    findings_of_stream(&again, NULL, NULL, &list);
    assert_int_equal(list.count, 0);
}

static void findings_of_stream_tell_digits_that_were_cut(void **state)
{
    (void)state;
    static struct stream s;
    struct finding_list list;
    s.digit_count = STREAM_DIGITS_MAX;
    findings_of_stream(&s, NULL, NULL, &list);
    assert_int_equal(list.count, 0);
    s.digit_count++;
    findings_of_stream(&s, NULL, NULL, &list);
    assert_non_null(find(&list, "digits_cut"));
}

static void findings_of_stream_tell_a_media_gap_of_200_ms(void **state)
{
    (void)state;
    static const struct {
        uint64_t run_max;
        double packet_ns;
        const char *text; // NULL: no finding
    } CASES[] = {
        {0, 20e6, NULL},
        {9, 20e6, NULL},
        {10, 20e6, "media gap 0.2 s"},
        {10, 1e9 / 48000 * 960, "media gap 0.2 s"},
        {1, 200e6, "media gap 0.2 s"},
        {50, 20e6, "media gap 1.0 s"},
        {UINT64_MAX, 1e18, "media gap "}, // absurd, and no overflow
        {50, 0, NULL},                    // the clock is not known
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        static struct stream s;
        struct stream_lacking lacking = {.run_max = CASES[i].run_max,
                                         .run_max_at = order_of(0, 2, 77).at};
        struct finding_list list;
        s.media_numbers = 1000;
        s.media_ns = 1000 * CASES[i].packet_ns;
        s.lacking = CASES[i].run_max > 0 ? &lacking : NULL;
        findings_of_stream(&s, NULL, NULL, &list);
        const struct sidetone_finding *f = find(&list, "media_gap");
        assert_int_equal(f != NULL, CASES[i].text != NULL);
        if (f) {
            assert_non_null(memmem(f->text.p, f->text.n, CASES[i].text, strlen(CASES[i].text)));
            assert_int_equal(f->severity, SIDETONE_WARNING);
            assert_true(points_at(f, 2, 77));
        }
    }
}

static void findings_of_stream_tell_a_sender_that_was_not_announced(void **state)
{
    (void)state;
    static struct stream s;
    struct finding_list list;
    s.first = order_of(0, 1, 4);
    findings_of_stream(&s, NULL, NULL, &list);
    assert_int_equal(list.count, 0);
    s.from_unannounced = true;
    findings_of_stream(&s, NULL, NULL, &list);
    assert_int_equal(list.count, 1);
    assert_true(points_at(find(&list, "media_from_unannounced"), 1, 4));
    assert_int_equal(list.items[0].severity, SIDETONE_NOTE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(findings_of_call_are_those_of_its_notes_and_facts),
        cmocka_unit_test(findings_of_call_point_at_the_packet_that_shows_them),
        cmocka_unit_test(findings_of_call_are_never_more_than_there_is_room_for),
        cmocka_unit_test(findings_of_an_ending_point_at_the_packet_that_shows_it),
        cmocka_unit_test(findings_of_stream_that_took_over_are_on_both),
        cmocka_unit_test(findings_of_stream_tell_digits_that_were_cut),
        cmocka_unit_test(findings_of_stream_tell_a_media_gap_of_200_ms),
        cmocka_unit_test(findings_of_stream_tell_a_sender_that_was_not_announced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
