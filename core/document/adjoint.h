/* adjoint.h: the two traces of reverse-mode differentiation as textbooks print them: forward primal, reverse adjoint.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "core/graph/graph.h"

G_BEGIN_DECLS

/* One value of the forward graph, in order of execution: an input (v-1, v0), a parameter (by its name), or what a node makes
 * (v1, v2, ...). Baydin et al., "Automatic differentiation in machine learning: a survey", tables 2 and 3. */
typedef struct
{
  PhId value, node;     /* of the model; @node: what makes it, or PH_NO_ID               */
  char *name, *formula; /* "v1", "ln v-1"; of an input its own name; of a parameter ""    */
  const PhType *type;   /* (nullable)                                                    */
  PhTensor *tensor;     /* (nullable) not computed, or too large to keep                 */
  PhTensor *adjoint;    /* (nullable) likewise, after its last contribution              */
  gboolean has_adjoint; /* a gradient arrives at it                                      */
} PhAdjointRow;

/* Which node of a picture a row is about. */
typedef struct
{
  PhId node; /* of the forward graph, or PH_NO_ID                              */
  int part;  /* of a contribution: which one of the backward nodes that differentiate @node, by age; -1: it passes on what came */
  guint n_parts; /* of those                                                       */
  gboolean adds; /* to what came before: the node after it                         */
} PhAdjointPlace;

/* One contribution to the gradient of a value, in the order in which the backward graph is built. */
typedef struct
{
  guint row;         /* whose gradient                                                */
  PhAdjointPlace at; /* of the forward node that hands it on; PH_NO_ID: the cotangent */
  char *formula;     /* "v3' * cos v0"                                                */
  PhTensor *tensor;  /* (nullable) the gradient after this contribution               */
} PhAdjointStep;

typedef struct
{
  char *output; /* the name of what is differentiated                            */
  guint output_row;
  GPtrArray *rows;    /* (element-type PhAdjointRow)                                   */
  GPtrArray *steps;   /* (element-type PhAdjointStep)                                  */
  char *not_computed; /* (nullable) why there are no values                            */
} PhAdjoint;

/* The traces of @output (NULL: the first float output that is no gradient) on the tensors of @feeds (name -> PhTensor). @model is the
 * caller's own and is changed. In any thread. */
PhAdjoint *ph_adjoint_new (PhModel *model, GHashTable *feeds, const char *output, GCancellable *cancellable, GError **error);
void ph_adjoint_free (PhAdjoint *adjoint);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhAdjoint, ph_adjoint_free)

/* A value as a row shows it: "0.693", "[1, 2.5]", or its type. (transfer full) */
char *ph_adjoint_text (PhTensor *tensor, const PhType *type);

/* "v0' + v2' * v-1". (transfer full) */
char *ph_adjoint_step_formula (const PhAdjoint *adjoint, const PhAdjointStep *step);

/* A trace as text, in columns: "v1  = ln v-1   = 0.693". @at: what the line is about, PH_NO_ID: an input, a parameter. */
typedef struct
{
  char *text;
  PhAdjointPlace at;
} PhAdjointLine;
GPtrArray *ph_adjoint_forward_lines (const PhAdjoint *adjoint); /* (transfer full) (element-type PhAdjointLine) */
GPtrArray *ph_adjoint_reverse_lines (const PhAdjoint *adjoint); /* likewise */

/* The node of @model that computes what a line of the reverse trace says: of the gradient, where the model has it and it was not changed
 * since; else the forward one. PH_NO_ID: there is none. */
PhId ph_adjoint_place_find (const PhAdjointPlace *place, PhModel *model);

G_END_DECLS
