/* shapes.c: chooses the shapes at which a pair is tried.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "core/prove/region-form.h"
#include "core/prove/samples/sizes.h"
#include "core/prove/trial-private.h"

static gboolean
is_finite_somewhere (GPtrArray *outputs)
{
  for (guint k = 0; k < outputs->len; k++)
    {
      PhTensor *tensor = outputs->pdata[k];
      const gboolean floats = ph_tensor_kind (tensor) == PH_KIND_TENSOR && ph_dtype_is_float (ph_tensor_dtype (tensor));
      const gsize n = floats ? ph_tensor_count (tensor) : 0;

      if (n == 0 && ph_tensor_count (tensor) > 0)
        return TRUE;
      for (gsize i = 0; i < n; i++)
        if (isfinite (ph_tensor_get (tensor, i)))
          return TRUE;
    }
  return FALSE;
}

/* For a region of fewer operations, preparing the fast kernels takes longer than running the reference kernels. */
#define LITTLE 1e5

/* Returns TRUE if the model works at these sizes. An empty window gives NaN, and so does everything after it: sizes must leave some
 * elements. */
static gboolean
works_so (PhTry *self, PhSampleShapes shapes, GError **problem)
{
  g_autoptr (GPtrArray) inputs = NULL, outputs = NULL;
  g_autoptr (GError) own = NULL;

  shapes.rough = !self->options->asked;
  inputs = ph_try_draw (self, PH_SAMPLE_NORMAL, 0, shapes);
  shapes.rough = FALSE;

  if (inputs == NULL)
    {
      if (problem != NULL && *problem == NULL)
        g_set_error_literal (problem, PH_ERROR, PH_ERROR_UNSUPPORTED, "nothing can be made up for an input of unknown shape");
      return FALSE;
    }
  outputs = ph_try_run (self, 0, inputs, FALSE, !self->options->whole && self->options->cost <= LITTLE, &own);
  if (outputs == NULL && problem != NULL && *problem == NULL)
    *problem = g_steal_pointer (&own);
  if (outputs != NULL && self->options->asked && !is_finite_somewhere (outputs))
    {
      self->has_poor = TRUE;
      self->poor = shapes;
      return FALSE;
    }
  return outputs != NULL;
}

/* Returns TRUE if the shapes work. If lengths or positions are out of range, tries smaller ones. */
static gboolean
works (PhTry *self, PhSampleShapes shapes, GError **problem)
{
  gboolean works = works_so (self, shapes, problem);

  for (guint m = 1;
       !works && m <= PH_SAMPLER_MOST_MODEST && ph_sampler_can_be_modest (self->sampler) && !ph_try_was_cancelled (self); m++)
    {
      ph_sampler_set_modesty (self->sampler, m);
      works = works_so (self, shapes, NULL);
    }
  ph_sampler_set_modesty (self->sampler, 0);
  return works;
}

/* Adds @shapes if they work; if a cropped image does not work, tries the full one. */
static void
add_shapes (PhTry *self, PhSampleShapes shapes, GError **problem)
{
  if (!works (self, shapes, problem))
    {
      if (shapes.crop == 1)
        return;
      shapes.crop = 1;
      if (!works (self, shapes, NULL))
        return;
    }
  g_array_append_val (shapes.far > 0 ? self->far : self->shapes, shapes);
}

#define N_MIXED    60 /* mixtures that are tried */
#define MOST_MIXED 8  /* and so many that work   */
#define FEW_MIXED  4  /* the same if distinct sizes work, but sizes are computed with */

/* Finds sizes by trial, since some dimensions must be equal, or one, without this being declared. @alone: distinct sizes work as well. */
static void
find_mixed (PhTry *self, gboolean alone)
{
  GArray *found = self->shapes->len > 0 ? self->far : self->shapes;
  const guint most = found->len + (alone ? FEW_MIXED : MOST_MIXED);

  for (guint i = 0; i < (alone ? 2 * FEW_MIXED : N_MIXED) && found->len < most && !ph_try_was_cancelled (self); i++)
    {
      const PhSampleShapes shapes = { .sizes = PH_SIZES_FIRST_MIXED + i, .crop = 1 };

      if (works_so (self, shapes, NULL))
        g_array_append_val (found, shapes);
    }
}

