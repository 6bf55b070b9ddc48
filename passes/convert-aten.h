/* convert-aten.h: what the rules of PyTorch's operators share. A parameter that is a tensor is an input of the node, one that is known is
 * an attribute of the parameter's name, and one that is computed is an input whose index the attribute NAME_input has. Private to passes/.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "passes/convert.h"

G_BEGIN_DECLS

extern const PhConvertRule ph_convert_aten[], ph_convert_aten_shape[], ph_convert_aten_linear[], ph_convert_aten_reduce[],
    ph_convert_aten_layer[], ph_convert_aten_control[], ph_convert_aten_index[], ph_convert_aten_python[], ph_convert_aten_loss[],
    ph_convert_aten_part[], ph_convert_aten_special[], ph_convert_aten_order[], ph_convert_aten_matrix[],
    ph_convert_aten_recurrent[], ph_convert_aten_resize[], ph_convert_aten_list[], ph_convert_aten_gradient[],
    ph_convert_aten_distance[], ph_convert_aten_place[], ph_convert_aten_random[], ph_convert_aten_combine[],
    ph_convert_aten_bessel[];

/* A tensor or a number, as PyTorch promotes them: numbers yield to tensors without dimensions, and these to those that have some. */
typedef struct
{
  PhValue *value; /* (nullable) NULL: @number                           */
  PhDType dtype;  /* of a number INT64, DOUBLE or BOOL                  */
  guint level;    /* 0 a number, 1 no dimensions, 2 some or unknown     */
  double number;
} PhAtenArg;

const char *ph_aten_name (const PhConvert *l); /* "view" of "aten:view" */
PhValue *ph_aten_operand (PhConvert *l);       /* the first tensor; NULL: there is none, and it is said */
/* The @k-th parameter that is a tensor, as a tensor alone. (nullable) */
PhValue *ph_aten_tensor (PhConvert *l, guint k);
guint ph_aten_n_tensors (PhConvert *l);
/* The same, where a number may stand for it: attribute @name. FALSE: it is left out. */
gboolean ph_aten_arg (PhConvert *l, guint k, const char *name, PhAtenArg *arg);
/* The value that is computed for the parameter @name. (nullable) */
PhValue *ph_aten_computed (PhConvert *l, const char *name);
gboolean ph_aten_has (PhConvert *l, const char *name);
/* Numbers that are known; else it is said that they are not, and the rule ends without effect. */
gint64 ph_aten_int (PhConvert *l, const char *name, gint64 fallback);
double ph_aten_number (PhConvert *l, const char *name, double fallback);
/* FALSE: left out, or not known. @n: room, then how many. One number stands for itself. */
gboolean ph_aten_ints (PhConvert *l, const char *name, gint64 *out, guint *n);
/* A list of sizes as a tensor of rank 1; @minus_one stands in place of -1. (nullable) */
PhValue *ph_aten_sizes (PhConvert *l, const char *name, gint64 minus_one);
/* A number, known or computed, as a tensor of one element and one dimension. */
PhValue *ph_aten_one (PhConvert *l, const char *name, gint64 fallback);
/* The element type that the attribute @name says; UNDEFINED: none. */
PhDType ph_aten_dtype (PhConvert *l, const char *name);

PhDType ph_aten_promote (const PhAtenArg *args, guint n);
/* @arg as @dtype; where that is not known, as @like is. */
PhValue *ph_aten_as (PhConvert *l, const PhAtenArg *arg, PhDType dtype, PhValue *like);
/* The first tensor, as floats where it is none: what PyTorch computes with then. */
PhValue *ph_aten_float (PhConvert *l);
/* @axis of @value from the front; -1 where that is not known, and it is said. */
int ph_aten_axis (PhConvert *l, const PhValue *value, gint64 axis);
PhValue *ph_aten_shape_part (PhConvert *l, PhValue *value, gint64 start, gint64 end); /* of its sizes; @end G_MAXINT64: all */
PhValue *ph_aten_slice (PhConvert *l, PhValue *value, gint64 axis, gint64 start, gint64 end);
PhValue *ph_aten_concat (PhConvert *l, PhValue *const *values, guint n, gint64 axis);
gboolean ph_aten_same (PhConvert *l, PhValue **out);
gboolean ph_aten_shuffle (PhConvert *l, PhValue **out);                       /* channels and pixels, among each other */
PhValue *ph_aten_xlogy (PhConvert *l, PhValue *x, PhValue *y);                /* x log y, and 0 where x is 0           */
PhValue *ph_aten_dense (PhConvert *l, PhValue *x, PhValue *w, PhValue *bias); /* x w' + bias, which is nullable */
PhValue *ph_aten_nested (PhConvert *l, const char *text);                     /* "[[1, 2], [3, 4]]" (nullable)     */
/* One ONNX operator on two tensors of one type. */
gboolean ph_aten_binary (PhConvert *l, const PhOp *op, PhAtenArg *a, PhAtenArg *b, PhValue **out);

/* Before the rules: the element types of inputs of PyTorch and TVM that the file does not say. */
gboolean ph_convert_inputs (PhPassRun *run, GError **error);
/* After them: lists that nothing uses any more. */
gboolean ph_aten_finish (PhPassRun *run, GError **error);
/* Types of the inputs of a loop's body, as its operands have them. */
gboolean ph_aten_enter (PhPassRun *run, PhNode *node, GError **error);
/* What Python's values are, see convert-aten-python.c. */
gboolean ph_aten_take_branch (PhPassRun *run, PhNode *node, GError **error);
gboolean ph_aten_unroll (PhPassRun *run, PhNode *node, GError **error);
PhValue *ph_aten_settled (PhConvert *l, PhValue *value);
gboolean ph_aten_is_none (const PhValue *value);
PhValue **ph_aten_spread (const PhNode *node, PhValue *const *in, guint *n);
PhValue *ph_aten_new_list (PhConvert *l, PhValue **items, guint n);
gboolean ph_aten_wants_list (PhConvert *l);
/* Gives @parts as a list, where one is wanted, else as the results that there are. */
gboolean ph_aten_give_parts (PhConvert *l, PhValue **parts, guint n, PhValue **out);
PhValue *ph_aten_several (PhConvert *l);
PhValue *ph_aten_list_as_tensor (PhConvert *l, PhValue *value);
/* FALSE without effect: they are not of that kind. */
gboolean ph_aten_python_equal (PhConvert *l, PhValue **out);
gboolean ph_aten_python_length (PhConvert *l, PhValue **out);
gboolean ph_aten_python_join (PhConvert *l, PhValue **out);
gboolean ph_aten_raises (const PhGraph *graph); /* it stops with an error */
/* The name of an attribute of @node that no rule reads; NULL: there is none. */
const char *ph_aten_unread (const PhNode *node, const char *op);
gboolean ph_aten_is_torch (const PhNode *node);
gboolean ph_aten_is_control (const PhNode *node);
gboolean ph_aten_is_unset (const PhNode *node);      /* nothing reads it before it is set           */
gboolean ph_aten_is_list (const PhNode *node);       /* nothing to convert: who uses it reads it */
gboolean ph_aten_is_tensors (const PhValue *value);  /* a list of tensors, or an empty one       */
gboolean ph_aten_is_sequence (const PhValue *value); /* a list whose length is not known          */

G_END_DECLS
