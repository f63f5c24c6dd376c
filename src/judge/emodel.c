// The formulas of the E-model.
//
// ITU-T G.107 (06/2015), and G.107.1 (06/2019) with Corrigendum 1 (01/2020). The numbers in
// brackets are those of their equations.
#include "judge/emodel.h"

#include <math.h>

// G.107 table 3: default values.
#define SLR  8.0   // send loudness rating, dB
#define RLR  2.0   // receive loudness rating, dB
#define STMR 15.0  // sidetone masking rating, dB
#define DR   3.0   // D-value of the telephone that receives
#define DS   3.0   // D-value of the telephone that sends
#define TELR 65.0  // talker echo loudness rating, dB
#define WEPL 110.0 // weighted echo path loss, dB
#define QDU  1.0   // quantizing distortion units
#define NC   -70.0 // circuit noise, dBm0p
#define NFOR -64.0 // noise floor where it is received, dBmp
#define PS   35.0  // room noise where it is sent, dB(A)
#define PR   35.0  // room noise where it is received, dB(A)
// G.107 table 1: delay sensitivity of the class "default".
#define ST    1.0
#define MT_MS 100.0

static double square(double x)
{
    return x * x;
}

static double power_of_db(double db)
{
    return pow(10, db / 10);
}

static double bounded_delay(double ms)
{
    if (!(ms > 0)) { // also NaN
        return 0;
    }
    return ms < EMODEL_DELAY_MAX_MS ? ms : EMODEL_DELAY_MAX_MS;
}

// --- noise, loudness, sidetone, quantizing ---

// No: the sum of all noise, dBm0p. (7-3) to (7-7)
static double noise(void)
{
    const double OLR = SLR + RLR;
    const double LSTR = STMR + DR;
    double nos = PS - SLR - DS - 100 + 0.004 * square(PS - OLR - DS - 14);
    double pre = PR + 10 * log10(1 + power_of_db(10 - LSTR));
    double nor = RLR - 121 + pre + 0.008 * square(pre - 35);
    double nfo = NFOR + RLR;
    return 10 * log10(power_of_db(NC) + power_of_db(nos) + power_of_db(nor) + power_of_db(nfo));
}

// Iolr: too quiet. (7-9), (7-10)
static double loudness(double no)
{
    double xolr = SLR + RLR + 0.2 * (64 + no - RLR);
    return 20 * (pow(1 + pow(xolr / 8, 8), 1.0 / 8) - xolr / 8);
}

// Ist: the own voice, too loud or too quiet. (7-11), (7-12)
static double sidetone(double t_ms)
{
    double stmro = -10 * log10(power_of_db(-STMR) + exp(-t_ms / 4) * power_of_db(-TELR));
    return 12 * pow(1 + pow((stmro - 13) / 6, 8), 1.0 / 8) -
           28 * pow(1 + pow((stmro + 1) / 19.4, 35), 1.0 / 35) -
           13 * pow(1 + pow((stmro - 3) / 33, 13), 1.0 / 13) + 29;
}

// Iq: quantizing distortion. (7-13) to (7-17)
static double quantizing(double r0)
{
    double q = 37 - 15 * log10(QDU);
    double g = 1.07 + 0.258 * q + 0.0602 * square(q);
    double y = (r0 - 100) / 15 + 46 / 8.4 - g / 9;
    double z = 46.0 / 30 - g / 40;
    return 15 * log10(1 + pow(10, y) + pow(10, z));
}

// --- echo and delay ---

// (7-19) of G.107 and (7-5) of G.107.1. Below 1 ms echo is sidetone; the formulas dip below 0 for
// some ms after that, but nobody likes to hear an echo.
static double talker_echo(double roe, double re, double t_ms)
{
    if (t_ms < 1) {
        return 0;
    }
    double half = (roe - re) / 2;
    double idte = (half + sqrt(square(half) + 100) - 1) * (1 - exp(-t_ms));
    return idte > 0 ? idte : 0;
}

// TERV without the term that only G.107.1 has. (7-22)
static double talker_echo_level(double t_ms)
{
    return TELR - 40 * log10((1 + t_ms / 10) / (1 + t_ms / 150)) + 6 * exp(-0.3 * square(t_ms));
}

// Idle. (7-25), (7-26); G.107.1 (7-11), (7-12)
static double listener_echo(double r0, double tr_ms)
{
    double rle = 10.5 * (WEPL + 7) * pow(tr_ms + 1, -0.25);
    double half = (r0 - rle) / 2;
    return half + sqrt(square(half) + 169);
}

// Idd: people wait for each other. (7-27), (7-28)
static double pure_delay(double ta_ms)
{
    if (ta_ms <= MT_MS) {
        return 0;
    }
    double x = log2(ta_ms / MT_MS);
    return 25 * (pow(1 + pow(x, 6 * ST), 1 / (6 * ST)) -
                 3 * pow(1 + pow(x / 3, 6 * ST), 1 / (6 * ST)) + 2);
}

double emodel_rating(double one_way_ms)
{
    double t_ms = bounded_delay(one_way_ms);
    double no = noise();
    double r0 = 15 - 1.5 * (SLR + no); // (7-2)
    double is = loudness(no) + sidetone(t_ms) + quantizing(r0);
    double roe = -1.5 * (no - RLR);                        // (7-20)
    double re = 80 + 2.5 * (talker_echo_level(t_ms) - 14); // (7-21)
    double id = talker_echo(roe, re, t_ms) + listener_echo(r0, 2 * t_ms) + pure_delay(t_ms);
    return r0 - is - id;
}

double emodel_delay(double one_way_ms)
{
    if (bounded_delay(one_way_ms) == 0) {
        return 0; // the usual case: thousands of streams without RTCP
    }
    double lost = emodel_rating(0) - emodel_rating(one_way_ms);
    return lost > 0 ? lost : 0;
}

// Id,WB of (7-4).
static double delay_wideband(double t_ms)
{
    double k = t_ms < 100 ? 0.08 * t_ms + 10 : 18;           // (7-9), (7-10)
    double re = 80 + 3 * (talker_echo_level(t_ms) + k - 14); // (7-7), (7-8)
    // (7-6): the edition of 06/2019 takes a noise level that it does not define for wideband, and
    // the corrigendum replaces that. R0,WB stands here as in the same term of ITU-T G.1070.
    double roe = EMODEL_R_WIDEBAND;
    return talker_echo(roe, re, t_ms) + listener_echo(EMODEL_R_WIDEBAND, 2 * t_ms) +
           1.29 * pure_delay(t_ms); // (7-13)
}

double emodel_delay_wideband(double one_way_ms)
{
    if (bounded_delay(one_way_ms) == 0) {
        return 0;
    }
    double lost = delay_wideband(bounded_delay(one_way_ms)) - delay_wideband(0);
    return lost > 0 ? lost : 0;
}

double emodel_equipment(double ie, double bpl, double lost_percent, double burst_ratio)
{
    return ie + (95 - ie) * lost_percent / (lost_percent / burst_ratio + bpl);
}

// --- MOS ---

double emodel_mos(double r)
{
    if (!(r > 0)) { // also NaN
        return 1;
    }
    if (r >= 100) {
        return 4.5;
    }
    double mos = 1 + 0.035 * r + r * (r - 60) * (100 - r) * 7e-6; // (B-4)
    return mos > 1 ? mos : 1; // the polynomial dips below 1 for R under 6.5
}

double emodel_mos_wideband(double r)
{
    return emodel_mos(r / 1.29);
}
