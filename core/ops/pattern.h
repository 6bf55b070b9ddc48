/* pattern.h: the language of rules and gradients. A pattern is data: matched, built and printed.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/ops/builder.h"

G_BEGIN_DECLS

typedef enum
{
  PH_PATTERN_VAR,
  PH_PATTERN_CONSTANT,
  PH_PATTERN_NUMBER,
  PH_PATTERN_NODE
} PhPatternKind;

#define PH_MAX_SLOTS      16
#define PH_PATTERN_INPUTS 8

struct _PhPattern
{
  PhPatternKind kind;
  const PhOp *op;                         /* NODE                                                       */
  const PhPattern *in[PH_PATTERN_INPUTS]; /* NODE: up to the first NULL; more inputs than given are free */
  guint slot;                             /* VAR, CONSTANT                                              */
  double number;                          /* NUMBER: a constant all of whose elements are this          */
  gboolean shared;                        /* NODE: may have other users                                 */
};

/* File-scope compound literals are static, so tables of rules need no set-up. */
#define PH_PATTERN(...) (&(const PhPattern) { __VA_ARGS__ })
#define VAR(i)          PH_PATTERN (.kind = PH_PATTERN_VAR, .slot = (i))
#define CONST(i)        PH_PATTERN (.kind = PH_PATTERN_CONSTANT, .slot = (i)) /* a variable that must be constant */
#define NUM(v)          PH_PATTERN (.kind = PH_PATTERN_NUMBER, .number = (v))
#define P(op_, ...)     PH_PATTERN (.kind = PH_PATTERN_NODE, .op = &ph_op_##op_, .in = { __VA_ARGS__ })
/* clang-format off */
#define P_SHARED(op_, ...) \
                        PH_PATTERN (.kind = PH_PATTERN_NODE, .op = &ph_op_##op_, .in = { __VA_ARGS__ }, .shared = TRUE)
/* clang-format on */
/* In rules. */
#define X VAR (0)
#define Y VAR (1)
#define Z VAR (2)
#define W VAR (3)
/* In gradients: the operator's inputs, the gradient of its output 0, its output 0. */
#define A   VAR (0)
#define B   VAR (1)
#define C   VAR (2)
#define DY  VAR (14)
#define OUT VAR (15)

typedef struct
{
  PhNode *root;
  PhValue *slot[PH_MAX_SLOTS]; /* what the variables stand for                                         */
  PhNode *node[PH_MAX_SLOTS];  /* what the P()s of the pattern matched, in the order they are written   */
  guint n_nodes;
} PhMatch;

/* Matches @node. Commutative operators match in both orders; a repeated variable is the same value; inner nodes have
 * no other user (also no graph output) unless P_SHARED or @allow_shared; never across a subgraph's border. Where @when
 * (nullable) refuses, goes on to the next way of matching (another order of commutative inputs). */
gboolean ph_pattern_match (const PhPattern *pattern, PhNode *node, gboolean allow_shared, gboolean (*when) (PhMatch *match),
                           PhMatch *match);
/* An operator that @model does not have and without which @pattern cannot match. (nullable) */
const PhOp *ph_pattern_lacks (const PhPattern *pattern, PhModel *model);
/* Instantiates @pattern. Numbers take the element type of the value that they are combined with. NULL: see builder. */
PhValue *ph_pattern_build (const PhPattern *pattern, const PhMatch *match, PhBuilder *builder);
/* "Add(Mul(x, z), Mul(y, z))". @gradient: variables print as the inputs' formal names of @gradient, dY, Y. */
void ph_pattern_print (const PhPattern *pattern, const PhOp *gradient, GString *out);

G_END_DECLS
