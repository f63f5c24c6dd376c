// Writes JSON (RFC 8259): always valid, always UTF-8, in the order of the calls.
//
// Comes in: keys and values. Goes out: compact text on an output. Text from the wire may hold any
// bytes: what is no UTF-8 becomes U+FFFD, control characters \u00XX (also U+007F to U+009F, which
// terminals obey). Values that are not known are the caller's to leave out: see the json_*_if
// forms. Nothing is allocated; nesting is the caller's program text, so no depth is kept.
#ifndef SIDETONE_SHOW_JSON_WRITER_H
#define SIDETONE_SHOW_JSON_WRITER_H

#include "show/output.h"
#include "sidetone/report.h"

struct json {
    struct output *out;
    bool comma; // something stands before: the next key or element needs a comma
};

void json_init(struct json *j, struct output *out);

void json_open(struct json *j, char bracket);  // '{' or '['
void json_close(struct json *j, char bracket); // '}' or ']'

// The next key or element begins a line, so that people and line-based tools find their way.
void json_break(struct json *j);

// Name of a member; a literal that needs no escapes.
#define JSON_KEY(j, name) json_key((j), ",\"" name "\":", sizeof(",\"" name "\":") - 1)
void json_key(struct json *j, const char *with_comma, size_t n);
void json_key_name(struct json *j, const char *name); // a name that is not a literal

// Values.
void json_text(struct json *j, const char *p, size_t n);
void json_string(struct json *j, const char *text);
void json_texts(struct json *j, const struct sidetone_text *texts, size_t n); // as an array
void json_u64(struct json *j, uint64_t value);
void json_i64(struct json *j, int64_t value);
void json_bool(struct json *j, bool value);
void json_time(struct json *j, int64_t ns);
void json_ms(struct json *j, int64_t ns);
void json_decimal(struct json *j, double value, unsigned digits); // finite
void json_endpoint(struct json *j, const struct sidetone_endpoint *e);
void json_hex32(struct json *j, uint32_t value);

// Members that are left out where the value is not known.
#define JSON_TEXT_IF(j, name, t)                                                                   \
    do {                                                                                           \
        if ((t).n > 0) {                                                                           \
            JSON_KEY(j, name);                                                                     \
            json_text((j), (t).p, (t).n);                                                          \
        }                                                                                          \
    } while (0)
#define JSON_STRING_IF(j, name, text)                                                              \
    do {                                                                                           \
        if (text) {                                                                                \
            JSON_KEY(j, name);                                                                     \
            json_string((j), (text));                                                              \
        }                                                                                          \
    } while (0)
#define JSON_TIME_IF(j, name, ns)                                                                  \
    do {                                                                                           \
        if ((ns) != SIDETONE_UNKNOWN) {                                                            \
            JSON_KEY(j, name);                                                                     \
            json_time((j), (ns));                                                                  \
        }                                                                                          \
    } while (0)
#define JSON_MS_IF(j, name, ns)                                                                    \
    do {                                                                                           \
        if ((ns) != SIDETONE_UNKNOWN) {                                                            \
            JSON_KEY(j, name);                                                                     \
            json_ms((j), (ns));                                                                    \
        }                                                                                          \
    } while (0)
#define JSON_COUNT_IF(j, name, value)                                                              \
    do {                                                                                           \
        if ((value) != SIDETONE_UNKNOWN) {                                                         \
            JSON_KEY(j, name);                                                                     \
            json_i64((j), (value));                                                                \
        }                                                                                          \
    } while (0)
#define JSON_DECIMAL_IF(j, name, value, digits)                                                    \
    do {                                                                                           \
        if ((value) - (value) == 0) { /* neither NaN nor infinite */                               \
            JSON_KEY(j, name);                                                                     \
            json_decimal((j), (value), (digits));                                                  \
        }                                                                                          \
    } while (0)
#define JSON_U64(j, name, value)                                                                   \
    do {                                                                                           \
        JSON_KEY(j, name);                                                                         \
        json_u64((j), (value));                                                                    \
    } while (0)

#endif
