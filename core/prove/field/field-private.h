/* field-private.h: the evaluation of one model at one random point, and of one node in it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/ops/expand.h"
#include "core/ops/onnx/window.h"
#include "core/ops/op-list.h"
#include "core/prove/field/field-modulo.h"
#include "core/prove/field/field-reading.h"
#include "core/prove/field/field-sizes.h"
#include "core/prove/field/field.h"

G_BEGIN_DECLS

/* The elements of one value at one random point. */
typedef struct _PhFieldTensor PhFieldTensor;
struct _PhFieldTensor
{
  gatomicrefcount ref_count;
  PhTensor *known; /* (nullable) it depends on no variable: what it holds                       */
  PhDType dtype;
  guint rank;
  gsize count;
  guint32 *p, *q;       /* (nullable) owned, or @owner's; NULL: not needed yet, ask ph_field_parts()  */
  PhFieldTensor *owner; /* (nullable) (owned) whose elements these are, under another shape          */
  gboolean is_constant; /* of a model or a recipe, that will be met again                            */
  gboolean is_variable; /* its elements are random numbers, drawn by @salt when they are first needed   */
  guint64 salt;
  double over, under; /* degree of numerator and denominator, at most                              */
  gint64 dims[];
};

typedef struct
{
  gint64 over, under;
  PhNum number;
} PhFieldRatio; /* under 0: none */

/* One model, and its evaluation at one point. */
typedef struct
{
  PhModel *model;
  GCancellable *cancellable; /* (nullable)                                                                */
  GHashTable *shared;        /* (nullable) set of PhTensor that both sides have: they are what they hold  */
  GHashTable *variables;     /* (nullable) PhTensor -> which one: constants that stand for any numbers    */
  GHashTable *sizes;         /* (nullable) how many channels -> how many stand for them                   */
  GHashTable *expansions;    /* PhNode -> what it was spelt out as                                        */
  GPtrArray *kept;           /* the expansions: addresses of values must not come again                   */
  GHashTable *functions;     /* PhNode, the call -> PhModel                                               */
  GHashTable *known;         /* PhNode -> its outputs, where they depend on no variable                   */
  GHashTable *places;        /* PhNode -> where each element of its outputs comes from                    */
  PhFieldImages *images;     /* (nullable) not owned                                                      */
  GHashTable *sources;       /* PhValue -> the widest float type that it was computed from                */
  GHashTable *recipes;       /* PhTensor -> whether its recipe gives it                                   */
  /* the point */
  guint reading; /* PhFieldReading                                                            */
  guint64 salt;
  PhNum special[3];       /* by PH_FIELD_INFINITY, ...                                                 */
  GHashTable *values;     /* PhValue -> PhFieldTensor (owned)                                          */
  PhFieldRatio ratios[8]; /* that were asked for last                                                  */
  guint depth, loops, recipe_depth;
  double work;     /* multiplications so far, about                                             */
  double most;     /* of them that may be spent at this point                                   */
  guint64 n_nodes; /* evaluated at all points                                                   */
  /* what was met at it */
  guint met;         /* readings that could have made a difference                                */
  gboolean bad_sign; /* Euler's criterion gives a constant another sign than it has               */
  gboolean redraw;   /* a division by 0: another point is wanted                                  */
  gboolean used_recipe, used_recognised;
  gboolean salted;   /* a constant was met that is another number at each point                   */
  double hashed;     /* elements of uninterpreted functions                                       */
  gsize least_signs; /* of the smallest tensor whose elements' signs were drawn; G_MAXSIZE: none  */
  char *why;         /* (nullable) what stands in the way                                         */
} PhField;

/* A node being evaluated. */
typedef struct
{
  PhField *field;
  const PhNode *node;
  guint n_in, n_out;
  PhFieldTensor **in;  /* (nullable elements) not owned                                             */
  PhFieldTensor **out; /* to be filled with owned references                                        */
} PhFieldNode;

typedef gboolean (*PhFieldRule) (PhFieldNode *self, gconstpointer data);

G_END_DECLS
