// Messages that other projects test themselves with: none may bring the parser down, and the
// Call-ID is found wherever the file has one. Looked for in $SIDETONE_SHARED/messages, else
// ../shared/messages; skipped where that is missing.
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "guard.h"
#include "sip_inside.h"

static char bytes[1 << 20];

// The line that a person would take for the Call-ID: its name at the beginning of a line, a colon,
// a value.
static bool find_call_id(struct slice text, struct slice *value)
{
    struct slice line;
    size_t lines = 0;
    while (text.n > 0) {
        slice_cut(text, '\n', &line, &text);
        struct slice name, rest;
        bool has_colon = slice_cut(line, ':', &name, &rest);
        if (lines++ > 0 && slice_trim(line).n == 0) {
            return false; // the body begins
        }
        bool at_begin = line.n > 0 && line.p[0] != ' ' && line.p[0] != '\t';
        name = slice_trim(name);
        if (has_colon && at_begin &&
            (slice_eq_nocase(name, SLICE("Call-ID")) || slice_eq_nocase(name, SLICE("i")))) {
            *value = slice_trim(rest);
            return true;
        }
    }
    return false;
}

static void check_file(const char *path)
{
    static struct sip_message m;
    struct slice want;
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    size_t n = fread(bytes, 1, sizeof bytes, in);
    fclose(in);
    char *copy = (char *)guard_copy(bytes, n);
    sip_check_all(copy, n, SIP_DATAGRAM, false);
    sip_check_all(copy, n, SIP_STREAM, false);
    guard_free((uint8_t *)copy, n);
    if (sip_parse(&m, bytes, n, SIP_DATAGRAM, false) < 0) {
        print_message("%s: no start line\n", path);
        return;
    }
    if (find_call_id(slice_of(bytes, n), &want)) {
        struct slice got = sip_value(&m, SIP_H_CALL_ID);
        if (!slice_eq(got, want)) {
            fail_msg("%s: Call-ID \"%.*s\" instead of \"%.*s\"", path, (int)got.n,
                     got.p ? got.p : "", (int)want.n, want.p);
        }
    }
}

static void messages_of_others_call_id_is_found(void **arg)
{
    (void)arg;
    char folder[512], path[1024];
    int files = 0;
    const char *shared = getenv("SIDETONE_SHARED");
    snprintf(folder, sizeof folder, "%s/messages", shared ? shared : "../shared");
    DIR *dir = opendir(folder);
    if (!dir) {
        print_message("skipped: no folder %s\n", folder);
        skip();
    }
    for (struct dirent *e = readdir(dir); e; e = readdir(dir)) {
        size_t n = strlen(e->d_name);
        if (n > 4 && strcmp(e->d_name + n - 4, ".sip") == 0) {
            snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
            check_file(path);
            files++;
        }
    }
    closedir(dir);
    print_message("%d files\n", files);
    assert_true(files > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_of_others_call_id_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
