// Tests of piece records: what they say of the path of their packet.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/hash.h"
#include "decode/decode.h"

// A TCP segment in a VLAN, in IPv6. The low half of the tunnel's source address is the constant of
// hash_mix: without a secret it wipes out whatever was hashed before.
static uint64_t hash_in_vlan(struct records *r, uint32_t vlan)
{
    struct datagram d = {.protocol = NET_TCP};
    struct origin from = {.time_ns = 1};
    path_add(&d.path, PATH_VLAN, vlan);
    path_add(&d.path, PATH_IP, 0);
    d.path.steps[1].src.lo = UINT64_C(0xd1b54a32d192ed03);
    decode_piece(r, SEGMENT_RECORDS, &d, &from);
    const struct record_list *list = &r->lists[SEGMENT_RECORDS];
    return ((const struct piece_record *)list->items)[list->count - 1].path_hash;
}

static void path_hashes_of_chosen_addresses_differ(void **state)
{
    (void)state;
    struct records r;
    hash_secret_init();
    records_init(&r);
    uint64_t one = hash_in_vlan(&r, 100);
    uint64_t other = hash_in_vlan(&r, 200);
    assert_true(one != other);
    assert_true(one == hash_in_vlan(&r, 100));
    records_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(path_hashes_of_chosen_addresses_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
