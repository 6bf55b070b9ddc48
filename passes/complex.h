/* complex.h: complex numbers as pairs of real ones, for conversions: ONNX computes with these only. Private to passes/.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "passes/convert.h"

G_BEGIN_DECLS

typedef struct
{
  PhValue *re, *im; /* @im: (nullable) NULL: zero */
} PhComplexPair;

typedef struct _PhComplex PhComplex;

struct _PhComplex
{
  GHashTable *pairs;  /* id of a complex value -> id of the node that holds its parts while they change */
  GHashTable *inputs; /* id of a complex input -> id of that in its place    */
  GArray *split;      /* (element-type PhId) nodes that pairs stand for now */
};

PhComplex *ph_complex_new (void);
void ph_complex_free (PhComplex *complex);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhComplex, ph_complex_free)

/* Whether @node takes or gives complex numbers. */
gboolean ph_complex_touches (PhComplex *complex, PhNode *node);
/* Writes @node, of the normalised name @name, as real operators before it, and remembers what stands for its results. It stays until
 * ph_complex_finish(). FALSE: cancelled. @stays: (transfer full) why it could not. */
gboolean ph_complex_split (PhComplex *complex, PhPassRun *run, PhNode *node, const char *name, char **stays, GError **error);
/* What was split goes; inputs and outputs of the model are pairs along a last dimension. */
gboolean ph_complex_finish (PhComplex *complex, PhPassRun *run, GError **error);

/* complex-parts.c. Whether numbers of @dtype, or @value, are complex. */
gboolean ph_complex_is_type (PhDType dtype);
gboolean ph_complex_is (const PhComplex *complex, const PhValue *value);
const PhType *ph_complex_real_type (const PhType *type); /* of either part */
PhTensor *ph_complex_part_of (PhTensor *tensor, guint which);
/* @pair stands for @value from now on; later rules may replace its parts. */
gboolean ph_complex_keep (PhComplex *complex, const PhValue *value, PhComplexPair pair, PhBuilder *b);
/* A value of @type, complex, whose parts are @pair; for copies of nodes that are split next. (nullable) */
PhValue *ph_complex_stand_in (PhComplex *complex, const PhType *type, PhComplexPair pair, PhBuilder *b);
gboolean ph_complex_is_holder (const PhNode *node); /* of such parts */
gboolean ph_complex_held (const PhComplex *complex, const PhValue *value, PhComplexPair *pair);
/* What stands for @value; a real one has no imaginary part. FALSE: it is complex, and was not split. */
gboolean ph_complex_parts (PhComplex *complex, PhValue *value, PhBuilder *b, PhComplexPair *pair);
/* A value of @type, or either part of one, if it has no elements; NULL. */
PhValue *ph_complex_empty (const PhType *type, PhBuilder *b);
PhValue *ph_complex_stacked (PhBuilder *b, PhComplexPair x); /* both parts along a last dimension */
PhComplexPair ph_complex_unstacked (PhBuilder *b, PhValue *both);
/* The bits of @x, complex or real, as numbers of @node's type, complex or real: a real one has no imaginary part. */
gboolean ph_complex_bitcast (PhBuilder *b, const PhNode *node, PhComplexPair *x);

/* One node, where it stands, as ph_complex_split(). @gone: (out) others have replaced it. FALSE: @stays or the builder's error may say why. */
gboolean ph_complex_split_node (PhComplex *complex, PhNode *node, const char *name, PhBuilder *b, gboolean *gone, char **stays);
/* complex-bodies.c. One with bodies. */
gboolean ph_complex_split_bodies (PhComplex *complex, PhNode *node, PhBuilder *b, char **stays);

/* complex-math.c. (nullable) NULL or FALSE: there is no such function. */
gboolean ph_complex_function (PhBuilder *b, const char *name, const PhComplexPair *x, PhComplexPair *result);
PhComplexPair ph_complex_multiply (PhBuilder *b, PhComplexPair x, PhComplexPair y);
PhComplexPair ph_complex_divide (PhBuilder *b, PhComplexPair x, PhComplexPair y);
PhComplexPair ph_complex_power (PhBuilder *b, PhComplexPair x, PhComplexPair y);
PhComplexPair ph_complex_extreme (PhBuilder *b, PhComplexPair x, PhComplexPair y, gboolean greatest);
PhComplexPair ph_complex_atan2 (PhBuilder *b, PhComplexPair y, PhComplexPair x);
PhValue *ph_complex_abs (PhBuilder *b, PhComplexPair x);
PhValue *ph_complex_angle (PhBuilder *b, PhComplexPair x);
PhValue *ph_complex_number (PhBuilder *b, PhValue *like, double number);
PhValue *ph_complex_imaginary (PhBuilder *b, PhComplexPair x); /* also where it is zero */

/* complex-fourier.c. Of stablehlo.fft, aten.fft_*, aten.stft, tf.FFT and the like. */
gboolean ph_complex_fourier (PhBuilder *b, PhNode *node, const char *name, PhComplexPair x, PhComplexPair *result, char **stays);

G_END_DECLS
