/* edit.h: the one way to change a graph. Every change is a PhEdit, which knows its inverse.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/edit-record.h"

G_BEGIN_DECLS

/* The edits, checked. Each returns FALSE or NULL with a PH_ERROR and changes nothing when it would break the
 * graph: types (once known) must fit, no cycle, uses in scope. Each is recorded when the model has a journal. */

typedef struct
{
  const PhOp *op; /* or, for an operator that is not declared, op_type and domain         */
  const char *op_type, *domain;
  const char *name; /* (nullable) */
  PhValue **inputs; /* (nullable elements) */
  guint n_inputs, n_outputs;
  const char *const *output_names;   /* (nullable) (nullable elements): made unique; NULL names after the node */
  const PhType *const *output_types; /* (nullable) NULL: unknown                                          */
  PhAttr *const *attrs;              /* (nullable) n_attrs, shared                                            */
  guint n_attrs;
  PhNode *before; /* (nullable) stand before this node; NULL: at the end                  */
  PhRole role;
  PhId partner;
  const char *device;
  const PhWhere *where; /* (nullable) NULL: that of @before                                      */
  GBytes *extra;
} PhNodeSpec;

PhNode *ph_graph_add_node (PhGraph *graph, const PhNodeSpec *spec, GError **error);
/* Also removes the node's bodies with all they contain. Its outputs must have no uses. */
gboolean ph_graph_remove_node (PhNode *node, GError **error);
PhGraph *ph_node_add_graph (PhNode *node, const char *attr, const char *name, GError **error);
PhValue *ph_graph_add_constant (PhGraph *graph, const char *name, PhTensor *tensor, GError **error);
/* The value @id, which was removed, comes back: a weight of the file is told from what passes made by its id. */
PhValue *ph_graph_restore_constant (PhGraph *graph, PhId id, const char *name, PhTensor *tensor, GError **error);
/* @index: G_MAXUINT appends. @tensor: (nullable) its default. */
PhValue *ph_graph_add_input (PhGraph *graph, const char *name, const PhType *type, PhTensor *tensor, guint index, GError **error);
gboolean ph_graph_remove_value (PhValue *value, GError **error); /* a constant or graph input without uses */
/* Moves producers ahead of @node where that makes no cycle. @index == inputs->len appends. @value may be NULL. */
gboolean ph_node_set_input (PhNode *node, guint index, PhValue *value, GError **error);
gboolean ph_node_truncate_inputs (PhNode *node, guint n, GError **error);
/* @first runs before @node, of the same graph, though no value goes from one to the other; it is moved ahead where that makes no
 * cycle. What others follow cannot be removed. */
gboolean ph_node_add_control (PhNode *node, PhNode *first, GError **error);
gboolean ph_node_remove_control (PhNode *node, PhNode *first, GError **error);
gboolean ph_graph_set_output (PhGraph *graph, guint index, PhValue *value, GError **error); /* == len appends */
gboolean ph_graph_truncate_outputs (PhGraph *graph, guint n, GError **error);
gboolean ph_node_set_attr (PhNode *node, const char *name, PhAttr *attr, GError **error); /* NULL removes   */
gboolean ph_value_set_type (PhValue *value, const PhType *type, GError **error);
gboolean ph_value_rename (PhValue *value, const char *name, GError **error); /* must be unique */
gboolean ph_node_move_before (PhNode *node, PhNode *before, GError **error); /* NULL: the end  */
void ph_model_set_opset (PhModel *model, const char *domain, int version);

typedef struct
{
  const char *name, *domain;
  const char *const *parameters; /* attributes that a call gives                                       */
  guint n_parameters;
  PhAttr *const *defaults; /* attributes that it may leave out, shared                           */
  guint n_defaults;
  GHashTable *opsets; /* (nullable) NULL: the model's as they are now                       */
  GBytes *extra;
  gboolean overload; /* another of that name and domain may be there: the first one is called */
} PhFunctionSpec;

/* A function with an empty graph, to be filled like any other (ph_graph_add_input(), ph_import_graph(), ...). It is called by a
 * node with its op_type and domain. A reader adds all of them first, so that calls can stand before what they call. */
PhFunction *ph_model_add_function (PhModel *model, const PhFunctionSpec *spec, GError **error);
/* With all that it contains. No node may call it. */
gboolean ph_model_remove_function (PhFunction *function, GError **error);
/* A function as @from, of another model, is, with all that it holds. */
PhFunction *ph_model_copy_function (PhModel *model, const PhFunction *from, GError **error);
/* The functions of @from that nodes of @model call and that it has not, and those that these call. */
gboolean ph_model_copy_called (PhModel *model, PhModel *from, GError **error);

/* Points every use of @old, in nodes, bodies and graph outputs, at @value. Users that @value itself depends on keep
 * @old. Where @old is an output of its graph, the two swap names, so the model's interface keeps its names. */
gboolean ph_value_replace_uses (PhValue *old, PhValue *value, GError **error);
/* Removes @node if nothing uses it, then whatever only it used (nodes and constants). Returns how many nodes. */
guint ph_graph_remove_dead (PhNode *node);

G_END_DECLS
