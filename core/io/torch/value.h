/* value.h: what an expression of PyTorch's code stands for.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/io/python/python.h"
#include "core/io/sketch.h"
#include "core/io/torch/archive.h"

G_BEGIN_DECLS

/* What an expression stands for: a value of the graph, or what is known of it without one. */
typedef enum
{
  PH_TORCH_VALUE,
  PH_TORCH_LITERAL,
  PH_TORCH_LIST,
  PH_TORCH_TUPLE,
  PH_TORCH_MODULE,
  PH_TORCH_UNKNOWN
} PhTorchKind;
typedef struct _PhTorchVal PhTorchVal;
typedef struct _PhTorchShare PhTorchShare;
struct _PhTorchShare
{
  PhTorchVal *with;
  PhTorchShare *next;
};
/* An object of Python's: who writes into it writes into what all its names stand for. */
struct _PhTorchVal
{
  PhTorchKind kind;
  PhSketchGraph *graph;   /* (nullable) where it was made: only statements of the same body may write into it */
  const char *name;       /* VALUE                                                       */
  const PhPy *py;         /* LITERAL, UNKNOWN: as it is written                          */
  GPtrArray *items;       /* LIST, TUPLE (element-type PhTorchVal)                       */
  const PhPickle *object; /* MODULE (nullable): of an archive                            */
  const char *path;       /* MODULE: "fc1.weight"                                        */
  PhSketchNode *node;     /* (nullable) VALUE: its node, of which it is an output         */
  /* Of a view: what it shows, and how often that had been written into when it was made or made anew. */
  PhTorchVal *base; /* (nullable)                                                  */
  guint seen, version;
  /* Of an object: others of which only a run knows whether they are the same, and the one that was written into since. */
  PhTorchShare *shares;
  const char *spoiled;    /* (nullable) */
  PhTorchVal *stands_for; /* (nullable) of a body's own object or view: that outside */
  gboolean whole;         /* VALUE: all that split (), chunk (), ... give, as one list   */
  PhSketchNode *parts;    /* (nullable) of that list: whose outputs are its items        */
  gboolean sizes;         /* VALUE: a list of numbers                                    */
  gboolean maybe_none;    /* VALUE: of a branch, which may give None instead */
};

G_END_DECLS
