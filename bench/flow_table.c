// What does it cost to find a flow? Endpoints in a table of indices (base/index_table.h), as every
// tracker looks them up: hash, probe, compare the key.
//
// A small table lies in a core's cache; the large one, of a busy hour, does not. Keys are asked for
// in an order without pattern.
#include "base/index_table.h"
#include "base/memory.h"
#include "base/random.h"
#include "bench.h"
#include "wire/address.h"

#include <stdio.h>

#define SMALL     200u
#define LARGE     65536u
#define QUESTIONS 65536u

struct flows {
    struct index_table table;
    struct endpoint *endpoints;
    uint32_t count;
};

static struct endpoint questions[QUESTIONS];

static struct endpoint endpoint_at(uint32_t i)
{
    uint8_t bytes[4] = {10, (uint8_t)(i >> 16), (uint8_t)(i >> 8), (uint8_t)i};
    return (struct endpoint){address_v4(bytes), (uint16_t)(16384 + i % 10000 * 2)};
}

static uint32_t hash_of(struct endpoint e)
{
    return (uint32_t)endpoint_hash(e, hash_secret);
}

static void fill(struct flows *f, uint32_t count)
{
    *f = (struct flows){.endpoints = memory_alloc(count * sizeof *f->endpoints), .count = count};
    for (uint32_t i = 0; i < count; i++) {
        f->endpoints[i] = endpoint_at(i);
        index_table_add(&f->table, hash_of(f->endpoints[i]), i);
    }
}

static void drop(struct flows *f)
{
    index_table_fini(&f->table);
    memory_free(f->endpoints);
}

static uint32_t find(const struct flows *f, struct endpoint e)
{
    uint32_t hash = hash_of(e), at = hash, i;
    while ((i = index_next(&f->table, hash, &at)) != INDEX_NONE &&
           !endpoint_eq(f->endpoints[i], e)) {
    }
    return i;
}

// --- the steps ---

static void hash(const void *context)
{
    (void)context;
    for (uint32_t i = 0; i < QUESTIONS; i++) {
        bench_seen += hash_of(questions[i]);
    }
}

// Context: the flows. The first of `count` numbers were made endpoints, in an order without
// pattern.
static void find_known(const void *context)
{
    const struct flows *f = context;
    for (uint32_t i = 0; i < QUESTIONS; i++) {
        bench_seen += find(f, f->endpoints[(uint32_t)questions[i].addr.lo % f->count]);
    }
}

static void find_strangers(const void *context)
{
    for (uint32_t i = 0; i < QUESTIONS; i++) {
        bench_seen += find(context, questions[i]);
    }
}

static void add(const void *context)
{
    (void)context;
    struct flows f;
    fill(&f, LARGE);
    bench_seen += f.table.count;
    drop(&f);
}

int main(int argc, char **argv)
{
    static struct flows small, large;
    struct random random;
    fill(&small, SMALL);
    fill(&large, LARGE);
    random_init(&random, 1);
    for (uint32_t i = 0; i < QUESTIONS; i++) { // none of them is in a table
        questions[i] = (struct endpoint){{random_u64(&random), random_u64(&random)}, 5060};
    }
    const struct bench benches[] = {
        {"hash an endpoint", hash, NULL, QUESTIONS, 20},
        {"find one of 200", find_known, &small, QUESTIONS, 20},
        {"find one of 65,536", find_known, &large, QUESTIONS, 10},
        {"find none in 200", find_strangers, &small, QUESTIONS, 20},
        {"find none in 65,536", find_strangers, &large, QUESTIONS, 10},
        {"make a table of 65,536", add, NULL, LARGE, 4},
    };
    int status = bench_main(argc, argv, "flow table: an endpoint", benches,
                            sizeof benches / sizeof *benches);
    drop(&small);
    drop(&large);
    return status;
}
