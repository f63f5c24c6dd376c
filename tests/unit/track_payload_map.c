// Tests of payload maps: interning, transports with several media lines, limits.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "map_of.h"

#include <stdio.h>

static struct arena arena;
static struct payload_map_table table;

static int set_up(void **state)
{
    (void)state;
    arena_init(&arena, 65536);
    table = (struct payload_map_table){.arena = &arena};
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    payload_maps_fini(&table);
    arena_fini(&arena);
    return 0;
}

static struct sdp_media line(uint8_t payload_type, enum codec codec, uint32_t clock_hz,
                             const char *name)
{
    struct sdp_media m = {.format_count = 1};
    m.formats[0] = (struct sdp_format){.payload_type = payload_type,
                                       .codec = codec,
                                       .clock_hz = clock_hz,
                                       .name = slice_str(name)};
    return m;
}

static void map_that_says_the_same_is_the_same(void **state)
{
    (void)state;
    struct sdp_media a = line(96, CODEC_OPUS, 48000, "opus");
    struct sdp_media b = line(96, CODEC_OPUS, 48000, "opus");
    struct sdp_media c = line(97, CODEC_OPUS, 48000, "opus");
    struct sdp_media d = line(96, CODEC_OTHER, 48000, "other");
    struct sdp_media e = a;
    e.encrypted = true;
    assert_ptr_equal(map_of(&table, &a), map_of(&table, &b));
    assert_ptr_not_equal(map_of(&table, &a), map_of(&table, &c));
    assert_ptr_not_equal(map_of(&table, &a), map_of(&table, &d));
    assert_ptr_not_equal(map_of(&table, &a), map_of(&table, &e));
    assert_int_equal(table.count, 4);
}

static void map_of_several_lines_has_the_types_of_all(void **state)
{
    (void)state;
    struct sdp_media audio = line(111, CODEC_OPUS, 48000, "opus");
    struct sdp_media video = line(96, CODEC_VP8, 90000, "VP8");
    struct sdp_media again = line(111, CODEC_PCMU, 8000, "PCMU");
    video.encrypted = true;
    struct payload_list list = {0};
    payload_list_add(&list, &audio);
    payload_list_add(&list, &video);
    payload_list_add(&list, &again);
    const struct payload_map *map = payload_map_intern(&table, &list);
    assert_int_equal(map->count, 2);
    assert_true(map->encrypted);
    assert_int_equal(payload_map_find(map, 111)->codec, CODEC_OPUS);
    assert_int_equal(payload_map_find(map, 96)->codec, CODEC_VP8);
    assert_null(payload_map_find(map, 0));
    assert_null(payload_map_find(NULL, 0));
}

static void list_of_more_types_than_there_are_places_is_cut(void **state)
{
    (void)state;
    struct payload_list list = {0};
    for (unsigned i = 0; i < 256; i++) {
        struct sdp_media m = line((uint8_t)i, CODEC_PCMU, 8000, "");
        payload_list_add(&list, &m);
    }
    assert_int_equal(list.count, PAYLOAD_ENTRIES_MAX);
}

static void table_that_is_full_gives_a_map_that_knows_nothing(void **state)
{
    (void)state;
    char name[16];
    size_t full_bytes = 0;
    for (unsigned i = 0; i < 20000; i++) {
        snprintf(name, sizeof name, "codec-%u", i);
        struct sdp_media m = line(96, CODEC_OTHER, 8000, name);
        const struct payload_map *map = map_of(&table, &m);
        assert_int_equal(map->count, i < PAYLOAD_MAPS_MAX ? 1 : 0);
        full_bytes = i == PAYLOAD_MAPS_MAX ? arena.total_bytes : full_bytes;
    }
    assert_int_equal(arena.total_bytes, full_bytes);
    assert_int_equal(table.left_out, 20000 - PAYLOAD_MAPS_MAX);
    struct sdp_media first = line(96, CODEC_OTHER, 8000, "codec-0");
    assert_int_equal(map_of(&table, &first)->count, 1);
}

int main(void)
{
    const struct CMUnitTest TESTS[] = {
        cmocka_unit_test_setup_teardown(map_that_says_the_same_is_the_same, set_up, tear_down),
        cmocka_unit_test_setup_teardown(map_of_several_lines_has_the_types_of_all, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(list_of_more_types_than_there_are_places_is_cut, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(table_that_is_full_gives_a_map_that_knows_nothing, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests_name("track_payload_map", TESTS, NULL, NULL);
}
