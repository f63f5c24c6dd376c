// Tests that what is known of a call does not hang on the clocks of the interfaces that saw its two
// sides: facts are added, in whatever order they come.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "call_script.h"

#define LINES_MAX 8

static const struct {
    const char *name;
    const char *lines[LINES_MAX];
    const char *wanted;
} CALLS[] = {
    {"whole",
     {">INVITE 1", "<100 1", "<180 1", "<200 1", ">ACK 1", ">BYE 2", "<200 2 BYE"},
     "kind=call state=ended code=200 messages=7 retransmissions=0 notes=- acked=1 by=caller"},
    {"ended by the callee",
     {">INVITE 1", "<180 1", "<200 1", ">ACK 1", "<BYE 8", ">200 8 BYE"},
     "state=ended code=200 messages=6 acked=1 by=callee"},
    {"cancelled",
     {">INVITE 1", "<180 1", ">CANCEL 1", "<200 1 CANCEL", "<487 1", ">ACK 1"},
     "state=cancelled code=487 messages=6 notes=-"},
    {"busy", {">INVITE 1", "<100 1", "<180 1", "<486 1", ">ACK 1"}, "state=busy code=486 notes=-"},
    {"up",
     {">INVITE 1", "<100 1", "<183 1", "<200 1", ">ACK 1"},
     "state=answered code=200 notes=-"},
};

static bool check_order(size_t call, const unsigned *order, size_t n)
{
    char text[512], name[128];
    size_t at = 0, name_n = 0;
    for (size_t i = 0; i < n; i++) {
        at += (size_t)snprintf(text + at, sizeof text - at, "%s\n", CALLS[call].lines[order[i]]);
        name_n += (size_t)snprintf(name + name_n, sizeof name - name_n, "%u", order[i]);
    }
    struct script_case one = {name, text, {CALLS[call].wanted}};
    return script_check(&one);
}

// Every way in which what the caller said and what the callee said can be merged, each in its own
// order: as two interfaces see it whose clocks differ.
static size_t check_all_merges(size_t call)
{
    unsigned by_caller[LINES_MAX], by_callee[LINES_MAX], order[LINES_MAX];
    size_t callers = 0, callees = 0, bad = 0;
    for (unsigned i = 0; i < LINES_MAX && CALLS[call].lines[i]; i++) {
        if (CALLS[call].lines[i][0] == '>') {
            by_caller[callers++] = i;
        } else {
            by_callee[callees++] = i;
        }
    }
    for (unsigned choice = 0; choice < 1u << (callers + callees); choice++) {
        size_t a = 0, b = 0;
        if ((size_t)__builtin_popcount(choice) != callers) {
            continue;
        }
        for (size_t i = 0; i < callers + callees; i++) {
            order[i] = choice >> i & 1 ? by_caller[a++] : by_callee[b++];
        }
        bad += !check_order(call, order, callers + callees);
    }
    return bad;
}

static void call_seen_by_two_clocks_is_the_same(void **state)
{
    (void)state;
    size_t bad = 0;
    for (size_t i = 0; i < sizeof CALLS / sizeof CALLS[0]; i++) {
        size_t here = check_all_merges(i);
        if (here > 0) {
            printf("# %s: %zu merges differ\n", CALLS[i].name, here);
        }
        bad += here;
    }
    assert_int_equal(bad, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(call_seen_by_two_clocks_is_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
