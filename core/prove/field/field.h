/* field.h: whether two models compute the same, by evaluating both over a finite field at random points.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "core/graph/graph.h"

G_BEGIN_DECLS

/* Schwartz, Zippel, DeMillo and Lipton: two different rational functions agree at a random point of a large field with a
 * probability of at most degree / size. Values are pairs (x mod p, x mod q) with q | p - 1: exponentials map the second
 * part to the first. Other functions are random functions; signs and comparisons are random bits that keep the laws of
 * signs. EQUAL says that both sides are the same function of real numbers; nothing is said of rounding, infinities, NaN. */
/* clang-format off */
typedef enum
{
  PH_FIELD_UNKNOWN,            /* something stands in the way                                              */
  PH_FIELD_EQUAL,
  PH_FIELD_UNEQUAL,            /* not the same expression: they may still be the same function              */
} PhFieldResult;
/* clang-format on */

typedef struct
{
  PhFieldResult result;
  char *why;                  /* (nullable) UNKNOWN: what stands in the way; UNEQUAL: which output        */
  guint64 n_nodes;            /* evaluated, at all points and on both sides                               */
  double work;                /* multiplications for them                                                 */
  guint points;               /* how many random points were evaluated                                    */
  double log2_bound;          /* the probability that an unequal pair passes, as a power of two; <= 0     */
  gboolean conjecture;        /* exponentials were interpreted: the bound rests on a conjecture           */
  gboolean rounded_constants; /* constants were taken for the irrational or decimal numbers that they round, or for
                                  the expressions that rules recorded                                      */
  gboolean used_fixed;        /* a value of @fixed was read: proved for those values alone                */
  gboolean upgraded;          /* a side stood at an older opset: the upgrade itself is taken as right     */
} PhFieldReport;

/* What constants are over the field, for comparisons that share them. May be used in one thread at a time. */
typedef struct _PhFieldImages PhFieldImages;
PhFieldImages *ph_field_images_new (void);
void ph_field_images_free (PhFieldImages *images);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhFieldImages, ph_field_images_free)
/* Whether @tensor holds what its recipe gives; computed once. */
gboolean ph_field_images_recipe_holds (PhFieldImages *images, PhTensor *tensor);
/* Constants that were computed, not found: a count of work. */
guint ph_field_images_n_made (PhFieldImages *images);

/* @before, @after: as many inputs in the same order (their names may differ), as many outputs in the same order.
 * @fixed: (nullable) index of a graph input (GUINT_TO_POINTER) -> PhTensor, for inputs that are no variables: indices,
 * shapes. All others are variables, one an element; what is no float may only be moved, compared and selected by.
 * @like: (nullable) (nullable elements) one tensor for each graph input: its shape, where the type is not static.
 * Constants of @after that are not in @before (by pointer) and have a recipe (core/run/recipe.h) are computed by it,
 * exactly; it is checked that the recipe gives what they hold. @images: (nullable). (transfer full), never NULL. */
PhFieldReport *ph_field_compare (PhModel *before, PhModel *after, GHashTable *fixed, PhTensor *const *like, guint64 seed,
                                 PhFieldImages *images, GCancellable *cancellable);
/* The same of constants that stand for any numbers: @variables, PhTensor -> which one it is, from 1 on. They are of @before, each
 * element a variable; that recipes give what constants of @after hold is not asked. */
PhFieldReport *ph_field_compare_form (PhModel *before, PhModel *after, GHashTable *variables, GHashTable *fixed,
                                      PhTensor *const *like, guint64 seed, PhFieldImages *images, GCancellable *cancellable);
/* Whether @number may be taken for what it rounds, 1/3 or 0.1, or is short itself. */
gboolean ph_field_may_recognise (PhDType dtype, double number);
PhFieldReport *ph_field_report_copy (const PhFieldReport *report);
void ph_field_report_free (PhFieldReport *report);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhFieldReport, ph_field_report_free)

G_END_DECLS
