/* infer.h: type and shape inference, with the contents of small integer tensors carried along as symbols.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/ops/op.h"

G_BEGIN_DECLS

/* What an operator's infer function sees and fills. The operator's schema was checked before. */
const PhNode *ph_infer_node_of (PhInfer *infer);
const PhType *ph_infer_type (PhInfer *infer, guint input); /* (nullable) absent or unknown          */
gboolean ph_infer_has (PhInfer *infer, guint input);
PhTensor *ph_infer_constant (PhInfer *infer, guint input); /* (transfer none) (nullable)            */
/* The elements of an integer tensor of rank 0 or 1 as dimensions, where known: constants, and what Shape, Gather, Concat,
 * arithmetic, ... make of shapes. Returns their number, or -1. The array is valid until inference ends. */
int ph_infer_dims (PhInfer *infer, guint input, const PhDim **dims);
/* The same of rank 2 as well, row by row: pads are turned about as a matrix before they are read. */
int ph_infer_elements (PhInfer *infer, guint input, const PhDim **dims);
/* In contents, a negative number is the symbol of its decimal text, "-1": a dimension's own -1 means unknown. */
PhDim ph_dim_from_int (gint64 number);
gboolean ph_dim_get_int (PhDim dim, gint64 *number); /* FALSE: not a number that is known */
/* Integers (rank 0 or 1) that are constant or follow from constants; FALSE when they are not. (transfer full) */
gboolean ph_infer_ints (PhInfer *infer, guint input, gint64 **values, gsize *n);

void ph_infer_set (PhInfer *infer, guint output, const PhType *type);
void ph_infer_set_shape (PhInfer *infer, guint output, PhDType dtype, guint rank, const PhDim *dims);
void ph_infer_set_dims (PhInfer *infer, guint output, const PhDim *dims, guint n); /* its contents */
/* Infers @body with its inputs typed so (NULL: as declared); then read its outputs' types. */
gboolean ph_infer_body (PhInfer *infer, const char *attr, const PhType *const *types, guint n, GError **error);
const PhType *ph_infer_body_type (PhInfer *infer, const char *attr, guint output);
/* @value, of a body, is @declared, and is @found in a later turn: a problem of the model. */
void ph_infer_distrust (PhInfer *infer, const PhValue *value, const PhType *declared, const PhType *found);
/* Gives @value, of a body, its declared type again, to be judged by the next inference as by the first. */
gboolean ph_infer_restore (PhInfer *infer, PhValue *value, const PhType *declared, GError **error);
/* Sets PH_ERROR_TYPE with the node's label in front; returns FALSE. */
gboolean ph_infer_fail (PhInfer *infer, GError **error, const char *format, ...) G_GNUC_PRINTF (3, 4);

/* Ready-made infer functions. */
gboolean ph_infer_same_as_input (PhInfer *infer, GError **error); /* output 0 has input 0's type         */
gboolean ph_infer_broadcast (PhInfer *infer, GError **error);     /* input 0's element type, common shape */
gboolean ph_infer_compare (PhInfer *infer, GError **error);       /* bool, common shape                  */

/* For use outside operators. Types that values have are merged with those inferred; without @stop_at_error, which is how a file is
 * read, what is inferred goes before what the file declares, and a contradiction is a problem. */
/* One node, right after it was made: sets its outputs' types (as edits). Unknown operators are left alone. */
gboolean ph_infer_one (PhNode *node, GError **error);
/* The whole model. @stop_at_error FALSE: goes on, collects messages in @problems (element-type char*) (nullable). */
gboolean ph_infer_model (PhModel *model, gboolean stop_at_error, GPtrArray *problems, GError **error);
/* What is known of the contents of @value as dimensions, by looking back through its producers. -1: nothing.
 * (transfer full) @dims. */
int ph_value_dims (const PhValue *value, PhDim **dims);

G_END_DECLS
