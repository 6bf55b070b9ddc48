/* op.h: an operator is one struct: schema, inference, kernel, gradient, cost.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/graph.h"

G_BEGIN_DECLS

typedef struct _PhPattern PhPattern; /* core/ops/pattern.h  */
typedef struct _PhInfer PhInfer;     /* core/ops/infer.h    */
typedef struct _PhKernel PhKernel;   /* core/run/kernel.h   */
typedef struct _PhGrad PhGrad;       /* core/ops/grad.h     */
typedef struct _PhExpand PhExpand;   /* core/ops/expand.h   */

/* A set of element types, for schemas. */
typedef guint64 PhDTypes;
#define PH_T(dtype) (G_GUINT64_CONSTANT (1) << PH_##dtype)
#define PH_FLOATS   (PH_T (FLOAT) | PH_T (DOUBLE) | PH_T (FLOAT16) | PH_T (BFLOAT16))
#define PH_SIGNED   (PH_T (INT8) | PH_T (INT16) | PH_T (INT32) | PH_T (INT64))
#define PH_UNSIGNED (PH_T (UINT8) | PH_T (UINT16) | PH_T (UINT32) | PH_T (UINT64))
#define PH_INTEGERS (PH_SIGNED | PH_UNSIGNED)
#define PH_NUMBERS  (PH_FLOATS | PH_INTEGERS)
#define PH_INDICES  (PH_T (INT32) | PH_T (INT64))
#define PH_ANY      (~G_GUINT64_CONSTANT (0))

/* clang-format off */
typedef enum
{
  PH_ARG_OPTIONAL = 1 << 0,
  PH_ARG_VARIADIC = 1 << 1,
  PH_ARG_INDEX    = 1 << 2,   /* looks elements of input 0 up: along attribute "axis" unless core/prove/usage.c knows better */
  PH_ARG_SHAPE    = 1 << 3,   /* integers that make a shape: sizes, axes, bounds, counts                   */
} PhArgFlags;
/* clang-format on */

/* One formal input or output. Arguments with the same non-zero @group letter have the same element type. */
typedef struct
{
  const char *name;
  char group;
  PhDTypes types;
  PhArgFlags flags;
} PhOpArg;

/* One attribute. @fallback is its default in ONNX text ("1", "[1, 1]", "\"NOTSET\""); NULL: none. */
typedef struct
{
  const char *name;
  PhAttrKind kind;
  const char *fallback;
  gboolean required;
} PhOpAttr;

/* clang-format off */
typedef enum
{
  PH_OP_COMMUTATIVE        = 1 << 0,   /* in its first two inputs; see ph_node_commutes() for the sign of zero     */
  PH_OP_ELEMENTWISE        = 1 << 1,   /* output element i depends on (broadcast) elements i only          */
  PH_OP_RANDOM             = 1 << 2,   /* two runs differ: never folded, merged or duplicated              */
  PH_OP_NO_GRADIENT        = 1 << 3,   /* zero by its nature: integer, boolean, index or piecewise-constant results */
  PH_OP_DATA_MOVEMENT      = 1 << 4,   /* output elements are input elements, perhaps with padding         */
  PH_OP_SHAPE_ONLY         = 1 << 5,   /* reads the shape, not the elements, of its first input            */
  PH_OP_IDEMPOTENT         = 1 << 6,   /* f(f(x)) = f(x)                                                    */
  PH_OP_IN_DOUBLE          = 1 << 8,   /* its kernel computes doubles as well, though the schema takes narrower floats only */
  PH_OP_MULTILINEAR        = 1 << 9,   /* linear in each real input while the others stay: with a tangent there, it gives that of output 0 */
  PH_OP_ANY_KIND           = 1 << 7,   /* sequences and optionals too may stand where types is PH_ANY          */
} PhOpFlags;
/* clang-format on */

/* What an operator is there for; each family has its colour. The last two are not of operators. */
/* clang-format off */
typedef enum
{
  PH_FAMILY_OTHER, PH_FAMILY_LINEAR, PH_FAMILY_ACTIVATION, PH_FAMILY_NORM, PH_FAMILY_POOL, PH_FAMILY_ARITHMETIC,
  PH_FAMILY_MOVEMENT, PH_FAMILY_CONSTANT, PH_FAMILY_CONTROL, PH_FAMILY_FUSED, PH_FAMILY_IO,
  PH_N_FAMILIES
} PhFamily;
/* clang-format on */

/* What it adds to the look of a part of a network, by which that part is named: "Residual block". */
/* clang-format off */
typedef enum
{
  PH_MOTIF_NONE, PH_MOTIF_CONV, PH_MOTIF_PRODUCT, PH_MOTIF_SOFTMAX, PH_MOTIF_NORM, PH_MOTIF_CURVE, PH_MOTIF_SMOOTH, PH_MOTIF_SUM,
  PH_MOTIF_CONCAT, PH_MOTIF_POOL, PH_N_MOTIFS
} PhMotif;
/* clang-format on */

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
