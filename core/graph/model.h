/* model.h: a model: the main graph, functions, operator sets, and everything in it by id and by name.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/kinds.h"

G_BEGIN_DECLS

struct _PhModel
{
  PhGraph *graph;                     /* the main graph                                                     */
  GPtrArray *nodes, *values, *graphs; /* by id: NULL where an id is of another kind or was removed */
  PhId next_id;
  guint n_graphs;     /* in @graphs: those there are                                        */
  GHashTable *opsets; /* interned domain -> version (GINT_TO_POINTER)                       */
  gint64 ir_version;
  GHashTable *census;   /* PhOp -> how many nodes of it there are, bodies included            */
  GPtrArray *functions; /* (element-type PhFunction) owned, in the file's order               */
  GHashTable *called;   /* the same (the first of a name and domain), found by these; function.c keeps it */
  PhModel *library;     /* (nullable) (unowned) of an instance of a function: where its calls are looked up */
  GBytes *extra;        /* (nullable) the ModelProto without graph, functions, opset imports  */
  GPtrArray *files;     /* (nullable) (element-type PhFile) what it was read from; a clone has none */
  GPtrArray *parts;     /* (nullable) (element-type char*) paths of the modules of its file; a clone has none */
  PhHistory *journal;   /* (nullable) (unowned) where edits are recorded                      */
  gpointer program;     /* (nullable) owned: what it was compiled to (core/run/program.h), until it is edited */
  GDestroyNotify free_program;
  int form; /* an opset whose form all nodes are known to have (ph_model_is_in_form()), until it is edited; 0: none is known */
  struct _PhModelMemory *memory; /* of its nodes and values */
  GHashTable *kernels; /* (nullable) "n12", or an operator's name -> the kernel that is to run it; shared, never changed */
};

PhModel *ph_model_new (void);             /* an empty main graph */
PhModel *ph_model_clone (PhModel *model); /* same ids; tensors shared; no journal */
void ph_model_free (PhModel *model);
void ph_model_discard (PhModel *model); /* (nullable) the same where nobody waits for it: later, if it is large */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhModel, ph_model_free)

void ph_model_reserve (PhModel *model, gsize n);      /* room for @n more ids, which come soon */
PhNode *ph_model_find_node (PhModel *model, PhId id); /* (nullable) */
PhValue *ph_model_find_value (PhModel *model, PhId id);
PhGraph *ph_model_find_graph (PhModel *model, PhId id);
PhValue *ph_model_find_value_named (PhModel *model, const char *name); /* in the main graph and its bodies */
/* "n42", "42", a node's name, or the name of a value that it makes; the main graph comes before functions. (nullable) */
PhNode *ph_model_find_node_named (PhModel *model, const char *name);
const char *ph_model_unique_name (PhModel *model,
                                  const char *base);     /* @base, or base_1, base_2, ... ; interned; for the main graph */
int ph_model_opset (PhModel *model, const char *domain); /* 0 when not imported */
/* The opset at which the model leaves as a file: that which it came with. ph_model_opset (model, "") is the one whose form
 * its nodes have; where upgrade-opset brought only the form up, the file's own stands under ONNX's other name. */
#define PH_FILE_OPSET "ai.onnx"
int ph_model_file_opset (PhModel *model);
guint ph_model_n_nodes (PhModel *model, gboolean with_bodies); /* fused bodies never count */
gboolean ph_model_has_op (PhModel *model, const PhOp *op);     /* somewhere, fused bodies included; at no cost */
/* The operator of that name (nullable). Nodes are resolved as they are made; the list of operators is in core/ops. */
const PhOp *ph_op_find (const char *domain, const char *name);
void ph_op_get_name (const PhOp *op, const char **domain, const char **name);

G_END_DECLS
