/* function.h: a function of the model, and what a call of it computes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/kinds.h"

G_BEGIN_DECLS

/* A function of the model, or another of its entries: a graph with a name, which nodes call whose operator has that name
 * and domain. The promises: its graph is a root (no owner; it uses values of its own and of its bodies only; its names are
 * its own); its nodes are in topological order, edited, journalled, cloned and verified as those of the main graph; calls
 * may nest. One that comes to call itself is shown, but a run and inlining refuse it (ph_model_check_functions). A call gives
 * its inputs by position and may leave the last ones out.
 * What stands inside as a PH_ATTR_REF is the attribute that the call gives, or the default. Types inside are those that the
 * file declares: they may depend on the call. Passes do not change functions; ph_function_instance() is what a call means. */
struct _PhFunction
{
  const char *name, *domain; /* interned                                                           */
  PhGraph *graph;            /* owned; its inputs are the parameters, its outputs the results      */
  GPtrArray *parameters;     /* (element-type utf8) interned: attributes that a call gives         */
  GPtrArray *defaults;       /* (element-type PhAttr) attributes that it may leave out             */
  GHashTable *opsets;        /* interned domain -> version: those of its nodes, whatever the model's are */
  GBytes *extra;             /* (nullable) as for values                                           */
};
PhFunction *ph_model_find_function (PhModel *model, const char *domain, const char *name); /* (nullable) */
PhFunction *ph_node_function (const PhNode *node);                                         /* (nullable) that it calls */
/* What @call (nullable) of @function stands for: a model whose main graph takes the call's inputs, with their types as far as
 * they are known, and makes its outputs; the call's attributes are filled in. The functions that it calls are looked up in
 * @function's model, which must outlive it. Types are not inferred: ph_io_open_function() does. */
PhModel *ph_function_instance (const PhFunction *function, const PhNode *call, GError **error);
/* How many nodes a call of it stands for, with what its calls stand for: infinite when it calls itself. @counted: (nullable)
 * (element-type PhFunction gdouble*) what several questions share. */
double ph_function_n_nodes (const PhFunction *function, GHashTable *counted);
/* FALSE with @error: a call in the model stands for more nodes than ph_growth_check() allows, or for itself. */
gboolean ph_model_check_functions (PhModel *model, GError **error);
/* Called in the same way: attributes, operator sets, number of inputs and outputs. */
gboolean ph_function_same_interface (const PhFunction *a, const PhFunction *b);
/* Same interface, nodes, names, constants. */
gboolean ph_function_equal (const PhFunction *a, const PhFunction *b);

G_END_DECLS
