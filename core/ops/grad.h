/* grad.h: what an operator's grad_build sees and fills, the tape that calls it (reverse mode), and tangents (forward mode).
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/ops/pattern.h"

G_BEGIN_DECLS

/* One vector-Jacobian product. */
struct _PhGrad
{
  PhNode *node;        /* the forward node                                                      */
  PhBuilder *b;        /* builds in the node's graph, role backward, partner the forward node   */
  PhValue **dy;        /* (nullable elements) gradient of each output; at least one is set      */
  gboolean *wanted;    /* of each input                                                         */
  PhValue **dx;        /* to be filled: gradient of each wanted input, in the shape of that input or */
                       /* broadcast from it (the engine reduces)                                */
  gboolean *zero;      /* to be set for a wanted input where the gradient is zero and dx is NULL */
  GPtrArray *captures; /* (nullable) (element-type PhValue) of a node with bodies: the outer values that they
                                  use and whose gradient is wanted                                      */
  PhValue **dcaptures; /* (nullable elements) to be filled, like dx                             */
  PhDType wide;        /* what the node is differentiated in where its inputs mix floating-point types; else UNDEFINED */
};

/* (nullable): input or output i of the forward node; of a node that mixes floating-point types cast to the widest of them, as
 * the elements of dy are. */
PhValue *ph_grad_in (PhGrad *grad, guint i);
PhValue *ph_grad_out (PhGrad *grad, guint i);
/* @value as @dtype: itself, or through a Cast. */
PhValue *ph_build_as (PhBuilder *b, PhValue *value, PhDType dtype);
PhValue *ph_grad_like (PhGrad *grad, PhValue *value, double number); /* a scalar of value's element type */
PhValue *ph_grad_zeros_like (PhGrad *grad, PhValue *value);          /* of value's shape, known or not   */
PhValue *ph_grad_shape (PhGrad *grad, PhValue *value);               /* int64 shape: a constant when static, else Shape(value) */
/* Sums @value over what broadcasting added, so that it has @like's shape; static or symbolic. */
PhValue *ph_grad_reduce_to (PhBuilder *b, PhValue *value, PhValue *like);
/* Zeros of @value's shape and type. */
PhValue *ph_build_zeros_like (PhBuilder *b, PhValue *value);

/* A tape over one graph. Watch the values to differentiate by, seed the gradients of results, run, read off. The nodes that
 * stand in the graph when it runs are differentiated, last first; new nodes go where @builder stands. */
typedef struct _PhTape PhTape;
typedef struct
{
  /* Around what is built for one forward node. @begin FALSE: stop. */
  gboolean (*begin) (PhNode *node, gpointer data);
  void (*end) (PhNode *node, gpointer data);
  /* (nullable) @node hands @gradient on to @of, its input @input; G_MAXUINT: to what its bodies use. */
  void (*contribution) (PhNode *node, PhValue *of, guint input, PhValue *gradient, gpointer data);
  gpointer data;
} PhTapeHooks;

PhTape *ph_tape_new (PhGraph *graph);
void ph_tape_free (PhTape *tape);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhTape, ph_tape_free)
/* Only the nodes of the graph from @first to @last, which stand in this order, are differentiated. */
void ph_tape_limit (PhTape *tape, PhNode *first, PhNode *last);
void ph_tape_watch (PhTape *tape, PhValue *value);
void ph_tape_seed (PhTape *tape, PhValue *value, PhValue *gradient);
/* PH_ERROR_UNSUPPORTED, naming the node, when something on the way has no gradient. @hooks: (nullable) */
gboolean ph_tape_run (PhTape *tape, PhBuilder *builder, const PhTapeHooks *hooks, GError **error);
/* The sum of what arrived at @value; NULL: nothing did, so it is zero (or the builder has an error). */
PhValue *ph_tape_gradient (PhTape *tape, PhBuilder *builder, PhValue *value);
/* What @node's rule makes of @dy, the gradient of its output 0, for its input @input, before broadcasting is summed. NULL without
 * error: zero (or the builder has an error). */
PhValue *ph_tape_product (PhNode *node, guint input, PhValue *dy, PhBuilder *builder, GError **error);

/* Forward mode: what @node makes of its inputs when they move. @tangents: value -> value, the movement of what moves; those of
 * the node's outputs are added (none: it does not move). Builds where @builder stands. No operator declares anything for it:
 * the product of the Jacobian with a vector is the transpose of the product that the gradient's rule declares. */
gboolean ph_tangent_moves (PhNode *node, GHashTable *tangents); /* something that it reads moves */
gboolean ph_tangent_node (PhNode *node, GHashTable *tangents, PhBuilder *builder, GError **error);
gboolean ph_value_has_gradient (const PhValue *value); /* a tensor of PH_FLOATS */
gboolean ph_value_is_empty (const PhValue *value);     /* known to have no elements, as then its gradient has none */

G_END_DECLS
