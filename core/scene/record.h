/* record.h: the whole life of every node, use and constant of a history, in the order of rewrites; private to core/scene.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "core/graph/history.h"
#include "core/scene/face.h"
#include "core/scene/life.h"
#include "core/scene/scene.h"

G_BEGIN_DECLS

/* What is known of a node or a value, by its id. */
typedef struct
{
  int life;         /* of the node or input, + 1; 0: none             */
  guint kib;        /* of a value: its bytes in KiB, the last known   */
  const char *type; /* (nullable) of a value: as text, the last known */
  const char *name; /* (nullable) of a value: where it is short       */
} PhKnown;

struct _PhRecord
{
  PhId inside;         /* of what: ph_graph_is_shown()                                                        */
  PhFaces *faces;      /* owned                                                                               */
  GArray *lives;       /* (element-type PhLife), in the order of birth, each birth in topological order       */
  GArray *uses;        /* (element-type PhUseLife)                                                            */
  GArray *stops;       /* (element-type int) the time before and after each step, also of one that did nothing */
  GArray *moves;       /* (element-type PhMove)                                                               */
  gboolean has_blocks; /* some node is in one: see PhLife.in_block                                            */
  GArray *known;       /* (element-type PhKnown) by id, as far as there is any                                */
  int end;             /* the last time                                                                       */
};

/* Returns all zeros where nothing is known. */
static inline PhKnown
ph_record_known (const PhRecord *record, PhId id)
{
  return id < record->known->len ? g_array_index (record->known, PhKnown, id) : (PhKnown) { 0 };
}

/* Returns the life of a node or an input, or -1. */
static inline int
ph_record_life_of (const PhRecord *record, PhId id)
{
  return ph_record_known (record, id).life - 1;
}

/* replacements.c: sets what each life replaces. */
void ph_record_match_places (PhRecord *record);

G_END_DECLS
