/* tf.h: TensorFlow's graphs, between their protobuf form and a model. Private to the reader. Numbers of fields are those of
 * graph.proto, node_def.proto, attr_value.proto, tensor.proto, function.proto, op_def.proto, meta_graph.proto and saved_model.proto.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/io/sketch.h"
#include "core/io/wire.h"

G_BEGIN_DECLS

typedef struct
{
  const char *from;
  guint output;
  gboolean control;
} PhTfEdge; /* @from: interned name of a node */
typedef struct
{
  const char *name;
  PhSpan value;
} PhTfAttr; /* @name: interned; an AttrValue  */
typedef struct _PhTfGraph PhTfGraph;

typedef struct
{
  const char *name, *op; /* interned                                                                     */
  char *device;          /* (nullable)                                                                   */
  GPtrArray *raw;        /* (element-type char) inputs as they are written                               */
  GArray *inputs;        /* (element-type PhTfEdge) the same, resolved                                   */
  GArray *back;          /* (nullable) (element-type PhTfEdge) inputs that would close a cycle           */
  GArray *attrs;         /* (element-type PhTfAttr)                                                      */
  guint n_outputs;
  guint line;             /* in the text of the graph; 0: it was none                                     */
  PhTfGraph *cond, *body; /* (nullable) owned: of a loop that was structured                              */
  gboolean gone;          /* became part of a loop                                                        */
  const char *module;     /* (nullable) interned: the function of StableHLO that it calls                 */
  gboolean for_platforms; /* which takes the number of a platform first                                   */
} PhTfNode;

/* A function, or the main graph. Its arguments are nodes of operator "_Arg" in front. */
struct _PhTfGraph
{
  const char *name;
  GPtrArray *nodes;    /* (element-type PhTfNode)                                                      */
  GHashTable *by_name; /* interned name -> PhTfNode                                                    */
  GPtrArray *args;     /* (element-type PhTfNode) also in nodes                                        */
  GArray *outputs;     /* (element-type PhTfEdge)                                                      */
};

typedef struct _PhTfCheckpoint PhTfCheckpoint;

typedef struct
{
  PhSource *source;
  PhImporter *importer;
  GBytes *bytes;              /* all of it                                                                    */
  gboolean text;              /* it was one: nodes have lines                                                 */
  gboolean on_disk;           /* @bytes are those of source->disk, so that places in them are places there    */
  GHashTable *functions;      /* interned name -> PhSpan* (FunctionDef)                                       */
  GHashTable *op_outputs;     /* operator -> its outputs' names (char **)                                     */
  GHashTable *modules;        /* places of modules of StableHLO -> the names of their entries; "": unreadable */
  GHashTable *open;           /* places of the functions whose bodies are being made                          */
  guint n_expanded;           /* nodes of bodies so far                                                       */
  PhTfCheckpoint *checkpoint; /* (nullable)                                                                   */
} PhTfFile;

/* The field of a node for its line in a text; no field of TensorFlow's has this number. */
#define PH_TF_LINE 10001

/* tf-text.c */
GBytes *ph_tf_from_text (PhSource *source, GBytes *text, const char *name, GError **error);
/* tf-tensor.c */
PhDType ph_tf_dtype (guint64 number); /* PH_UNDEFINED: none of ONNX's    */
const char *ph_tf_dtype_name (guint64 number);
gboolean ph_tf_read_dims (PhSpan shape, gint64 *dims, guint *rank);         /* FALSE: no rank, or too high     */
const PhType *ph_tf_type (guint64 dtype, PhSpan shape, gboolean has_shape); /* (nullable)                      */
PhTensor *ph_tf_tensor (PhTfFile *file, PhSpan tensor, const char *what, GError **error);
/* tf-graph.c */
PhTfGraph *ph_tf_graph_new (const char *name);
void ph_tf_graph_free (PhTfGraph *graph);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhTfGraph, ph_tf_graph_free)
PhTfNode *ph_tf_node_new (PhTfGraph *graph, const char *name, const char *op);
gboolean ph_tf_node_attr (const PhTfNode *node, const char *name, PhSpan *value);
gboolean ph_tf_parse_nodes (PhTfFile *file, PhTfGraph *graph, PhSpan message, guint field, GError **error);
gboolean ph_tf_resolve (PhTfFile *file, PhTfGraph *graph, gboolean in_function, GError **error);
PhTfGraph *ph_tf_parse_function (PhTfFile *file, PhSpan function, GError **error);
PhTfEdge ph_tf_resolve_name (PhTfFile *file, PhTfGraph *graph, const char *text, gboolean in_function);
/* tf-loop.c: loops of Enter, Merge, Switch, NextIteration and Exit become While; what cannot be is cut open and listed. */
void ph_tf_structure (PhTfFile *file, PhTfGraph *graph);
gboolean ph_tf_take_module (PhTfFile *file, PhTfNode *node, GError **error); /* tf-module.c: says what it calls */
/* tf-checkpoint.c: (nullable) that which lies beside the graph, where TensorFlow looks for it. */
PhTfCheckpoint *ph_tf_checkpoint_open (PhSource *source);
void ph_tf_checkpoint_free (PhTfCheckpoint *checkpoint);
/* NULL without error: it has none of this name. (transfer full) */
PhTensor *ph_tf_checkpoint_value (PhTfCheckpoint *checkpoint, const char *name, GError **error);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhTfCheckpoint, ph_tf_checkpoint_free)
/* tf-sketch.c */
PhSketch *ph_tf_sketch (PhTfFile *file, PhTfGraph *graph, guint depth, GError **error);

G_END_DECLS
