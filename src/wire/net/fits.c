// Does an IP packet stand there? The first bytes of a packet answer, and where nothing else says
// so, its length, its checksum, its addresses: random bytes pass for one less than once in ten
// million times.
#include "wire/net/fits.h"

#include "wire/net/ip.h"
#include "wire/net/layers.h"
#include "wire/net/walk.h"

// Of an Ethernet frame without its check sequence; a tag in it may have been taken off or put on.
#define ETHERNET_LEAST 64u

enum layer fits_ip(struct rest r)
{
    uint8_t version = r.n > 0 ? r.p[0] >> 4 : 0;
    if (version == 4 && r.n >= IPV4_HEADER && (r.p[0] & 15) >= 5) {
        return LAYER_IPV4;
    }
    return version == 6 && r.n >= IPV6_HEADER ? LAYER_IPV6 : LAYER_END;
}

enum layer fits_ethernet(struct rest r)
{
    if (r.n < 14 || be16(r.p + 12) < ETHERTYPE_MIN) {
        return LAYER_END;
    }
    struct rest inside = {r.p + 14, r.n - 14};
    struct walk probe = {.r = inside};
    enum layer layer = layer_by_ethertype(&probe, be16(r.p + 12));
    if (layer == LAYER_IPV4 || layer == LAYER_IPV6) {
        return fits_ip(inside) == layer ? LAYER_ETHERNET : LAYER_END;
    }
    return layer == LAYER_END ? LAYER_END : LAYER_ETHERNET;
}

// RFC 791 3.1; network cards fill it in, so that senders may see 0.
static bool has_checksum(const uint8_t *ip, uint32_t header)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < header; i += 2) {
        sum += be16(ip + i);
    }
    sum = (sum & 0xffff) + (sum >> 16);
    return be16(ip + 10) == 0 || (sum & 0xffff) + (sum >> 16) == 0xffff;
}

// An address of the kinds that are handed out (RFC 4291 2.4): ::, 2000::/3, fc00::/7, fe80::/9
static bool is_handed_out(const uint8_t address[16])
{
    return address[0] == 0 || address[0] >> 5 == 1 || (address[0] >= 0xfc && address[0] <= 0xfe);
}

// Is the packet at r plausible, and what length does it say? 0: it is none.
static uint32_t length_of_ip(enum layer ip, struct rest r)
{
    if (ip == LAYER_IPV4) {
        uint32_t header = (uint32_t)(r.p[0] & 15) * 4;
        uint32_t total = be16(r.p + 2);
        return header <= r.n && header <= total && has_checksum(r.p, header) ? total : 0;
    }
    bool is_sane = is_handed_out(r.p + 8) && (is_handed_out(r.p + 24) || r.p[24] == 0xff);
    return is_sane ? be16(r.p + 4) + IPV6_HEADER : 0;
}

bool fits_wholly(enum layer layer, struct rest r, uint32_t length)
{
    bool is_multicast = layer == LAYER_ETHERNET && r.n >= 7 && (r.p[6] & 1);
    if (is_multicast) { // nobody sends as that
        return false;
    }
    struct walk probe = {.r = r};
    enum layer announced = walk_to_ip(&probe, layer);
    enum layer ip = fits_ip(probe.r);
    if (announced == LAYER_END || ip == LAYER_END || (announced != LAYER_IP && announced != ip)) {
        return false;
    }
    uint32_t left = length - (uint32_t)(probe.r.p - r.p);
    uint32_t total = length_of_ip(ip, probe.r);
    bool may_be_filled = layer == LAYER_ETHERNET && length <= ETHERNET_LEAST;
    return total != 0 && (total == left || (may_be_filled && total < left));
}
