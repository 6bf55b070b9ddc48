/* layered.h: the parts of the layered layout, private to core/layered.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/layered/layout.h"

G_BEGIN_DECLS

/* A link joins vertices of neighbouring layers (@from is the upper one) or, when flat, of one layer (@from is left). */
typedef struct
{
  int from, to;
  float weight;
  float from_dx, to_dx;
  gboolean conflict;
  int presence;
} PhLink;

/* Compressed rows: the links of vertex v are index[start[v]] .. index[start[v + 1] - 1]. */
typedef struct
{
  int *start, *index;
} PhRows;
/* The first n_boxes vertices are the boxes; the others are bends of long edges, one chain for all the edges that
 * leave a box at one place. */
typedef struct
{
  PhLayout *layout;
  int n_boxes, n; /* vertices                                                          */
  int n_links, n_layers;
  int *rank, *place;   /* of a vertex: its layer, its index in it                           */
  float *left, *right; /* of a vertex: how far it reaches to both sides of x                */
  float *x;            /* of a vertex: its anchor                                           */
  PhLink *links;
  PhRows up, down;  /* links of a vertex to the layer above, below                       */
  GArray *flat;     /* (element-type PhLink) between vertices of one layer               */
  int *layer_start; /* n_layers + 1 indices into                                         */
  int *order;       /* the vertices, layer after layer, each from left to right          */
  int *edge_chain;  /* of an edge: the first bend, -1: none                              */
  guint8 *reversed; /* of an edge: turned around so that there is no cycle               */
  float separation;
  int *across, *lines; /* (nullable) of a vertex: lines to or from the other column, and those that go on below it */
  gboolean rightwards; /* the other column is at the right                                  */
  guint64 work;        /* comparisons made so far to order it: see ph_layered_is_spent()    */
} PhLayered;

/* An edge as ranking sees it: without self-loops, turned so that there is no cycle. */
typedef struct
{
  int from, to, length, weight;
} PhArc;

/* layout.c. @layout becomes @other, which is freed. */
PhLayout *ph_layout_copy (PhLayout *layout);
void ph_layout_take (PhLayout *layout, PhLayout *other);
/* Moves boxes that feed several, or are fed by several at the end, above or below their middle, where nothing is worse for it. */
void ph_layout_center_ends (PhLayout *layout);
/* Lines that end at one place of a box get an arrow each; at boxes that are @fixed (nullable) they stay. */
void ph_layout_part_heads (PhLayout *layout, const guint8 *fixed);

/* layered.c: one way to lay it out. */
gboolean ph_layered_lay (PhLayout *layout, GCancellable *cancellable, GError **error);
/* quality.c: crossings, those of lines that are seldom there counting for less. */
double ph_layered_tangle (PhLayout *layout);
/* rank.c: breaks cycles, gives each box a layer. @rank has n_boxes elements. Returns how many layers. */
int ph_layered_rank (PhLayout *layout, int *rank, guint8 *reversed);
/* simplex.c: makes the edges as short as can be in all. @rank holds layers that are long enough for every arc. */
void ph_layered_simplex (int n, const PhArc *arcs, int n_arcs, const PhRows *in, const PhRows *out, int *rank);
/* spread.c: narrows layers that are far wider than the others, if it may. Whether there are any that can be. */
gboolean ph_layered_spread (const PhLayout *layout, const PhArc *arcs, const PhRows *in, const PhRows *out, int *rank);
/* order.c: orders each layer for few crossings. FALSE: cancelled. */
gboolean ph_layered_order (PhLayered *layered, GCancellable *cancellable);
/* exchange.c: neighbours that change places; each vertex to the best place in its layer. FALSE: nothing got better. Spent: it took too long. */
gboolean ph_layered_exchange (PhLayered *layered);
gboolean ph_layered_sift (PhLayered *layered);
gboolean ph_layered_is_spent (const PhLayered *layered);
/* Vertex @v to place @to of its layer; those between make room. */
void ph_layered_move (PhLayered *layered, int v, int to);
/* Of the links below each layer from @top up to @bottom, as they count. */
guint64 ph_layered_crossings (PhLayered *layered, int top, int bottom);
/* reinsert-paths.c: each of many paths as a whole to where it crosses least; every @round takes others. FALSE: nothing got better. */
gboolean ph_layered_thread (PhLayered *layered, int round);
/* place.c: sets x of every vertex. FALSE: cancelled. */
gboolean ph_layered_place (PhLayered *layered, GCancellable *cancellable);
/* tighten.c: moves what is straight, as a whole, to where its links are shortest. @pull: weight of each link. */
void ph_layered_tighten (PhLayered *layered, const int *pull);

/* From the x of @a to that of @b, which stands right of it. */
static inline float
ph_layered_apart (const PhLayered *layered, int a, int b)
{
  return layered->right[a] + layered->left[b]
         + (a < layered->n_boxes && b < layered->n_boxes ? layered->separation : 0.6f * layered->separation);
}

/* Rows of @n vertices out of @n_links keys, by counting. */
void ph_rows_init (PhRows *rows, int n, int n_links, const int *key, gsize stride);
void ph_rows_clear (PhRows *rows);

G_END_DECLS
