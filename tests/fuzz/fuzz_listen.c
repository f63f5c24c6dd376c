// Fuzz target of the whole reader: any bytes are a file; the report's sums hold, and it does not
// depend on chunks.
#include "../unit/capture.h"
#include "../unit/report_dump.h"

static void check_sums(const struct sidetone_report *r)
{
    const struct sidetone_capture *c = sidetone_report_capture(r);
    uint64_t sum = c->analysed;
    for (size_t i = 0; i < c->not_analysed_count; i++) {
        sum += c->not_analysed[i].count;
    }
    if (sum != c->packets) {
        abort();
    }
    struct sidetone_scratch *scratch = sidetone_scratch_new();
    for (size_t i = 0; i < sidetone_report_streams(r); i++) {
        struct sidetone_stream s;
        uint64_t packets = 0, lost = 0;
        sidetone_report_stream(r, i, scratch, &s);
        for (size_t k = 0; k < s.interval_count; k++) {
            packets += s.intervals[k].packets;
            lost += s.intervals[k].lost;
        }
        if (s.packets != s.unique + s.duplicates + s.too_late || s.expected - s.unique != s.lost ||
            packets != s.packets || lost != s.lost) {
            abort();
        }
    }
    sidetone_scratch_free(scratch);
}

static char *read_and_check(const char *path, size_t chunk_bytes)
{
    struct sidetone_read_options options = {.cores = 1, .chunk_bytes = chunk_bytes};
    struct sidetone_report *report;
    sidetone_read(&path, 1, &options, &report);
    check_sums(report);
    char *text = report_dump(report);
    sidetone_report_free(report);
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    struct capture_file file = capture_file(bytes, n);
    char *whole = read_and_check(file.path, 0);
    char *pieces = read_and_check(file.path, 64 + n % 300);
    if (strcmp(whole, pieces) != 0) {
        abort();
    }
    free(whole);
    free(pieces);
    capture_file_close(&file);
    return 0;
}
