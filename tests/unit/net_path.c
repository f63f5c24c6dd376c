// Tests of the outer path: every part of a step counts, what stands behind the steps does not, and
// each kind has its text.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "path_line.h"

static struct address address(const char *text)
{
    struct address a;
    assert_true(address_parse(slice_of(text, strlen(text)), &a));
    return a;
}

static void path_every_part_of_a_step_counts(void **state)
{
    (void)state;
    struct path base = {.count = 0};
    path_add(&base, PATH_VLAN, 7);
    path_add(&base, PATH_IP, 0);
    base.steps[1].src = address("192.0.2.1");
    base.steps[1].dst = address("192.0.2.2");
    struct path changed[7];
    for (int i = 0; i < 7; i++) {
        changed[i] = base;
    }
    changed[0].count = 1;
    changed[1].steps[0].id = 8;
    changed[2].steps[0].kind = PATH_MPLS;
    changed[3].steps[1].src = address("192.0.2.3");
    changed[4].steps[1].dst = address("192.0.2.3");
    changed[5].steps[1].src = base.steps[1].dst; // the way back
    changed[5].steps[1].dst = base.steps[1].src;
    changed[6].steps[0] = base.steps[1]; // another order
    changed[6].steps[1] = base.steps[0];
    for (int i = 0; i < 7; i++) {
        assert_false(path_eq(&base, &changed[i]));
        assert_true(path_hash(&base, 5) != path_hash(&changed[i], 5));
    }
    assert_true(path_hash(&base, 5) != path_hash(&base, 6));
}

static void path_what_stands_behind_the_steps_means_nothing(void **state)
{
    (void)state;
    struct path a, b;
    memset(&a, 0x5a, sizeof a);
    memset(&b, 0xa5, sizeof b);
    a.count = b.count = 0;
    assert_true(path_eq(&a, &b));
    assert_int_equal(path_hash(&a, 5), 0);
    path_add(&a, PATH_GTP, 1);
    path_add(&b, PATH_GTP, 1);
    assert_true(path_eq(&a, &b));
    assert_true(path_hash(&a, 5) == path_hash(&b, 5));
    assert_true(path_hash(&a, 5) != 0);
}

static void path_full_keeps_the_outermost(void **state)
{
    (void)state;
    struct path p = {.count = 0};
    for (uint32_t i = 0; i < PATH_STEPS_MAX + 5; i++) {
        path_add(&p, PATH_MPLS, i);
    }
    assert_int_equal(p.count, PATH_STEPS_MAX);
    assert_int_equal(p.steps[PATH_STEPS_MAX - 1].id, PATH_STEPS_MAX - 1);
}

static void path_each_kind_has_its_text(void **state)
{
    (void)state;
    static const struct {
        enum path_kind kind;
        uint32_t id;
        const char *src, *dst, *text;
    } ROWS[] = {
        {PATH_VLAN, 100, NULL, NULL, "vlan 100"},
        {PATH_VLAN, 0, NULL, NULL, "vlan 0"},
        {PATH_BACKBONE, 0xffffff, NULL, NULL, "backbone 16777215"},
        {PATH_MPLS, 16, NULL, NULL, "mpls 16"},
        {PATH_PPPOE, 7, NULL, NULL, "pppoe 7"},
        {PATH_IP, 0, "192.0.2.1", "192.0.2.2", "ip 192.0.2.1 > 192.0.2.2"},
        {PATH_IP, 0, "0.0.0.0", "192.0.2.2", "ip 0.0.0.0 > 192.0.2.2"},
        {PATH_IP, 0, "2001:db8::1", "::", "ip 2001:db8::1 > ::"},
        {PATH_GRE, 0, NULL, NULL, "gre"},
        {PATH_GRE, UINT32_MAX, NULL, NULL, "gre 4294967295"},
        {PATH_ERSPAN, 3, NULL, NULL, "erspan 3"},
        {PATH_VXLAN, 5, NULL, NULL, "vxlan 5"},
        {PATH_GENEVE, 5, NULL, NULL, "geneve 5"},
        {PATH_GTP, 0x1234abcd, NULL, NULL, "gtp 0x1234abcd"},
        {PATH_L2TP, 0x00050007, NULL, NULL, "l2tp 0x00050007"},
        {PATH_TEREDO, 0, NULL, NULL, "teredo"},
        {PATH_TZSP, 0, NULL, NULL, "tzsp"},
        {PATH_ETHERIP, 0, NULL, NULL, "etherip"},
        {PATH_HEP, 2001, NULL, NULL, "hep 2001"},
        {PATH_HEP, 2001, "192.0.2.1", "192.0.2.2", "hep 2001 192.0.2.1 > 192.0.2.2"},
        {PATH_KINDS, 1, NULL, NULL, "unknown"},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        struct path_step s = {.kind = (uint8_t)ROWS[i].kind, .id = ROWS[i].id};
        if (ROWS[i].src != NULL) {
            s.src = address(ROWS[i].src);
            s.dst = address(ROWS[i].dst);
        }
        char text[PATH_STEP_TEXT_BYTES];
        assert_int_equal(path_step_text(&s, text), strlen(ROWS[i].text));
        assert_string_equal(text, ROWS[i].text);
    }
}

static void path_longest_text_has_room(void **state)
{
    (void)state;
    struct address longest = address("2001:1db8:1111:2222:3333:4444:5555:6666");
    for (int kind = 0; kind < PATH_KINDS; kind++) {
        struct path_step s = {(uint8_t)kind, UINT32_MAX, longest, longest};
        char text[PATH_STEP_TEXT_BYTES + 1];
        text[PATH_STEP_TEXT_BYTES] = 'x';
        assert_true(path_step_text(&s, text) < PATH_STEP_TEXT_BYTES);
        assert_int_equal(text[PATH_STEP_TEXT_BYTES], 'x');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(path_every_part_of_a_step_counts),
        cmocka_unit_test(path_what_stands_behind_the_steps_means_nothing),
        cmocka_unit_test(path_full_keeps_the_outermost),
        cmocka_unit_test(path_each_kind_has_its_text),
        cmocka_unit_test(path_longest_text_has_room),
    };
    return cmocka_run_group_tests_name("net_path", tests, NULL, NULL);
}
