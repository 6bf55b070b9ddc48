/* field-rules.h: how each kind of operator is evaluated: one rule a kind.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/prove/field/field-private.h"

G_BEGIN_DECLS

/* ── kinds (field-kinds.c) ── */
/* Runs the node itself on these tensors in the place of its inputs. @outputs: n_out owned references. */
gboolean ph_field_run_on (PhFieldNode *self, PhTensor *const *inputs, PhTensor **outputs);
typedef struct
{
  const PhOp *op;
  PhFieldRule rule;
} PhFieldKind;
gboolean ph_field_node (PhFieldNode *self);
gboolean ph_field_moves (PhFieldNode *self, gconstpointer data);
gboolean ph_field_opaque (PhFieldNode *self, gconstpointer data);
guint64 ph_field_hash_node (PhFieldNode *self);

/* field-elementwise.c */
typedef PhNum (*PhFieldFunction) (PhField *field, const PhNum *in, gconstpointer data);
PhFieldTensor *ph_field_map (PhFieldNode *self, PhFieldTensor *const *in, guint n, PhDType dtype, PhFieldFunction function,
                             gconstpointer data);
PhFieldRule ph_field_elementwise_rule (const PhOp *op, gconstpointer *data); /* (nullable) */
gboolean ph_field_unknown_elements (PhFieldNode *self, gconstpointer data);
gboolean ph_field_unknown_of (PhFieldNode *self, PhDType dtype); /* the same, of elements of @dtype */
/* field-copy.c, field-linear.c, field-quantize.c, field-reduce.c, field-spell.c */
PhFieldRule ph_field_copy_rule (const PhOp *op, gconstpointer *data);
PhFieldRule ph_field_linear_rule (const PhOp *op, gconstpointer *data);
PhFieldRule ph_field_quantize_rule (const PhOp *op, gconstpointer *data);
PhFieldRule ph_field_reduce_rule (const PhOp *op, gconstpointer *data);
PhFieldRule ph_field_spelt_rule (const PhOp *op, gconstpointer *data);
/* Whether some element stands for an infinity or NaN. */
gboolean ph_field_any_special (PhField *field, PhFieldTensor *tensor);
void ph_field_work (PhField *field, double multiplications);

G_END_DECLS
