// Codecs by name and by static payload type.
//
// RFC 3551 6 (static types), IANA's registry of RTP payload formats (names).
#include "wire/rtp/codec.h"

static const struct {
    const char *name;
    bool is_video;
} CODECS[CODEC_COUNT] = {
    [CODEC_UNKNOWN] = {"", false},
    [CODEC_PCMU] = {"PCMU", false},
    [CODEC_PCMA] = {"PCMA", false},
    [CODEC_G722] = {"G722", false},
    [CODEC_G723] = {"G723", false},
    [CODEC_G728] = {"G728", false},
    [CODEC_G729] = {"G729", false},
    [CODEC_GSM] = {"GSM", false},
    [CODEC_GSM_EFR] = {"GSM-EFR", false},
    [CODEC_GSM_HR] = {"GSM-HR-08", false},
    [CODEC_ILBC] = {"iLBC", false},
    [CODEC_SPEEX] = {"speex", false},
    [CODEC_OPUS] = {"opus", false},
    [CODEC_AMR] = {"AMR", false},
    [CODEC_AMR_WB] = {"AMR-WB", false},
    [CODEC_EVS] = {"EVS", false},
    [CODEC_G726] = {"G726", false},
    [CODEC_L16] = {"L16", false},
    [CODEC_LPC] = {"LPC", false},
    [CODEC_DVI4] = {"DVI4", false},
    [CODEC_QCELP] = {"QCELP", false},
    [CODEC_MPA] = {"MPA", false},
    [CODEC_SILK] = {"SILK", false},
    [CODEC_ISAC] = {"ISAC", false},
    [CODEC_EVENT] = {"telephone-event", false},
    [CODEC_CN] = {"CN", false},
    [CODEC_RED] = {"red", false},
    [CODEC_T140] = {"t140", false},
    [CODEC_RTX] = {"rtx", false},
    [CODEC_FEC] = {"ulpfec", false}, // and others
    [CODEC_T38] = {"t38", false},
    [CODEC_H261] = {"H261", true},
    [CODEC_H263] = {"H263", true},
    [CODEC_H264] = {"H264", true},
    [CODEC_H265] = {"H265", true},
    [CODEC_VP8] = {"VP8", true},
    [CODEC_VP9] = {"VP9", true},
    [CODEC_AV1] = {"AV1", true},
    [CODEC_CELB] = {"CelB", true},
    [CODEC_JPEG] = {"JPEG", true},
    [CODEC_NV] = {"nv", true},
    [CODEC_MPV] = {"MPV", true},
    [CODEC_MP2T] = {"MP2T", true},
    [CODEC_OTHER] = {"", false},
};

// Names that stand for the same codec as another: registered variants that differ in packing or in
// an annex, and spellings with a dot that equipment sends.
static const struct {
    const char *name;
    enum codec codec;
} ALIASES[] = {
    {"G.711U", CODEC_PCMU},       {"G.711A", CODEC_PCMA},       {"G.722", CODEC_G722},
    {"G.723", CODEC_G723},        {"G723.1", CODEC_G723},       {"G.723.1", CODEC_G723},
    {"G7231", CODEC_G723},        {"G.728", CODEC_G728},        {"G.729", CODEC_G729},
    {"G729A", CODEC_G729},        {"G.729A", CODEC_G729},       {"G729B", CODEC_G729},
    {"G.729B", CODEC_G729},       {"G729AB", CODEC_G729},       {"G.729AB", CODEC_G729},
    {"GSM-FR", CODEC_GSM},        {"G721", CODEC_G726},         {"G.726", CODEC_G726},
    {"G726-16", CODEC_G726},      {"G726-24", CODEC_G726},      {"G726-32", CODEC_G726},
    {"G726-40", CODEC_G726},      {"AAL2-G726-16", CODEC_G726}, {"AAL2-G726-24", CODEC_G726},
    {"AAL2-G726-32", CODEC_G726}, {"AAL2-G726-40", CODEC_G726}, {"H263-1998", CODEC_H263},
    {"H263-2000", CODEC_H263},    {"parityfec", CODEC_FEC},     {"flexfec", CODEC_FEC},
    {"flexfec-03", CODEC_FEC},    {"raptorfec", CODEC_FEC},     {"x-ulpfecuc", CODEC_FEC},
    {"uleciprotfec", CODEC_FEC},
};

// RFC 3551 tables 4 and 5. Type 2 was G721 (today G726-32) in RFC 1890 and is still sent as that.
static const struct {
    enum codec codec;
    uint32_t clock_hz;
} STATIC_TYPES[] = {
    [0] = {CODEC_PCMU, 8000},   [2] = {CODEC_G726, 8000},   [3] = {CODEC_GSM, 8000},
    [4] = {CODEC_G723, 8000},   [5] = {CODEC_DVI4, 8000},   [6] = {CODEC_DVI4, 16000},
    [7] = {CODEC_LPC, 8000},    [8] = {CODEC_PCMA, 8000},   [9] = {CODEC_G722, 8000},
    [10] = {CODEC_L16, 44100},  [11] = {CODEC_L16, 44100},  [12] = {CODEC_QCELP, 8000},
    [13] = {CODEC_CN, 8000},    [14] = {CODEC_MPA, 90000},  [15] = {CODEC_G728, 8000},
    [16] = {CODEC_DVI4, 11025}, [17] = {CODEC_DVI4, 22050}, [18] = {CODEC_G729, 8000},
    [25] = {CODEC_CELB, 90000}, [26] = {CODEC_JPEG, 90000}, [28] = {CODEC_NV, 90000},
    [31] = {CODEC_H261, 90000}, [32] = {CODEC_MPV, 90000},  [33] = {CODEC_MP2T, 90000},
    [34] = {CODEC_H263, 90000},
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

const char *codec_name(enum codec c)
{
    return (unsigned)c < CODEC_COUNT ? CODECS[c].name : "";
}

enum codec codec_by_name(struct slice name)
{
    if (name.n == 0) {
        return CODEC_UNKNOWN;
    }
    for (int c = CODEC_UNKNOWN + 1; c < CODEC_OTHER; c++) {
        if (slice_eq_nocase(name, slice_str(CODECS[c].name))) {
            return (enum codec)c;
        }
    }
    for (size_t i = 0; i < COUNT(ALIASES); i++) {
        if (slice_eq_nocase(name, slice_str(ALIASES[i].name))) {
            return ALIASES[i].codec;
        }
    }
    return CODEC_OTHER;
}

enum codec codec_by_payload_type(uint8_t pt, uint32_t *clock_hz)
{
    bool is_static = pt < COUNT(STATIC_TYPES);
    *clock_hz = is_static ? STATIC_TYPES[pt].clock_hz : 0;
    return is_static ? STATIC_TYPES[pt].codec : CODEC_UNKNOWN;
}

bool codec_is_video(enum codec c)
{
    return (unsigned)c < CODEC_COUNT && CODECS[c].is_video;
}

const char *codec_kind(enum codec c)
{
    if (c == CODEC_UNKNOWN || c == CODEC_OTHER || c == CODEC_RED) {
        return NULL;
    }
    if (c == CODEC_RTX || c == CODEC_FEC) {
        return "other";
    }
    if (c == CODEC_T38) {
        return "fax";
    }
    if (c == CODEC_T140) {
        return "text";
    }
    return codec_is_video(c) ? "video" : "audio";
}
