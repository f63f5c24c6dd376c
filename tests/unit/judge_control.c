// Tests of the findings about loss: what the receiver reports against what the capture lacks.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "capture.h"
#include "judge/findings.h"

static struct arena arena;
static struct stream stream;
static struct control_about about;
static struct finding_list list;

// What the capture and the receiver of a stream of 50 packets a second saw.
struct seen {
    uint16_t first;        // number of the first packet
    uint32_t count;        // packets sent
    uint32_t hole, hole_n; // numbers from `hole` on that the capture lacks
    uint32_t copies;       // packets that came twice
    bool is_announced;     // before it came
    uint32_t cycles;       // of the receiver, before this capture
    uint32_t reported[2];  // packets after which it reports; the second 0: once only
    int32_t lost[2];       // what it says then
    const char *finding;   // NULL: none
    const char *text;      // NULL: any
};

static void begin(const struct seen *s)
{
    arena_init(&arena, 4096);
    stream = (struct stream){0};
    about = (struct control_about){.ssrc = 7};
    list.count = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        struct media_record r = {
            .order = order_of(CAPTURE_START_NS + i * 20 * MS, 0, i + 1),
            .time_ns = CAPTURE_START_NS + i * 20 * MS,
            .ssrc = 7,
            .sequence = (uint16_t)(s->first + i),
            .timestamp = i * 160,
            .ip_id = (uint16_t)i,
            .payload_n = 160,
        };
        if (i == 0) {
            stream_begin(&stream, &arena, &r, 0, NULL, NULL);
            stream.offered_ns = s->is_announced ? CAPTURE_START_NS : TIME_NOT_SEEN;
            continue;
        }
        if (i - s->hole < s->hole_n) {
            continue;
        }
        stream_packet(&stream, &arena, &r);
        if (i <= s->copies) {
            r.ip_id += 1000;
            stream_packet(&stream, &arena, &r);
        }
    }
    stream_finish(&stream, &arena);
    for (int i = 0; i < 2 && s->reported[i] > 0; i++) {
        struct rtcp_report report = {
            .ssrc = 7,
            .lost = s->lost[i],
            .highest_sequence = s->cycles * 65536 + s->first + s->reported[i] - 1,
        };
        int64_t now_ns = CAPTURE_START_NS + s->reported[i] * 20 * MS;
        control_about_report(&about, &report, NULL, order_of(now_ns, 1, 77 + (uint64_t)i), now_ns);
    }
}

static const struct seen ROWS[] = {
    {.count = 1000,
     .is_announced = true,
     .reported = {250, 900},
     .lost = {5, 45},
     .finding = "loss_not_captured",
     .text = "Its receiver lost 45 of 900 packets, the capture lacks 0 of them: they were lost "
             "behind the capture point."},
    // Without the beginning only growth counts.
    {.count = 1000,
     .reported = {250, 900},
     .lost = {5, 45},
     .finding = "loss_not_captured",
     .text = "Its receiver lost 40 of 650 packets, the capture lacks 0 of them: they were lost "
             "behind the capture point."},
    {.count = 1000, .reported = {250, 900}, .lost = {45, 45}},
    {.count = 1000, .reported = {900, 0}, .lost = {45, 0}},
    {.count = 1000,
     .is_announced = true,
     .reported = {900, 0},
     .lost = {45, 0},
     .finding = "loss_not_captured"},
    {.first = 65000,
     .count = 1000,
     .cycles = 9,
     .reported = {250, 900},
     .lost = {5, 45},
     .finding = "loss_not_captured"},
    // A clear difference.
    {.count = 1000, .is_announced = true, .reported = {500, 0}, .lost = {4, 0}},
    {.count = 1000,
     .is_announced = true,
     .reported = {500, 0},
     .lost = {5, 0},
     .finding = "loss_not_captured"},
    {.count = 5000, .is_announced = true, .reported = {2000, 0}, .lost = {19, 0}},
    {.count = 5000,
     .is_announced = true,
     .reported = {2000, 0},
     .lost = {20, 0},
     .finding = "loss_not_captured"},
    // The capture lacks as many, or more, or fewer.
    {.count = 1000,
     .hole = 300,
     .hole_n = 100,
     .is_announced = true,
     .reported = {900, 0},
     .lost = {100, 0}},
    {.count = 1000,
     .hole = 300,
     .hole_n = 100,
     .is_announced = true,
     .reported = {900, 0},
     .lost = {2, 0},
     .finding = "capture_loss",
     .text = "The capture lacks 100 of 900 packets, its receiver lost 2 of them: the capture lost "
             "packets, not the network."},
    {.count = 1000,
     .hole = 300,
     .hole_n = 100,
     .is_announced = true,
     .reported = {900, 0},
     .lost = {-2, 0},
     .finding = "capture_loss",
     .text = "The capture lacks 100 of 900 packets, its receiver lost 0 of them: the capture lost "
             "packets, not the network."},
    {.count = 1000,
     .hole = 300,
     .hole_n = 100,
     .is_announced = true,
     .reported = {900, 0},
     .lost = {150, 0},
     .finding = "loss_not_captured"},
    // Behind what the reports tell of nothing is compared, inside of it all.
    {.count = 2000, .hole = 1500, .hole_n = 100, .reported = {250, 1000}, .lost = {0, 0}},
    {.count = 2000, .hole = 100, .hole_n = 100, .reported = {500, 1900}, .lost = {0, 0}},
    {.count = 2000,
     .hole = 1100,
     .hole_n = 100,
     .reported = {500, 1900},
     .lost = {0, 0},
     .finding = "capture_loss"},
    // Losses may hide behind copies that the network made.
    {.count = 1000,
     .hole = 300,
     .hole_n = 100,
     .copies = 100,
     .is_announced = true,
     .reported = {900, 0},
     .lost = {0, 0}},
    // The capture has nothing of the end, which the receiver has.
    {.count = 1000,
     .hole = 700,
     .hole_n = 300,
     .is_announced = true,
     .reported = {900, 0},
     .lost = {0, 0},
     .finding = "capture_loss"},
    // Numbers of somebody else.
    {.count = 1000, .cycles = 0, .reported = {250, 900}, .lost = {8000000, -8000000}},
};

