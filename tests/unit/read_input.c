// Tests of inputs: recognising, where records begin, the first time, streams, lists of paths.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "own_captures.h"
#include "read/feed.h"
#include "read/input.h"

static int open_bytes(struct input *in, struct capture_file *file, const void *p, size_t n)
{
    *file = capture_file(p, n);
    return input_open(in, file->path, 5, NULL);
}

static void input_open_finds_format_records_and_first_time(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct input in;
        struct capture_file file;
        struct bytes b = {0};
        if (i == 0) {
            own_pcap(&b, LINK_RAW);
        } else {
            own_pcapng(&b, i == 2);
        }
        assert_int_equal(open_bytes(&in, &file, b.p, b.n), 0);
        assert_int_equal(in.format.kind, i == 0 ? CAP_PCAP : CAP_PCAPNG);
        assert_int_equal(in.records_at, i == 0 ? 24 : 28 + 20); // the section and one interface
        assert_int_equal(in.first_ns, CAPTURE_START_NS);
        assert_int_equal(in.size, b.n);
        assert_int_equal(in.index, 5);
        assert_int_equal(in.fd, -1);
        assert_false(in.is_stream);
        input_fini(&in);
        capture_file_close(&file);
        bytes_free(&b);
    }
}

static void input_open_takes_the_first_packet_that_has_a_time(void **state)
{
    (void)state;
    struct input in;
    struct capture_file file;
    struct bytes b = {0};
    ng_section(&b, false);
    ng_interface(&b, false, LINK_ETHERNET, 9);
    ng_simple(&b, false, "abcd", 4);
    ng_other(&b, false, 100);
    assert_int_equal(open_bytes(&in, &file, b.p, b.n), 0);
    assert_int_equal(in.first_ns, TIME_NOT_KNOWN_NS);
    input_fini(&in);
    capture_file_close(&file);
    ng_packet(&b, false, 0, 77, "abcd", 4);
    assert_int_equal(open_bytes(&in, &file, b.p, b.n), 0);
    assert_int_equal(in.first_ns, 77);
    input_fini(&in);
    capture_file_close(&file);
    bytes_free(&b);
}

static void input_open_refuses_what_is_no_capture(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t n;
        int error;
    } CASES[] = {
        {"", 0, ERR_EMPTY},
        {"x", 1, ERR_NOT_A_CAPTURE},
        {"{\"json\": \"is no capture at all, however long\"}", 47, ERR_NOT_A_CAPTURE},
        {"\xd4\xc3\xb2\xa1\2\0\4\0", 8, ERR_NOT_A_CAPTURE}, // cut in its header
        {"\x0a\x0d\x0d\x0a", 4, ERR_NOT_A_CAPTURE},
        {"\x1f\x8b\x08\0", 4, ERR_PACKED},
        {"\x04\x22\x4d\x18", 4, ERR_PACKED},
        {"\x50\x2a\x4d\x18", 4, ERR_PACKED}, // a frame to be skipped, cut
        {"\x50\x2a\x4d\x18\0\0\0\0", 8, ERR_EMPTY},
        {"\x50\x2a\x4d\x18\1\0\0\0xnone", 13, ERR_PACKED},
        {"BZh91AY&SY", 10, ERR_PACKED},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        struct input in;
        struct capture_file file;
        assert_int_equal(open_bytes(&in, &file, CASES[i].bytes, CASES[i].n), CASES[i].error);
        input_fini(&in);
        capture_file_close(&file);
    }
    struct input in;
    assert_int_equal(input_open(&in, "/nowhere/at/all", 0, NULL), ERR_OPEN);
    input_fini(&in);
    assert_int_equal(input_open(&in, "/", 0, NULL), ERR_READ); // a folder cannot be read as a file
    input_fini(&in);
}

