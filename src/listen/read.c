// sidetone_read(): from paths to a report.
#include "sidetone/read.h"

#include "base/error.h"
#include "base/memory.h"
#include "listen/report.h"

#include <errno.h>
#include <inttypes.h>

static const char *shown(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

// --- inputs ---

static const char *why_not(const struct input *in, int error, int system_error)
{
    if (in->why) {
        return in->why;
    }
    return error == ERR_OPEN || error == ERR_READ ? strerror(system_error) : error_text(error);
}

// Opens every path; what is no capture is told and left out. Returns false where something could
// not be read.
static bool open_inputs(struct sidetone_report *r)
{
    const struct path_list *list = &r->paths;
    struct engine *e = &r->engine;
    bool all = true;
    e->sources = memory_zero((list->count + 1) * sizeof *e->sources);
    for (size_t i = 0; i < list->count; i++) {
        struct source *s = &e->sources[e->source_count];
        int error = input_open(&s->input, list->paths[i], e->source_count, e->options->stop);
        int system_error = errno;
        if (error != 0 && e->options->stop && *e->options->stop) {
            input_fini(&s->input); // asked to stop while waiting for a stream
            continue;
        }
        if (error == 0) {
            s->running_ns = s->input.first_ns; // also of packets before it that have none
            e->source_count++;
            continue;
        }
        const char *why = why_not(&s->input, error, system_error);
        input_fini(&s->input);
        bool is_noise = list->is_listed[i] && (error == ERR_NOT_A_CAPTURE || error == ERR_EMPTY);
        report_warn(r, is_noise ? "%s: left out: %s" : "%s: %s", shown(list->paths[i]), why);
        all = all && is_noise;
    }
    return all;
}

static bool list_paths(struct sidetone_report *r, const char *const *paths, size_t count)
{
    bool all = true;
    bool has_stdin = false;
    for (size_t i = 0; i < count; i++) {
        size_t before = r->paths.count;
        bool is_stdin = strcmp(paths[i], "-") == 0;
        if (is_stdin && has_stdin) {
            report_warn(r, "standard input was named twice; it can be read once only");
            all = false;
            continue;
        }
        has_stdin = has_stdin || is_stdin;
        if (path_list_add(&r->paths, paths[i]) != 0) {
            report_warn(r, "%s: %s", paths[i], strerror(errno));
            all = false;
        } else if (r->paths.count == before) {
            report_warn(r, "%s: no files in this directory", paths[i]);
            all = false;
        }
    }
    return all;
}

// --- how the inputs ended ---

// The compressed data of an input that is not damaged itself. Returns false where it is not whole.
static bool tell_packed_end(struct sidetone_report *r, const struct source *s)
{
    const char *path = shown(s->input.path);
    bool is_cut = s->input.unpack_end == UNPACK_CUT;
    switch (s->input.unpack_end) {
    case UNPACK_CUT:
    case UNPACK_DAMAGED:
        report_warn(r,
                    "%s: the compressed data is %s after packet %" PRIu64
                    "; what comes before that was read",
                    path, is_cut ? "cut" : "damaged", s->records);
        return false;
    case UNPACK_WINDOW:
        report_warn(r, "%s: after packet %" PRIu64 " %s", path, s->records, UNPACK_WINDOW_TEXT);
        return false;
    case UNPACK_TRAILED:
        report_warn(r, "%s: something else follows the compressed data; it was ignored", path);
        break;
    case UNPACK_GOES_ON:
    case UNPACK_WHOLE:
    case UNPACK_READ_ERROR:
        break;
    }
    return true;
}

static bool tell_end(struct sidetone_report *r, const struct source *s)
{
    const char *path = shown(s->input.path);
    if (s->back_ns > 0) {
        report_warn(
            r, "%s: the clock steps back by %.3f s; packets are taken in the order of the file",
            path, (double)s->back_ns / 1e9);
    }
    if (source_dropped(s) > 0) {
        report_warn(r,
                    "%s: the capture itself lost packets, %" PRIu64
                    " by its own count: what is missing need not have been lost by the network",
                    path, source_dropped(s));
    }
    if (s->kept_left_out > 0) {
        report_warn(
            r, "%s: %" PRIu64 " blocks of names or secrets were left out: more than %u MiB of them",
            path, s->kept_left_out, KEPT_BYTES_MAX >> 20);
    }
    if (s->why != END_DAMAGED && !tell_packed_end(r, s)) {
        return false;
    }
    const char *in_what = s->input.packed == UNPACK_NONE ? "" : " (of the decompressed capture)";
    switch (s->why) {
    case END_CUT:
        report_warn(r, "%s: cut: it ends inside the record after packet %" PRIu64, path,
                    s->records);
        return false;
    case END_DAMAGED:
        report_warn(
            r, "%s: damaged at byte %" PRIu64 "%s, after packet %" PRIu64 "; the rest was not read",
            path, s->begin, in_what, s->records);
        return false;
    case END_READ_ERROR:
        report_warn(r, "%s: %s", path, strerror(s->read_errno));
        return false;
    case END_NONE:
    case END_OF_INPUT:
        break;
    }
    return true;
}

static bool tell_ends(struct sidetone_report *r)
{
    const struct engine *e = &r->engine;
    bool all = true;
    for (uint32_t i = 0; i < e->source_count; i++) {
        all = tell_end(r, &e->sources[i]) && all;
    }
    if (e->totals.undescribed > 0) {
        report_warn(
            r,
            "%" PRIu64
            " packets were not analysed: their interface is not described before them, or beyond "
            "the first %d",
            e->totals.undescribed, PCAPNG_INTERFACES_MAX);
        all = false;
    }
    if (e->totals.counts.unknown_linktype != UINT64_MAX) {
        report_warn(
            r, "link type %" PRIu64 " is unknown: its %" PRIu64 " packets were not analysed",
            e->totals.counts.unknown_linktype, e->totals.counts.reasons[REASON_UNKNOWN_LINKTYPE]);
        all = false;
    }
    return all;
}

int sidetone_read(const char *const *paths, size_t count,
                  const struct sidetone_read_options *options, struct sidetone_report **out)
{
    static const struct sidetone_read_options DEFAULTS;
    struct sidetone_report *r = memory_zero(sizeof *r);
    arena_init(&r->arena, 4096);
    r->engine.options = options ? options : &DEFAULTS;
    r->strict_legs = r->engine.options->strict_legs;
    bool all = list_paths(r, paths, count);
    all = open_inputs(r) && all;
    if (r->engine.source_count == 0 && r->paths.count > 0 && all) {
        report_warn(r, "there is no capture among these files");
        all = false;
    }
    engine_run(&r->engine);
    r->engine.options = &DEFAULTS; // the caller's are theirs again
    all = tell_ends(r) && all;
    report_join(r);
    report_ledger(r, all);
    report_capture_loss(r);
    engine_dismiss(&r->engine);
    *out = r;
    if (r->engine.source_count == 0) {
        return SIDETONE_FAILED;
    }
    return all ? SIDETONE_OK : SIDETONE_PARTIAL;
}

void sidetone_report_free(struct sidetone_report *r)
{
    if (!r) {
        return;
    }
    engine_fini(&r->engine);
    path_list_fini(&r->paths);
    arena_fini(&r->arena);
    memory_free(r->calls);
    memory_free(r->call_streams);
    memory_free(r->call_streams_begin);
    memory_free(r->legs);
    memory_free(r->legs_begin);
    memory_free(r->streams);
    memory_free(r->warnings);
    memory_free(r);
}
