// Brings addresses of record into one form.
#include "wire/sip/aor.h"

#include "wire/sip/chars.h"
#include "wire/sip/sip.h"

struct writing {
    char *room;
    size_t n;
    bool is_full;
};

static void put(struct writing *w, char c)
{
    if (w->n < SIP_AOR_BYTES) {
        w->room[w->n++] = c;
    } else {
        w->is_full = true;
    }
}

static void put_lower(struct writing *w, struct slice s)
{
    for (size_t i = 0; i < s.n && !w->is_full; i++) {
        put(w, ascii_lower(s.p[i]));
    }
}

static unsigned hex(char c)
{
    c = ascii_lower(c);
    return (unsigned)(c >= 'a' ? c - 'a' + 10 : c - '0');
}

// "%61" is "a", "%3b" is "%3B" (RFC 3986 6.2.2).
static void put_user(struct writing *w, struct slice s)
{
    for (size_t i = 0; i < s.n && !w->is_full; i++) {
        bool is_escape = s.p[i] == '%' && i + 2 < s.n && sip_char_is(s.p[i + 1], SIP_CHAR_HEX) &&
                         sip_char_is(s.p[i + 2], SIP_CHAR_HEX);
        char c = is_escape ? (char)(hex(s.p[i + 1]) << 4 | hex(s.p[i + 2])) : s.p[i];
        bool is_plain = sip_char_is(c, SIP_CHAR_TOKEN) && c != '%' && c != '`';
        bool is_bare = s.p[i] == '%' && !is_escape; // else what follows could become one
        if ((is_escape && !is_plain) || is_bare) {
            put(w, '%');
            put(w, "0123456789ABCDEF"[(uint8_t)c >> 4]);
            put(w, "0123456789ABCDEF"[(uint8_t)c & 15]);
        } else {
            put(w, c);
        }
        i += is_escape ? 2 : 0;
    }
}

static void put_port(struct writing *w, uint16_t port)
{
    char digits[5];
    size_t n = 0;
    put(w, ':');
    for (; port > 0; port /= 10) {
        digits[n++] = (char)('0' + port % 10);
    }
    while (n > 0) {
        put(w, digits[--n]);
    }
}

struct slice sip_aor(struct slice uri, char room[SIP_AOR_BYTES])
{
    struct writing w = {.room = room};
    struct sip_uri u;
    if (!sip_uri(uri, &u) || u.host.n == 0) {
        return uri;
    }
    put_lower(&w, u.scheme);
    put(&w, ':');
    put_user(&w, u.user);
    put(&w, '@');
    put_lower(&w, u.host);
    uint16_t own = slice_eq_nocase(u.scheme, SLICE("sips")) ? 5061 : 5060;
    if (u.port != 0 && u.port != own) {
        put_port(&w, u.port);
    }
    return w.is_full ? uri : slice_of(room, w.n);
}
