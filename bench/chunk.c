// What does a packet cost on its way from a file into the bins? A generated capture in chunks:
// guessing where records begin, decoding, sealing (sorting into bins), settling and proving.
//
// The capture is written to a temporary file first and stays in the page cache.
#include "base/memory.h"
#include "bench.h"
#include "gen/write.h"
#include "listen/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SPAN        (256u * 1024) // of a chunk
#define GUESS_SPAN  1024u         // of one that is nearly all guess
#define GUESSES     64u
#define FIRST_PLACE 1000000u // in the middle of a record

static char path[] = "/tmp/sidetone-bench-XXXXXX";
static struct input input; // opened for reading
static struct chunk chunk;
static struct chunk decoded; // for what comes after decoding

static void fail(const char *what)
{
    perror(what);
    unlink(path);
    exit(1);
}

static uint64_t make_capture(void)
{
    struct carrier_options options = CARRIER_DEFAULTS;
    struct carrier_written written;
    options.calls = 100;
    int fd = mkstemp(path);
    if (fd < 0 || carrier_write(fd, &options, NULL, &written) != 0 || close(fd) != 0) {
        fail(path);
    }
    return written.packets;
}

static void ask(struct chunk *c, uint64_t offset, uint64_t span, bool is_known)
{
    c->input = &input;
    c->offset = offset;
    c->span = span;
    c->begin = offset;
    c->has_begin = is_known;
    chunk_decode(c);
    bench_seen += c->packets;
}

// --- the steps ---

static void decode_known(const void *context)
{
    (void)context;
    ask(&chunk, decoded.begin, SPAN, true);
}

static void decode_guessed(const void *context)
{
    (void)context;
    ask(&chunk, FIRST_PLACE, SPAN, false);
}

static void guess(const void *context)
{
    (void)context;
    for (uint32_t i = 0; i < GUESSES; i++) {
        ask(&chunk, FIRST_PLACE + i * 301, GUESS_SPAN, false);
    }
}

static void settle(const void *context)
{
    (void)context;
    chunk_settle(&decoded, 1, INT64_MIN);
    bench_seen += decoded.records.last_order.at;
}

// All of a file, each chunk planned, decoded and proven.
static void read_file(const void *context)
{
    (void)context;
    struct source source = {0};
    struct chunk c, *planned[] = {&c};
    if (input_open(&source.input, path, 0, NULL) != 0 || source_start(&source) != 0) {
        fail(path);
    }
    source.running_ns = source.input.first_ns;
    chunk_init(&c);
    while (!source.is_done && source_plan(&source, planned, 1, SPAN) == 1) {
        chunk_decode(&c);
        source_prove(&source, &c);
        source.queue = (struct record_queue){NULL, NULL};
    }
    bench_seen += source.records;
    chunk_fini(&c);
    source_fini(&source);
}

int main(int argc, char **argv)
{
    uint64_t packets = make_capture();
    if (input_open(&input, path, 0, NULL) != 0 || input_reopen(&input) != 0) {
        fail(path);
    }
    chunk_init(&chunk);
    chunk_init(&decoded);
    ask(&decoded, FIRST_PLACE, SPAN, false);
    uint32_t n = (uint32_t)decoded.packets;
    const struct bench benches[] = {
        {"decode, begin known", decode_known, NULL, n, 20},
        {"decode, begin guessed", decode_guessed, NULL, n, 20},
        {"guess (and decode 1 kB)", guess, NULL, GUESSES, 20},
        {"settle", settle, NULL, n, 200},
        {"plan, decode, prove a file", read_file, NULL, (uint32_t)packets, 4},
    };
    int status = bench_main(argc, argv, "chunk: a packet (guess: a border)", benches,
                            sizeof benches / sizeof *benches);
    chunk_fini(&chunk);
    chunk_fini(&decoded);
    input_fini(&input);
    unlink(path);
    return status;
}
