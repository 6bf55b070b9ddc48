/* node.h: a node: an operator applied to values, with attributes, bodies and control edges.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/value.h"

G_BEGIN_DECLS

struct _PhNode
{
  PhId id;
  const char *op_type, *domain; /* interned; domain "" is ONNX's own                              */
  const PhOp *op;               /* (nullable) NULL: unknown operator, or a fused node                 */
  const char *name;             /* interned, "" when the file gives none                              */
  PhGraph *graph;
  PhNode *prev, *next;  /* the graph's list, always a topological order                       */
  guint64 order;        /* grows along that list; compare within one graph only               */
  PhValues inputs[1];   /* (nullable elements): "" inputs are NULL                            */
  guint *use_at;        /* parallel to inputs: index in the value's uses                      */
  guint few_use_at[2];  /* what that points to, while it is enough                            */
  PhValues outputs[1];  /* owned; "" outputs are values without a use                         */
  GPtrArray *attrs;     /* (element-type PhAttr) in the file's order; shared, a change makes another */
  GPtrArray *graphs;    /* (element-type PhGraph) (nullable) bodies: If, Loop, Scan, fused    */
  GPtrArray *control;   /* (element-type PhNode) (nullable) of this graph, must run before this one */
  GPtrArray *followers; /* (element-type PhNode) (nullable) whose control this one is          */
  PhRole role;
  PhId partner;         /* of a backward node: the forward node that it differentiates        */
  const char *device;   /* (nullable) interned                                                */
  const PhWhere *where; /* (nullable) from where in a program it came                         */
  GBytes *extra;        /* (nullable) as for values                                           */
  gpointer scratch;
};

PhValue *ph_node_input (const PhNode *node, guint i); /* (nullable) NULL past the end too */
PhValue *ph_node_output (const PhNode *node, guint i);
PhGraph *ph_node_graph (const PhNode *node, const char *attr); /* (nullable) */
gboolean ph_node_is (const PhNode *node, const PhOp *op);
/* It must run before or after a node that it has no value in common with: no rewrite may take it away. */
gboolean ph_node_is_tied (const PhNode *node);
gboolean ph_node_is_own (const PhNode *node); /* an operator of Peephole's own */
/* It is its body, run once: what a fusing pass made, in Peephole's own domain, or a fusion of XLA. Such a body sees its inputs alone. */
gboolean ph_node_is_fused (const PhNode *node);
char *ph_node_label (const PhNode *node); /* "n42 Conv 'conv1'" for messages */
/* Sets @error to the label and the message; FALSE, so that one can return it. */
gboolean ph_node_fail (const PhNode *node, GError **error, PhError code, const char *format, ...) G_GNUC_PRINTF (4, 5);
void ph_node_fail_valist (const PhNode *node, GError **error, PhError code, const char *format, va_list args)
    G_GNUC_PRINTF (4, 0);
char *ph_node_scope (const PhNode *node); /* "layers.0/attn" out of its name, or "" */
/* Of functions that are blocks: the labels of those that a node branches to, and of those that the operands of a phi come from. A node is in
 * the block that its scope names, unless this attribute names another one: it was in that one before. */
#define PH_TARGETS_ATTR  "to"
#define PH_INCOMING_ATTR "incoming"
#define PH_BLOCK_ATTR    "block"
char *ph_node_block (const PhNode *node);

PhAttr *ph_node_attr (const PhNode *node, const char *name); /* (nullable) */
/* A graph with cycles is read as a DAG: of a value that comes to a node from further down, as to a phi from the end of its loop, the name
 * stands in this attribute, as "NAME" or "NAME from BLOCK". It orders nothing and is no use; it is drawn and listed. */
#define PH_LINKS_ATTR "back"
/* Those values, as many as there are now. (element-type PhValue) (transfer container) (nullable): there are none. */
GPtrArray *ph_node_links (const PhNode *node);
gint64 ph_node_attr_int (const PhNode *node, const char *name, gint64 fallback);
float ph_node_attr_float (const PhNode *node, const char *name, float fallback);
const char *ph_node_attr_string (const PhNode *node, const char *name, const char *fallback); /* interned */
const gint64 *ph_node_attr_ints (const PhNode *node, const char *name, gsize *n);             /* (nullable) */
/* The node in @graph itself through which @node (in @graph or a body below it) is reached. (nullable) */
PhNode *ph_node_ancestor_in (PhNode *node, PhGraph *graph);

G_END_DECLS
