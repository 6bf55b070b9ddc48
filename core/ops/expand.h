/* expand.h: an operator whose meaning is a piece of graph of ONNX's own operators.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/ops/builder.h"
#include "core/ops/infer.h"

G_BEGIN_DECLS

/* What PhOp.expand sees and fills. Where the node is executed the types of the inputs are those of the tensors. */
struct _PhExpand
{
  const PhNode *node; /* for its attributes                                                          */
  PhBuilder *b;
  PhValue **in; /* (nullable elements) ask ph_expand_in()                                      */
  guint n_in;
  PhValue **out; /* to be filled; NULL: an output that is not made                              */
  guint n_out;
};

/* Defines the function @name of an operator whose one output is the value given, an expression in @x. */
#define PH_EXPAND_TO(name, ...)                      \
  static gboolean name (PhExpand *x, GError **error) \
  {                                                  \
    x->out[0] = __VA_ARGS__;                         \
    return TRUE;                                     \
  }

PhValue *ph_expand_in (PhExpand *expand, guint i);          /* (nullable)                    */
int ph_expand_rank (PhExpand *expand, guint i);             /* -1 unknown                    */
gint64 ph_expand_dim (PhExpand *expand, guint i, int axis); /* -1 unknown; negative axes too */
gboolean ph_expand_wants (PhExpand *expand, guint i);
PhDType ph_expand_dtype (PhExpand *expand, guint i);
/* Sets PH_ERROR_UNSUPPORTED with the node's label in front; returns FALSE. */
gboolean ph_expand_fail (PhExpand *expand, GError **error, const char *format, ...) G_GNUC_PRINTF (3, 4);

/* Builds what @node means before it and points its users there; the node itself is left without uses. */
gboolean ph_expand_in_place (PhNode *node, GError **error);

/* A model of its own that means what @node does. Its inputs are those of @node's inputs that are there and for which
 * @constants has nothing; its outputs are those that could be made. */
typedef struct
{
  PhModel *model;
  gint *input_of;  /* of each input of the node: which one of the model, or -1                    */
  gint *output_of; /* of each output of the node, likewise                                        */
} PhExpansion;

PhExpansion *ph_expansion_new (const PhNode *node, const PhType *const *types, PhTensor *const *constants, GError **error);
void ph_expansion_free (PhExpansion *expansion);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhExpansion, ph_expansion_free)

/* For PhOp.infer: the types that what the operator means has. */
gboolean ph_infer_expanded (PhInfer *infer, GError **error);
/* For PhOp.flops: what its nodes cost together. */
gint64 ph_flops_expanded (const PhNode *node);

G_END_DECLS
