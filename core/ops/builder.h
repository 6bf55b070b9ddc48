/* builder.h: emits nodes at one place of a graph. Rules, gradients and upgrades build with it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/edit.h"
#include "core/ops/op-list.h"

G_BEGIN_DECLS

/* The first error sticks: from then on every call returns NULL, so that a sequence of calls is checked once at its end.
 * New nodes stand before @before and are named after @name; types are inferred at once. */
typedef struct
{
  PhGraph *graph;
  PhNode *before;   /* (nullable) NULL: at the end                                */
  const char *name; /* (nullable) base for the names of new values                */
  PhRole role;
  PhId partner;
  const char *device;
  GError *error; /* (nullable) owned: ph_builder_finish() hands it over         */
} PhBuilder;

gboolean ph_builder_finish (PhBuilder *builder, GError **error); /* FALSE and moves the error, if any */

/* @attrs: NULL-terminated, consumed; or NULL. @inputs may have NULL elements. Returns output 0; the node is its producer. */
PhValue *ph_build_node (PhBuilder *builder, const PhOp *op, PhValue *const *inputs, guint n_inputs, PhAttr **attrs,
                        guint n_outputs);
PhValue *ph_build_tensor (PhBuilder *builder,
                          PhTensor *tensor); /* consumes it; an equal constant of the graph is reused, but no weight */
PhValue *ph_build_scalar (PhBuilder *builder, PhDType dtype, double value);
PhValue *ph_build_ints (PhBuilder *builder, const gint64 *values, gsize n);

/* PH_BUILD (b, Add, x, y);  PH_BUILD_WITH (b, Transpose, PH_ATTRS (ph_attr_new_ints ("perm", perm, 2)), x) */
#define PH_VALUES_(...)        ((PhValue *const[]) { __VA_ARGS__ })
#define PH_COUNT_(...)         (sizeof (PH_VALUES_ (__VA_ARGS__)) / sizeof (PhValue *))
#define PH_ATTRS(...)          ((PhAttr *[]) { __VA_ARGS__, NULL })
#define PH_BUILD(b_, op_, ...) ph_build_node (b_, &ph_op_##op_, PH_VALUES_ (__VA_ARGS__), PH_COUNT_ (__VA_ARGS__), NULL, 1)
#define PH_BUILD_WITH(b_, op_, attrs_, ...) \
  ph_build_node (b_, &ph_op_##op_, PH_VALUES_ (__VA_ARGS__), PH_COUNT_ (__VA_ARGS__), attrs_, 1)

G_END_DECLS
