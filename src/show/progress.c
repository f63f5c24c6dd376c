// The line that tells how far long work has come.
#include "show/progress.h"

#include "show/number.h"

#include <string.h>
#include <unistd.h>

void progress_init(struct progress *p, int fd, int64_t now_ns)
{
    *p = (struct progress){.fd = fd, .started_ns = now_ns};
}

static size_t add(char *out, size_t n, const char *text)
{
    size_t length = strlen(text);
    memcpy(out + n, text, length);
    return n + length;
}

size_t progress_line(char *out, const struct progress_at *at, int64_t elapsed_ns)
{
    bool by_bytes = at->bytes_total > 0;
    uint64_t total = by_bytes ? at->bytes_total : at->packets_total;
    size_t n = add(out, 0, at->doing);
    n = add(out, n, "  ");
    if (total > 0) {
        double part = (double)(by_bytes ? at->bytes : at->packets) / (double)total;
        n += number_u64(out + n, part < 1 ? (uint64_t)(part * 100) : 100);
        n = add(out, n, " %  ");
    }
    n += number_grouped(out + n, at->packets);
    n = add(out, n, " packets  ");
    if (elapsed_ns > 0) {
        n += number_short(out + n, (double)at->packets * 1e9 / (double)elapsed_ns);
        n = add(out, n, " packets/s  ");
    }
    n += number_size(out + n, at->bytes);
    if (by_bytes) {
        n = add(out, n, " of ");
        n += number_size(out + n, at->bytes_total);
    }
    return n;
}

bool progress_is_due(const struct progress *p, int64_t now_ns)
{
    return now_ns - p->started_ns >= PROGRESS_FIRST_NS &&
           (!p->visible || now_ns - p->shown_ns >= PROGRESS_EVERY_NS);
}

// A terminal that refuses a progress line is no reason to do anything else.
static void send_line(int fd, const char *p, size_t n)
{
    ssize_t ignored = write(fd, p, n);
    (void)ignored;
}

void progress_update(struct progress *p, const struct progress_at *at, int64_t now_ns)
{
    char line[PROGRESS_BYTES + 8];
    if (!progress_is_due(p, now_ns)) {
        return;
    }
    size_t n = add(line, 0, "\r");
    n += progress_line(line + n, at, now_ns - p->started_ns);
    n = add(line, n, "\033[K");
    send_line(p->fd, line, n);
    p->shown_ns = now_ns;
    p->visible = true;
}

void progress_clear(struct progress *p)
{
    if (p->visible) {
        send_line(p->fd, "\r\033[K", 4);
        p->visible = false;
    }
}
