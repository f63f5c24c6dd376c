// The bytes of a datagram in the making: pages with a bit for each byte, so that any piece costs
// what its own bytes cost, whatever came before and in whatever order.
//
// A fragment of 1,480 bytes touches 4 pages and 24 words of bits. Where nothing of it came before,
// which is the ordinary case, its bytes are copied page by page; else word by word, in runs.
#include "flow/fragments_parts.h"

// The bits of the 64 bytes from `at` on that lie in [begin, end).
static uint64_t bits_within(uint32_t at, uint32_t begin, uint32_t end)
{
    if (begin >= at + 64 || end <= at) {
        return 0;
    }
    uint64_t bits = UINT64_MAX;
    if (begin > at) {
        bits &= UINT64_MAX << (begin - at);
    }
    if (end < at + 64) {
        bits &= UINT64_MAX >> (at + 64 - end);
    }
    return bits;
}

// Sets bits [begin, end) of one page; begin < end.
static void bits_set(uint64_t words[PAGE_WORDS], uint32_t begin, uint32_t end)
{
    uint32_t first = begin / 64;
    uint32_t last = (end - 1) / 64;
    uint64_t head = UINT64_MAX << begin % 64;
    uint64_t tail = UINT64_MAX >> (63 - (end - 1) % 64);
    if (first == last) {
        words[first] |= head & tail;
        return;
    }
    words[first] |= head;
    for (uint32_t i = first + 1; i < last; i++) {
        words[i] = UINT64_MAX;
    }
    words[last] |= tail;
}

// A run of set bits: [*from, *to). Removes it from *bits, which has some.
static void next_run(uint64_t *bits, uint32_t *from, uint32_t *to)
{
    *from = (uint32_t)__builtin_ctzll(*bits);
    uint64_t gaps = ~*bits & UINT64_MAX << *from;
    *to = gaps == 0 ? 64 : (uint32_t)__builtin_ctzll(gaps);
    *bits = gaps == 0 ? 0 : *bits & UINT64_MAX << *to;
}

static struct page *page_at(const struct cells *c, const struct gathering *g, uint32_t at)
{
    cell_index i = g->pages[at / PAGE_BYTES];
    return i == 0 ? NULL : &cells_at(c, i)->page;
}

static struct page *page_make(struct cells *c, struct gathering *g, uint32_t at)
{
    struct page *page = page_at(c, g, at);
    if (!page) {
        cell_index i = cells_take(c);
        g->pages[at / PAGE_BYTES] = i;
        g->cell_count++;
        page = &cells_at(c, i)->page;
        memset(page, 0, offsetof(struct page, bytes));
    }
    return page;
}

uint32_t bytes_count(const struct cells *c, const struct gathering *g, uint32_t begin, uint32_t end)
{
    begin = begin < g->low ? g->low : begin;
    end = end > g->high ? g->high : end;
    uint32_t count = 0;
    for (uint32_t at = begin & ~63u; at < end; at += 64) {
        const struct page *page = page_at(c, g, at);
        if (page) {
            uint64_t there = page->taken[at % PAGE_BYTES / 64] & bits_within(at, begin, end);
            count += (uint32_t)__builtin_popcountll(there);
        }
    }
    return count;
}

bool bytes_differ(const struct cells *c, const struct gathering *g, uint32_t begin,
                  const uint8_t *p, uint32_t n)
{
    for (uint32_t at = begin & ~63u; at < begin + n; at += 64) {
        const struct page *page = page_at(c, g, at);
        uint64_t both = page ? page->captured[at % PAGE_BYTES / 64] : 0;
        both &= bits_within(at, begin, begin + n);
        while (both != 0) {
            uint32_t from, to;
            next_run(&both, &from, &to);
            if (memcmp(page->bytes + at % PAGE_BYTES + from, p + (at + from - begin), to - from) !=
                0) {
                return true;
            }
        }
    }
    return false;
}

