// Character classes of RFC 3261 25.1, one lookup a byte.
#ifndef SIDETONE_WIRE_SIP_CHARS_H
#define SIDETONE_WIRE_SIP_CHARS_H

#include "base/slice.h"

enum sip_char_class {
    SIP_CHAR_TOKEN = 1, // token
    SIP_CHAR_DIGIT = 2,
    SIP_CHAR_HEX = 4,
    SIP_CHAR_URI = 8,    // reserved, unreserved, "%" and the brackets of an IPv6 reference
    SIP_CHAR_BLANK = 16, // SP, HTAB
    SIP_CHAR_LWS = 32,   // SP, HTAB and the CR and LF of a fold
    SIP_CHAR_HOST = 64,  // letters, digits, "-", "." ("_" too: names of hosts have it in practice)
    SIP_CHAR_USER = 128, // user and password: unreserved, user-unreserved and "%"
};

extern const uint8_t SIP_CHARS[256];

static inline bool sip_char_is(char c, unsigned classes)
{
    return (SIP_CHARS[(uint8_t)c] & classes) != 0;
}

// Is every byte of s in one of these classes? True for the empty slice.
static inline bool sip_chars_are(struct slice s, unsigned classes)
{
    for (size_t i = 0; i < s.n; i++) {
        if (!sip_char_is(s.p[i], classes)) {
            return false;
        }
    }
    return true;
}

static inline bool sip_is_token(struct slice s)
{
    return s.n > 0 && sip_chars_are(s, SIP_CHAR_TOKEN);
}

// Length of the run at the beginning of s in these classes.
static inline size_t sip_chars_span(struct slice s, unsigned classes)
{
    size_t i = 0;
    while (i < s.n && sip_char_is(s.p[i], classes)) {
        i++;
    }
    return i;
}

#endif
