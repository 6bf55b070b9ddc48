/* graph-private.h: what graph.c, apply.c and edit.c share.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/edit.h"
#include "core/slab.h"

G_BEGIN_DECLS

typedef struct _PhModelMemory
{
  PhSlab nodes, values;
} PhModelMemory;

/* All of a node, of which an edit can make it again. */
typedef struct
{
  const PhOp *op;
  const char *op_type, *domain, *name, *device;
  guint n_inputs, n_outputs;
  PhId *inputs;  /* n_inputs; PH_NO_ID is "". This and the four below lie behind the struct */
  PhId *outputs; /* n_outputs                */
  const char **output_names;
  const PhType **output_types;
  GBytes **output_extras; /* (nullable elements)      */
  GPtrArray *attrs;       /* (element-type PhAttr) shared with nodes */
  PhRole role;
  PhId partner;
  const PhWhere *where; /* (nullable) */
  GBytes *extra;
} PhNodeRecord;

typedef struct
{
  const char *name;
  const PhType *type;
  PhTensor *tensor; /* (nullable) */
  gboolean is_input;
  GBytes *extra;
} PhValueRecord;

typedef struct
{
  const char *name, *domain;
  GPtrArray *parameters; /* (element-type utf8) interned */
  GPtrArray *defaults;   /* (element-type PhAttr)        */
  GHashTable *opsets;
  GBytes *extra;
} PhFunctionRecord;

PhModel *ph_model_alloc (void); /* without a main graph */
void ph_node_free (PhNode *node);
void ph_graph_free (PhGraph *graph);
void ph_model_enter (PhModel *model, GPtrArray *table, PhId id, gpointer object);
void ph_model_count (PhModel *model, const PhOp *op, int difference); /* in the census */
PhGraph *ph_graph_alloc (PhModel *model, PhId id, PhNode *owner, const char *attr, const char *name);
PhValue *ph_value_alloc (PhGraph *graph, PhId id, const char *name, const PhType *type);
void ph_node_insert_control (PhNode *node, guint index, PhNode *first);
void ph_uses_init (PhUses *uses, guint size); /* all of it is zeros; as many as @size fit without another allocation */
void ph_values_init (PhValues *values, guint size);
void ph_node_init_inputs (PhNode *node, guint size); /* with use_at */
void ph_values_clear (PhValues *values);
void ph_node_grow_inputs (PhNode *node);
void ph_value_add_use (PhValue *value, PhNode *node, guint index); /* (nullable) @value, here and below */
void ph_value_drop_use (PhValue *value, PhNode *node, guint index);
PhNames *ph_graph_names (const PhGraph *graph);                                          /* of its root */
PhFunction *ph_function_alloc (PhModel *model, PhId id, const PhFunctionRecord *record); /* not yet in the list */
GHashTable *ph_function_table_new (void);                                                /* for PhModel.called */
void ph_model_list_function (PhModel *model, guint index, PhFunction *function);         /* which it owns then */
void ph_model_unlist_function (PhModel *model, guint index);                             /* and frees it       */
void ph_function_free (PhFunction *function);
PhFunctionRecord *ph_function_record_new (const PhFunction *function);
void ph_function_record_free (PhFunctionRecord *record);
gboolean ph_graph_is_fused (const PhGraph *graph); /* or lies inside a fused body */

/* edit.c: applies a copy of @template and records it. @graph: (nullable) where. */
void ph_edit_commit (PhModel *model, PhGraph *graph, const PhEdit *template);
gboolean ph_edit_fail (GError **error, PhError code, const char *format, ...) G_GNUC_PRINTF (3, 4); /* FALSE */

/* order.c: the nodes of @value's graph that @value needs, its own included, none of an order below @floor. (transfer full) */
GHashTable *ph_order_find_needed (const PhValue *value, guint64 floor);
/* Sees to it that @first and what it needs stand before @node, of the same graph. */
gboolean ph_order_put_first (PhNode *node, PhNode *first, GError **error);
/* Sees to it that what makes @value stands before @user, which may sit in a body below @value's graph. */
gboolean ph_order_put_before (PhNode *user, const PhValue *value, GError **error);

void ph_edit_clear (PhEdit *edit); /* what it holds */
PhNodeRecord *ph_node_record_alloc (guint n_inputs, guint n_outputs);
PhNodeRecord *ph_node_record_new (const PhNode *node);
/* An array for a node, never written once it is there; most are empty, and one. @more: one is to be added. */
GPtrArray *ph_attrs_new (PhAttr *const *attrs, guint n, gboolean more);
PhValueRecord *ph_value_record_new (const PhValue *value);

G_END_DECLS
