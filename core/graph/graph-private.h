/* graph-private.h: what graph.c, apply.c and edit.c share.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/edit.h"

G_BEGIN_DECLS

/* All of a node, of which an edit can make it again. */
typedef struct
{
  const PhOp    *op;
  const char    *op_type, *domain, *name, *device;
  guint          n_inputs, n_outputs;
  PhId          *inputs;             /* n_inputs; PH_NO_ID is "" */
  PhId          *outputs;            /* n_outputs                */
  const char   **output_names;
  const PhType **output_types;
  GBytes       **output_extras;      /* (nullable elements)      */
  GPtrArray     *attrs;              /* (element-type PhAttr)    */
  PhRole         role;
  PhId           partner;
  GBytes        *extra;
} PhNodeRecord;

typedef struct
{
  const char   *name;
  const PhType *type;
  PhTensor     *tensor;              /* (nullable) */
  gboolean      is_input;
  GBytes       *extra;
} PhValueRecord;

void      ph_value_free     (PhValue *value);
void      ph_node_free      (PhNode *node);
void      ph_graph_free     (PhGraph *graph);
void      ph_model_enter    (PhModel *model, GPtrArray *table, PhId id, gpointer object);
PhGraph  *ph_graph_alloc    (PhModel *model, PhId id, PhNode *owner, const char *attr, const char *name);
PhValue  *ph_value_alloc    (PhGraph *graph, PhId id, const char *name, const PhType *type);
gboolean  ph_graph_is_fused (const PhGraph *graph);       /* or lies inside a fused body */

PhNodeRecord  *ph_node_record_new   (const PhNode *node);
PhValueRecord *ph_value_record_new  (const PhValue *value);

G_END_DECLS
