/* along.h: the values that two positions have in common, side by side: how errors come up and grow along the graph.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/run/executor.h"

G_BEGIN_DECLS

/* A value of both: one that stayed, or one of the same name. Computed in double, so that what differs is no rounding of float32. */
typedef struct
{
  PhId value, node; /* of the later position; @node makes it (PH_NO_ID: an input)                   */
  char *name, *type;
  double max_abs, error;   /* the largest difference, and relative to the largest element that is expected */
  char *why;               /* (nullable) they are not of one shape or element type                         */
  char *place;             /* (nullable) of the element where the difference is largest: "[0, 2]"          */
  char *expected, *actual; /* (nullable) that element                                                      */
} PhAlongValue;

typedef struct
{
  GArray *values;          /* (element-type PhAlongValue) in the order in which they are computed          */
  guint n_before, n_after; /* values that only one of the two has                                          */
  double rounding;         /* relative differences up to this are none                                     */
  guint first;             /* the first one that differs by more; G_MAXUINT: none                          */
} PhAlong;

/* Relative differences up to this are rounding in double. */
#define PH_ALONG_ROUNDING 1e-9

/* @named: (nullable) name -> PhTensor for inputs; the rest is generated from @seed. Values of bodies are left out. */
PhAlong *ph_along_new (PhModel *before, PhModel *after, GHashTable *named, guint64 seed, const PhRunOptions *options,
                       GError **error);
/* The values of one model that were computed twice (PhId -> PhTensor), in the order of its nodes. */
PhAlong *ph_along_of_results (PhModel *model, GHashTable *was, GHashTable *is, double rounding);
void ph_along_free (PhAlong *along);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhAlong, ph_along_free)

/* From 0, rounding, to 1, an error as large as the value; in between by the power of ten. */
double ph_along_level (double error);
/* "▁▁▁▂▅█": how large the error is from the first value to the last, in at most @width letters; of each part its largest. Errors of
 * rounding are the lowest, 1 and more the highest; in between each letter is a power of ten or more. (transfer full) */
char *ph_along_line (const PhAlong *along, guint width);

G_END_DECLS
