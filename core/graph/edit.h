/* edit.h: the one way to change a graph. Every change is a PhEdit, which knows its inverse.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/graph.h"

G_BEGIN_DECLS

/* clang-format off */
typedef enum
{
  PH_EDIT_ADD_NODE, PH_EDIT_REMOVE_NODE,        /* without uses of its outputs, without bodies               */
  PH_EDIT_ADD_VALUE, PH_EDIT_REMOVE_VALUE,      /* a constant or a graph input, without uses                 */
  PH_EDIT_ADD_GRAPH, PH_EDIT_REMOVE_GRAPH,      /* an empty body of a node                                   */
  PH_EDIT_SET_INPUT,                            /* also appends (index == n) and takes the last off      */
  PH_EDIT_SET_OUTPUT,                           /* of a graph; likewise                                      */
  PH_EDIT_SET_ATTR, PH_EDIT_SET_TYPE, PH_EDIT_RENAME, PH_EDIT_MOVE_NODE, PH_EDIT_SET_OPSET,
  PH_EDIT_SET_CONTROL,                          /* one edge of order comes (before: PH_NO_ID) or goes        */
  PH_EDIT_ADD_FUNCTION, PH_EDIT_REMOVE_FUNCTION, /* with an empty graph                                      */
  PH_N_EDITS
} PhEditKind;
/* clang-format on */

/* Pure data: ids and shared immutable parts, no pointers into a graph, so that an edit recorded on a clone applies to
 * the model that it was cloned from. Owned by the journal. */
typedef struct _PhEdit PhEdit;
struct _PhEdit
{
  gatomicrefcount ref_count; /* a worker that reads the journal holds on to its edits                  */
  PhEditKind kind;
  PhId id;                         /* the node, value or graph that is changed, added, removed               */
  PhId graph;                      /* ADD_*: where; SET_OUTPUT: which                                        */
  PhId place;                      /* node to stand after (PH_NO_ID: first); MOVE_NODE: the old one          */
  PhId new_place;                  /* MOVE_NODE                                                              */
  guint index;                     /* SET_INPUT, SET_OUTPUT, graph input                                     */
  gboolean absent;                 /* SET_INPUT, SET_OUTPUT: there was no such slot before                   */
  gboolean last;                   /* SET_INPUT, SET_OUTPUT: the slot itself goes away                       */
  gboolean hidden;                 /* inside the body of a fused node: not counted, not shown in diffs       */
  PhId before, after;              /* SET_INPUT, SET_OUTPUT: values; PH_NO_ID is ""; SET_CONTROL: nodes       */
  const char *old_name, *new_name; /* RENAME; SET_ATTR, ADD_GRAPH, SET_OPSET: new_name is the key  */
  const PhType *old_type, *new_type;
  PhAttr *old_attr, *new_attr; /* (nullable) owned                                             */
  gint64 old_version, new_version;
  gpointer spec; /* ADD/REMOVE_NODE, _VALUE, _FUNCTION: all of it, private to edit.c        */
};

PhEdit *ph_edit_ref (PhEdit *edit);
void ph_edit_free (PhEdit *edit); /* gives one reference up            */
/* What a model was compiled to is let go of by the next edit, but for a change of a type, which no program is made by. */
void ph_model_set_program (PhModel *model, gpointer program, GDestroyNotify free_program);
/* Which kernels are to run its nodes (PhModel.kernels). @kernels: (nullable) (transfer none). Its clones take them over. */
void ph_model_set_kernels (PhModel *model, GHashTable *kernels);
void ph_edit_apply (PhModel *model, const PhEdit *edit);  /* in the order they were recorded  */
void ph_edit_revert (PhModel *model, const PhEdit *edit); /* in the opposite order            */
char *ph_edit_to_string (const PhEdit *edit);             /* for logs and failing tests       */

/* Below: the edits, checked. Each returns FALSE or NULL with a PH_ERROR and changes nothing when it would break the
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
/* All of @from, of any model, into the empty @to: inputs, constants, nodes, bodies, outputs, their names as far as they are free. */
gboolean ph_graph_copy (PhGraph *to, const PhGraph *from, GError **error);
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
