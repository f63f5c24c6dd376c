// Tests of who was measured: programs, hashes, folders, the machine, instruction counts.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lab/identity.h"
#include "lab/instructions.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static void write_file(const char *name, const char *text, mode_t mode)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    chmod(path, mode);
}

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/sidetone-identity-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"a", "b", ".hidden", "program", "link"};
    char path[128];
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, NAMES[i]);
        unlink(path);
    }
    return rmdir(folder);
}

// FIPS 180-2, B.1 and the empty text. The folder: `printf` of the two lines into sha256sum.
static void sha256_is_the_standards(void **state)
{
    (void)state;
    char path[128];
    write_file("a", "abc", 0644);
    write_file("b", "", 0644);
    write_file(".hidden", "x", 0644);
    snprintf(path, sizeof path, "%s/a", folder);
    struct sha256 s = sha256_of_path(path, NULL);
    if (s.end == SHA256_NO_LIBRARY) {
        skip();
    }
    assert_int_equal(s.end, SHA256_KNOWN);
    assert_string_equal(s.hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_int_equal(s.bytes, 3);
    s = sha256_of_path(folder, NULL);
    assert_int_equal(s.end, SHA256_KNOWN);
    assert_string_equal(s.hex, "09c7e0b8a02d027d95ec0375a600ed4ad4d6b26a1c93f16d9150cab5fec761a6");
    assert_int_equal(s.files, 2);
    assert_int_equal(s.bytes, 3);
    s = sha256_of_path("/nowhere/at/all", NULL);
    assert_int_equal(s.end, SHA256_UNREADABLE);
    assert_int_equal(s.error, ENOENT);
    assert_string_equal(s.hex, "");
    assert_non_null(sha256_why_not(&s));
    s = sha256_of_path("/dev/zero", NULL);
    assert_int_equal(s.end, SHA256_UNREADABLE);
}

static void corpus_is_a_file_or_a_folder(void **state)
{
    (void)state;
    struct identity_corpus c;
    char path[128];
    write_file("a", "abc", 0644);
    write_file("b", "de", 0644);
    assert_int_equal(identity_of_corpus(&c, folder, NULL), 0);
    assert_true(c.is_folder);
    assert_int_equal(c.files, 2);
    assert_int_equal(c.bytes, 5);
    snprintf(path, sizeof path, "%s/a", folder);
    assert_int_equal(identity_of_corpus(&c, path, NULL), 0);
    assert_false(c.is_folder);
    assert_int_equal(c.bytes, 3);
    assert_int_equal(identity_of_corpus(&c, "/nowhere/at/all", NULL), ENOENT);
    assert_int_equal(identity_of_corpus(&c, "/dev/null", NULL), EINVAL);
    snprintf(path, sizeof path, "%s/a", folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/b", folder);
    unlink(path);
    assert_int_equal(identity_of_corpus(&c, folder, NULL), ENOENT); // nothing in it
}

static void program_tells_its_build(void **state)
{
    (void)state;
    struct identity_program p;
    char path[128], link[128];
    write_file("program",
               "#!/bin/sh\necho 'thing 1.2'\necho 'revision 0123456789abcdef-dirty'\n"
               "echo 'built by cc 9 for z80'\necho 'flags -O9 -g'\necho revisions are many\n",
               0755);
    snprintf(path, sizeof path, "%s/program", folder);
    snprintf(link, sizeof link, "%s/link", folder);
    assert_int_equal(symlink(path, link), 0);
    identity_of_program(&p, link, NULL);
    assert_string_equal(p.path, path);
    assert_string_equal(p.version, "thing 1.2");
    assert_string_equal(p.revision, "0123456789abcdef");
    assert_true(p.is_changed);
    assert_string_equal(p.built_by, "cc 9 for z80");
    assert_string_equal(p.flags, "-O9 -g");
    write_file("program", "#!/bin/sh\necho no; exit 1\n", 0755);
    identity_of_program(&p, path, NULL);
    assert_string_equal(p.path, path);
    assert_string_equal(p.version, "");
    write_file("program", "no program", 0644);
    identity_of_program(&p, path, NULL);
    assert_string_equal(p.path, "");
}

static void programs_are_found_on_path(void **state)
{
    (void)state;
    char path[PATH_MAX];
    char *was = strdup(getenv("PATH"));
    setenv("PATH", "/nowhere::/bin:/usr/bin", 1);
    assert_true(identity_find("sh", path));
    assert_string_equal(path, "/bin/sh");
    assert_false(identity_find("no-program-has-this-name", path));
    assert_false(identity_find("", path));
    assert_false(identity_find("/tmp", path)); // a folder
    setenv("PATH", "/nowhere", 1);
    assert_false(identity_find("sh", path));
    assert_true(identity_find("/bin/sh", path));
    unsetenv("PATH"); // as execvp does then
    assert_true(identity_find("sh", path));
    setenv("PATH", was, 1);
    free(was);
}

static void machine_is_known(void **state)
{
    (void)state;
    struct identity_machine m;
    identity_of_machine(&m);
    assert_true(m.cpus_online >= m.cpus_allowed && m.cpus_allowed > 0);
    assert_true(m.memory_bytes > 0);
    assert_memory_equal(m.kernel, "Linux ", 6);
    assert_true(m.utc_ns > INT64_C(1700000000) * 1000000000);
}

static void instructions_are_the_same_twice(void **state)
{
    (void)state;
    const char *const twice[] = {"sh", "-c", "/bin/true; /bin/true"}, *const once[] = {"/bin/true"},
                      *const fails[] = {"/bin/false"};
    enum instructions_way way = instructions_find();
    if (way == INSTRUCTIONS_NONE) {
        skip();
    }
    struct command c;
    uint64_t of_once, of_twice, of_none;
    command_of(&c, once, 1);
    assert_int_equal(instructions_count(way, &c, NULL, &of_once), INSTRUCTIONS_COUNTED);
    command_fini(&c);
    command_of(&c, twice, 3);
    assert_int_equal(instructions_count(way, &c, NULL, &of_twice), INSTRUCTIONS_COUNTED);
    command_fini(&c);
    assert_true(of_once > 10000 && of_twice > 2 * of_once); // those that it starts are counted
    command_of(&c, fails, 1);
    assert_int_equal(instructions_count(way, &c, NULL, &of_none), INSTRUCTIONS_FAILED);
    command_fini(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sha256_is_the_standards, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(corpus_is_a_file_or_a_folder, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(program_tells_its_build, make_folder, remove_folder),
        cmocka_unit_test(programs_are_found_on_path),
        cmocka_unit_test(machine_is_known),
        cmocka_unit_test(instructions_are_the_same_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
