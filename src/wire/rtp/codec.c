// Codecs by name and by static payload type.
//
// RFC 3551 6 (static types), IANA's registry of RTP payload formats (names).
#include "wire/rtp/codec.h"

static const struct {
    struct slice name; // with a NUL behind it
    bool is_video;
} CODECS[CODEC_COUNT] = {
    [CODEC_UNKNOWN] = {{"", 0}, false},
    [CODEC_PCMU] = {{"PCMU", 4}, false},
    [CODEC_PCMA] = {{"PCMA", 4}, false},
    [CODEC_G722] = {{"G722", 4}, false},
    [CODEC_G723] = {{"G723", 4}, false},
    [CODEC_G728] = {{"G728", 4}, false},
    [CODEC_G729] = {{"G729", 4}, false},
    [CODEC_GSM] = {{"GSM", 3}, false},
    [CODEC_GSM_EFR] = {{"GSM-EFR", 7}, false},
    [CODEC_GSM_HR] = {{"GSM-HR-08", 9}, false},
    [CODEC_ILBC] = {{"iLBC", 4}, false},
    [CODEC_SPEEX] = {{"speex", 5}, false},
    [CODEC_OPUS] = {{"opus", 4}, false},
    [CODEC_AMR] = {{"AMR", 3}, false},
    [CODEC_AMR_WB] = {{"AMR-WB", 6}, false},
    [CODEC_EVS] = {{"EVS", 3}, false},
    [CODEC_G726] = {{"G726", 4}, false},
    [CODEC_L16] = {{"L16", 3}, false},
    [CODEC_LPC] = {{"LPC", 3}, false},
    [CODEC_DVI4] = {{"DVI4", 4}, false},
    [CODEC_QCELP] = {{"QCELP", 5}, false},
    [CODEC_MPA] = {{"MPA", 3}, false},
    [CODEC_SILK] = {{"SILK", 4}, false},
    [CODEC_ISAC] = {{"ISAC", 4}, false},
    [CODEC_EVENT] = {{"telephone-event", 15}, false},
    [CODEC_CN] = {{"CN", 2}, false},
    [CODEC_RED] = {{"red", 3}, false},
    [CODEC_T140] = {{"t140", 4}, false},
    [CODEC_RTX] = {{"rtx", 3}, false},
    [CODEC_FEC] = {{"ulpfec", 6}, false}, // and others
    [CODEC_T38] = {{"t38", 3}, false},
    [CODEC_H261] = {{"H261", 4}, true},
    [CODEC_H263] = {{"H263", 4}, true},
    [CODEC_H264] = {{"H264", 4}, true},
    [CODEC_H265] = {{"H265", 4}, true},
    [CODEC_VP8] = {{"VP8", 3}, true},
    [CODEC_VP9] = {{"VP9", 3}, true},
    [CODEC_AV1] = {{"AV1", 3}, true},
    [CODEC_CELB] = {{"CelB", 4}, true},
    [CODEC_JPEG] = {{"JPEG", 4}, true},
    [CODEC_NV] = {{"nv", 2}, true},
    [CODEC_MPV] = {{"MPV", 3}, true},
    [CODEC_MP2T] = {{"MP2T", 4}, true},
    [CODEC_OTHER] = {{"", 0}, false},
};

// Names that stand for the same codec as another: registered variants that differ in packing or in
// an annex, and spellings with a dot that equipment sends.
static const struct {
    struct slice name;
    enum codec codec;
} ALIASES[] = {
    {{"G.711U", 6}, CODEC_PCMU},        {{"G.711A", 6}, CODEC_PCMA},
    {{"G.722", 5}, CODEC_G722},         {{"G.723", 5}, CODEC_G723},
    {{"G723.1", 6}, CODEC_G723},        {{"G.723.1", 7}, CODEC_G723},
    {{"G7231", 5}, CODEC_G723},         {{"G.728", 5}, CODEC_G728},
    {{"G.729", 5}, CODEC_G729},         {{"G729A", 5}, CODEC_G729},
    {{"G.729A", 6}, CODEC_G729},        {{"G729B", 5}, CODEC_G729},
    {{"G.729B", 6}, CODEC_G729},        {{"G729AB", 6}, CODEC_G729},
    {{"G.729AB", 7}, CODEC_G729},       {{"GSM-FR", 6}, CODEC_GSM},
    {{"G721", 4}, CODEC_G726},          {{"G.726", 5}, CODEC_G726},
    {{"G726-16", 7}, CODEC_G726},       {{"G726-24", 7}, CODEC_G726},
    {{"G726-32", 7}, CODEC_G726},       {{"G726-40", 7}, CODEC_G726},
    {{"AAL2-G726-16", 12}, CODEC_G726}, {{"AAL2-G726-24", 12}, CODEC_G726},
    {{"AAL2-G726-32", 12}, CODEC_G726}, {{"AAL2-G726-40", 12}, CODEC_G726},
    {{"H263-1998", 9}, CODEC_H263},     {{"H263-2000", 9}, CODEC_H263},
    {{"parityfec", 9}, CODEC_FEC},      {{"flexfec", 7}, CODEC_FEC},
    {{"flexfec-03", 10}, CODEC_FEC},    {{"raptorfec", 9}, CODEC_FEC},
    {{"x-ulpfecuc", 10}, CODEC_FEC},    {{"uleciprotfec", 12}, CODEC_FEC},
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
    return (unsigned)c < CODEC_COUNT ? CODECS[c].name.p : "";
}

// Length and first letter tell most apart; most are written as they are registered.
static inline bool is_name(struct slice name, struct slice known)
{
    return name.n == known.n && ascii_lower(*name.p) == ascii_lower(*known.p) &&
           (slice_eq(name, known) || slice_eq_nocase(name, known));
}

enum codec codec_by_name(struct slice name)
{
    if (name.n == 0) {
        return CODEC_UNKNOWN;
    }
    for (int c = CODEC_UNKNOWN + 1; c < CODEC_OTHER; c++) {
        if (is_name(name, CODECS[c].name)) {
            return (enum codec)c;
        }
    }
    for (size_t i = 0; i < COUNT(ALIASES); i++) {
        if (is_name(name, ALIASES[i].name)) {
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
