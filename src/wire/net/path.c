// The outer path of a packet: comparing, hashing and naming it.
#include "wire/net/path.h"

#include <inttypes.h>
#include <stdio.h>

static bool step_eq(const struct path_step *a, const struct path_step *b)
{
    return a->kind == b->kind && a->id == b->id && address_eq(a->src, b->src) &&
           address_eq(a->dst, b->dst);
}

bool path_eq(const struct path *a, const struct path *b)
{
    bool is_same = a->count == b->count;
    for (int i = 0; is_same && i < a->count; i++) {
        is_same = step_eq(&a->steps[i], &b->steps[i]);
    }
    return is_same;
}

uint64_t path_hash(const struct path *p, uint64_t seed)
{
    uint64_t h = p->count == 0 ? 0 : seed ^ p->count;
    for (int i = 0; i < p->count; i++) {
        const struct path_step *s = &p->steps[i];
        h = hash_mix(h, (uint64_t)s->kind << 32 | s->id);
        // Every word meets what nobody outside knows: none can be chosen to undo another.
        h = hash_mix(h ^ s->src.hi, seed ^ s->src.lo);
        h = hash_mix(h ^ s->dst.hi, seed ^ s->dst.lo);
    }
    return h;
}

enum number {
    NUMBER_NONE,
    NUMBER_DECIMAL,
    NUMBER_NOT_0, // decimal; 0 means that there is none
    NUMBER_HEX,
};

static const struct {
    const char *name;
    enum number number;
} KINDS[PATH_KINDS] = {
    [PATH_VLAN] = {"vlan", NUMBER_DECIMAL},
    [PATH_BACKBONE] = {"backbone", NUMBER_DECIMAL},
    [PATH_MPLS] = {"mpls", NUMBER_DECIMAL},
    [PATH_PPPOE] = {"pppoe", NUMBER_DECIMAL},
    [PATH_IP] = {"ip", NUMBER_NONE},
    [PATH_GRE] = {"gre", NUMBER_NOT_0},
    [PATH_ERSPAN] = {"erspan", NUMBER_DECIMAL},
    [PATH_VXLAN] = {"vxlan", NUMBER_DECIMAL},
    [PATH_GENEVE] = {"geneve", NUMBER_DECIMAL},
    [PATH_GTP] = {"gtp", NUMBER_HEX},
    [PATH_L2TP] = {"l2tp", NUMBER_HEX},
    [PATH_TEREDO] = {"teredo", NUMBER_NONE},
    [PATH_TZSP] = {"tzsp", NUMBER_NONE},
    [PATH_ETHERIP] = {"etherip", NUMBER_NONE},
    [PATH_HEP] = {"hep", NUMBER_DECIMAL},
};

static size_t put_text(char *out, const char *text)
{
    size_t n = strlen(text);
    memcpy(out, text, n + 1);
    return n;
}

static size_t put_number(char *out, enum number style, uint32_t id)
{
    char text[16] = "";
    switch (style) {
    case NUMBER_NONE:
        break;
    case NUMBER_NOT_0:
    case NUMBER_DECIMAL:
        if (style == NUMBER_DECIMAL || id != 0) {
            snprintf(text, sizeof text, " %" PRIu32, id);
        }
        break;
    case NUMBER_HEX:
        snprintf(text, sizeof text, " 0x%08" PRIx32, id);
        break;
    }
    return put_text(out, text);
}

size_t path_step_text(const struct path_step *s, char *out)
{
    if (s->kind >= PATH_KINDS) {
        return put_text(out, "unknown");
    }
    size_t n = put_text(out, KINDS[s->kind].name);
    n += put_number(out + n, KINDS[s->kind].number, s->id);
    // ::, which no IPv4 address is, stands for none: 0.0.0.0 is one.
    bool has_addresses = (s->src.hi | s->src.lo | s->dst.hi | s->dst.lo) != 0;
    if (has_addresses) {
        n += put_text(out + n, " ");
        n += address_text(s->src, out + n);
        n += put_text(out + n, " > ");
        n += address_text(s->dst, out + n);
    }
    return n;
}

const struct path *path_copy(struct arena *a, const struct path *p)
{
    size_t n = path_bytes(p);
    struct path *copy = arena_alloc(a, n);
    memcpy(copy, p, n);
    return copy;
}
