/* random-gen.h: what the parts of the generator of random models share.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/ops/builder.h"
#include "passes/rule.h"
#include "random-graph.h"

/* Values are drawn from a pool; a kind of node takes what it can use and says FALSE where nothing fits. Every node of the
 * main graph is computed as soon as it is made, and taken back when inference or its kernel refuse it: so the pool holds
 * nothing but what has a value, and no kind needs to know when an operator refuses. */
typedef struct
{
  GRand *rand;
  PhModel *model;
  GPtrArray *pool;     /* (element-type PhValue) tensors                                         */
  GPtrArray *others;   /* (element-type PhValue) sequences and optionals                         */
  GHashTable *tensors; /* PhValue -> PhTensor (owned): what the values of the main graph hold    */
  PhBuilder b;
  gboolean smooth;
  gboolean draws; /* random operators are welcome                                           */
  guint depth;    /* of bodies: inside, nothing is computed before its owner is             */
  RandomTally *tally;
} Gen;

int gen_below (Gen *gen, int n); /* 0 .. n - 1 */
PhValue *gen_any (Gen *gen);     /* a tensor, younger ones more often */
/* Puts a value into the pool; FALSE: it is nothing to go on with. */
gboolean gen_keep (Gen *gen, PhValue *value);
PhTensor *gen_tensor (Gen *gen, PhDType dtype, guint rank, const gint64 *dims);
/* A constant that goes with @like under broadcasting: some of its last dimensions, some of them 1, sometimes one more. */
PhValue *gen_constant_like (Gen *gen, const PhValue *like);
/* The dimensions of @value as far as the generator knows them (of the one run that it sees); -1: it does not. */
int gen_dims (Gen *gen, const PhValue *value, gint64 *dims);
/* One more node, or a few; FALSE: not this time, and nothing is left of it. */
gboolean gen_add_node (Gen *gen);

/* Computes the nodes after @last (nullable: all); what they make must be of the type that inference gave it. */
gboolean gen_try_since (Gen *gen, PhNode *last);
void gen_take_back (Gen *gen, PhNode *last, guint n_pool, guint n_others);

gboolean gen_kind (Gen *gen);                    /* random-kinds.c: what models are often made of            */
gboolean gen_op (Gen *gen);                      /* random-op.c: any operator, from what the registry says   */
gboolean gen_body (Gen *gen);                    /* random-body.c: If, Loop, Scan                            */
gboolean gen_example (Gen *gen, const PhOp *op); /* random-example.c: a use of @op that the sweeps know */
