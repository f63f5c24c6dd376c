// Reading captures as text that can be compared: every message with its packets, then the whole
// report; from paths, or from standard input while somebody writes into it.
#ifndef SIDETONE_TESTS_READ_DUMP_H
#define SIDETONE_TESTS_READ_DUMP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture.h"
#include "report_dump.h"

#include <sys/wait.h>

static inline void dump_message(void *context, const struct sidetone_message *m)
{
    FILE *to = context;
    fprintf(to, "message %" PRId64 " first=%" PRId64 " %s code=%u length=%u headers=%zu odd=%zu%s",
            m->time_ns, m->first_time_ns, m->transport, m->code, m->length, m->header_count,
            m->oddity_count, m->is_incomplete ? " incomplete" : "");
    for (size_t i = 0; i < m->packet_count; i++) {
        fprintf(to, " [%u,%" PRIu64 "]", m->packets[i].file, m->packets[i].record);
    }
    for (size_t i = 0; i < m->path_count; i++) {
        dump_text(to, "in", m->path[i]);
    }
    dump_endpoint(to, "src", &m->src);
    dump_endpoint(to, "dst", &m->dst);
    dump_text(to, "id", m->call_id);
    dump_text(to, "cseq", m->cseq);
    dump_text(to, "raw", m->raw);
    fputc('\n', to);
}

// Every message, then the report.
static inline char *dump_of(const char *const *paths, size_t count, unsigned cores,
                            size_t chunk_bytes)
{
    char *text = NULL;
    size_t n = 0;
    FILE *to = open_memstream(&text, &n);
    struct sidetone_read_options options = {
        .cores = cores, .chunk_bytes = chunk_bytes, .on_message = dump_message, .context = to};
    struct sidetone_report *report;
    sidetone_read(paths, count, &options, &report);
    char *rest = report_dump(report);
    fputs(rest, to);
    fclose(to);
    free(rest);
    sidetone_report_free(report);
    return text;
}

// Shows the first line that differs.
static inline void assert_same(char *have, const char *want, const char *what)
{
    size_t at = 0;
    while (have[at] == want[at] && have[at] != '\0') {
        at++;
    }
    if (have[at] != want[at]) {
        size_t line = at;
        while (line > 0 && want[line - 1] != '\n') {
            line--;
        }
        print_error("%s:\n- %.*s\n+ %.*s\n", what, (int)strcspn(want + line, "\n"), want + line,
                    (int)strcspn(have + line, "\n"), have + line);
    }
    free(have);
    assert_true(have != NULL && at == strlen(want));
}

// --- a pipe ---

static inline void write_pieces(int fd, const struct bytes *b, uint64_t seed)
{
    struct random rng;
    random_init(&rng, seed);
    for (size_t at = 0; at < b->n;) {
        size_t n = 1 + (size_t)random_below(&rng, random_below(&rng, 2) ? 40 : 9000);
        n = n < b->n - at ? n : b->n - at;
        ssize_t wrote = write(fd, b->p + at, n);
        if (wrote <= 0) {
            _exit(1);
        }
        at += (size_t)wrote;
    }
    _exit(0);
}

// What is read from standard input while `b` is written into it.
static inline char *dump_of_stdin(const struct bytes *b, unsigned cores, size_t chunk_bytes)
{
    static const char *const PATH = "-";
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t writer = fork();
    if (writer == 0) {
        close(ends[0]);
        write_pieces(ends[1], b, b->n);
    }
    close(ends[1]);
    int before = dup(STDIN_FILENO);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    char *text = dump_of(&PATH, 1, cores, chunk_bytes);
    dup2(before, STDIN_FILENO);
    close(before);
    waitpid(writer, NULL, 0);
    return text;
}

// Without those that name the path.
static inline char *without_warnings(char *text)
{
    size_t n = 0;
    for (const char *line = text; *line;) {
        const char *next = strchr(line, '\n') + 1;
        if (strncmp(line, " warning=", 9) != 0) {
            memmove(text + n, line, (size_t)(next - line));
            n += (size_t)(next - line);
        }
        line = next;
    }
    text[n] = '\0';
    return text;
}

#endif
