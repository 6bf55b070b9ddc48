/* ml.h: what the operators of ai.onnx.ml share.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/ops/support.h"

G_BEGIN_DECLS

#define PH_ML_NUMBERS (PH_T (FLOAT) | PH_T (DOUBLE) | PH_INDICES)

/* What is done to the scores of one row at the end. */
typedef enum
{
  PH_POST_NONE,
  PH_POST_SOFTMAX,
  PH_POST_LOGISTIC,
  PH_POST_SOFTMAX_ZERO,
  PH_POST_PROBIT
} PhPost;

#define PH_ML_POST "NONE|SOFTMAX|LOGISTIC|SOFTMAX_ZERO|PROBIT" /* in the order of PhPost */

void ph_post_apply (PhPost post, double *scores, gsize n);
double ph_logistic (double x);

/* Input 0 as rows of numbers: [rows, features], or [features] as one row. FALSE with an error. (transfer full) @data */
gboolean ph_ml_rows (PhKernel *kernel, gsize *rows, gsize *features, double **data, GError **error);
const float *ph_ml_floats (const PhNode *node, const char *name, gsize *n); /* (nullable) */

/* Classes: labels in "classlabels_ints", "classlabels_int64s" or "classlabels_strings". */
gsize ph_ml_n_labels (const PhNode *node);
PhDType ph_ml_label_type (const PhNode *node);                                        /* PH_STRING or PH_INT64 */
void ph_ml_set_label (const PhNode *node, PhTensor *labels, gsize row, gssize label); /* -1: none */
gboolean ph_infer_classifier (PhInfer *infer, gint64 n_scores);
gboolean ph_infer_regressor (PhInfer *infer, gint64 n_targets);

/* ml-grad.c */
gboolean ph_grad_scaler (PhGrad *grad, GError **error);
gboolean ph_grad_normalizer (PhGrad *grad, GError **error);
gboolean ph_grad_imputer (PhGrad *grad, GError **error);
gboolean ph_grad_linear_regressor (PhGrad *grad, GError **error);

G_END_DECLS