static void widen(struct gathering *g, uint32_t begin, uint32_t end)
{
    g->low = begin < g->low ? begin : g->low;
    g->high = end > g->high ? end : g->high;
}

void bytes_put(struct cells *c, struct gathering *g, uint32_t begin, uint32_t end, const uint8_t *p,
               uint32_t n)
{
    widen(g, begin, end);
    g->taken_count += end - begin;
    while (begin < end) {
        struct page *page = page_make(c, g, begin);
        uint32_t from = begin % PAGE_BYTES;
        uint32_t step = PAGE_BYTES - from < end - begin ? PAGE_BYTES - from : end - begin;
        uint32_t there = n < step ? n : step;
        bits_set(page->taken, from, from + step);
        if (there > 0) {
            bits_set(page->captured, from, from + there);
            memcpy(page->bytes + from, p, there);
            p += there;
            n -= there;
        }
        begin += step;
    }
}

void bytes_fill(struct cells *c, struct gathering *g, uint32_t begin, uint32_t end,
                const uint8_t *p, uint32_t n)
{
    widen(g, begin, end);
    for (uint32_t at = begin & ~63u; at < end; at += 64) {
        struct page *page = page_make(c, g, at);
        uint32_t word = at % PAGE_BYTES / 64;
        uint64_t fresh = bits_within(at, begin, end) & ~page->taken[word];
        uint64_t here = fresh & bits_within(at, begin, begin + n);
        g->taken_count += (uint32_t)__builtin_popcountll(fresh);
        page->taken[word] |= fresh;
        page->captured[word] |= here;
        while (here != 0) {
            uint32_t from, to;
            next_run(&here, &from, &to);
            memcpy(page->bytes + at % PAGE_BYTES + from, p + (at + from - begin), to - from);
        }
    }
}

static bool has_start(const struct cells *c, const struct gathering *g, uint32_t at)
{
    const struct page *page = page_at(c, g, at);
    return page && (page->starts >> at % PAGE_BYTES / 8 & 1) != 0;
}

void bytes_mark_start(const struct cells *c, const struct gathering *g, uint32_t begin)
{
    page_at(c, g, begin)->starts |= 1ull << begin % PAGE_BYTES / 8;
}

bool bytes_are_fragment(const struct cells *c, const struct gathering *g, uint32_t begin,
                        uint32_t end)
{
    if (!has_start(c, g, begin) || bytes_count(c, g, begin, end) != end - begin) {
        return false;
    }
    for (uint32_t at = begin + 8; at < end; at += 8) {
        if (has_start(c, g, at)) {
            return false;
        }
    }
    return bytes_count(c, g, end, end + 1) == 0 || has_start(c, g, end);
}

uint32_t bytes_copy(const struct cells *c, const struct gathering *g, uint8_t *out)
{
    for (uint32_t at = 0; at < DATAGRAM_ROOM; at += PAGE_BYTES) {
        const struct page *page = page_at(c, g, at);
        if (!page) {
            return at;
        }
        uint32_t word = 0;
        while (word < PAGE_WORDS && page->captured[word] == UINT64_MAX) {
            word++;
        }
        uint32_t n = word * 64;
        if (word < PAGE_WORDS) {
            n += (uint32_t)__builtin_ctzll(~page->captured[word]);
        }
        memcpy(out + at, page->bytes, n);
        if (n < PAGE_BYTES) {
            return at + n;
        }
    }
    return DATAGRAM_ROOM;
}

void bytes_release(struct cells *c, struct gathering *g)
{
    for (uint32_t at = g->low / PAGE_BYTES; at * PAGE_BYTES < g->high; at++) {
        if (g->pages[at] != 0) {
            cells_release(c, g->pages[at]);
            g->pages[at] = 0;
            g->cell_count--;
        }
    }
    g->low = DATAGRAM_ROOM;
    g->high = 0;
}
