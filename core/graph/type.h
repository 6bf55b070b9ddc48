/* type.h: the type of a value: element type and shape, with symbolic dimensions.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/intern.h"
#include "core/tensor/tensor.h"

G_BEGIN_DECLS

/* A dimension: a known size, a symbol ("batch", or a canonical expression such as "2*batch + 1"), or unknown. Two
 * dimensions are provably equal when both sizes are known and equal, or both symbols are the same string. */
typedef struct
{
  gint64 size;        /* >= 0 when known, else -1             */
  const char *symbol; /* (nullable) interned; NULL when known */
} PhDim;

#define PH_DIM(n)      ((PhDim) { (n), NULL })
#define PH_DIM_UNKNOWN ((PhDim) { -1, NULL })

PhDim ph_dim_symbol (const char *name);
gboolean ph_dim_equal (PhDim a, PhDim b); /* provably; unknown equals nothing */
gboolean ph_dim_known (PhDim dim);
PhDim ph_dim_add (PhDim a, PhDim b); /* arithmetic over polynomials of symbols, in a canonical form; */
PhDim ph_dim_sub (PhDim a, PhDim b); /* what has no exact form is unknown                            */
PhDim ph_dim_mul (PhDim a, PhDim b);
PhDim ph_dim_div (PhDim a, PhDim b); /* exact where provable, else floor as "floor(a/b)" */
char *ph_dim_to_string (PhDim dim);  /* "3", "batch", "?" */
/* (nullable) The dimension's name, if it is a name and no formula: what `run bind-dimensions NAME=SIZE` gives a size. */
const char *ph_dim_name (PhDim dim);

/* Types are interned: equal types are the same pointer, live for ever, and may be shared between threads. */
typedef struct _PhType PhType;
struct _PhType
{
  PhKind kind;
  PhDType dtype;     /* of the innermost tensor                           */
  gboolean has_rank; /* FALSE: nothing is known of the shape              */
  guint rank;
  const PhType *item; /* (nullable) of a sequence or optional              */
  const char *name;   /* (nullable) interned: of an opaque type, "ptr"      */
  PhDim dims[];       /* rank of them                                      */
};

const PhType *ph_type_tensor (PhDType dtype, guint rank, const PhDim *dims);
const PhType *ph_type_static (PhDType dtype, guint rank, const gint64 *dims);
const PhType *ph_type_unranked (PhDType dtype);
const PhType *ph_type_sequence (PhKind kind, const PhType *item);
/* A type of another system, of which only the name is known: "ptr", "!stablehlo.token". (nullable) for "", and for what is no UTF-8. */
const PhType *ph_type_opaque (const char *name);
const PhType *ph_type_of_tensor (PhTensor *tensor);
const PhType *ph_type_with_dtype (const PhType *type, PhDType dtype);

gboolean ph_type_is_static (const PhType *type);                /* every dimension is known */
gboolean ph_type_is_whole (const PhType *type);                 /* (nullable) a tensor of integers or conditions */
gint64 ph_type_count (const PhType *type);                      /* elements, -1 when unknown */
gint64 ph_type_bytes (const PhType *type);                      /* -1 when unknown           */
gboolean ph_type_same_shape (const PhType *a, const PhType *b); /* provably                  */
/* @general holds for every value of @specific: same kind and element type; @general's known facts hold in @specific. */
gboolean ph_type_accepts (const PhType *general, const PhType *specific);
/* What both say, dimension by dimension; NULL when they contradict each other. */
const PhType *ph_type_merge (const PhType *a, const PhType *b);
/* The common shape under numpy's broadcasting, with @dtype; NULL when it cannot be. */
const PhType *ph_type_broadcast (PhDType dtype, const PhType *const *types, guint n);
gboolean ph_type_fits (const PhType *type, PhTensor *tensor);
/* As in ONNX text: "float[batch,3,?]", "seq(float[2])"; of an opaque type its name. (transfer full). @type may be NULL: "?". */
char *ph_type_to_string (const PhType *type);

G_END_DECLS
