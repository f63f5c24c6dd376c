// Tests of reading: what inputs may be, what is said of those that cannot be read whole, messages
// in order, stopping, and memory that does not grow with the input.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "outcome.h"
#include "own_captures.h"
#include "report_dump.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

// --- one input ---

static void input_that_is_whole_is_complete_without_warnings(void **state)
{
    (void)state;
    static const uint32_t LINKS[] = {LINK_NULL, LINK_ETHERNET, LINK_RAW, LINK_SLL, LINK_SLL2};
    for (size_t i = 0; i < 7; i++) {
        struct bytes b = {0};
        if (i < 5) {
            own_pcap(&b, LINKS[i]);
        } else {
            own_pcapng(&b, i == 6);
        }
        struct outcome o = read_bytes(b.p, b.n);
        assert_int_equal(o.status, SIDETONE_OK);
        assert_true(o.capture->complete && !o.capture->interrupted);
        assert_int_equal(o.capture->warning_count, 0);
        assert_int_equal(o.capture->packets, 41);
        assert_int_equal(o.capture->analysed, 41);
        assert_int_equal(o.capture->sip_messages, 5);
        assert_int_equal(o.capture->rtp_packets, 36);
        assert_int_equal(sidetone_report_calls(o.report), 1);
        assert_int_equal(sidetone_report_streams(o.report), 1);
        sidetone_report_free(o.report);
        bytes_free(&b);
    }
}

static void input_that_is_cut_is_told_with_what_there_is(void **state)
{
    (void)state;
    struct bytes b = {0};
    own_pcap(&b, LINK_ETHERNET);
    for (size_t cut = 1; cut < 60; cut += 7) {
        struct outcome o = read_bytes(b.p, b.n - cut);
        assert_int_equal(o.status, SIDETONE_PARTIAL);
        assert_false(o.capture->complete);
        assert_true(warns(o.capture, "cut: it ends inside the record after packet 40"));
        assert_int_equal(o.capture->packets, 40);
        sidetone_report_free(o.report);
    }
    bytes_free(&b);
}

static void input_that_is_damaged_is_told_with_what_was_before(void **state)
{
    (void)state;
    struct bytes b = {0};
    own_pcap(&b, LINK_ETHERNET);
    size_t at = PCAP_WRITE_FILE_BYTES;
    for (int i = 0; i < 10; i++) {
        at += 16 + le32(b.p + at + 8);
    }
    put_le32(b.p + at + 8, 0xfffffff0); // a record of 4 GiB
    struct outcome o = read_bytes(b.p, b.n);
    assert_int_equal(o.status, SIDETONE_PARTIAL);
    assert_true(warns(o.capture, "damaged at byte"));
    assert_int_equal(o.capture->packets, 10);
    sidetone_report_free(o.report);
    bytes_free(&b);
}

static void input_whose_record_claims_too_much_takes_no_memory(void **state)
{
    (void)state;
    struct rusage before, after;
    static const uint32_t CLAIMS[] = {0x7fffffff, 0x40000000, 262145, 262144, 100000};
    for (size_t i = 0; i < sizeof CLAIMS / sizeof CLAIMS[0]; i++) {
        struct bytes b = {0};
        pcap_write_file(bytes_grow(&b, PCAP_WRITE_FILE_BYTES), LINK_ETHERNET, 0xffffffff, true);
        pcap_write_record(bytes_grow(&b, PCAP_WRITE_RECORD_BYTES), CAPTURE_START_NS, CLAIMS[i],
                          CLAIMS[i], true);
        bytes_put(&b, "abc", 3);
        getrusage(RUSAGE_SELF, &before);
        struct outcome o = read_bytes(b.p, b.n);
        getrusage(RUSAGE_SELF, &after);
        assert_int_equal(o.status, SIDETONE_PARTIAL);
        assert_int_equal(o.capture->packets, 0);
        assert_true(after.ru_maxrss - before.ru_maxrss < 32 * 1024);
        sidetone_report_free(o.report);
        bytes_free(&b);
    }
}

static void input_with_a_record_longer_than_is_looked_at_is_whole(void **state)
{
    (void)state;
    static uint8_t frame[400000];
    struct bytes b = {0};
    pcap_write_file(bytes_grow(&b, PCAP_WRITE_FILE_BYTES), LINK_ETHERNET, 500000, true);
    own_pcap(&b, LINK_ETHERNET);
    memmove(b.p + PCAP_WRITE_FILE_BYTES, b.p + 2 * PCAP_WRITE_FILE_BYTES,
            b.n - 2 * PCAP_WRITE_FILE_BYTES);
    b.n -= PCAP_WRITE_FILE_BYTES;
    pcap_add(&b, CAPTURE_START_NS + 2000 * MS, frame, sizeof frame);
    pcap_add(&b, CAPTURE_START_NS + 2001 * MS, frame, 60);
    struct outcome o = read_bytes(b.p, b.n);
    assert_int_equal(o.status, SIDETONE_OK);
    assert_int_equal(o.capture->packets, 43);
    sidetone_report_free(o.report);
    bytes_free(&b);
}

