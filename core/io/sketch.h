/* sketch.h: a whole model, functions and bodies included, as a reader draws it up node by node. All that it is given lives as long as it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/io/import.h"

G_BEGIN_DECLS

typedef struct _PhSketch PhSketch;
typedef struct _PhSketchGraph PhSketchGraph;

typedef struct
{
  PhImportNode node; /* its fields but the arrays                          */
  PhSketchGraph *graph;
  GPtrArray *inputs, *outputs, *types, *attrs, *bodies, *after;
} PhSketchNode;

struct _PhSketchGraph
{
  PhSketch *sketch;
  PhSketchGraph *root;                  /* itself, unless it is a body                        */
  const char *name, *attr, *domain;     /* @domain: of a function, else NULL                  */
  GArray *inputs, *constants, *outputs; /* (element-type PhImportValue)                       */
  GPtrArray *nodes;                     /* (element-type PhSketchNode)                         */
  GHashTable *names;                    /* of a root: name -> how often it was asked for      */
  GHashTable *types;                    /* of a root: name -> PhType                          */
};

struct _PhSketch
{
  PhSource *source;
  PhImporter importer;
  gboolean owns_model; /* FALSE: a part; the model is the reader's           */
  PhSketchGraph *main;
  GPtrArray *graphs, *nodes, *functions, *blocks;
  GPtrArray *parts; /* (element-type PhSketch) bodies drawn up by themselves */
};

PhSketch *ph_sketch_new (PhSource *source);
void ph_sketch_free (PhSketch *sketch);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhSketch, ph_sketch_free)
/* The model, with the version 1 of @domain imported. */
PhModel *ph_sketch_finish (PhSketch *sketch, const char *domain, GError **error);

PhSketchGraph *ph_sketch_add_function (PhSketch *sketch, const char *domain, const char *name);
PhSketchGraph *ph_sketch_find_function (PhSketch *sketch, const char *domain, const char *name); /* (nullable) */
/* A body of @node. */
PhSketchGraph *ph_sketch_add_body (PhSketchNode *node, const char *attr);

const char *ph_sketch_add_input (PhSketchGraph *graph, const char *base, const PhType *type);
/* @tensor: (transfer full) */
const char *ph_sketch_add_constant (PhSketchGraph *graph, const char *base, PhTensor *tensor);
void ph_sketch_add_output (PhSketchGraph *graph, const char *name);
const PhType *ph_sketch_type (PhSketchGraph *graph, const char *name); /* (nullable) */

/* @line 0: no place. */
PhSketchNode *ph_sketch_add_node (PhSketchGraph *graph, const char *op_type, const char *domain, guint line, guint column);
void ph_sketch_node_input (PhSketchNode *node, const char *name);
const char *ph_sketch_node_output (PhSketchNode *node, const char *base, const PhType *type); /* its unique name */
void ph_sketch_node_type (PhSketchNode *node, guint output, const PhType *type);
void ph_sketch_node_attr (PhSketchNode *node, PhAttr *attr); /* (transfer full) */
void ph_sketch_node_text (PhSketchNode *node, const char *name, const char *text);
void ph_sketch_node_int (PhSketchNode *node, const char *name, gint64 value);
void ph_sketch_node_after (PhSketchNode *node, const char *name); /* a value whose node comes first */

/* One graph by itself, for a reader that makes the model, and knows all names before the nodes that use them: a name is claimed first
 * and given to what has it then. A body is a part too, with names of its own. */
PhSketch *ph_sketch_new_part (PhImporter *importer, const char *name);
/* @name, interned; with a number behind it where something of the part is called so already. */
const char *ph_sketch_claim (PhSketch *part, const char *name);
void ph_sketch_add_named_input (PhSketchGraph *graph, const char *name, const PhType *type);
void ph_sketch_add_named_constant (PhSketchGraph *graph, const char *name, PhTensor *tensor); /* (transfer full) */
PhSketchNode *ph_sketch_add_named_node (PhSketchGraph *graph, const char *op_type, const char *domain, const char *name);
/* The place in the opened file, for a node that was added without one. */
void ph_sketch_node_place (PhSketchNode *node, guint line, guint column);
void ph_sketch_node_named_output (PhSketchNode *node, const char *name, const PhType *type);
void ph_sketch_node_body (PhSketchNode *node, const char *attr, PhSketch *body); /* (transfer full) */
/* Into @graph, which is empty. A name that is used and that nothing makes becomes an input, and a problem. */
gboolean ph_sketch_import (PhSketch *part, PhGraph *graph, GError **error);

G_END_DECLS
