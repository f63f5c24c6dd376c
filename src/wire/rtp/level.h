// How loud a payload of G.711 is, without decoding it.
//
// Companding is monotone (ITU-T G.711 tables 1 and 2): the seven bits of magnitude of a sample,
// here its code, order as its amplitude does. So the largest code is the peak, and the mean code
// tells the level; both cost a few instructions for 16 samples.
//
// Budget: 80 instructions for 160 samples. Proof: callgrind on `sidetone read` of the carrier
// capture.
#ifndef SIDETONE_WIRE_RTP_LEVEL_H
#define SIDETONE_WIRE_RTP_LEVEL_H

#include <stdbool.h>
#include <stdint.h>

enum level_law {
    LEVEL_NO_LAW,
    LEVEL_MU_LAW, // PCMU
    LEVEL_A_LAW,  // PCMA
};

#define LEVEL_CODE_MAX 127u

// Of a payload. Codes are 0 (quiet) to LEVEL_CODE_MAX (as loud as can be).
struct level {
    uint8_t peak;       // largest code
    uint8_t mean_twice; // twice the mean code, rounded
    uint8_t at_limit;   // samples with LEVEL_CODE_MAX; 255: so many or more
};

// `law` is one of the two; 0 < n < 65536, as a datagram holds.
struct level level_measure(enum level_law law, const uint8_t *p, uint32_t n);

// The same sample by sample: what the fast one is compared with.
struct level level_measure_plain(enum level_law law, const uint8_t *p, uint32_t n);

// --- codes as amplitudes ---

// Unit of level_steps, of 32,768.
#define LEVEL_STEP 4.0

// Amplitude of a code that is given in halves: eight segments of 16 codes, each with steps twice as
// wide as the one before; of A-law the first two have the same (G.711 tables 1 and 2).
static inline uint32_t level_steps(enum level_law law, unsigned code_twice)
{
    unsigned segment = code_twice >> 5, in_segment = code_twice & 31;
    if (law == LEVEL_MU_LAW) {
        return ((in_segment + 33) << segment) - 33;
    }
    return segment == 0 ? (in_segment + 1) * 2 : (in_segment + 33) << segment;
}

// Amplitude of a code, of 32,768.
double level_amplitude(enum level_law law, unsigned code);

extern const double LEVEL_FACTORS[16];
// And in the first two segments of A-law, where codes are linear.
#define LEVEL_LINEAR_FACTOR 0.7

// Estimate of the mean square of the samples, in the square of LEVEL_STEP. Within 1.5 dB for tones,
// noise and voices from -50 to -10 dBov.
static inline double level_power(enum level_law law, struct level l)
{
    double mean = level_steps(law, l.mean_twice);
    double power = mean * mean * LEVEL_FACTORS[(unsigned)(l.peak - l.mean_twice / 2) / 8 % 16];
    return law == LEVEL_A_LAW && l.mean_twice < 64 ? power * LEVEL_LINEAR_FACTOR : power;
}

// No sound but the noise of a line: mean below -60 dBov, no peak above -50 dBov. Not lower: the
// noise of an idle line may be -65 dBm0p (G.712), -71 dBov. Not higher: a quiet room heard by a
// microphone is above -55 dBov, and noise generators stay below it to sound alike.
#define LEVEL_SILENT_MEAN_MAX 8 // mean_twice that may be silent at all

static inline bool level_is_silent(enum level_law law, struct level l)
{
    return law == LEVEL_MU_LAW ? l.peak <= 13 && l.mean_twice <= LEVEL_SILENT_MEAN_MAX
                               : l.peak <= 6 && l.mean_twice <= 3;
}

// Clipped sound stays at the limit for samples on end. Not fewer: of noise that fills the range, as
// ciphertext does, one sample of 128 is there by chance. Not more: a tone clipped by 1 dB has a
// quarter of its samples there, and speech is clipped in its peaks alone.
#define LEVEL_CLIPPED_MIN   8u
#define LEVEL_CLIPPED_SHARE 20u // one of so many, in long packets

static inline bool level_is_clipped(struct level l, uint32_t n)
{
    uint32_t min = n / LEVEL_CLIPPED_SHARE;
    min = min < LEVEL_CLIPPED_MIN ? LEVEL_CLIPPED_MIN : min < 255 ? min : 255;
    return l.at_limit >= min;
}

// Every sample is at the limit: filled by who made the capture anonymous, no sound.
static inline bool level_is_filled(struct level l)
{
    return l.mean_twice == 2 * LEVEL_CODE_MAX;
}

// --- in a record (media_record.head) ---

static inline uint32_t level_pack(struct level l)
{
    return (uint32_t)l.at_limit << 16 | (uint32_t)l.mean_twice << 8 | l.peak;
}

static inline struct level level_unpack(uint32_t head)
{
    return (struct level){(uint8_t)head, (uint8_t)(head >> 8), (uint8_t)(head >> 16)};
}

#endif