static void input_that_is_no_capture_fails_with_its_reason(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t n;
        const char *words;
    } CASES[] = {
        {"", 0, ""},
        {"hello, world: this is no capture at all", 39, ""},
        {"\x1f\x8b\x08\0\0\0\0\0\0\0", 10, "compressed"},
        {"\x28\xb5\x2f\xfd\0\0\0\0", 8, "compressed"},
        {"\xd4\xc3\xb2\xa1", 4, ""},
        {"BZh91AY&SY", 10, "bzip2 -d"},
        {"\xfd"
         "7zXZ\0\0\4",
         8, "xz -d"},
        {"\x02\x21\x4c\x18\0\0\0\0", 8, "lz4 -d"},
        {"\x28\xb5\x2f\xfd\0\x90\1\0\0", 9, "--long=31"}, // a window of 256 MiB
        {"\x28\xb5\x2f\xfd\0\x58\1\0\0", 9, "decompresses to nothing"},
        {"\x28\xb5\x2f\xfd\0\x58\x21\0\0what", 13, "what it decompresses to is no capture"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        struct outcome o = read_bytes(CASES[i].bytes, CASES[i].n);
        assert_int_equal(o.status, SIDETONE_FAILED);
        assert_false(o.capture->complete);
        assert_int_equal(o.capture->warning_count, 1);
        assert_int_equal(o.capture->packets, 0);
        assert_int_equal(o.capture->first_ns, SIDETONE_UNKNOWN);
        assert_true(CASES[i].words[0] == '\0' || warns(o.capture, CASES[i].words));
        sidetone_report_free(o.report);
    }
}

static void input_that_is_a_header_alone_is_an_empty_capture(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct bytes b = {0};
        if (i == 0) {
            pcap_begin(&b, LINK_ETHERNET);
        } else {
            ng_section(&b, false);
        }
        struct outcome o = read_bytes(b.p, b.n);
        assert_int_equal(o.status, SIDETONE_OK);
        assert_true(o.capture->complete);
        assert_int_equal(o.capture->packets, 0);
        assert_int_equal(o.capture->last_ns, SIDETONE_UNKNOWN);
        sidetone_report_free(o.report);
        bytes_free(&b);
    }
}

static void input_that_is_missing_does_not_keep_the_others_from_being_read(void **state)
{
    (void)state;
    struct bytes b = {0};
    own_pcap(&b, LINK_ETHERNET);
    struct capture_file file = capture_file(b.p, b.n);
    const char *paths[] = {"/nowhere/at/all.pcap", file.path};
    struct outcome o = read_paths(paths, 2);
    assert_int_equal(o.status, SIDETONE_PARTIAL);
    assert_false(o.capture->complete);
    assert_true(warns(o.capture, "/nowhere/at/all.pcap: No such file"));
    assert_int_equal(o.capture->packets, 41);
    assert_int_equal(o.capture->files, 1);
    sidetone_report_free(o.report);
    o = read_paths(paths, 1);
    assert_int_equal(o.status, SIDETONE_FAILED);
    sidetone_report_free(o.report);
    o = read_paths(paths, 0);
    assert_int_equal(o.capture->packets, 0);
    sidetone_report_free(o.report);
    capture_file_close(&file);
    bytes_free(&b);
}

static void input_of_an_unknown_link_type_is_counted(void **state)
{
    (void)state;
    struct bytes b = {0};
    pcap_begin(&b, 147);
    pcap_add(&b, CAPTURE_START_NS, "whatever", 8);
    struct outcome o = read_bytes(b.p, b.n);
    assert_int_equal(o.status, SIDETONE_PARTIAL);
    assert_true(warns(o.capture, "link type 147"));
    assert_int_equal(o.capture->not_analysed_count, 1);
    assert_string_equal(o.capture->not_analysed[0].name, "unknown_linktype");
    sidetone_report_free(o.report);
    bytes_free(&b);
}

// --- folders ---

static void put_file(const char *folder, const char *name, const void *p, size_t n)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0 && write(fd, p, n) == (ssize_t)n);
    close(fd);
}

