/* equation.h: what an Einsum adds up, told by letters.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/graph.h"

G_BEGIN_DECLS

#define PH_EQUATION_OPERANDS 7 /* what a walk holds beside the result           */
#define PH_EQUATION_LABELS   128
#define PH_EQUATION_DOTS     64 /* the labels of "..." begin here                */

/* An equation as lists of labels: letters, and the axes of "..." as labels of their own, counted from the right. */
typedef struct
{
  guint n_operands, rank[PH_EQUATION_OPERANDS + 1];    /* the last one is the result                         */
  guint8 label[PH_EQUATION_OPERANDS + 1][PH_MAX_RANK]; /* < 52: a letter; PH_EQUATION_DOTS + i: i-th from right */
  gboolean dots[PH_EQUATION_OPERANDS + 1];
  char error[160];
} PhEquation;

/* FALSE: it is not understood, and @equation->error says why. @ranks: of the operands. */
gboolean ph_equation_parse (PhEquation *equation, const char *text, const guint *ranks, guint n_operands);

G_END_DECLS
