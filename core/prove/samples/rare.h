/* rare.h: draws inputs on purpose that random ones hardly ever give: constants that meet, rows in order, one sign.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/prove/samples/pool.h"
#include "core/prove/samples/samples.h"

G_BEGIN_DECLS

/* Constants that have to meet, for element @i of input @input: an orthogonal array of them over as many turns as ph_rare_n_joint(). */
guint ph_rare_n_joint (const PhPool *pool);
gboolean ph_rare_is_joint (const PhPool *pool, PhSampleKind kind, guint turn);
double ph_rare_joint (const PhPool *pool, guint input, gsize i, guint turn);

/* One of few numbers of the turn, or near it by so much that a narrower type does not tell them apart. */
gboolean ph_rare_is_near (PhSampleKind kind, guint turn);
double ph_rare_near (guint turn, guint64 *state);

/* Rows, or all that belongs to one batch and channel, that are zero, tiny, one number, or in order: element @i of one, the first of which is @drawn. What is drawn
 * one by one hardly ever is. @shape: of the tensor. */
gboolean ph_rare_is_ordered (PhSampleKind kind, guint turn);
double ph_rare_ordered (const PhPool *pool, guint rank, const gint64 *dims, guint input, gsize i, guint turn, double drawn,
                        double *before);

/* All of one sign, in some turns of wide and of large ones: then the least of them is above 0, or the greatest below. 0: of either. */
int ph_rare_sign (PhSampleKind kind, guint turn);
#define PH_RARE_LEAST 1e-3 /* as large as those are at least */

/* Element @i of a shape or a count that may be any: in most turns one of @n elements is out of the ordinary, and the others are as they are in
 * @known (nullable), which flows there, or 1; in some all of them are dimensions of other inputs. */
gint64 ph_rare_count (const PhPool *pool, PhSampleKind kind, guint turn, gsize i, gsize n, PhTensor *known, guint64 *state);
/* A place along an axis, which may lie far beyond either end: an index that a narrower integer cannot hold. */
gint64 ph_rare_place (guint64 *state);
/* 0 or 1; all true and all false as well. */
gint64 ph_rare_truth (PhSampleKind kind, guint turn, guint64 *state);

/* One of the strings that something is compared with, what is nearly that, or any. (transfer full) */
char *ph_rare_string (const PhPool *pool, PhSampleKind kind, guint64 *state);

G_END_DECLS
