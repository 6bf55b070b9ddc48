/* life.h: how long a node, a use or a constant is there, and how it looks; private to core/scene.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/kinds.h"

G_BEGIN_DECLS

/* Time counts rewrites: 0 is the file, t is after t rewrites. Something is there at t when born <= t < died. */
#define PH_FOREVER G_MAXINT

typedef enum
{
  PH_LIFE_NODE,
  PH_LIFE_CONSTANT,
  PH_LIFE_INPUT,
  PH_LIFE_OUTPUT
} PhLifeKind;

typedef struct
{
  int time;
  guint face;
} PhFaceChange;

typedef struct
{
  PhLifeKind kind;
  PhId id;     /* NODE, CONSTANT: the node; INPUT: the value; OUTPUT: the graph                   */
  guint index; /* OUTPUT: which                                                                   */
  PhId owner;  /* the node whose body it lies in, PH_NO_ID: none that is shown                    */
  int born, died;
  int replaces; /* the life that a rewrite ended to begin this one, in the same place; -1: none    */
  PhRole role;
  PhId partner;
  const char *op_type; /* (nullable) interned                                                             */
  const char *scope;   /* (nullable) in the record's strings                                              */
  gboolean in_block;   /* @scope is its block: nothing of another one takes its place                    */
  gboolean has_bodies; /* If, Loop, Scan                                                                  */
  gboolean has_inside; /* a fused node, or the call of a function                                         */
  gboolean ordered;    /* which of its inputs is the first one means something                            */
  int first_use;       /* while it is recorded: the first of its open uses, -1: none                      */
  guint n_faces;       /* see ph_life_face()                                                              */
  PhFaceChange face;   /* the first, which nearly all lives keep                                          */
  GArray *later;       /* (nullable) (element-type PhFaceChange) the others                               */
} PhLife;

/* An input of a node (or a graph output) fed by another life. */
typedef struct
{
  int from, to; /* lives                                                                           */
  PhId value;
  int born, died;
  guint8 operand; /* which input it is, the first is 0                                               */
  guint8 times;   /* as how many of its inputs: 2 of x * x                                           */
  gboolean control;
  gboolean link; /* ph_node_links(): it comes from further down                                      */
  int next;      /* while it is recorded: the next of the open uses of @to, -1: none                 */
} PhUseLife;

static inline PhFaceChange *
ph_life_face (PhLife *life, guint index)
{
  return index == 0 ? &life->face : &g_array_index (life->later, PhFaceChange, index - 1);
}

/* A node that went or came with the rewrite at @time, those that went first. */
typedef struct
{
  int time, life;
  guint64 order;
  gboolean goes, taken;
} PhMove;

G_END_DECLS
