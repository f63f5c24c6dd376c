// Tests of the floor: its counts, and that cut and changed captures end it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/random.h"
#include "gen/write.h"
#include "lab/floor.h"

#include <sys/mman.h>
#include <unistd.h>

// A file in memory with a small capture. Returns its descriptor; *n: its bytes.
static int capture(uint64_t *n, uint64_t *packets)
{
    struct carrier_options options = CARRIER_DEFAULTS;
    struct carrier_written written;
    options.calls = options.concurrency = 2;
    options.rtp_per_call = 10;
    int fd = memfd_create("capture", MFD_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(carrier_write(fd, &options, NULL, &written), 0);
    *n = written.bytes;
    *packets = written.packets;
    return fd;
}

static int read_from_start(int fd, struct floor_answer *a)
{
    lseek(fd, 0, SEEK_SET);
    return floor_read(fd, a);
}

static void generated_capture_is_counted(void **state)
{
    (void)state;
    uint64_t n, packets;
    struct floor_answer a;
    int fd = capture(&n, &packets);
    assert_int_equal(read_from_start(fd, &a), 0);
    assert_int_equal(a.packets, packets);
    assert_int_equal(a.rtp, 20);
    assert_int_equal(a.streams, 4);
    assert_int_equal(a.lost, 0);
    assert_false(a.is_cut);
    close(fd);
}

static void cut_capture_is_called_cut(void **state)
{
    (void)state;
    uint64_t n, packets;
    struct floor_answer a;
    int fd = capture(&n, &packets);
    for (uint64_t cut = n; cut-- > 0;) {
        assert_int_equal(ftruncate(fd, (off_t)cut), 0);
        assert_int_equal(read_from_start(fd, &a), cut < 24 ? ERR_NOT_A_CAPTURE : 0);
        assert_true(a.packets < packets && a.rtp <= 20);
        cut -= cut > 64 ? 12 : 0; // each run of it makes a table
    }
    close(fd);
}

static void changed_capture_ends(void **state)
{
    (void)state;
    uint64_t n, packets;
    struct floor_answer a;
    struct random random;
    int fd = capture(&n, &packets);
    random_init(&random, 1);
    for (int i = 0; i < 300; i++) {
        uint32_t bytes = (uint32_t)random_u64(&random); // a length of 4 GB among them
        off_t at = (off_t)random_below(&random, n - 4);
        assert_int_equal(pwrite(fd, &bytes, sizeof bytes, at), 4);
        int error = read_from_start(fd, &a);
        assert_true(error == 0 || error == ERR_NOT_A_CAPTURE);
        assert_true(a.rtp <= a.packets);
    }
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generated_capture_is_counted),
        cmocka_unit_test(cut_capture_is_called_cut),
        cmocka_unit_test(changed_capture_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
