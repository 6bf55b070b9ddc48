/* part.h: finds the part of a main graph that a pass changed, by the names in the compiler's text.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/analyze/match.h"

G_BEGIN_DECLS

/* What the names in a compiler's texts are in the model: a node that stays keeps the name that it was made with. */
typedef struct
{
  GHashTable *nodes;  /* interned name, without its scope -> id                                  */
  GHashTable *values; /* likewise of inputs and constants                                         */
  GHashTable *blocks; /* (nullable) owned: of the last text that was read whole, see ph_match_blocks() */
} PhNamed;

/* What a graph of @target holds when it is only the part that changed; names of nodes and constants (element-type interned utf8). */
typedef struct
{
  PhNamed *named;
  const char *function; /* (nullable) interned; NULL: the main graph          */
  gboolean whole;       /* the graph holds all, and who is who is only learned */
  gboolean owned;       /* a constant is only read by one node, and goes with it */
  gboolean trial;       /* nothing is learned                                    */
  PhId loose_from;      /* nodes with this id and higher ones need not stay; PH_NO_ID: they do */
  GPtrArray *names;     /* (nullable) of its nodes, in order; NULL: their own  */
  GPtrArray *standing;  /* in @target they only stand for what the model has under that name  */
  GPtrArray *same;      /* that are what the model has under that name                          */
  GPtrArray *gone;      /* that the model has under that name, and that is to go                */
} PhNamedPart;

void ph_named_clear (PhNamed *named);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PhNamed, ph_named_clear)
/* All of @graph, as it was read. @names: (nullable) of its nodes, in order; NULL: their own. */
void ph_named_learn (PhNamed *named, const PhGraph *graph, const GPtrArray *names);
/* When the model of @match became @target: what the names in that are. */
void ph_named_follow (const PhNamedPart *part, const PhMatching *match, const PhGraph *target);
/* What the name @name of a node is in the model. (nullable) */
PhNode *ph_named_node (const PhNamed *named, PhModel *model, const char *name);
/* Says of @target's nodes and constants what @part knows for sure, and that all others of @graph stay. Fills @standing, nodes of @target,
 * and @gone, values of the model. FALSE with @error: the model has not what it speaks of. */
gboolean ph_part_match (const PhNamedPart *part, PhMatching *match, const PhGraph *graph, const PhGraph *target,
                        GHashTable *standing, GHashTable *gone, GError **error);

G_END_DECLS
