/* pipeline.c: the pipelines that come with Peephole.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/pass.h"

/* upgrade-opset is not in them: it goes first by itself where a file is old. A pass may stand more than once: one that
 * simplifies is worth running again after one that rewrites. */
#define PIPELINE(...) ((const char *const[]) { __VA_ARGS__, NULL })

static const char *const nothing[] = { NULL };

static const PhPipeline pipelines[] = {
  { "none", "Leaves the graph alone", nothing, PH_EXACT },
  { "O1", "Only what is exact to the last bit",
    PIPELINE ("eliminate-identity", "fold-constants", "propagate-shapes", "cse", "algebraic", "dce"), PH_EXACT },
  { "O2", "O1, and fusions and arithmetic that may round differently",
    PIPELINE ("eliminate-identity", "fold-constants", "propagate-shapes", "fold-constants", "cse", "algebraic", "fuse-conv-bn",
              "fuse-activation", "dce"), PH_ROUNDING },
};

const PhPipeline *
ph_pipeline_list (guint *n)
{
  *n = G_N_ELEMENTS (pipelines);
  return pipelines;
}

const PhPipeline *
ph_pipeline_find (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (pipelines); i++)
    if (g_str_equal (pipelines[i].name, name))
      return &pipelines[i];
  return NULL;
}
