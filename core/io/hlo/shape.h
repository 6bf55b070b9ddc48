/* shape.h: shapes of HLO: arrays, and tuples of shapes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/type.h"

G_BEGIN_DECLS

/* A shape: an array, or a tuple of shapes. */
typedef struct _PhHloShape PhHloShape;
struct _PhHloShape
{
  gboolean tuple;
  PhHloShape **items; /* of a tuple                                                                              */
  guint n_items, n_leaves;
  const PhType *type; /* of an array (nullable): NULL where there is no such element type: tokens, buffers, f8e3m4 */
  const char *text;   /* interned, without its layout: what @type does not say ("f32[<=4]"); NULL: it says all   */
  const char *layout; /* interned, without braces; NULL: the rows lie one after the other, or nothing is said    */
};

G_END_DECLS
