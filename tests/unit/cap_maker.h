// A capture file put together field by field, so that each field can lie.
#ifndef SIDETONE_TESTS_CAP_MAKER_H
#define SIDETONE_TESTS_CAP_MAKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// In either byte order.
struct maker {
    uint8_t bytes[8192];
    size_t n;
    size_t block; // pcapng: where the block that is being written begins
    bool big;
};

static inline void put16(struct maker *m, uint16_t v)
{
    m->bytes[m->n] = (uint8_t)(m->big ? v >> 8 : v);
    m->bytes[m->n + 1] = (uint8_t)(m->big ? v : v >> 8);
    m->n += 2;
}

static inline void put32(struct maker *m, uint32_t v)
{
    put16(m, (uint16_t)(m->big ? v >> 16 : v));
    put16(m, (uint16_t)(m->big ? v : v >> 16));
}

#endif
