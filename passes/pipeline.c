/* pipeline.c: the pipelines that come with Peephole.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/pass.h"

/* upgrade-opset is not in them: it goes first by itself where a file is old. A pass may stand more than once: one that
 * simplifies is worth running again after one that rewrites. */
#define PIPELINE(...) ((const char *const[]) { __VA_ARGS__, NULL })

/* Removes what does nothing and merges what follows each other. */
#define SIMPLIFY \
  "eliminate-pad", "eliminate-slice", "eliminate-expand", "eliminate-concat", "eliminate-flatten", "merge-casts", \
  "merge-concats", "merge-slices", "merge-reshapes", "merge-transposes", "merge-clips", "simplify-where", "simplify-shape"

static const char *const nothing[] = { NULL };

static const PhPipeline pipelines[] = {
  { "none", "Leaves the graph alone", nothing, PH_EXACT },
  { "O1", "Only what is exact to the last bit",
    PIPELINE ("eliminate-identity", "fold-constants", "propagate-shapes", "fold-constants", SIMPLIFY, "cse", "algebraic", "dce"),
    PH_EXACT },
  { "O2", "O1, and arithmetic and the commonest fusions, which may round differently",
    PIPELINE ("eliminate-identity", "fold-constants", "propagate-shapes", "fold-constants", SIMPLIFY, "cse", "algebraic",
              "replace-variadic", "fuse-conv-bn", "fuse-conv-affine", "fuse-layer-norm", "fuse-gelu", "fuse-swish",
              "fuse-matmul-add", "fuse-activation", "dce"), PH_ROUNDING },
  { "O3", "All but what is lossy",
    PIPELINE ("eliminate-identity", "fold-constants", "propagate-shapes", "fold-constants", SIMPLIFY, "cse", "algebraic",
              "replace-variadic", "gather-to-slice", "fuse-conv-bn", "fuse-conv-affine", "fuse-layer-norm", "fuse-gelu",
              "fuse-swish", "fuse-horizontal", "fuse-matmul-add", "fuse-attention", "fuse-activation", "fuse-epilogue",
              "fuse-reduction", "fuse-elementwise", "cse", "dce"), PH_ROUNDING },
  { "train", "Keeps every value that a backward pass needs: no fusion, nothing folded into weights",
    PIPELINE ("eliminate-identity", "fold-constants", "propagate-shapes", "fold-constants", "cse", "dce"), PH_EXACT },
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
