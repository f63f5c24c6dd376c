// Messages as they are seen between phones, proxies and trunks, for bench/sip_parse.c. Addresses
// are of documentation, names are invented.
#ifndef SIDETONE_BENCH_SIP_TEXTS_H
#define SIDETONE_BENCH_SIP_TEXTS_H

#include "base/slice.h"

#define OFFER                                                                                      \
    "v=0\r\n"                                                                                      \
    "o=media-3 1650921751 1 IN IP4 192.0.2.33\r\n"                                                 \
    "s=call\r\n"                                                                                   \
    "c=IN IP4 192.0.2.33\r\n"                                                                      \
    "t=0 0\r\n"                                                                                    \
    "m=audio 16384 RTP/AVP 8 0 9 101\r\n"                                                          \
    "a=rtpmap:8 PCMA/8000\r\n"                                                                     \
    "a=rtpmap:0 PCMU/8000\r\n"                                                                     \
    "a=rtpmap:9 G722/8000\r\n"                                                                     \
    "a=rtpmap:101 telephone-event/8000\r\n"                                                        \
    "a=fmtp:101 0-15\r\n"                                                                          \
    "a=ptime:20\r\n"                                                                               \
    "a=sendrecv\r\n"

#define ANSWER                                                                                     \
    "v=0\r\n"                                                                                      \
    "o=- 88126 88126 IN IP4 198.51.100.61\r\n"                                                     \
    "s=-\r\n"                                                                                      \
    "c=IN IP4 198.51.100.61\r\n"                                                                   \
    "t=0 0\r\n"                                                                                    \
    "m=audio 30012 RTP/AVP 8 101\r\n"                                                              \
    "a=rtpmap:8 PCMA/8000\r\n"                                                                     \
    "a=rtpmap:101 telephone-event/8000\r\n"                                                        \
    "a=ptime:20\r\n"

// What all messages of the call have.
#define VIAS                                                                                       \
    "Via: SIP/2.0/UDP 198.51.100.20:5060;branch=z9hG4bK5c1f.7a3e9d51.0\r\n"                        \
    "Via: SIP/2.0/UDP 198.51.100.10:5060;branch=z9hG4bKa93.cd1be5f4.0;received=198.51.100.10\r\n"  \
    "Via: SIP/2.0/TLS 192.0.2.77:50432;received=192.0.2.77;rport=50432;branch=z9hG4bK-41e0a9\r\n"
#define ROUTES                                                                                     \
    "Record-Route: <sip:198.51.100.20;lr;ftag=8c1d22;did=51.7f1>\r\n"                              \
    "Record-Route: <sip:198.51.100.10;transport=tls;r2=on;lr;ftag=8c1d22>\r\n"
#define WHO(tag)                                                                                   \
    "From: \"Ada Example\" <sip:+441632960233@voice.example.com;user=phone>;tag=8c1d22\r\n"        \
    "To: <sip:+441632960717@voice.example.com;user=phone>" tag "\r\n"                              \
    "Call-ID: 6f0c569601e5373b4d2a@192.0.2.77\r\n"
#define WHO_CALLS WHO("")
#define WHO_TALKS WHO(";tag=as61b0f77e")

#define TEXT(name, text)                                                                           \
    {                                                                                              \
        name,                                                                                      \
        {                                                                                          \
            text, sizeof(text) - 1                                                                 \
        }                                                                                          \
    }

