/* samples.h: values for the inputs of a region: those that flow there, and made-up ones that reach what matters.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "core/prove/bounds.h"
#include "core/prove/pair.h"

G_BEGIN_DECLS

/* clang-format off */
typedef enum
{
  PH_SAMPLE_CAPTURED,       /* what a run of the model has there, or what was fed                              */
  PH_SAMPLE_NORMAL,         /* around 0, both signs                                                            */
  PH_SAMPLE_WIDE,           /* magnitudes from 1e-3 to 1e3, zeros of both signs                                */
  PH_SAMPLE_REACH,          /* each value of the pool somewhere among normal ones, up to 1e6                   */
  PH_SAMPLE_DENSE,          /* every element from that pool                                                    */
  PH_SAMPLE_EXTREME,        /* subnormal, huge and largest values among normal ones                            */
  PH_SAMPLE_NONFINITE,      /* NaN and both infinities, once each                                              */
  PH_SAMPLE_N_KINDS
} PhSampleKind;
/* clang-format on */

const char *ph_sample_kind_name (PhSampleKind kind); /* "captured" "normal" "wide" "reach" "dense" "extreme" "nonfinite" */

/* What is drawn for one pair: the pool of values that decide something in either side (each constant and attribute that is
 * compared with, its neighbours, its negative; zeros, ones, subnormals, huge ones), and how each integer input is read. */
typedef struct _PhSampler PhSampler;

/* @bounds: one for each input of the pair, what its producer guarantees. */
PhSampler *ph_sampler_new (const PhPair *pair, const PhBounds *bounds, guint64 seed);
void ph_sampler_free (PhSampler *sampler);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhSampler, ph_sampler_free)

/* @input is one of the model's own: where it says a shape, that may be any. */
void ph_sampler_set_free (PhSampler *sampler, guint input);

/* How small integers are from now on, for operators that refuse others: 0 any; 1 and 2 none below 0, and such as count or point at
 * the places of a short axis. */
#define PH_SAMPLER_MOST_MODEST 2
/* The largest input of a set has this many elements at most, where rows are independent. A proved pair is not tried on more captured ones. */
#define PH_SAMPLER_ROWS 8192
void ph_sampler_set_modesty (PhSampler *sampler, guint modesty);
/* Whether there is an input that this makes another one of. */
gboolean ph_sampler_can_be_modest (PhSampler *sampler);

/* How the open dimensions are chosen: 0, 1, 2, ... until no more are offered. 0: each symbol has a size of its own, larger than
 * the small integer constants of either side; then common sizes; and where a captured value is there, its shape. */
guint ph_sampler_n_sizes (PhSampler *sampler);
gboolean ph_sampler_counts_places (PhSampler *sampler);    /* numbers are made of sizes */
gboolean ph_sampler_counts_in_floats (PhSampler *sampler); /* integers are made of floats with few digits */
/* In so many ways open dimensions may be something else: @n_beyond of these larger than the large constants, one after the other
 * and then all at once, and the rest as something that they are compared with. */
guint ph_sampler_n_far (PhSampler *sampler, guint *n_beyond);
/* And in so many ways they may be 0. */
guint ph_sampler_n_none (PhSampler *sampler);

/* How many turns of PH_SAMPLE_REACH bring every number of the pool to some place of a tensor of @n elements. */
guint ph_sampler_n_reaching (PhSampler *sampler, gsize n);
/* The number of turns from the first of each sort in turns.h on. 0: these would show nothing, as one constant has no other to meet. */
guint ph_sampler_n_alone (PhSampler *sampler);
guint ph_sampler_n_points (PhSampler *sampler);
guint ph_sampler_n_joint (PhSampler *sampler);

/* Whether an input holds numbers of which a few samples are no proof: integers as data, or a shape that may be any. */
gboolean ph_sampler_has_integers (PhSampler *sampler);
gboolean ph_sampler_has_free_shape (PhSampler *sampler); /* it may be any */
/* It says a shape, which is what it is: nothing else is made up for it. */
gboolean ph_sampler_is_shape (PhSampler *sampler, guint input);

/* How shapes are chosen. */
typedef struct
{
  guint sizes;       /* one of those that are offered                                                  */
  gboolean captured; /* as the captured values have them                                               */
  gint64 crop;       /* 1, or by how much the spatial axes (from the third on) of large inputs are smaller */
  gboolean tight;    /* one or two batches, images just large enough                                   */
  gboolean rough;    /* nothing but shapes and integers is looked at: floats come again and again     */
  gboolean blank;    /* only the shapes of floats are needed: they are 0                              */
  gsize most;        /* elements of the largest input, where rows do not see each other; 0: any         */
  guint far;         /* 0, or which of ph_sampler_n_far() from 1                                        */
  guint none;        /* 0, or which of ph_sampler_n_none() from 1                                       */
} PhSampleShapes;

/* One tensor for each input, in order; NULL: of an input nothing can be made. @turn: which of the tensors of that kind.
 * @captured: (nullable) (nullable elements) one for each input.
 * (transfer full) (element-type PhTensor) */
GPtrArray *ph_sampler_draw (PhSampler *sampler, PhSampleKind kind, guint turn, PhSampleShapes shapes, PhTensor *const *captured);

G_END_DECLS
