// Impairments of codecs, and which mode of a codec packets are of.
#include "judge/quality_codec.h"

#include <math.h>

#define NONE (double)NAN

// By the tables of ITU-T G.113, as others quote them: the edition of 09/2024 for wideband and
// IS-641, earlier ones for the rest. The Bpl of GSM-EFR is quoted nowhere that could be found, and
// those of AMR-WB in one place: look there first when the Recommendation is at hand. Not in here is
// what nobody quotes from it: G.722.1, iLBC; and what it has no values of: Opus, speex, most modes
// of AMR.
static const struct impairment IMPAIRMENTS[] = {
    // Appendix I, table I.4, with packet loss concealment: G.711 with that of its Appendix I and
    // packets of 10 ms; G.729A with VAD, which stands for G.729 too.
    {CODEC_PCMU, 64, 0, 25.1},
    {CODEC_PCMA, 64, 0, 25.1},
    {CODEC_G729, 8, 11, 19.0},
    {CODEC_G723, 6.3, 15, 16.1},
    {CODEC_GSM_EFR, 12.2, 5, 10.0},
    // Appendix I, table I.1: Ie without any Bpl.
    {CODEC_G723, 5.3, 19, NONE},
    {CODEC_G726, 40, 2, NONE},
    {CODEC_G726, 32, 7, NONE},
    {CODEC_G726, 24, 25, NONE},
    {CODEC_G726, 16, 50, NONE},
    {CODEC_G728, 16, 7, NONE}, // RFC 3551 4.5.5 has no other rate
    {CODEC_GSM, 13, 20, NONE},
    {CODEC_GSM_HR, 5.6, 23, NONE},
    // RFC 4867 3.1: these modes of AMR are other standards too, GSM-EFR and IS-641.
    {CODEC_AMR, 12.2, 5, 10.0},
    {CODEC_AMR, 7.4, 10, NONE},
    // Appendix IV, table IV.3 (Ie,WB) and IV.4 (Bpl,WB), heard with both ears: those for one ear
    // have no Bpl,WB, and the two must not be mixed for one codec. It is as published that 23.85
    // kbit/s is worse than 23.05.
    {CODEC_AMR_WB, 23.85, 10, 4.9},
    {CODEC_AMR_WB, 23.05, 8, 4.6},
    {CODEC_AMR_WB, 15.85, 17, NONE},
    {CODEC_AMR_WB, 12.65, 20, 4.3},
    {CODEC_AMR_WB, 8.85, 41, NONE},
    {CODEC_AMR_WB, 6.6, 56, NONE},
    // Table IV.1 (Ie,WB, one ear, as with a handset), without any Bpl,WB. RFC 3551 4.5.2: RTP has
    // the mode of 64 kbit/s only.
    {CODEC_G722, 64, 13, NONE},
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

// Bits of a frame of 20 ms of each mode (RFC 4867 3.6; 3GPP TS 26.101 and 26.201).
struct frame_size {
    double kbps;
    unsigned bits;
};
static const struct frame_size AMR_FRAMES[] = {
    {4.75, 95}, {5.15, 103}, {5.9, 118},  {6.7, 134},
    {7.4, 148}, {7.95, 159}, {10.2, 204}, {12.2, 244},
};
static const struct frame_size AMR_WB_FRAMES[] = {
    {6.6, 132},   {8.85, 177},  {12.65, 253}, {14.25, 285}, {15.85, 317},
    {18.25, 365}, {19.85, 397}, {23.05, 461}, {23.85, 477},
};
#define AMR_FRAME_MS   20.0
#define AMR_FRAMES_MAX 12 // more than 240 ms in a packet are not sent (RFC 4867 8.1, maxptime)
// By how many bytes the mean may differ from packets of one mode: a few with comfort noise or with
// another mode are among them. Not more: sizes of neighbouring modes differ by one byte.
#define AMR_TOLERANCE_BYTES 0.25

// By what share of it the measured rate may differ from that of a mode. Not smaller: some packets
// of events and of comfort noise are shorter. Not larger: 5.3 and 6.3 kbit/s are 17 % apart.
#define RATE_TOLERANCE 0.05

bool codec_is_wideband(enum codec codec)
{
    return codec == CODEC_AMR_WB || codec == CODEC_G722;
}

// RFC 4867 4.3 and 4.4: bytes of a packet with so many frames.
static unsigned packet_bytes(unsigned frames, unsigned bits, bool is_aligned)
{
    return is_aligned ? 1 + frames * (1 + (bits + 7) / 8) : (4 + frames * (6 + bits) + 7) / 8;
}

// The mode of AMR or AMR-WB whose packets are so long, NaN: none, or more than one.
static double frame_mode(const struct frame_size *modes, size_t count, double payload_bytes,
                         double packet_ms)
{
    double frames = round(packet_ms / AMR_FRAME_MS);
    if (!(frames >= 1 && frames <= AMR_FRAMES_MAX) ||
        fabs(frames * AMR_FRAME_MS - packet_ms) > RATE_TOLERANCE * packet_ms) {
        return NAN;
    }
    double found = NAN;
    for (size_t i = 0; i < count; i++) {
        for (int is_aligned = 0; is_aligned < 2; is_aligned++) {
            unsigned bytes = packet_bytes((unsigned)frames, modes[i].bits, is_aligned != 0);
            if (!(fabs(bytes - payload_bytes) <= AMR_TOLERANCE_BYTES)) {
                continue;
            }
            if (!isnan(found) && found != modes[i].kbps) {
                return NAN;
            }
            found = modes[i].kbps;
        }
    }
    return found;
}

// The rate among those of the table that payload and time make, NaN: none of them.
static double rate_mode(enum codec codec, double payload_bytes, double packet_ms)
{
    double kbps = payload_bytes * 8 / packet_ms;
    for (size_t i = 0; i < COUNT(IMPAIRMENTS); i++) {
        // G.723.1 fills its frames up to whole bytes: 24 and 20 in 30 ms.
        double listed = IMPAIRMENTS[i].kbps;
        double sent = codec == CODEC_G723 ? (listed > 6 ? 6.4 : 16.0 / 3) : listed;
        if (IMPAIRMENTS[i].codec == codec && fabs(kbps - sent) <= RATE_TOLERANCE * sent) {
            return listed;
        }
    }
    return NAN;
}

static double mode_of(enum codec codec, double payload_bytes, double packet_ms)
{
    if (!(payload_bytes > 0) || !(packet_ms > 0)) { // also NaN
        return NAN;
    }
    if (codec == CODEC_AMR) {
        return frame_mode(AMR_FRAMES, COUNT(AMR_FRAMES), payload_bytes, packet_ms);
    }
    if (codec == CODEC_AMR_WB) {
        return frame_mode(AMR_WB_FRAMES, COUNT(AMR_WB_FRAMES), payload_bytes, packet_ms);
    }
    return rate_mode(codec, payload_bytes, packet_ms);
}

static const char *why_none(enum codec codec)
{
    if (codec == CODEC_UNKNOWN) {
        return "the codec is not known";
    }
    if (codec_is_video(codec)) {
        return "the E-model scores speech, not video";
    }
    if (codec == CODEC_EVENT || codec == CODEC_CN || codec == CODEC_T38) {
        return "the E-model scores speech";
    }
    if (codec == CODEC_T140) {
        return "the E-model scores speech, not text";
    }
    if (codec == CODEC_RTX || codec == CODEC_FEC) {
        return "its packets only repair those of other streams";
    }
    if (codec == CODEC_EVS) {
        return "values of this codec are published for the fullband E-model only";
    }
    return "no Ie and Bpl of this codec are known here";
}

const struct impairment *impairment_of(enum codec codec, double payload_bytes, double packet_ms,
                                       const char **missing)
{
    const struct impairment *first = NULL;
    size_t rows = 0;
    for (size_t i = 0; i < COUNT(IMPAIRMENTS); i++) {
        if (IMPAIRMENTS[i].codec == codec) {
            first = first ? first : &IMPAIRMENTS[i];
            rows++;
        }
    }
    if (rows < 2) {
        *missing = rows == 0 ? why_none(codec) : NULL;
        return first;
    }
    double kbps = mode_of(codec, payload_bytes, packet_ms);
    for (size_t i = 0; i < COUNT(IMPAIRMENTS); i++) {
        if (IMPAIRMENTS[i].codec == codec && IMPAIRMENTS[i].kbps == kbps) {
            *missing = NULL;
            return &IMPAIRMENTS[i];
        }
    }
    *missing = isnan(kbps)
                   ? "the codec has several modes, and the size of its packets does not tell which"
                   : "no Ie and Bpl of this mode of the codec are known here";
    return NULL;
}