gboolean
ph_try_affords_far (PhTry *self)
{
  const double most = self->options->promise == PH_PROMISE_NONE ? PH_TRY_FAR_FOREIGN : PH_TRY_FAR;

  return self->spent <= most * self->options->flops;
}

/* Sizes at which constants may make a difference. */
static void
find_far (PhTry *self)
{
  const guint before = self->far->len;
  guint n_beyond, n = ph_sampler_n_far (self->sampler, &n_beyond);

  for (guint i = 1; i <= n && (i == 1 || ph_try_affords_far (self)) && !ph_try_was_cancelled (self); i++)
    if (i == 1 || i != n_beyond
        || self->far->len == before) /* the trial beyond all constants at once is only needed if single ones fail */
      add_shapes (self, (PhSampleShapes) { .far = i, .crop = 1 }, NULL);
}

#define N_FITTING 64

/* What says a shape is an input, and may have to fit others: accepts the sizes if some numbers of it can be computed with. */
static void
find_fitting (PhTry *self)
{
  const PhSampleShapes shapes = { .crop = 1 };

  for (guint turn = 0; turn < N_FITTING && self->shapes->len == 0 && !ph_try_was_cancelled (self); turn++)
    {
      g_autoptr (GPtrArray) inputs = ph_try_draw (self, PH_SAMPLE_REACH, turn, shapes), outputs = NULL;

      if (inputs == NULL)
        return;
      outputs = ph_try_run (self, 0, inputs, FALSE, TRUE, NULL);
      if (outputs != NULL)
        g_array_append_val (self->shapes, shapes);
    }
}

/* The most nodes of a whole model that is treated like any region. */
#define FEW_NODES 60

void
ph_try_find_shapes (PhTry *self, GError **problem)
{
  const guint n = ph_sampler_n_sizes (self->sampler);
  gboolean alone, is_small;

  if (self->known_form || self->options->brief) /* it was settled before with many sizes */
    {
      const PhSampleShapes shapes = { .crop = self->crop, .captured = self->whole_captured && (n > 1 || self->options->brief) };

      /* Convolutions can be tested on a part of an image; other operators may not accept it. */
      if (self->crop > 1 && (self->options->form == NULL || self->options->form->sizes == NULL))
        add_shapes (self, shapes, problem);
      else
        g_array_append_val (self->shapes, shapes);
      self->trial->n_sizes = 1;
      self->trial->any_size = n > 1;
      return;
    }
  if (self->options->flowing)
    {
      if (self->whole_captured)
        add_shapes (self, (PhSampleShapes) { .captured = TRUE, .crop = self->crop }, problem);
      self->trial->n_sizes = self->shapes->len;
      self->trial->any_size = TRUE;
      return;
    }
  add_shapes (self, (PhSampleShapes) { .crop = self->crop }, problem);
  alone = self->shapes->len > 0;
  if (n > 1 && self->whole_captured)
    add_shapes (self, (PhSampleShapes) { .captured = TRUE, .crop = self->crop }, NULL);
  for (guint i = 1; i < n && self->shapes->len < 2 && !ph_try_was_cancelled (self); i++)
    add_shapes (self, (PhSampleShapes) { .sizes = i, .crop = 1 }, NULL);
  /* If nothing is wider than one, this size separates shapes that only look alike. */
  if (n > 2 && self->shapes->len > 0)
    add_shapes (self, (PhSampleShapes) { .sizes = 2, .crop = 1 }, NULL);
  if (self->shapes->len == 0 && ph_sampler_has_free_shape (self->sampler))
    find_fitting (self);
  if (self->shapes->len == 0 && self->has_poor)
    g_array_append_val (self->shapes, self->poor);
  is_small = !self->options->whole || self->pair->before->graph->n_nodes <= FEW_NODES;
  if (n > 1 && is_small && (!alone || ph_sampler_counts_places (self->sampler)))
    find_mixed (self, alone);
  if (self->shapes->len > 0 && is_small)
    find_far (self);
  self->trial->n_sizes = self->shapes->len;
  self->trial->any_size = n > 1;
}
