/* nudge.c: moves inputs in their last bits, to find how far the rounding of doubles may move results.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/trial-private.h"

/* Each element moves up or down; where it does is another pattern for each input and @turn, so that what cancels out moves as well. */
static GPtrArray *
nudged (GPtrArray *inputs, double by, guint turn)
{
  GPtrArray *others = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_tensor_unref);

  for (guint i = 0; i < inputs->len; i++)
    {
      PhTensor *tensor = inputs->pdata[i], *copy;
      const gsize from = 97 * (i + inputs->len * turn);
      double *out;

      if (ph_tensor_kind (tensor) != PH_KIND_TENSOR || !ph_dtype_is_float (ph_tensor_dtype (tensor)))
        {
          g_ptr_array_add (others, ph_tensor_ref (tensor));
          continue;
        }
      copy = ph_tensor_new (PH_DOUBLE, ph_tensor_rank (tensor), ph_tensor_dims (tensor));
      out = ph_tensor_writable (copy);
      for (gsize k = 0; k < ph_tensor_count (tensor); k++)
        out[k] = ph_tensor_get (tensor, k) * (1 + (((from + k) * 2654435761u >> 7) & 1 ? by : -by));
      g_ptr_array_add (others, copy);
    }
  return others;
}

/* Measures how far output @output moves from @was when the inputs move by @by. Returns FALSE if that cannot be computed. */
static gboolean
moves (PhTry *self, GPtrArray *inputs, PhTensor *was, guint output, double by, guint turn, PhDistance *distance)
{
  g_autoptr (GPtrArray) others = nudged (inputs, by, turn), moved = ph_try_run (self, 0, others, TRUE, FALSE, NULL);

  if (moved == NULL)
    return FALSE;
  *distance = ph_distance (moved->pdata[output], was);
  return distance->why == NULL;
}

#define NUDGE 0x1p-48

/* @strict: not near a discontinuity, since that may be what changed. Cancellation is no discontinuity: its effect grows in proportion. */
static gboolean
explains (PhTry *self, GPtrArray *inputs, PhTensor *was, guint output, const PhDistance *distance, gboolean strict, guint turn)
{
  g_auto (PhDistance) by = { 0 }, by_more = { 0 };

  if ((strict && distance->n_exact > 0) || !moves (self, inputs, was, output, NUDGE, turn, &by))
    return FALSE;
  if (distance->n_exact > 0)
    return by.n_exact > 0;
  if (!strict)
    return distance->error <= 16 * by.error;
  return distance->max_abs <= 16 * by.max_abs && moves (self, inputs, was, output, 16 * NUDGE, turn, &by_more)
         && by_more.max_abs >= 4 * by.max_abs && by_more.max_abs <= 64 * by.max_abs;
}

/* Where each rewrite is proved, so many patterns are asked: only rounding can differ then. */
#define TURNS 8

gboolean
ph_try_is_ill_conditioned (PhTry *self, GPtrArray *inputs, PhTensor *was, guint output, const PhDistance *distance)
{
  const gboolean strict = self->options->promise == PH_PROMISE_NONE && !self->options->proved
                          && (distance->error > 1e-6 || distance->n_exact > 0);

  for (guint turn = 0; turn < (self->options->proved ? TURNS : 1); turn++)
    if (explains (self, inputs, was, output, distance, strict, turn))
      return TRUE;
  return FALSE;
}
