/* past-names.h: names of nodes and values that are no longer there; private to core/analyze.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/graph-private.h"
#include "core/graph/history.h"

G_BEGIN_DECLS

/* Names of nodes and values that may not be in the model at its present position. The journal is read for them at most
 * once, when the first one is missing. */
typedef struct
{
  PhHistory *history;
  PhModel *model;
  GHashTable *nodes;   /* (nullable) id -> PhNodeRecord, borrowed from the journal */
  GHashTable *values;  /* id -> interned name                                      */
  GHashTable *makers;  /* id of a value -> id of its node                          */
  GHashTable *tensors; /* (nullable) see ph_history_find_tensor()                  */
} PhPastNames;

void ph_past_names_clear (PhPastNames *names);
char *ph_past_names_node (PhPastNames *names, PhId id);  /* (transfer full) operator and name */
char *ph_past_names_value (PhPastNames *names, PhId id); /* (transfer full) */
/* A value that took over another's name is told from it by the node that makes it. */
void ph_past_names_add_maker (PhPastNames *names, PhId id, char **text);

/* The names that the compiler gave as the origins of a node. (nullable) (transfer full) */
char **ph_origin_given (const PhNodeRecord *record);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PhPastNames, ph_past_names_clear)

G_END_DECLS
