/* candidates.h: the kernels that could run a node: which takes it, why another does not, how fast each is, how far its result is off.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/run/executor.h"

G_BEGIN_DECLS

typedef struct
{
  PhId node;
  const char *name; /* interned: "dnnl", "reference"                                              */
  int priority;     /* the highest is asked first; the reference kernel's is 0                    */
  gboolean takes;   /* these inputs                                                               */
  gboolean ran;     /* it made the outputs of the run                                             */
  const char *why;  /* interned: why it ran, or did not                                           */
  gint64 ns;        /* the least time of some runs; -1: not measured                              */
  gsize packed;     /* bytes of weights in an order of its own                                    */
  double max_abs;   /* how far the outputs are from those of the reference kernel; -1: not compared */
  char *place;      /* (nullable) owned: where: "output 0, [0,2,5]: 1.25 is not 1.5"           */
} PhCandidate;

/* The candidates of one node in one run of its model. */
typedef struct _PhKernelStudy PhKernelStudy;

/* Computes the outputs of @model from @feeds, and when it comes to node @node, tries all its kernels on what that reads. @runs: how
 * often each one is timed; 0: it is only asked whether it takes the node. @compare: each result with the reference kernel's.
 * Returns: (element-type PhCandidate) (transfer full), the one that is asked first first; it frees its elements. NULL with an error: PH_ERROR_NOT_FOUND when the
 * node did not run, but for a node in a fused node's body that is said of. */
GArray *ph_kernel_study (PhModel *model, GHashTable *feeds, PhId node, guint runs, gboolean compare, const PhRunOptions *options,
                         GError **error);

G_END_DECLS
