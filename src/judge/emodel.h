// The formulas of the E-model: ITU-T G.107 (narrowband) and G.107.1 (wideband), at the default
// values of their parameters.
//
// Pure functions; any argument gives a number. Names of variables are those of the Recommendations.
#ifndef SIDETONE_JUDGE_EMODEL_H
#define SIDETONE_JUDGE_EMODEL_H

// One-way delays above this score like this. Not smaller: satellites and bad paths reach 1 s, where
// the curve still falls. Not larger: it is flat there, and a clock that lies must not overflow.
#define EMODEL_DELAY_MAX_MS 10000.0

// The best rating of each model: at the default values and without delay, G.107 7.7 and G.107.1
// 7.7.
#define EMODEL_R_NARROWBAND 93.2
#define EMODEL_R_WIDEBAND   129.0

// R0 - Is - Id of G.107 7.2 to 7.4 with Ta = T = one_way_ms and Tr twice that: 93.2 without delay.
double emodel_rating(double one_way_ms);

// What a one-way delay takes from R, 0 for none; never falls with the delay.
double emodel_delay(double one_way_ms);          // G.107 7.4
double emodel_delay_wideband(double one_way_ms); // G.107.1 7.4

// Ie,eff of G.107 (7-29). lost_percent: 0 to 100; burst_ratio: at least 1; bpl: above 0.
double emodel_equipment(double ie, double bpl, double lost_percent, double burst_ratio);

// MOS of R: G.107 Annex B, and G.107.1 Annex A.
double emodel_mos(double r);
double emodel_mos_wideband(double r);

#endif
