/* op.h: an operator is one struct: schema, inference, kernel, gradient, cost.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/graph.h"
#include "core/ops/op-schema.h"

G_BEGIN_DECLS

typedef struct _PhPattern PhPattern; /* core/ops/pattern.h  */
typedef struct _PhInfer PhInfer;     /* core/ops/infer.h    */
typedef struct _PhKernel PhKernel;   /* core/run/kernel.h   */
typedef struct _PhGrad PhGrad;       /* core/ops/grad.h     */
typedef struct _PhExpand PhExpand;   /* core/ops/expand.h   */

/* A use of it, for `help` and for the sweep that compares its gradient with differences: inputs ("a[2,3] b[3]"), all doubles drawn
 * evenly from [low, high], and the nodes that make y of them. @single: it computes in single precision. */
typedef struct
{
  const char *inputs, *body;
  double low, high;
  gboolean single;
} PhOpExample;

#define PH_MAX_ARGS 10

struct _PhOp
{
  const char *name, *domain; /* domain NULL: ONNX's own                                             */
  int since;                 /* the opset of the version declared: always the newest known          */
  const char *doc;           /* one or two sentences, shown by the inspector                        */
  const char *symbol;        /* in formulas: "+", "ln", "where"; "": its operand alone; NULL: its name */
  PhOpFlags flags;
  PhFamily family; /* never PH_FAMILY_OTHER                                               */
  PhMotif motif;
  const char *short_name;                            /* (nullable) in names of groups: "BN"                                 */
  const char *main_attrs[4];                         /* those to be shown first on its box                                  */
  PhOpExample example;                               /* where it has a gradient, or takes part in one                       */
  PhOpArg inputs[PH_MAX_ARGS], outputs[PH_MAX_ARGS]; /* up to the first without a name               */
  PhOpAttr attrs[16];                                /* up to the first without a name               */
  gboolean (*infer) (PhInfer *infer, GError **error);
  gboolean (*kernel) (PhKernel *kernel, GError **error); /* reference kernel; NULL: cannot be executed   */
  gboolean (*expand) (PhExpand *expand, GError **error); /* its meaning in ONNX's own operators, where it needs no kernel */
  const PhPattern *grad[PH_MAX_ARGS];                    /* d(loss)/d(input i) as a template; NULL: see grad_build, no_grad */
  gboolean (*grad_build) (PhGrad *grad, GError **error); /* where a template cannot say it               */
  const char *grad_text; /* what grad_build builds, for people: "dA = dY @ B^T; dB = A^T @ dY", in the names of inputs
                                       and outputs; X: the input asked for, where none is called so. A text for dA|transB is taken
                                       where the attribute transB is not 0.                                  */
  guint no_grad;         /* bit i: the gradient by input i is zero (indices, shapes, axes)      */
  guint no_rule;         /* bit i: it is not zero, but no rule makes it (settings): refused     */
  gint64 (*flops) (const PhNode *node); /* NULL: one per output element, none where data only moves; -1 unknown */
};

/* The registry: built from the lists in core/ops/meson.build. */
const PhOp *const *ph_op_list (guint *n);
guint ph_op_n_inputs (const PhOp *op, guint *min, gboolean *variadic); /* formal inputs */
guint ph_op_n_outputs (const PhOp *op);
const PhOpArg *ph_op_input (const PhOp *op, guint i);          /* the formal argument that input @i stands for; (nullable) */
const PhOpAttr *ph_op_attr (const PhOp *op, const char *name); /* (nullable) */
char *ph_op_attr_words (const PhOpAttr *attr);                 /* "a, b, c"; NULL: it is no word, or any text */
int ph_op_attr_place (const PhOpAttr *attr, const char *text, gsize size); /* of a word among those declared; -1: none of them */
/* The place of the word that @node has for @name among those declared; without one, and for a node that was not checked, the first's. */
guint ph_node_attr_word (const PhNode *node, const char *name);
/* Counts, required attributes, element types and groups. Says "Conv: input 1 'W' is int64, must be float ...". */
gboolean ph_op_check (const PhOp *op, const PhNode *node, GError **error);
/* Its first two inputs may be exchanged and no bit of the result changes: which of 0 and -0 is the greater, Max and Min
 * decide by their order. */
gboolean ph_node_commutes (const PhNode *node);
gint64 ph_node_flops (const PhNode *node); /* a fused node: its body's; -1 unknown */
gboolean ph_op_differentiable (const PhOp *op);
/* What is declared of the gradient of @node by its input @i: that it is zero, that a rule makes it, or nothing. */
typedef enum
{
  PH_GRADIENT_ZERO,
  PH_GRADIENT_RULE,
  PH_GRADIENT_REFUSED
} PhGradientBy;
PhGradientBy ph_node_input_gradient (const PhNode *node, guint i);
gboolean ph_op_executable (const PhOp *op);
const char *ph_family_name (PhFamily family); /* for the legend */

/* The newest opset of ONNX's own domain whose operators are declared here; upgrade-opset goes up to it. */
#define PH_OPSET_NEWEST 23

G_END_DECLS
