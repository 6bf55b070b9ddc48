/* copy.h: copies the inside of a body to another place: inlining, unrolling, recomputing.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/ops/builder.h"

G_BEGIN_DECLS

/* Copies every node of @body, nested bodies included, to where @builder stands, with @inputs (body->inputs->len, none NULL)
 * in place of the body's inputs; @outputs receives body->outputs->len values. What the body captures is used as it is, or
 * what @map (nullable, PhValue -> PhValue) has in its place; @map also receives the copy of each value. Copies keep names,
 * roles and types. FALSE: see builder->error. */
gboolean ph_build_copy (PhBuilder *builder, PhGraph *body, PhValue *const *inputs, PhValue **outputs, GHashTable *map);

/* One node of @to's model or of another's, with its bodies; its inputs become what @map (PhValue -> PhValue) has for them,
 * and @map receives its outputs. It has an output. */
PhNode *ph_copy_node (PhNode *node, PhGraph *to, PhNode *before, GHashTable *map, GError **error);

/* Puts the body of a fused node, or of another node whose body's inputs and outputs are its own, in its place. */
gboolean ph_graph_inline_node (PhNode *node, GError **error);

G_END_DECLS
