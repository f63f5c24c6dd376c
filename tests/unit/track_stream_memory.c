// Tests of what streams cost: it must not creep up again.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture.h"
#include "listen/report.h"
#include "map_of.h"
#include "track/media_bin.h"
#include "wire/rtp/level.h"

#define STREAMS 8000u // many: arenas grow by whole blocks
#define STEP_NS (20 * MS)

// An ordinary stream of G.711, all in: its struct, the first interval, its place in the table and
// in lists, and what the report has of it. Not what calls announced.
#define G711_BYTES_MAX 544u
// A day of a stream has 17,280 intervals; blocks of 64 have a head, and the newest may be empty.
#define A_DAY_BYTES_MAX 17u

#ifdef __SANITIZE_ADDRESS__
#define RED_ZONES 192u // of the stream and its interval, with what they do to blocks
#else
#define RED_ZONES 0u
#endif

static struct {
    struct arena arena;
    struct media_bin bin;
} t;

static struct media_record packet_of(uint32_t stream, uint32_t number)
{
    return (struct media_record){
        .order = order_of(CAPTURE_START_NS + number * STEP_NS, 0, number * STREAMS + stream + 1),
        .time_ns = CAPTURE_START_NS + number * STEP_NS,
        .src = {{0, 1}, (uint16_t)(1000 + stream)},
        .dst = {{0, 2}, (uint16_t)(5000 + stream)},
        .ssrc = stream,
        .sequence = (uint16_t)(65000 + number),
        .timestamp = number * 160,
        .payload_n = 160,
        .head = level_pack((struct level){.peak = 60, .mean_twice = 70}),
        .ttl = 64,
    };
}

static void begin(uint32_t streams)
{
    struct payload_map_table table = {.arena = &t.arena};
    struct sdp_media media = {.format_count = 1};
    media.formats[0] = (struct sdp_format){.codec = CODEC_PCMU, .clock_hz = 8000};
    arena_init(&t.arena, 4096);
    media_bin_init(&t.bin);
    struct media_news news = {.what = {.map = map_of(&table, &media)}};
    payload_maps_fini(&table); // the map itself lies in the arena
    for (uint32_t i = 0; i < streams; i++) {
        news.endpoint = packet_of(i, 0).dst;
        media_bin_announce(&t.bin, &news);
    }
}

static void end(void)
{
    media_bin_fini(&t.bin);
    arena_fini(&t.arena);
}

static void send(uint32_t streams, uint32_t from, uint32_t to)
{
    for (uint32_t number = from; number < to; number++) {
        for (uint32_t i = 0; i < streams; i++) {
            struct media_record r = packet_of(i, number);
            media_bin_packet(&t.bin, &r);
        }
    }
}

static size_t table_bytes(const struct index_table *table)
{
    return table->slots ? (table->mask + 1) * sizeof *table->slots : 0;
}

static size_t bin_bytes(void)
{
    return t.bin.arena.total_bytes + t.bin.lines.total_bytes +
           t.bin.stream_room * sizeof *t.bin.streams + table_bytes(&t.bin.current);
}

static void stream_of_g711_takes_540_bytes_all_in(void **state)
{
    (void)state;
    begin(STREAMS);
    size_t before = bin_bytes();
    send(STREAMS, 0, 240);
    media_bin_finish(&t.bin);
    assert_int_equal(t.bin.stream_count, STREAMS);
    size_t of_report = sizeof(struct report_stream) + sizeof(uint32_t);
    size_t bytes = (bin_bytes() - before) / STREAMS + of_report;
    print_message("%zu bytes a stream, %zu of them in the report\n", bytes, of_report);
    assert_true(bytes <= G711_BYTES_MAX + RED_ZONES);
    assert_null(t.bin.streams[0]->extras);
    assert_null(t.bin.streams[0]->lacking);
    end();
}

static void stream_of_a_day_takes_16_bytes_an_interval(void **state)
{
    (void)state;
    begin(1);
    size_t before = t.bin.arena.total_bytes;
    send(1, 0, 24 * 3600 * 50);
    media_bin_finish(&t.bin);
    const struct stream *s = t.bin.streams[0];
    assert_int_equal(s->interval_count, 17280);
    // The newest block of the arena is empty at best, full at worst.
    size_t grown = t.bin.arena.total_bytes - before - t.bin.arena.block_bytes;
    size_t bytes = grown / s->interval_count;
    print_message("%zu bytes an interval\n", bytes);
    assert_true(bytes <= A_DAY_BYTES_MAX);
    struct interval_walk w;
    const struct stream_interval *i = interval_first(&w, s->last_block, s->interval_count);
    for (uint32_t n = 0; n < s->interval_count; n++, i = interval_next(&w)) {
        assert_int_equal(i->index, n);
        assert_int_equal(interval_numbers(i).packets, 250);
        assert_int_equal(interval_numbers(i).numbers, 250);
    }
    assert_null(i);
    i = interval_last(&w, s->last_block, s->interval_count);
    for (uint32_t n = s->interval_count; n-- > 0; i = interval_former(&w)) {
        assert_int_equal(i->index, n);
    }
    assert_null(i);
    end();
}

static void interval_with_more_than_16_bits_is_kept_whole(void **state)
{
    (void)state;
    static const struct interval_numbers CASES[] = {
        {65535, 65535, {65535, 65535}}, {65536, 0, {0, 0}}, {0, 65536, {0, 0}}, {0, 0, {65536, 0}},
        {0, 0, {0, UINT32_MAX}},        {1, 2, {3, 4}}, // stays where it is
    };
    struct stream_interval one = {0};
    arena_init(&t.arena, 4096);
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        struct stream_interval fresh = {.flags = INTERVAL_COMFORT};
        struct stream_interval *both[] = {&one, &fresh};
        for (size_t k = 0; k < 2; k++) {
            interval_set(both[k], &t.arena, &CASES[i]);
            struct interval_numbers have = interval_numbers(both[k]);
            assert_memory_equal(&have, &CASES[i], sizeof have);
        }
        assert_true(fresh.flags & INTERVAL_COMFORT);
    }
    arena_fini(&t.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stream_of_g711_takes_540_bytes_all_in),
        cmocka_unit_test(stream_of_a_day_takes_16_bytes_an_interval),
        cmocka_unit_test(interval_with_more_than_16_bits_is_kept_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
