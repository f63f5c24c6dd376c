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
void json_str(struct json *j, const char *text); // json_string is a name of jansson
void json_texts(struct json *j, const struct sidetone_text *texts, size_t n); // as an array
void json_u64(struct json *j, uint64_t value);
void json_i64(struct json *j, int64_t value);
void json_bool(struct json *j, bool value);
void json_time(struct json *j, int64_t ns);
void json_ms(struct json *j, int64_t ns);
void json_decimal(struct json *j, double value, unsigned digits); // finite
void json_endpoint(struct json *j, const struct sidetone_endpoint *e);
void json_hex32(struct json *j, uint32_t value);

// Members: a key and its value.
#define JSON_MEMBER(j, name, write_value)                                                          \
    do {                                                                                           \
        JSON_KEY(j, name);                                                                         \
        write_value;                                                                               \
    } while (0)
#define JSON_OPEN(j, name, bracket) JSON_MEMBER(j, name, json_open((j), (bracket)))
#define JSON_TEXT(j, name, t)       JSON_MEMBER(j, name, json_text((j), (t).p, (t).n))
#define JSON_STRING(j, name, text)  JSON_MEMBER(j, name, json_str((j), (text)))
#define JSON_U64(j, name, value)    JSON_MEMBER(j, name, json_u64((j), (value)))
#define JSON_BOOL(j, name, value)   JSON_MEMBER(j, name, json_bool((j), (value)))
#define JSON_ENDPOINT(j, name, e)   JSON_MEMBER(j, name, json_endpoint((j), (e)))

// Members that are left out where the value is not known.
#define JSON_MEMBER_IF(is_known, j, name, write_value)                                             \
    do {                                                                                           \
        if (is_known) {                                                                            \
            JSON_KEY(j, name);                                                                     \
            write_value;                                                                           \
        }                                                                                          \
    } while (0)
#define JSON_TEXT_IF(j, name, t)      JSON_MEMBER_IF((t).n > 0, j, name, json_text((j), (t).p, (t).n))
#define JSON_STRING_IF(j, name, text) JSON_MEMBER_IF((text) != NULL, j, name, json_str((j), (text)))
#define JSON_TIME_IF(j, name, ns)                                                                  \
    JSON_MEMBER_IF((ns) != SIDETONE_UNKNOWN, j, name, json_time((j), (ns)))
#define JSON_MS_IF(j, name, ns)                                                                    \
    JSON_MEMBER_IF((ns) != SIDETONE_UNKNOWN, j, name, json_ms((j), (ns)))
#define JSON_COUNT_IF(j, name, value)                                                              \
    JSON_MEMBER_IF((value) != SIDETONE_UNKNOWN, j, name, json_i64((j), (value)))
#define JSON_INDEX_IF(j, name, index) /* negative: none */                                         \
    JSON_MEMBER_IF((index) >= 0, j, name, json_i64((j), (index)))
#define JSON_DECIMAL_IF(j, name, value, digits) /* NaN or infinite: not known */                   \
    JSON_MEMBER_IF((value) - (value) == 0, j, name, json_decimal((j), (value), (digits)))

#endif