static void input_read_at_gives_fewer_only_at_the_end(void **state)
{
    (void)state;
    struct input in;
    struct capture_file file;
    struct bytes b = {0};
    uint8_t out[64];
    own_pcap(&b, LINK_ETHERNET);
    assert_int_equal(open_bytes(&in, &file, b.p, b.n), 0);
    assert_int_equal(input_reopen(&in), 0);
    assert_int_equal(input_read_at(&in, out, 64, 100), 64);
    assert_memory_equal(out, b.p + 100, 64);
    assert_int_equal(input_read_at(&in, out, 64, b.n - 10), 10);
    assert_int_equal(input_read_at(&in, out, 64, b.n), 0);
    assert_int_equal(input_read_at(&in, out, 64, b.n + 1000), 0);
    input_close(&in);
    assert_int_equal(input_read_at(&in, out, 64, 0), ERR_READ);
    input_fini(&in);
    capture_file_close(&file);
    bytes_free(&b);
}

// --- streams ---

// A pipe that holds all of b (it must fit) and is at its end.
static int full_pipe(const struct bytes *b, char *path, size_t room)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_true(write(ends[1], b->p, b->n) == (ssize_t)b->n);
    close(ends[1]);
    snprintf(path, room, "/proc/self/fd/%d", ends[0]);
    return ends[0];
}

static void feed_cuts_a_stream_into_chunks_of_whole_records(void **state)
{
    (void)state;
    static const uint64_t SPANS[] = {1, 50, 300, 5000, 100000};
    for (int format = 0; format < 3; format++) {
        for (size_t i = 0; i < 5; i++) {
            struct input in;
            struct feed feed;
            struct bytes b = {0};
            struct chunk c;
            chunk_init(&c);
            struct pcapng after;
            char path[32];
            uint64_t packets = 0, end;
            if (format == 0) {
                own_pcap(&b, LINK_ETHERNET);
            } else {
                own_pcapng(&b, format == 2);
            }
            int fd = full_pipe(&b, path, sizeof path);
            assert_int_equal(input_open(&in, path, 0, NULL), 0);
            assert_true(in.is_stream);
            feed_init(&feed, &in);
            end = in.records_at;
            if (in.ng) {
                pcapng_copy(&after, in.ng);
            }
            while (!feed.at_end) {
                if (in.ng) {
                    c.ng = c.ng ? c.ng : malloc(sizeof *c.ng);
                    pcapng_copy(c.ng, &after);
                }
                assert_int_equal(feed_chunk(&feed, &c, SPANS[i], &after), 0);
                assert_int_equal(c.begin, end);
                chunk_decode(&c);
                packets += c.packets;
                end = c.end;
            }
            assert_int_equal(c.why, END_OF_INPUT);
            assert_int_equal(packets, 41);
            assert_int_equal(end, b.n);
            chunk_fini(&c);
            feed_fini(&feed);
            input_fini(&in);
            close(fd);
            bytes_free(&b);
        }
    }
}

// --- paths ---

static void path_list_keeps_files_and_dashes_as_they_are(void **state)
{
    (void)state;
    struct path_list list = {0};
    for (int i = 0; i < 100; i++) {
        assert_int_equal(path_list_add(&list, i & 1 ? "-" : "/nowhere/x.pcap"), 0);
    }
    assert_int_equal(list.count, 100);
    assert_string_equal(list.paths[0], "/nowhere/x.pcap");
    assert_string_equal(list.paths[99], "-");
    assert_false(list.is_listed[0]);
    path_list_fini(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(input_open_finds_format_records_and_first_time),
        cmocka_unit_test(input_open_takes_the_first_packet_that_has_a_time),
        cmocka_unit_test(input_open_refuses_what_is_no_capture),
        cmocka_unit_test(input_read_at_gives_fewer_only_at_the_end),
        cmocka_unit_test(feed_cuts_a_stream_into_chunks_of_whole_records),
        cmocka_unit_test(path_list_keeps_files_and_dashes_as_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
