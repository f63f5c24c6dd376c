// The checks of single values that sip_judge is made of. Each says whether the value keeps the
// grammar of RFC 3261 25.1.
#ifndef SIDETONE_WIRE_SIP_JUDGE_H
#define SIDETONE_WIRE_SIP_JUDGE_H

#include "wire/sip/sip.h"

enum sip_uri_verdict {
    SIP_URI_GOOD,
    SIP_URI_BAD,
    SIP_URI_UNKNOWN_SCHEME
};

enum sip_uri_verdict sip_check_uri(struct slice text, bool headers_allowed);

// *( SEMI generic-param ). With blanks and folds where the grammar lets them be.
bool sip_check_params(struct slice params);

// name-addr or addr-spec with parameters: From, To, one Contact. *unknown_scheme is set, never
// cleared.
bool sip_check_address(struct slice value, bool *unknown_scheme);

// A whole Contact header: a list of addresses, or "*".
bool sip_check_contact(struct slice value, bool *unknown_scheme);

// A whole Via header with all its values. *branch: that of the first value.
bool sip_check_via(struct slice value, struct slice *branch);

bool sip_check_number(struct slice value, uint64_t max);
bool sip_check_retry_after(struct slice value); // delta-seconds [ comment ] *( SEMI retry-param )
bool sip_check_contact_expires(struct slice value); // of each contact in the list
bool sip_check_warning(struct slice value);         // a list of warnings
bool sip_check_date(struct slice value);            // RFC 1123, GMT
bool sip_check_credentials(struct slice value);     // Digest; other schemes need a scheme only
bool sip_check_utf8(struct slice text);
bool sip_check_controls(struct slice text); // no control byte but HTAB and those of line ends

#endif
