/* execution.h: a run of the graph as it was, node after node, to be walked through forwards and back.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "core/graph/graph.h"

G_BEGIN_DECLS

/* A body begins anew, and reads @tensor as its input @value; or @value PH_NO_ID: it begins. @around: the graph that its node lies in. */
typedef struct
{
  PhId graph, around, value;
  PhTensor *tensor; /* (nullable) */
} PhExecutionEntry;

/* One node that ran, also one of a body; what is inside of fused nodes and of functions counts as their own work. */
typedef struct
{
  PhId node, graph;    /* of the model; @graph: the graph that the node lies in              */
  const char *op_type; /* interned                                                           */
  char *name;          /* of the node, "" where it has none                                  */
  guint turn;          /* how often the body that it lies in runs, from 1; 0: no body        */
  guint depth;         /* bodies around it                                                   */
  guint n_outputs;
  PhId *values;
  PhTensor **tensors; /* (nullable elements)                                                */
  GArray *entered;    /* (nullable) (element-type PhExecutionEntry) bodies that began since the event before */
} PhExecutionEvent;

typedef struct
{
  GPtrArray *events; /* (element-type PhExecutionEvent) in the order of the run            */
  GHashTable *given; /* PhId -> PhTensor: the inputs                                       */
  gboolean cut;      /* there was more than can be kept                                    */
} PhExecution;

/* Runs @model on the tensors of @feeds (name -> PhTensor), which are all that it needs. In any thread. */
PhExecution *ph_execution_new (PhModel *model, GHashTable *feeds, GCancellable *cancellable, GError **error);
void ph_execution_free (PhExecution *execution);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhExecution, ph_execution_free)

/* In which turn of a loop event @index ran, from 1; 0: in none. What a branch runs is of the turn in which the branch is taken. */
guint ph_execution_turn (const PhExecution *execution, guint index, PhModel *model);
/* Where the next turn begins of the body that the last event before @at lies in; where that has none, or in no body: behind the
 * body, or at the next one. */
guint ph_execution_next_turn (const PhExecution *execution, guint at);

G_END_DECLS
