// Tests of the bytes of a pcap file's headers.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "wire/cap/pcap_write.h"

static void pcap_write_file_says_version_resolution_and_linktype(void **state)
{
    (void)state;
    uint8_t header[PCAP_WRITE_FILE_BYTES];
    static const struct {
        bool nanoseconds;
        uint32_t magic;
    } cases[] = {{false, 0xa1b2c3d4}, {true, 0xa1b23c4d}};
    for (size_t i = 0; i < 2; i++) {
        pcap_write_file(header, 113, 4096, cases[i].nanoseconds);
        assert_int_equal(le32(header), cases[i].magic);
        assert_int_equal(le16(header + 4), 2);
        assert_int_equal(le16(header + 6), 4);
        assert_int_equal(le64(header + 8), 0);
        assert_int_equal(le32(header + 16), 4096);
        assert_int_equal(le32(header + 20), 113);
    }
}

static void pcap_write_record_keeps_the_part_that_fits(void **state)
{
    (void)state;
    uint8_t record[16];
    pcap_write_record(record, 1700000000123456789, 60, 1500, false);
    assert_int_equal(le32(record), 1700000000);
    assert_int_equal(le32(record + 4), 123456);
    assert_int_equal(le32(record + 8), 60);
    assert_int_equal(le32(record + 12), 1500);
    pcap_write_record(record, 1700000000123456789, 60, 1500, true);
    assert_int_equal(le32(record + 4), 123456789);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pcap_write_file_says_version_resolution_and_linktype),
        cmocka_unit_test(pcap_write_record_keeps_the_part_that_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
