// Scoring by the E-model.
#include "judge/quality.h"

struct impairment {
    enum codec codec;
    double ie, bpl;
};

// G.113 (11/2007) Appendix I, tables I.2 and I.4: equipment impairment Ie and packet-loss
// robustness Bpl, with packet loss concealment; G.711 with G.711 Appendix I, G.729 also stands for
// G.729A with VAD.
static const struct impairment IMPAIRMENTS[] = {
    {CODEC_PCMU, 0, 25.1},  {CODEC_PCMA, 0, 25.1},    {CODEC_G729, 11, 19.0},
    {CODEC_G723, 15, 16.1}, {CODEC_GSM_EFR, 5, 10.0},
};

double quality_burst_ratio(uint64_t lost, uint64_t expected, uint64_t runs)
{
    if (lost == 0 || runs == 0) {
        return 1;
    }
    double p = (double)lost / (double)expected;
    double ratio = (double)lost / (double)runs * (1 - p);
    return ratio > 1 ? ratio : 1;
}

double quality_mos(double r)
{
    if (r <= 0) {
        return 1;
    }
    if (r >= 100) {
        return 4.5;
    }
    double mos = 1 + 0.035 * r + r * (r - 60) * (100 - r) * 7e-6;
    return mos > 1 ? mos : 1; // the polynomial dips below 1 for R under 6.5
}

struct quality quality_score(const struct quality_input *in)
{
    if (in->codec == CODEC_UNKNOWN) {
        return (struct quality){.missing = "the codec is not known"};
    }
    for (size_t i = 0; i < sizeof IMPAIRMENTS / sizeof IMPAIRMENTS[0]; i++) {
        const struct impairment *at = &IMPAIRMENTS[i];
        if (at->codec == in->codec && in->expected > 0) {
            double p = 100.0 * (double)in->lacking / (double)in->expected;
            double ie_eff =
                at->ie + (95 - at->ie) * p / (p / in->burst_ratio + at->bpl); // G.107 (7-29)
            double r = 93.2 - ie_eff > 0 ? 93.2 - ie_eff : 0;
            return (struct quality){.r_factor = r, .mos = quality_mos(r), .model = "G.107"};
        }
    }
    if (codec_is_video(in->codec)) {
        return (struct quality){.missing = "the E-model scores speech, not video"};
    }
    return (struct quality){.missing = "no Ie and Bpl of this codec are known here"};
}
