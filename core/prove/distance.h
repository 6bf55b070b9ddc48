/* distance.h: measures how far two results are apart, in units that tell rounding from a change of meaning.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/tensor/tensor.h"

G_BEGIN_DECLS

typedef struct
{
  char *why;                   /* (nullable) they cannot be compared element by element: "shape [2] is not [3]"       */
  double error;                /* largest |a - b| over finite elements, relative to the largest |b| of them          */
  double max_abs;              /* the same, absolute                                                                  */
  gsize at;                    /* where that is; of what cannot be subtracted, the first that differs                 */
  gsize n_exact;               /* elements that are no floats and differ: integers, bools, strings                    */
  gsize n_lost, lost_at;       /* finite in @b only                                                                    */
  gsize n_gained, gained_at;   /* finite in @a only                                                                    */
  gsize n_changed, changed_at; /* finite in neither, and not the same                                               */
} PhDistance;

/* From @b, what is expected, to @a. */
PhDistance ph_distance (PhTensor *a, PhTensor *b);
void ph_distance_clear (PhDistance *distance);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PhDistance, ph_distance_clear)

/* The same bits, but for the payload of a NaN. @at: the first element that differs. */
gboolean ph_same_bits (PhTensor *a, PhTensor *b, gsize *at);

/* Root mean square of the finite a - b, both of any float type. */
double ph_distance_rms (PhTensor *a, PhTensor *b);

/* An element of a tensor, for people: "0.5", "NaN", "\"text\"". (transfer full) */
char *ph_element_to_string (PhTensor *tensor, gsize index);
/* "[0, 2]". (nullable) NULL: a scalar */
char *ph_element_place (PhTensor *tensor, gsize index);

G_END_DECLS