static void drop_file(const char *folder, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    unlink(path);
}

static void folder_gives_its_captures_by_name_and_leaves_the_rest_out(void **state)
{
    (void)state;
    char folder[] = "/tmp/sidetone-test-XXXXXX";
    char inner[64];
    struct bytes b = {0};
    assert_non_null(mkdtemp(folder));
    own_pcap(&b, LINK_ETHERNET);
    put_file(folder, "b.pcap", b.p, b.n);
    put_file(folder, "a.pcap", b.p, b.n);
    put_file(folder, ".hidden.pcap", b.p, b.n);
    put_file(folder, "notes.txt", "notes", 5);
    put_file(folder, "empty", "", 0);
    snprintf(inner, sizeof inner, "%s/inner", folder);
    assert_int_equal(mkdir(inner, 0700), 0);
    const char *path = folder;
    struct outcome o = read_paths(&path, 1);
    assert_int_equal(o.status, SIDETONE_OK);
    assert_int_equal(o.capture->files, 2);
    assert_int_equal(o.capture->packets, 82);
    assert_true(warns(o.capture, "notes.txt: left out"));
    assert_true(warns(o.capture, "empty: left out"));
    assert_int_equal(o.capture->sip_messages, 5); // the other file's are copies
    assert_int_equal(o.capture->duplicates, 41);
    sidetone_report_free(o.report);
    rmdir(inner);
    path = folder;
    drop_file(folder, "a.pcap");
    drop_file(folder, "b.pcap");
    drop_file(folder, ".hidden.pcap");
    drop_file(folder, "notes.txt");
    drop_file(folder, "empty");
    rmdir(folder);
    bytes_free(&b);
}

// --- order ---

struct heard {
    char ids[256];
    size_t n;
    uint32_t files[64];
    uint64_t records[64], count;
};

static void hear(void *context, const struct sidetone_message *m)
{
    struct heard *h = context;
    h->n += (size_t)snprintf(h->ids + h->n, sizeof h->ids - h->n, "%.*s ", (int)m->call_id.n,
                             m->call_id.p);
    h->files[h->count] = m->packets[0].file;
    h->records[h->count++] = m->packets[0].record;
}

static void messages_come_in_the_order_of_time_then_argument_then_record(void **state)
{
    (void)state;
    static const size_t CHUNKS[] = {300, 4096, 0};
    struct bytes a = {0}, b = {0};
    pcap_begin(&a, LINK_ETHERNET);
    pcap_begin(&b, LINK_ETHERNET);
    pcap_options(&a, 100, "a1");
    pcap_options(&a, 100, "a2");
    pcap_options(&a, 100, "a2"); // a copy: not heard
    pcap_options(&a, 50, "a3");  // the clock steps back: it stays where it stands
    pcap_options(&a, 300, "a4");
    pcap_options(&b, 90, "b1");
    pcap_options(&b, 100, "b2");
    pcap_options(&b, 200, "b3");
    pcap_options(&b, 400, "b4");
    struct capture_file files[2] = {capture_file(a.p, a.n), capture_file(b.p, b.n)};
    for (size_t i = 0; i < 6; i++) {
        struct heard heard = {.n = 0};
        const char *paths[2] = {files[i & 1].path, files[!(i & 1)].path};
        struct sidetone_read_options options = {.cores = 1 + (unsigned)i,
                                                .on_message = hear,
                                                .context = &heard,
                                                .chunk_bytes = CHUNKS[i / 2]};
        struct sidetone_report *report;
        assert_int_equal(sidetone_read(paths, 2, &options, &report), SIDETONE_OK);
        assert_string_equal(heard.ids,
                            i & 1 ? "b1 b2 a1 a2 a3 b3 a4 b4 " : "b1 a1 a2 a3 b2 b3 a4 b4 ");
        assert_int_equal(heard.files[0], i & 1 ? 0 : 1);
        assert_int_equal(heard.records[0], 1);
        assert_int_equal(heard.records[i & 1 ? 4 : 3], 4); // a3
        assert_true(warns(sidetone_report_capture(report), "the clock steps back by 0.050 s"));
        sidetone_report_free(report);
    }
    capture_file_close(&files[0]);
    capture_file_close(&files[1]);
    bytes_free(&a);
    bytes_free(&b);
}

// --- stopping ---

static bool stop_now;

static void stop_at_once(void *context, const struct sidetone_progress *progress)
{
    (void)context;
    assert_true(progress->bytes_total == 0 || progress->bytes_read <= progress->bytes_total);
    stop_now = true;
}