static const struct {
    const char *name;
    struct slice text;
} TEXTS[] = {
    TEXT("INVITE", "INVITE sip:+441632960717@198.51.100.61:5060;user=phone SIP/2.0\r\n" VIAS ROUTES
                   "Max-Forwards: 67\r\n" WHO_CALLS "CSeq: 20391 INVITE\r\n"
                   "Contact: <sip:+441632960233@192.0.2.77:50432;transport=tls>\r\n"
                   "Allow: INVITE, ACK, CANCEL, BYE, OPTIONS, UPDATE, PRACK, INFO, REFER\r\n"
                   "Supported: timer, 100rel, replaces\r\n"
                   "Session-Expires: 1800;refresher=uac\r\n"
                   "Min-SE: 90\r\n"
                   "P-Asserted-Identity: <sip:+441632960233@voice.example.com;user=phone>\r\n"
                   "User-Agent: Desk Phone 4.2\r\n"
                   "Content-Type: application/sdp\r\n"
                   "Content-Length: 258\r\n\r\n" OFFER),
    TEXT("100 Trying",
         "SIP/2.0 100 Trying\r\n"
         "Via: SIP/2.0/UDP 198.51.100.20:5060;branch=z9hG4bK5c1f.7a3e9d51.0\r\n" WHO_CALLS
         "CSeq: 20391 INVITE\r\n"
         "Content-Length: 0\r\n\r\n"),
    TEXT("180 Ringing", "SIP/2.0 180 Ringing\r\n" VIAS ROUTES WHO_TALKS "CSeq: 20391 INVITE\r\n"
                        "Contact: <sip:+441632960717@198.51.100.61:5060>\r\n"
                        "Server: Trunk Gateway 11.0\r\n"
                        "Content-Length: 0\r\n\r\n"),
    TEXT("200 with SDP", "SIP/2.0 200 OK\r\n" VIAS ROUTES WHO_TALKS "CSeq: 20391 INVITE\r\n"
                         "Contact: <sip:+441632960717@198.51.100.61:5060>\r\n"
                         "Allow: INVITE, ACK, CANCEL, BYE, OPTIONS, UPDATE\r\n"
                         "Supported: timer, replaces\r\n"
                         "Require: timer\r\n"
                         "Session-Expires: 1800;refresher=uac\r\n"
                         "Server: Trunk Gateway 11.0\r\n"
                         "Content-Type: application/sdp\r\n"
                         "Content-Length: 177\r\n\r\n" ANSWER),
    TEXT("ACK", "ACK sip:+441632960717@198.51.100.61:5060 SIP/2.0\r\n" VIAS
                "Max-Forwards: 68\r\n" WHO_TALKS "CSeq: 20391 ACK\r\n"
                "Content-Length: 0\r\n\r\n"),
    TEXT("BYE", "BYE sip:+441632960233@192.0.2.77:50432;transport=tls SIP/2.0\r\n" VIAS
                "Max-Forwards: 68\r\n" WHO_TALKS "CSeq: 102 BYE\r\n"
                "Reason: Q.850;cause=16;text=\"Normal call clearing\"\r\n"
                "User-Agent: Trunk Gateway 11.0\r\n"
                "Content-Length: 0\r\n\r\n"),
    TEXT("REGISTER",
         "REGISTER sip:voice.example.com SIP/2.0\r\n"
         "Via: SIP/2.0/UDP 192.0.2.77:5060;branch=z9hG4bK-7d10c2;rport\r\n"
         "Max-Forwards: 70\r\n"
         "From: <sip:2042@voice.example.com>;tag=77f0a1\r\n"
         "To: <sip:2042@voice.example.com>\r\n"
         "Call-ID: 1d0f8f9cc2a74a61@192.0.2.77\r\n"
         "CSeq: 417 REGISTER\r\n"
         "Contact: <sip:2042@192.0.2.77:5060;line=x3k9>;expires=600;q=1.0\r\n"
         "Authorization: Digest username=\"2042\", realm=\"voice.example.com\", "
         "nonce=\"5f2c81b04d0e9a7711c3\", uri=\"sip:voice.example.com\", "
         "response=\"0a4f113b67d9c65f2b3e8c7d91f0e5aa\", algorithm=MD5, cnonce=\"c41f\", "
         "qop=auth, nc=00000007\r\n"
         "User-Agent: Desk Phone 4.2\r\n"
         "Expires: 600\r\n"
         "Content-Length: 0\r\n\r\n"),
    TEXT("OPTIONS", "OPTIONS sip:198.51.100.61:5060 SIP/2.0\r\n"
                    "Via: SIP/2.0/UDP 198.51.100.20:5060;branch=z9hG4bKk81.11f03\r\n"
                    "Max-Forwards: 70\r\n"
                    "From: <sip:ping@198.51.100.20>;tag=55aa01\r\n"
                    "To: <sip:198.51.100.61:5060>\r\n"
                    "Call-ID: ping-20a91c@198.51.100.20\r\n"
                    "CSeq: 9312 OPTIONS\r\n"
                    "Contact: <sip:198.51.100.20:5060>\r\n"
                    "Content-Length: 0\r\n\r\n"),
};

#undef TEXT

#define TEXT_COUNT (sizeof TEXTS / sizeof *TEXTS)

#endif
