/* grad.h: what an operator's grad_build sees and fills: one vector-Jacobian product.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/ops/pattern.h"

G_BEGIN_DECLS

struct _PhGrad
{
  PhNode    *node;             /* the forward node                                                      */
  PhBuilder *b;                /* builds in the node's graph, role backward, partner the forward node   */
  PhValue  **dy;               /* (nullable elements) gradient of each output; at least one is set       */
  gboolean  *wanted;           /* of each input                                                         */
  PhValue  **dx;               /* to be filled: gradient of each input, in the shape of that input or    */
};                             /* broadcast from it (the engine reduces); NULL: zero                    */

PhValue *ph_grad_in    (PhGrad *grad, guint i);          /* (nullable) input i of the forward node  */
PhValue *ph_grad_out   (PhGrad *grad, guint i);
PhValue *ph_grad_like  (PhGrad *grad, PhValue *value, double number);       /* a scalar of value's element type */
PhValue *ph_grad_zeros_like (PhGrad *grad, PhValue *value);                 /* of value's shape, known or not   */
PhValue *ph_grad_shape (PhGrad *grad, PhValue *value);   /* int64 shape: a constant when static, else Shape(value) */
/* Sums @value over what broadcasting added, so that it has @like's shape; static or symbolic. */
PhValue *ph_grad_reduce_to (PhBuilder *b, PhValue *value, PhValue *like);

G_END_DECLS
