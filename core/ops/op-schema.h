/* op-schema.h: what the declaration of an operator is made of: element types, arguments, attributes, flags, families.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/attr.h"

G_BEGIN_DECLS

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
  PH_ARG_INDEX    = 1 << 2,   /* looks elements of input 0 up: along attribute "axis" unless core/prove/samples/usage.c knows better */
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

/* One attribute. @fallback is its default in ONNX text ("1", "[1, 1]", "\"NOTSET\""); NULL: none.
 * @words: the texts that a STRING, or each of STRINGS, may be, "a|b|c"; a node with another one is refused. @any_case: in
 * capitals or not. */
typedef struct
{
  const char *name;
  PhAttrKind kind;
  const char *fallback;
  gboolean required;
  const char *words;
  gboolean any_case;
} PhOpAttr;

#define PH_ANY_TEXT "*"
/* An empty one is read as none, as ONNX Runtime does. */
#define PH_AUTO_PAD                                                                          \
  {                                                                                          \
    "auto_pad", PH_ATTR_STRING, "\"NOTSET\"", .words = "NOTSET|SAME_UPPER|SAME_LOWER|VALID|" \
  }

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
  PH_MOTIF_CONCAT, PH_MOTIF_POOL, PH_MOTIF_GATE, PH_N_MOTIFS
} PhMotif;
/* clang-format on */

G_END_DECLS
