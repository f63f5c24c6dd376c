// The one line that tells how far long work has come; only on a terminal, only when it takes long.
#ifndef SIDETONE_SHOW_PROGRESS_H
#define SIDETONE_SHOW_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROGRESS_FIRST_NS INT64_C(500000000) // what is done in half a second needs no line
#define PROGRESS_EVERY_NS INT64_C(100000000)
#define PROGRESS_BYTES    160

// How far it is. A total of 0 is not known.
struct progress_at {
    const char *doing; // "reading", at most 16 letters
    uint64_t packets, packets_total;
    uint64_t bytes, bytes_total;
};

struct progress {
    int fd;             // a terminal
    int64_t started_ns; // monotonic
    int64_t shown_ns;   // of the line that stands there
    bool visible;
};

void progress_init(struct progress *p, int fd, int64_t now_ns);

// "reading  42 %  12,345,678 packets  31.0 M packets/s  128.4 MB of 305.7 MB" without a NUL; the
// percentage only where a total is known (that of bytes first). Returns the length (below
// PROGRESS_BYTES).
size_t progress_line(char *out, const struct progress_at *at, int64_t elapsed_ns);

// Is a (new) line due at this moment?
bool progress_is_due(const struct progress *p, int64_t now_ns);

// Shows the line where it is due.
void progress_update(struct progress *p, const struct progress_at *at, int64_t now_ns);

// Takes the line away.
void progress_clear(struct progress *p);

#endif
