// What must hold for every UDPTL packet that was read. Used by the unit test and by the fuzz
// target.
#ifndef SIDETONE_TESTS_UDPTL_INSIDE_H
#define SIDETONE_TESTS_UDPTL_INSIDE_H

#include "wire/t38/udptl.h"

#include <stddef.h>
#include <stdlib.h>

#define UDPTL_MUST(condition)                                                                      \
    if (!(condition)) {                                                                            \
        abort();                                                                                   \
    }

static inline bool udptl_check(struct udptl *u, const uint8_t *p, uint32_t n, uint32_t length)
{
    bool ok = udptl_read(u, p, n, length);
    if (ok) {
        UDPTL_MUST(n >= 4 && length >= 6 && u->sequence == (uint16_t)(p[0] << 8 | p[1]));
        UDPTL_MUST(u->primary_n > 0 && u->primary_n + 3u <= length && u->is_cut == (n < length));
        UDPTL_MUST((u->is_data ? udptl_data_name(u->type) : udptl_indicator_name(u->type)) != NULL);
        UDPTL_MUST(u->recovery <= UDPTL_FEC &&
                   (u->recovery == UDPTL_FEC || u->span == 0 || u->recovery == UDPTL_NO_RECOVERY));
        UDPTL_MUST(!u->is_cut || (u->recovery == UDPTL_NO_RECOVERY && u->count == 0));
        UDPTL_MUST(u->count == 0 || u->recovery != UDPTL_NO_RECOVERY);
        struct udptl again;
        udptl_unpack(&again, udptl_pack(u));
        UDPTL_MUST(again.type == u->type && again.is_data == u->is_data &&
                   again.recovery == u->recovery && again.count == u->count &&
                   again.span == u->span);
    }
    return ok;
}

#endif
