/* part.h: the part of a main graph that a pass changed, told by the names in what the compiler wrote.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/analyze/match.h"

G_BEGIN_DECLS

/* What the names in a compiler's texts are in the model: a node that stays keeps the name that it was made with. */
typedef struct
{
  GHashTable *nodes;  /* interned name, without its scope -> id                                  */
  GHashTable *values; /* likewise of inputs and constants                                         */
} PhNamed;

/* What @target holds when it is only the part of a main graph that changed; names of nodes and constants (element-type interned utf8). */
typedef struct
{
  PhNamed *named;
  GPtrArray *standing; /* in @target they only stand for what the model has under that name  */
  GPtrArray *same;     /* that are what the model has under that name                          */
  GPtrArray *gone;     /* that the model has under that name, and that is to go                */
} PhNamedPart;

void ph_named_clear (PhNamed *named);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PhNamed, ph_named_clear)
/* All of @model's main graph, as it was read. */
void ph_named_learn (PhNamed *named, const PhModel *model);
/* When the model of @match became @target: what the names in that are. @part: (nullable) NULL: @target is all of it. */
void ph_named_follow (PhNamed *named, const PhNamedPart *part, const PhMatching *match, const PhGraph *target);
/* Says of @target's nodes and constants what @part knows for sure, and that all others of the model stay. Fills @standing, nodes of @target,
 * and @gone, values of the model. FALSE with @error: the model has not what it speaks of. */
gboolean ph_part_match (const PhNamedPart *part, PhMatching *match, const PhGraph *target, GHashTable *standing, GHashTable *gone,
                        GError **error);

G_END_DECLS
