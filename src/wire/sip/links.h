// Header values that tie a dialog to other dialogs (RFC 7989 Session-ID, RFC 3891 Replaces, RFC
// 3911 Join, RFC 5806 Diversion, RFC 7044 History-Info), decoded on demand.
//
// Comes in: values as they stand in the message. Goes out: slices into them, or bytes in the
// caller's memory. Nothing is allocated.
#ifndef SIDETONE_WIRE_SIP_LINKS_H
#define SIDETONE_WIRE_SIP_LINKS_H

#include "wire/sip/sip.h"

enum sip_link_kind {
    SIP_LINK_CALL_ID, // X-Call-ID, X-CID
    SIP_LINK_SESSION,
    SIP_LINK_REPLACES,
    SIP_LINK_JOIN,
    SIP_LINK_DIVERSION, // Diversion, History-Info
    SIP_LINK_REFERRED_BY,
};

// One header line of a message.
struct sip_link {
    struct sip_link *next;
    enum sip_link_kind kind;
    struct slice value;
};

#define SIP_UUID_BYTES 16

struct sip_session_id {
    // Zeros: the nil UUID, or none is said.
    uint8_t local[SIP_UUID_BYTES], remote[SIP_UUID_BYTES];
    bool has_local, has_remote; // not nil
};

// "ab30317f1a784dc48ff824d0d3715d86;remote=47755a9de7794ba387653f2099600ef2"; also as RFC 7329 has
// it, without the second one. Dashes and letters of both cases are taken. Returns false where no
// UUID stands first.
bool sip_session_id(struct slice value, struct sip_session_id *out);

// Replaces, Join and Target-Dialog have one form.
struct sip_dialog_name {
    struct slice call_id, to_tag, from_tag; // tags: empty where there are none
};

// Returns false where there is no Call-ID.
bool sip_dialog_name(struct slice value, struct sip_dialog_name *out);

// Takes the next URI off a Diversion or History-Info, without its "?..."; values without a URI are
// passed over. Returns false at the end.
bool sip_diversion_next(struct slice *rest, struct slice *uri);

// The value of a header in a URI ("?Replaces=a%40b%3Bto-tag%3D1"), unescaped (RFC 3261 19.1.1), in
// `out` of `room` bytes. Returns its length; 0 where it is not there, is empty, or does not fit.
size_t sip_uri_header(struct slice headers, struct slice name, char *out, size_t room);

// Not smaller: ITU-T E.164 allows 15, and dialled prefixes come before them. Not larger: what is
// longer was dialled by nobody.
#define SIP_NUMBER_DIGITS_MAX 32

// The digits of a telephone number in the user part of a URI, without "+", visual separators and
// parameters (RFC 3966 5.1.1, RFC 3261 19.1.6). Returns how many; 0 where it is no number.
size_t sip_number(struct slice user, char digits[SIP_NUMBER_DIGITS_MAX]);

#endif
