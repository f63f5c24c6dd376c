// The frame of the benches: each is a program with a table of things to measure.
//
//     bench_sip_parse                     median and best of several rounds, in ns an operation
//     bench_sip_parse --list              name, calls and operations of each, separated by tabs
//     bench_sip_parse --count NAME CALLS  calls one of them so often and prints nothing
//
// `./dev bench` (tools/bench.py) counts instructions with --count under callgrind, once with N
// calls and once with twice as many: the difference is what N calls cost, without what comes before
// and behind them. Times are of this machine and moment; instructions are the same every time.
//
// Tables with a secret (base/hash.h) have the same one in every run, as long as a bench does not go
// through sidetone_read.
#ifndef SIDETONE_BENCH_BENCH_H
#define SIDETONE_BENCH_BENCH_H

#include <stddef.h>
#include <stdint.h>

struct bench {
    const char *name; // without tabs
    void (*work)(const void *context);
    const void *context;
    uint32_t operations; // in one call of work: at least 1
    uint32_t calls;      // in one round of times: some milliseconds
};

// Benches of one program. Not smaller: the frames of bench_peel have ten. Not larger: a table is to
// be read.
#define BENCH_MAX 32

// What work computed goes here, so that no compiler leaves it out.
extern uint64_t bench_seen;

// `about`: the first line of the output, what an operation is. Returns the exit status of main.
int bench_main(int argc, char **argv, const char *about, const struct bench *benches, size_t count);

#endif
