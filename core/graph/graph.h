/* graph.h: the IR. A DAG of nodes joined by values; nodes may own subgraphs.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/function.h"
#include "core/graph/model.h"
#include "core/graph/node.h"
#include "core/names.h"

G_BEGIN_DECLS

struct _PhGraph
{
  PhId id;
  const char *name; /* interned                                                           */
  PhModel *model;
  PhNode *owner;        /* (nullable) NULL for a root: the main graph or that of a function   */
  PhFunction *function; /* (nullable) whose graph it is                                       */
  const char *attr;     /* (nullable) the owner's attribute that it is: "then_branch"         */
  PhNode *first, *last;
  guint n_nodes;        /* of this graph, without those of bodies                             */
  GPtrArray *inputs;    /* (element-type PhValue) owned                                       */
  GPtrArray *outputs;   /* (element-type PhValue) not owned; may be captured from outside     */
  GPtrArray *constants; /* (element-type PhValue) owned; without those that are also inputs   */
  PhNames *names;       /* (nullable) of a root: interned name -> PhValue, those of bodies too */
  GHashTable *suffixes; /* (nullable) likewise: base -> the last number that made it unique   */
  GBytes *extra;
};
PhValue *ph_graph_find_value_named (const PhGraph *graph, const char *name); /* in its root and the bodies below */
const char *ph_graph_unique_name (const PhGraph *graph, const char *base);   /* likewise, for any */
PhGraph *ph_graph_root (const PhGraph *graph);                               /* the main graph or a function's */
gboolean ph_graph_in_function (const PhGraph *graph);                        /* of one, or of a body in one    */
gboolean ph_graph_is_inside (const PhGraph *graph, const PhGraph *outer);    /* or the same */

/* What a picture shows is an inside: PH_NO_ID is the main graph, a node's id its bodies, the id of a function's graph that
 * function. Bodies of If, Loop and Scan stand in the picture of their graph; those of fused nodes and functions do not. */
PhId ph_node_inside (const PhNode *node); /* that opens at the node; PH_NO_ID: nothing */
gboolean ph_model_has_inside (PhModel *model, PhId inside);
gboolean ph_graph_is_shown (const PhGraph *graph, PhId inside);

#define PH_FOREACH_NODE(node_, graph_) for (PhNode *node_ = (graph_)->first; node_ != NULL; node_ = node_->next)

/* All nodes, bodies included but those of fused nodes not, in topological order, bodies before their owners.
 * (transfer container) */
GPtrArray *ph_model_nodes (PhModel *model);

G_END_DECLS
