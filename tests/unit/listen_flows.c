// Tests that what takes several packets is read the same however the capture is cut: for all cores
// and chunks, files and pipes, and dealt over several files.
#include "flow_traffic.h"
#include "read_dump.h"

// --- cores and chunks ---

static void check_cores_and_chunks(const char *const *paths, size_t count, const char *what)
{
    static const struct {
        unsigned cores;
        size_t chunk_bytes;
    } ROWS[] = {{1, 4096}, {2, 4096},  {3, 4096},  {8, 4096}, {1, 700},
                {3, 1777}, {2, 10007}, {8, 65536}, {2, 0}};
    char *want = dump_of(paths, count, 1, 0);
    assert_true(strlen(want) > 10000);
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        char name[128];
        snprintf(name, sizeof name, "%s: %u cores, chunks of %zu", what, ROWS[i].cores,
                 ROWS[i].chunk_bytes);
        assert_same(dump_of(paths, count, ROWS[i].cores, ROWS[i].chunk_bytes), want, name);
    }
    free(want);
}

static void check_bytes(const struct bytes *b, const char *what)
{
    struct capture_file file = capture_file(b->p, b->n);
    const char *path = file.path;
    check_cores_and_chunks(&path, 1, what);
    capture_file_close(&file);
}

static void flows_are_the_same_for_all_cores_and_chunks(void **state)
{
    (void)state;
    uint64_t seed = capture_seed("listen_flows", 1);
    size_t rounds = capture_rounds(4);
    for (size_t i = 0; i < rounds; i++) {
        struct flow_frames f;
        struct bytes b = {0};
        flow_traffic(&f, seed + i, 12);
        if (i & 1) {
            flow_pcapng(&f, &b);
        } else {
            flow_pcap(&f, &b);
        }
        check_bytes(&b, i & 1 ? "pcapng" : "pcap");
        bytes_free(&b);
        flow_frames_free(&f);
    }
}

// Times that step back, and packets that are cut.
static void flows_of_a_bad_capture_are_the_same_for_all_cores_and_chunks(void **state)
{
    (void)state;
    uint64_t seed = capture_seed("listen_flows_bad", 100);
    size_t rounds = capture_rounds(3);
    for (size_t i = 0; i < rounds; i++) {
        struct flow_frames f;
        struct bytes b = {0};
        flow_traffic(&f, seed + i, 8);
        pcap_begin(&b, LINK_ETHERNET);
        for (size_t k = 0; k < f.n; k++) {
            struct flow_frame *p = &f.items[k];
            uint32_t n = flow_chance(&f, 10) ? flow_pick(&f, p->n + 1) : p->n;
            int64_t time_ns = p->time_ns - (flow_chance(&f, 5) ? flow_pick(&f, 5000) * MS : 0);
            pcap_write_record(bytes_grow(&b, PCAP_WRITE_RECORD_BYTES), time_ns, n, p->n, true);
            bytes_put(&b, p->bytes, n);
        }
        check_bytes(&b, "cut, clock steps back");
        bytes_free(&b);
        flow_frames_free(&f);
    }
}

// --- a pipe ---

static void flows_of_a_pipe_are_those_of_the_file(void **state)
{
    (void)state;
    static const size_t CHUNKS[] = {700, 4096, 0};
    uint64_t seed = capture_seed("listen_flows_pipe", 200);
    for (size_t i = 0; i < 2; i++) {
        struct flow_frames f;
        struct bytes b = {0};
        flow_traffic(&f, seed + i, 6);
        if (i & 1) {
            flow_pcapng(&f, &b);
        } else {
            flow_pcap(&f, &b);
        }
        struct capture_file file = capture_file(b.p, b.n);
        const char *path = file.path;
        char *want = without_warnings(dump_of(&path, 1, 1, 0));
        for (size_t k = 0; k < 3; k++) {
            assert_same(without_warnings(dump_of_stdin(&b, 1 + (unsigned)k, CHUNKS[k])), want,
                        "pipe");
        }
        free(want);
        capture_file_close(&file);
        bytes_free(&b);
        flow_frames_free(&f);
    }
}

// --- several files ---

#define FILES 3

// The length of "[file,record]" where it stands at `at`, else 0.
static size_t place_length(const char *at)
{
    size_t first = *at == '[' ? strspn(at + 1, "0123456789") : 0;
    size_t second = first > 0 && at[1 + first] == ',' ? strspn(at + 2 + first, "0123456789") : 0;
    return second > 0 && at[2 + first + second] == ']' ? 3 + first + second : 0;
}

