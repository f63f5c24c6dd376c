// Digits in the bodies of INFO requests: application/dtmf-relay, application/dtmf and
// audio/telephone-event. None of them has an RFC; spellings differ between vendors.
//
//     Signal= 5          Signal=5 and Signal: 5 too; Digit= and d= of others; Duration is not
//     needed Signal=11          event codes of RFC 4733: 10 is *, 11 is #, 12 to 15 are A to D, 16
//     is flash 5                  the digit alone 05 8a 03 20        the event itself, in four
//     bytes (RFC 4733 2.3)
#ifndef SIDETONE_WIRE_SIP_DTMF_INFO_H
#define SIDETONE_WIRE_SIP_DTMF_INFO_H

#include "base/slice.h"

// The digit: 0-9, *, #, A-D, or ! for a flash; 0 where the body has none.
char dtmf_info_digit(struct slice body);

#endif