static void reading_that_is_stopped_reports_what_was_read(void **state)
{
    (void)state;
    struct bytes b = {0};
    pcap_begin(&b, LINK_ETHERNET);
    for (int i = 0; i < 5000; i++) {
        char id[16];
        snprintf(id, sizeof id, "id%d", i);
        pcap_options(&b, i, id);
    }
    struct capture_file file = capture_file(b.p, b.n);
    const char *path = file.path;
    for (unsigned cores = 1; cores <= 4; cores++) {
        struct sidetone_read_options options = {
            .cores = cores, .on_progress = stop_at_once, .stop = &stop_now, .chunk_bytes = 4096};
        struct sidetone_report *report;
        stop_now = false;
        sidetone_read(&path, 1, &options, &report);
        const struct sidetone_capture *c = sidetone_report_capture(report);
        assert_true(c->interrupted && !c->complete);
        assert_true(c->packets > 0 && c->packets < 5000);
        assert_int_equal(c->packets, c->analysed);
        assert_int_equal(sidetone_report_calls(report), c->sip_messages);
        sidetone_report_free(report);
    }
    capture_file_close(&file);
    bytes_free(&b);
}

// --- memory ---

// 100 streams for ever, into a pipe.
static void send_for_ever(int fd, int packets)
{
    static uint8_t buffer[1 << 16];
    struct bytes b = {.p = buffer, .room = sizeof buffer};
    struct frame_path path = capture_path(1, 4000, 2, 5000);
    pcap_begin(&b, LINK_ETHERNET);
    for (int i = 0; i < packets; i++) {
        uint8_t payload[200], frame[CAPTURE_FRAME_ROOM];
        uint16_t sequence = (uint16_t)(i / 100);
        size_t n = capture_rtp(payload, 0, false, sequence, (uint32_t)(i / 100) * 160,
                               (uint32_t)(i % 100), 160);
        n = capture_frame(frame, LINK_ETHERNET, &path, (uint16_t)i, payload, n);
        pcap_add(&b, CAPTURE_START_NS + i / 100 * 20 * MS, frame, n);
        if (b.n > sizeof buffer - 1024 || i + 1 == packets) {
            for (size_t at = 0; at < b.n;) {
                ssize_t wrote = write(fd, b.p + at, b.n - at);
                if (wrote <= 0) {
                    _exit(1);
                }
                at += (size_t)wrote;
            }
            b.n = 0;
        }
    }
    _exit(0);
}

static void reading_of_a_pipe_takes_no_more_memory_for_more_input(void **state)
{
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    enum {
        PACKETS = 20000,
        GROWTH_KIB = 512 * 1024
    };
#else
    enum {
        PACKETS = 600000,
        GROWTH_KIB = 24 * 1024
    };
#endif
    struct rusage before, after;
    char path[32];
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t writer = fork();
    if (writer == 0) {
        close(ends[0]);
        send_for_ever(ends[1], PACKETS);
    }
    close(ends[1]);
    snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
    const char *input = path;
    getrusage(RUSAGE_SELF, &before);
    struct outcome o = read_paths(&input, 1);
    getrusage(RUSAGE_SELF, &after);
    close(ends[0]);
    waitpid(writer, NULL, 0);
    assert_int_equal(o.status, SIDETONE_OK);
    assert_int_equal(o.capture->rtp_packets, PACKETS);
    assert_int_equal(sidetone_report_streams(o.report), 100);
    assert_true(after.ru_maxrss - before.ru_maxrss < GROWTH_KIB);
    sidetone_report_free(o.report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(input_that_is_whole_is_complete_without_warnings),
        cmocka_unit_test(input_that_is_cut_is_told_with_what_there_is),
        cmocka_unit_test(input_that_is_damaged_is_told_with_what_was_before),
        cmocka_unit_test(input_whose_record_claims_too_much_takes_no_memory),
        cmocka_unit_test(input_with_a_record_longer_than_is_looked_at_is_whole),
        cmocka_unit_test(input_that_is_no_capture_fails_with_its_reason),
        cmocka_unit_test(input_that_is_a_header_alone_is_an_empty_capture),
        cmocka_unit_test(input_that_is_missing_does_not_keep_the_others_from_being_read),
        cmocka_unit_test(input_of_an_unknown_link_type_is_counted),
        cmocka_unit_test(folder_gives_its_captures_by_name_and_leaves_the_rest_out),
        cmocka_unit_test(messages_come_in_the_order_of_time_then_argument_then_record),
        cmocka_unit_test(reading_that_is_stopped_reports_what_was_read),
        cmocka_unit_test(reading_of_a_pipe_takes_no_more_memory_for_more_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
