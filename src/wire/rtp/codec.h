// Codecs by name and by static payload type (RFC 3551; IANA's registry of RTP payload formats).
#ifndef SIDETONE_WIRE_RTP_CODEC_H
#define SIDETONE_WIRE_RTP_CODEC_H

#include "base/slice.h"

// Codecs that Sidetone knows by name. The name is the one of the registration.
enum codec {
    CODEC_UNKNOWN,
    CODEC_PCMU,
    CODEC_PCMA,
    CODEC_G722,
    CODEC_G723,
    CODEC_G728,
    CODEC_G729,
    CODEC_GSM,
    CODEC_GSM_EFR,
    CODEC_GSM_HR,
    CODEC_ILBC,
    CODEC_SPEEX,
    CODEC_OPUS,
    CODEC_AMR,
    CODEC_AMR_WB,
    CODEC_EVS,
    CODEC_G726,
    CODEC_L16,
    CODEC_LPC,
    CODEC_DVI4,
    CODEC_QCELP,
    CODEC_MPA,
    CODEC_SILK,
    CODEC_ISAC,
    CODEC_EVENT, // telephone-event
    CODEC_CN,    // comfort noise
    CODEC_RED,   // redundant data (RFC 2198)
    CODEC_T140,  // text (RFC 4103)
    CODEC_RTX,   // retransmission (RFC 4588)
    CODEC_FEC,   // forward error correction of any format: shown by its name in the announcement
    CODEC_T38,
    CODEC_H261,
    CODEC_H263,
    CODEC_H264,
    CODEC_H265,
    CODEC_VP8,
    CODEC_VP9,
    CODEC_AV1,
    CODEC_CELB,
    CODEC_JPEG,
    CODEC_NV,
    CODEC_MPV,
    CODEC_MP2T,
    CODEC_OTHER, // a name that we do not know: its text is kept by the announcement
    CODEC_COUNT,
};

// "PCMU", "opus", "telephone-event"; empty for CODEC_UNKNOWN and CODEC_OTHER.
const char *codec_name(enum codec c);

// Without case; also the forms of G729A and G.729. CODEC_UNKNOWN for an empty name, CODEC_OTHER for
// one that we do not know.
enum codec codec_by_name(struct slice name);

// The static table of RFC 3551; CODEC_UNKNOWN and 0 for a type that is not in it.
enum codec codec_by_payload_type(uint8_t pt, uint32_t *clock_hz);

bool codec_is_video(enum codec c);

// "audio", "video", "text", "fax", or "other" for packets that repair others; NULL where the codec
// does not tell: it is not known, or RFC 2198 around another.
const char *codec_kind(enum codec c);

#endif