// Without the places of packets, and without the number of files.
static char *without_places(char *text)
{
    size_t n = 0;
    for (const char *at = text; *at;) {
        size_t length = place_length(at);
        if (length > 0) {
            text[n++] = '#';
        } else if (strncmp(at, "\ncapture files=", 15) == 0) {
            length = 16;
        } else {
            text[n++] = *at;
            length = 1;
        }
        at += length;
    }
    text[n] = '\0';
    return text;
}

struct dealt {
    struct bytes bytes[FILES];
    struct capture_file files[FILES];
    const char *paths[FILES];
};

static void dealt_open(struct dealt *d)
{
    for (size_t i = 0; i < FILES; i++) {
        d->files[i] = capture_file(d->bytes[i].p, d->bytes[i].n);
        d->paths[i] = d->files[i].path;
        bytes_free(&d->bytes[i]);
    }
}

static void dealt_close(struct dealt *d)
{
    for (size_t i = 0; i < FILES; i++) {
        capture_file_close(&d->files[i]);
    }
}

enum dealing {
    ALTERNATING,
    ANYHOW,
    ROTATED, // the files are named in another order than that of their times
    DEALINGS,
};

static size_t file_of(struct flow_frames *f, size_t i, enum dealing how)
{
    switch (how) {
    case ALTERNATING:
        return i % FILES;
    case ANYHOW:
        return flow_pick(f, FILES);
    case ROTATED:
    case DEALINGS:
        break;
    }
    return (i * FILES / f->n + 1) % FILES;
}

static void check_dealt(struct flow_frames *f, enum dealing how, const char *want)
{
    struct dealt d = {0};
    for (size_t i = 0; i < FILES; i++) {
        pcap_begin(&d.bytes[i], LINK_ETHERNET);
    }
    for (size_t i = 0; i < f->n; i++) {
        flow_pcap_put(&d.bytes[file_of(f, i, how)], &f->items[i]);
    }
    dealt_open(&d);
    assert_same(without_places(dump_of(d.paths, FILES, 1, 0)), want, "dealt");
    check_cores_and_chunks(d.paths, FILES, "dealt");
    dealt_close(&d);
}

static void flows_of_several_files_are_those_of_one(void **state)
{
    (void)state;
    uint64_t seed = capture_seed("listen_flows_files", 300);
    size_t rounds = capture_rounds(3);
    for (size_t i = 0; i < rounds; i++) {
        struct flow_frames f;
        struct bytes b = {0};
        flow_traffic(&f, seed + i, 8);
        flow_pcap(&f, &b);
        struct capture_file file = capture_file(b.p, b.n);
        const char *path = file.path;
        char *want = without_places(dump_of(&path, 1, 1, 0));
        for (enum dealing how = ALTERNATING; how < DEALINGS; how++) {
            check_dealt(&f, how, want);
        }
        free(want);
        capture_file_close(&file);
        bytes_free(&b);
        flow_frames_free(&f);
    }
}

// The messages alone.
static char *messages_of(char *text)
{
    char *end = strncmp(text, "capture ", 8) == 0 ? text : strstr(text, "\ncapture ");
    assert_non_null(end);
    *end = '\0';
    return text;
}

// "# # #" becomes "#": a copy of a fragment is a packet too.
static char *without_packet_counts(char *text)
{
    size_t n = 0;
    for (const char *at = text; *at; at++) {
        if (strncmp(at, " # #", 4) == 0) {
            at++;
            continue;
        }
        text[n++] = *at;
    }
    text[n] = '\0';
    return text;
}

// The same minute, captured at two places.
static void messages_of_a_capture_read_twice_are_those_of_it(void **state)
{
    (void)state;
    uint64_t seed = capture_seed("listen_flows_twice", 400);
    for (size_t i = 0; i < 3; i++) {
        struct flow_frames f;
        struct bytes b = {0};
        flow_traffic(&f, seed + i, 8);
        flow_pcap(&f, &b);
        struct capture_file first = capture_file(b.p, b.n);
        struct capture_file second = capture_file(b.p, b.n);
        const char *paths[] = {first.path, second.path};
        char *want = without_packet_counts(without_places(messages_of(dump_of(paths, 1, 1, 0))));
        char *have = without_packet_counts(without_places(messages_of(dump_of(paths, 2, 2, 4096))));
        assert_same(have, want, "twice");
        free(want);
        check_cores_and_chunks(paths, 2, "twice");
        capture_file_close(&first);
        capture_file_close(&second);
        bytes_free(&b);
        flow_frames_free(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flows_are_the_same_for_all_cores_and_chunks),
        cmocka_unit_test(flows_of_a_bad_capture_are_the_same_for_all_cores_and_chunks),
        cmocka_unit_test(flows_of_a_pipe_are_those_of_the_file),
        cmocka_unit_test(flows_of_several_files_are_those_of_one),
        cmocka_unit_test(messages_of_a_capture_read_twice_are_those_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
