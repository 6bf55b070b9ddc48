/* match.h: pairs the nodes of two snapshots of a model that share no ids.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/graph.h"

G_BEGIN_DECLS

/* What says that two nodes are the same, the surest first. */
/* clang-format off */
typedef enum
{
  PH_MATCH_NONE,
  PH_MATCH_GIVEN,        /* who wrote both says so: PH_ATTR_FROM; no guess contradicts it                          */
  PH_MATCH_NAME,         /* the same name of their own; one that only counts (%5) says nothing               */
  PH_MATCH_OUTPUT,       /* a value of the same name                                                         */
  PH_MATCH_SAME,         /* the same operator and attributes on the same values                              */
  PH_MATCH_PLACE,        /* a guess: the same operator before the same node, at the same operand             */
  PH_MATCH_LIKE,         /* a guess: the same operator on some of the same values, or for the same readers   */
  PH_MATCH_MADE,         /* there was none: it was made to be it                                             */
  PH_N_MATCHES
} PhMatchHow;
/* clang-format on */

typedef struct
{
  PhModel *model;
  GPtrArray *ours; /* by id of the target: the PhNode or PhValue of the model that it is     */
  GByteArray *how; /* by id of the model: PhMatchHow, of nodes that are one of the target    */
  guint n[PH_N_MATCHES];
  const PhGraph *partial; /* (nullable) of the model: the target holds only a part of it, whose constants are told */
  GPtrArray *loose;       /* (element-type PhNode) of @partial, the nodes that need not stay                        */
  GHashTable *blocks;     /* (nullable) (unowned) see ph_match_blocks(): a node is none of another lasting block    */
  GHashTable *lasting;    /* (nullable) (unowned) their labels in the model                                         */
} PhMatching;

void ph_match_init (PhMatching *match, PhModel *model, const PhModel *target);
void ph_match_clear (PhMatching *match);

/* Recognises the nodes, inputs and constants of @target in @graph; bodies and functions are graphs of their own. */
void ph_match_graph (PhMatching *match, PhGraph *graph, PhGraph *target);

PhNode *ph_match_node (const PhMatching *match, const PhNode *of_target);    /* (nullable) */
PhValue *ph_match_value (const PhMatching *match, const PhValue *of_target); /* (nullable) */
PhMatchHow ph_match_how (const PhMatching *match, const PhNode *node);
/* From here on the target holds only a part of @graph (nullable): its nodes stay, and are not looked for, but for those that are released. */
void ph_match_keep (PhMatching *match, const PhGraph *graph);
void ph_match_release (PhMatching *match, PhNode *node);
/* part.c: those of @graph that may be one of the target, or that may have to go, in its order. (transfer full) (element-type PhNode) */
GPtrArray *ph_match_loose (const PhMatching *match, const PhGraph *graph);
/* match-blocks.c: whether its nodes are in blocks, as LLVM's are. */
gboolean ph_match_has_blocks (const PhGraph *graph);
/* The label in @graph of each block of @target, which may have numbers for labels that count anew: of the block with most of
 * its nodes. Nodes that went from one lasting block to another are taken apart: one goes and one comes. NULL: there are no blocks.
 * (element-type interned interned) (transfer full) */
GHashTable *ph_match_blocks (PhMatching *match, PhGraph *graph, PhGraph *target);
/* FALSE: they are in different blocks, and that of @node lasts. */
gboolean ph_match_may_be_of_block (const PhMatching *match, const PhNode *node, const PhNode *of_target);
/* The block of @of_target, a node of the target, by its label in the model. (transfer full) */
char *ph_match_block (GHashTable *blocks, const PhNode *of_target);
/* An attribute of a node of the target with labels that are those of the model. (transfer full) */
PhAttr *ph_match_labels (GHashTable *blocks, PhAttr *attr);
/* Likewise PH_LINKS_ATTR, with what the model's values are called; @find: (nullable) what it is called that @target does not have. */
PhAttr *ph_match_links (const PhMatching *match, GHashTable *blocks, PhAttr *attr, const PhGraph *target,
                        const PhValue *(*find) (const char *name, gpointer data), gpointer data);
/* Recognises further nodes, after some were taken apart. */
void ph_match_rest (PhMatching *match, PhGraph *graph, PhGraph *target);
/* Its steps of values, match-values.c. */
void ph_match_inputs (PhMatching *match, PhGraph *graph, PhGraph *target);
void ph_match_constants (PhMatching *match, PhGraph *graph, PhGraph *target);
/* Says it of two nodes and their outputs, or of two values. */
void ph_match_set (PhMatching *match, PhNode *node, const PhNode *of_target, PhMatchHow how);
void ph_match_set_value (PhMatching *match, PhValue *value, const PhValue *of_target);

G_END_DECLS
