/* record.h: the whole life of every node, use and constant of a history, in the order of rewrites; private to core/scene.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "core/graph/history.h"
#include "core/scene/face.h"
#include "core/scene/scene.h"

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
  GArray *faces;       /* (element-type PhFaceChange)                                                     */
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
} PhUseLife;

/* A node that went or came with the rewrite at @time, those that went first. */
typedef struct
{
  int time, life;
  guint64 order;
  gboolean goes, taken;
} PhMove;

struct _PhRecord
{
  PhId inside;             /* of what: ph_graph_is_shown()                                                    */
  PhFaces *faces;          /* owned                                                                           */
  GArray *lives;           /* (element-type PhLife), in the order of birth, each birth in topological order   */
  GArray *uses;            /* (element-type PhUseLife)                                                        */
  GArray *stops;           /* (element-type int) the time before and after each step, also of one that did nothing */
  GArray *moves;           /* (element-type PhMove)                                                           */
  gboolean has_blocks;     /* some node is in one: see PhLife.in_block                                        */
  GHashTable *by_id;       /* node id or input value id -> index of its life + 1                              */
  GHashTable *value_types; /* value id -> text of its type, the last one known                                */
  GHashTable *value_names; /* value id -> its name, where that is short                                       */
  GHashTable *value_bytes; /* value id -> bytes in KiB, the last known                                        */
  int end;                 /* the last time                                                                   */
};

/* replacements.c: sets what each life replaces. */
void ph_record_match_places (PhRecord *record);

G_END_DECLS
