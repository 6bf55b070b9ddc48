/* executor.h: computes a model on tensors.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "core/graph/graph.h"

G_BEGIN_DECLS

typedef struct _PhProfile PhProfile; /* core/run/profile.h */

typedef struct
{
  guint64 seed;              /* for random operators                                             */
  GCancellable *cancellable; /* (nullable)                                                       */
  gboolean keep_all;         /* keep every value, not only what was asked for                    */
  gboolean reference;        /* reference kernels only, no oneDNN                                */
  gboolean passing;          /* weights that are not in memory do not stay there either          */
  const char *kernel;        /* (nullable) the one of this name runs each node that it takes     */
  guint *took;               /* (nullable) counts the runs of nodes that @kernel made, fused nodes' heads among them */
  gboolean again;            /* more runs follow soon: a large weight that is only moved stays so */
  gboolean in_double;        /* compute and keep each float, half and bfloat16 as a double       */
  guint *narrow;             /* (nullable) counts the runs of nodes that in_double had to do in float32 */
  gboolean in_range;         /* with in_double: what the declared type cannot hold is infinite, 0, or a rounded integer */
  guint most_turns;     /* 0: any number; of loops whose count is not theirs: of made-up numbers there may be no end of them */
  gsize most_elements;  /* 0: any number; of a tensor whose size depends on what is fed              */
  gboolean *left_range; /* (nullable) set where in_double made a number that the declared type cannot hold */
  void (*progress) (guint done, guint total, gpointer data);
  gpointer progress_data;
  PhProfile *profile;           /* (nullable) for ph_profile_model() alone: notes how long each node took */
  struct _PhKernelStudy *study; /* (nullable) for ph_kernel_study() alone                               */
  /* (nullable) Each node of the graph and of its bodies, after it ran; not those of functions. */
  void (*ran) (const PhNode *node, PhTensor *const *outputs, gpointer data);
  /* (nullable) called as a body of the model begins, with what it reads as its first @n inputs; with @ran_data, too. */
  void (*entered) (const PhGraph *graph, PhTensor *const *inputs, guint n, gpointer data);
  gpointer ran_data;
} PhRunOptions;

/* Computes the values @wanted (element-type PhValue; NULL: the graph's outputs) from @feeds (PhValue -> PhTensor; graph
 * inputs with a default may be left out). Only what @wanted needs runs. A model at an older opset is upgraded on a
 * private clone first; ids stay. Returns: (transfer container) PhId (GUINT_TO_POINTER) -> PhTensor (owned by the table),
 * or NULL: an input that is not fed, an operator without kernel, a tensor that does not fit its type.
 *
 * With in_double rounding vanishes: weights are converted exactly, feeds may be of any float type, and results are
 * doubles. A cast still rounds where the declared types lose precision (int64 to float32, float32 to float16), and none
 * rounds where they do not (float16 to float32, or back after some operators: of these float16 would round each). */
GHashTable *ph_run_model (PhModel *model, GHashTable *feeds, GPtrArray *wanted, const PhRunOptions *options, GError **error);

/* The widest float type from which @value was computed, PH_UNDEFINED: only from constants. What was merely widened is no more exact than its
 * source, so narrowing it again loses nothing beyond the rounding of the arithmetic itself. @known: PhValue -> what was found before. */
PhDType ph_run_source (const PhValue *value, GHashTable *known);

/* One node on given inputs, for folding and tests. @outputs: n_outputs owned references. Bodies may only capture
 * constants. */
gboolean ph_run_node (const PhNode *node, PhTensor *const *inputs, PhTensor **outputs, const PhRunOptions *options,
                      GError **error);

/* Makes the nodes that the Gradient nodes of @model stand for; passes/expand-gradient.c sets it when the library is loaded. */
typedef gboolean (*PhGradientExpander) (PhModel *model, PhHistory *history, GCancellable *cancellable, GError **error);
void ph_run_set_gradient_expander (PhGradientExpander func);

G_END_DECLS
