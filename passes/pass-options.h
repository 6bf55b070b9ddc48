/* pass-options.h: how a pass is to run.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "core/graph/history.h"

G_BEGIN_DECLS

typedef struct
{
  PhExactness allow;            /* rules beyond it do not run                                         */
  guint limit;                  /* rewrites at most; G_MAXUINT: no limit                              */
  gboolean repeat;              /* again, within the step, until it finds nothing more                */
  guint64 seed;                 /* 0: in program order; else nodes are visited in a shuffled order    */
  gboolean verify;              /* the whole graph after the pass (tests, debug builds)               */
  const char *const *arguments; /* (nullable) of the pass                                             */
  const char *folder;           /* (nullable) where a foreign program runs; NULL: where this one does */
  const char *const *rules_off; /* (nullable) "pass/rule" switched off                                */
  GCancellable *cancellable;
  void (*progress) (const char *pass, guint rewrites, gpointer data);
  gpointer progress_data;
  /* (nullable) autodiff: told of what @node hands on to the gradient of @of, its input @input (G_MAXUINT: its bodies use it); first of
   * the cotangent, with @node NULL and @of the output that is differentiated. */
  void (*contribution) (PhNode *node, PhValue *of, guint input, PhValue *gradient, gpointer data);
  gpointer contribution_data;
  gboolean keep_opset; /* upgrade-opset: of the form of the operators only, the file's opset stays */
  int max_opset;       /* a rewrite that needs a newer one stands aside; 0: none does              */
} PhPassOptions;

#define PH_PASS_OPTIONS_DEFAULT ((PhPassOptions) { .allow = PH_ROUNDING, .limit = G_MAXUINT })

G_END_DECLS
