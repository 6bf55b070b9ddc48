/* field-graph.h: walking through a graph at a point.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/prove/field/field-private.h"

G_BEGIN_DECLS

/* ── walking (field-graph.c) ── */
PhField *ph_field_new (PhModel *model, GHashTable *shared, GCancellable *cancellable);
void ph_field_free (PhField *field);
/* Forgets what it kept for the next point, when what is known of the inputs changes. */
void ph_field_forget (PhField *field);
/* Forgets the last point. */
void ph_field_begin (PhField *field, guint reading, guint64 salt, double most);
gboolean ph_field_run_graph (PhField *field, PhGraph *graph);         /* its inputs are in @values     */
PhFieldTensor *ph_field_value (PhField *field, const PhValue *value); /* (nullable) borrowed           */
/* Evaluates what @expand builds instead of the node. */
typedef gboolean (*PhFieldSpell) (PhExpand *expand, GError **error);
gboolean ph_field_spell (PhFieldNode *self, PhFieldSpell spell);

PhTensor *ph_field_sizes_constant (const PhField *field, PhTensor *tensor); /* (transfer full): shapes are said with the sizes */

G_END_DECLS
