/* value.h: a value: what a node makes, an input or a constant, and who uses it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/kinds.h"

G_BEGIN_DECLS

typedef struct
{
  PhNode *node;
  guint index;
} PhUse; /* input @index of @node */

/* Arrays of nodes and values: g_array_index() and g_ptr_array_index() read them, ph_values_find() and the like do the rest. Nearly all have one or
 * two elements, which lie in the struct itself: a graph of a million nodes has three millions of them. */
typedef struct
{
  PhUse *data;
  guint len, size; /* @size: elements that there is room for */
  PhUse few[1];
} PhUses;

typedef struct
{
  union
  {
    struct
    {
      gpointer *pdata; /* PhValue */
      guint len;
    };
    GPtrArray array; /* the same, for functions that only read the fields of one */
  };
  guint size;
  gpointer few[2];
} PhValues;

struct _PhValue
{
  PhId id;
  const char *name;    /* interned; unique in its root graph and the bodies below; "" never  */
  const PhType *type;  /* (nullable) NULL while unknown                                      */
  PhGraph *graph;      /* the scope that it belongs to                                       */
  PhNode *producer;    /* (nullable) NULL for graph inputs and constants                     */
  guint output;        /* index among the producer's outputs                                 */
  PhTensor *tensor;    /* (nullable) initializer; with is_input an overridable default       */
  gboolean is_input;   /* one of graph->inputs                                               */
  PhUses uses[1];      /* by nodes here and in subgraphs; in no order                        */
  guint n_output_uses; /* how many times it is a graph output                                */
  guint place;         /* of a constant: its index in graph->constants                       */
  GBytes *extra;       /* (nullable) what the file says of it that Peephole does not read    */
  gpointer scratch;    /* for whoever walks the graph now; no promise past that              */
};

/* The constant behind @value (nullable): an initializer that no caller may override (an input's default is constant up to IR 3
 * only, as in ONNX Runtime), or the output of a Constant node. (transfer none) (nullable) */
PhTensor *ph_value_constant (const PhValue *value);
GArray *ph_value_copy_uses (const PhValue *value); /* (element-type PhUse) (transfer full) */
/* As g_ptr_array_find() and g_ptr_array_copy(). */
gboolean ph_values_find (const PhValues *values, gconstpointer value);
gboolean ph_value_is_output (const PhValue *value);
guint ph_value_n_uses (const PhValue *value); /* by nodes and as graph outputs */

G_END_DECLS
