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

// Of calls whose final response was at 0.
#define LATER_NS INT64_C(500000000)

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
        findings_of_call(&c, LATER_NS, &list);
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

static void findings_of_call_miss_nothing_that_the_capture_ends_before(void **state)
{
    (void)state;
    static const struct {
        uint32_t facts;
        uint16_t code;
        const char *name;
    } cases[] = {{FACT_START | FACT_ANSWERED, 200, "ack_missing"},
                 {FACT_START | FACT_CHALLENGED, 401, "challenge_unanswered"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct call c = {.kind = KIND_CALL, .facts = cases[i].facts, .final_code = cases[i].code};
        struct finding_list list;
        findings_of_call(&c, LATER_NS - 1, &list);
        assert_int_equal(list.count, 0);
        findings_of_call(&c, LATER_NS, &list);
        assert_int_equal(list.count, 1);
        assert_string_equal(list.items[0].name, cases[i].name);
        c.final_ns = TIME_NOT_SEEN;
        findings_of_call(&c, 0, &list);
        assert_int_equal(list.count, 1);
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
    findings_of_call(&c, LATER_NS, &list);
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
            findings_of_call(&c, LATER_NS, &list);
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
    findings_of_call(&c, LATER_NS, &list);
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
    first.first_at = order_of(0, 0, 10).at;
    second.first_at = order_of(0, 0, 20).at;
    again.first_at = order_of(0, 0, 30).at;
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
    static struct stream_extras extras = {.digit_count = STREAM_DIGITS_MAX};
    static struct stream s = {.extras = &extras};
    struct finding_list list;
    findings_of_stream(&s, NULL, NULL, &list);
    assert_int_equal(list.count, 0);
    extras.digit_count++;
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
        s.jitter.count = 1000;
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
    s.first_at = order_of(0, 1, 4).at;
    findings_of_stream(&s, NULL, NULL, &list);
    assert_int_equal(list.count, 0);
    s.from_unannounced = true;
    findings_of_stream(&s, NULL, NULL, &list);
    assert_int_equal(list.count, 1);
    assert_true(points_at(find(&list, "media_from_unannounced"), 1, 4));
    assert_int_equal(list.items[0].severity, SIDETONE_NOTE);
}

static const struct {
    const char *what;
    struct stream_sound sound;
    bool encrypted;
    const char *name, *text;
    enum sidetone_severity severity;
} SOUNDS[] = {
    {"talk with short pauses",
     {.loud = 900, .silent = 100, .longest_ticks = 16000},
     false,
     NULL,
     NULL,
     0},
    {"9.9 s", {.loud = 900, .silent = 500, .longest_ticks = 79200}, false, NULL, NULL, 0},
    {"10 s",
     {.loud = 900, .silent = 500, .longest_ticks = 80000},
     false,
     "dead_air",
     "Nothing is heard for 10.0 s at a stretch: packets come, with silence in them.",
     SIDETONE_WARNING},
    {"nothing else",
     {.silent = 160, .longest_ticks = 25600},
     false,
     "dead_air",
     "All its sound is silence, up to 3.2 s at a stretch.",
     SIDETONE_WARNING},
    {"nothing else, and little of it",
     {.silent = 100, .longest_ticks = 16000},
     false,
     NULL,
     NULL,
     0},
    {"the longest that fits",
     {.loud = 1, .silent = UINT32_MAX - 1, .longest_ticks = UINT32_MAX},
     false,
     "dead_air",
     "Nothing is heard for 536870.9 s at a stretch: packets come, with silence in them.",
     SIDETONE_WARNING},
    {"1 % clipped",
     {.loud = 600, .silent = 400, .clipped = 10},
     false,
     "clipping",
     "Its sound is too loud: 10 of 1000 packets are clipped.",
     SIDETONE_NOTE},
    {"5 % clipped",
     {.loud = 1000, .clipped = 50},
     false,
     "clipping",
     "Its sound is too loud: 50 of 1000 packets are clipped.",
     SIDETONE_WARNING},
    {"less than 1 %", {.loud = 1000, .clipped = 9}, false, NULL, NULL, 0},
    {"a bang", {.loud = 100, .clipped = 4}, false, NULL, NULL, 0},
    {"ciphertext",
     {.loud = 100, .silent = 500, .longest_ticks = 80000, .clipped = 50},
     true,
     NULL,
     NULL,
     0},
    {"not judged", {0}, false, NULL, NULL, 0},
};

static void findings_of_stream_by_its_sound_are_told_with_numbers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof SOUNDS / sizeof SOUNDS[0]; i++) {
        const struct stream_sound *sound = &SOUNDS[i].sound;
        struct stream_quiet quiet = {
            .silent = sound->silent,
            .clipped = sound->clipped,
            .longest_ticks = sound->longest_ticks,
            .longest_at = order_of(0, 2, 7).at,
            .clipped_at = order_of(0, 2, 8).at,
        };
        struct stream s = {
            .loud = sound->loud, .quiet = &quiet, .is_encrypted = SOUNDS[i].encrypted};
        struct finding_list list;
        findings_of_stream(&s, NULL, NULL, &list);
        if (list.count != (SOUNDS[i].name != NULL)) {
            fail_msg("%s: %zu findings", SOUNDS[i].what, list.count);
        }
        if (!SOUNDS[i].name) {
            continue;
        }
        const struct sidetone_finding *f = find(&list, SOUNDS[i].name);
        assert_non_null(f);
        assert_int_equal(f->severity, SOUNDS[i].severity);
        assert_int_equal(f->text.n, strlen(SOUNDS[i].text));
        assert_memory_equal(f->text.p, SOUNDS[i].text, f->text.n);
        assert_true(points_at(f, 2, f->name[0] == 'd' ? 7 : 8));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(findings_of_call_are_those_of_its_notes_and_facts),
        cmocka_unit_test(findings_of_call_miss_nothing_that_the_capture_ends_before),
        cmocka_unit_test(findings_of_call_point_at_the_packet_that_shows_them),
        cmocka_unit_test(findings_of_call_are_never_more_than_there_is_room_for),
        cmocka_unit_test(findings_of_an_ending_point_at_the_packet_that_shows_it),
        cmocka_unit_test(findings_of_stream_that_took_over_are_on_both),
        cmocka_unit_test(findings_of_stream_by_its_sound_are_told_with_numbers),
        cmocka_unit_test(findings_of_stream_tell_digits_that_were_cut),
        cmocka_unit_test(findings_of_stream_tell_a_media_gap_of_200_ms),
        cmocka_unit_test(findings_of_stream_tell_a_sender_that_was_not_announced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
