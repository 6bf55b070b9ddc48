/* turns.h: what the turns of a kind of samples have of their own.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/* The turn of extreme and of nonfinite samples that has some of everything in one set, for what is too costly to be tried on several. */
#define PH_SAMPLER_MIXED 200

/* Turns of PH_SAMPLE_NONFINITE from this one on: half of every other input is infinite, or NaN. */
#define PH_SAMPLER_FIRST_MANY 6
/* Turns of it from this one on: one input after the other has one NaN, and then one infinity, and nothing else is beyond numbers, which would
 * hide it. */
#define PH_SAMPLER_FIRST_ALONE 100
/* The turn of it in which half of each input is NaN: what picks few elements finds one. */
#define PH_SAMPLER_MANY_NAN 150

/* Two turns of PH_SAMPLE_EXTREME from this one on: all inputs are large alike, negative ones and then positive ones. */
#define PH_SAMPLER_FIRST_LARGE 2

/* From this turn of PH_SAMPLE_REACH on all that ph_sampler_n_reaching() says are to come: at the largest shape. */
#define PH_SAMPLER_FIRST_ALL 4
/* Turns of it from this one on: one number that decides something in all of the inputs, among little else. */
#define PH_SAMPLER_FIRST_POINT 1000

/* Turns of PH_SAMPLE_DENSE from this one on: rows of one number, of zeros, or in order. */
#define PH_SAMPLER_FIRST_ORDERED 50
/* Turns of it from this one on: constants alone, so that several of them meet. */
#define PH_SAMPLER_FIRST_JOINT 100
/* Turns of it from this one on: few numbers, and what is near them, so that inputs that are compared with each other are nearly equal. */
#define PH_SAMPLER_FIRST_NEAR 300
