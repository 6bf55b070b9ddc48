/* hunks.h: splits what another program did to a model into its connected parts.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/analyze/part.h"
#include "core/analyze/region.h"

G_BEGIN_DECLS

/* Who records the parts. All three are called in turn: begin, then edits of the model, then end or abort. */
typedef struct
{
  /* @hunk: (nullable) NULL is the rest: names, types, order. Its nodes before are those of the model, which this part may remove. FALSE: no more. */
  gboolean (*begin) (const PhRegion *hunk, gpointer data);
  void (*end) (gpointer data);
  void (*abort) (gpointer data);
  gpointer data;
} PhHunkSink;

/* Like ph_model_become(), in several rewrites: each connected part of the difference alone, where it can be applied alone; then
 * what is left. The model is valid after each of them and equal to @target's after the last. @parts: (nullable) see ph_model_become_parts(). */
gboolean ph_model_become_by_hunks (PhModel *model, PhModel *target, const PhNamedPart *parts, guint n_parts,
                                   const PhHunkSink *sink, GError **error);

/* "MaxPool in place of Pad, MaxPool": what @hunk does, by operators. (transfer full) */
char *ph_hunk_describe (const PhRegion *hunk);

G_END_DECLS