static void findings_of_each_row_are_those_of_its_numbers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        begin(&ROWS[i]);
        findings_of_control(&stream, NULL, &about, &list);
        const char *name = list.count > 0 ? list.items[0].name : "none";
        if (strcmp(name, ROWS[i].finding ? ROWS[i].finding : "none") != 0 || list.count > 1) {
            fail_msg("row %zu: %s %.*s", i, name, (int)list.items[0].text.n, list.items[0].text.p);
        }
        if (ROWS[i].text) {
            assert_int_equal(list.items[0].text.n, strlen(ROWS[i].text));
            assert_memory_equal(list.items[0].text.p, ROWS[i].text, strlen(ROWS[i].text));
        }
        if (list.count > 0) {
            assert_int_equal(list.items[0].severity, SIDETONE_WARNING);
            assert_int_equal(list.items[0].packets[0].file, 1);
            assert_int_equal(list.items[0].packets[0].record, ROWS[i].reported[1] ? 78 : 77);
        }
        arena_fini(&arena);
    }
}

static void reports_with_numbers_of_another_stream_are_not_compared(void **state)
{
    (void)state;
    struct seen s = {.count = 1000, .reported = {250, 900}, .lost = {0, 400}};
    begin(&s);
    about.newest.highest_sequence += 3 * 65536; // more went by than the capture has
    findings_of_control(&stream, NULL, &about, &list);
    assert_int_equal(list.count, 0);
    arena_fini(&arena);
}

static void list_that_is_full_takes_no_more(void **state)
{
    (void)state;
    struct seen s = {.count = 1000, .is_announced = true, .reported = {900, 0}, .lost = {90, 0}};
    begin(&s);
    list.count = FINDINGS_MAX;
    findings_of_control(&stream, NULL, &about, &list);
    assert_int_equal(list.count, FINDINGS_MAX);
    arena_fini(&arena);
}

static void stream_without_a_time_is_not_compared(void **state)
{
    (void)state;
    struct seen s = {.count = 1000, .is_announced = true, .reported = {900, 0}, .lost = {90, 0}};
    begin(&s);
    stream.start_ns = TIME_NOT_KNOWN_NS;
    findings_of_control(&stream, NULL, &about, &list);
    assert_int_equal(list.count, 0);
    arena_fini(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(findings_of_each_row_are_those_of_its_numbers),
        cmocka_unit_test(reports_with_numbers_of_another_stream_are_not_compared),
        cmocka_unit_test(list_that_is_full_takes_no_more),
        cmocka_unit_test(stream_without_a_time_is_not_compared),
    };
    return cmocka_run_group_tests_name("judge_control", tests, NULL, NULL);
}
