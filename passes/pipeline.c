/* pipeline.c: the built-in pipelines.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/pass.h"

/* upgrade-opset is not listed: it runs first for old files. A pass may occur several times: a simplification is worth repeating after a
 * pass that rewrites. */
#define PIPELINE(...) ((const char *const[]) { __VA_ARGS__, NULL })

/* Constants first, for much of the rest asks for them. */
#define CONSTANTS                                                                                                          \
  "inline-functions", "expand-gradient", "eliminate-identity", "fold-constants", "propagate-shapes", "sccp", "loop-state", \
      "hoist-invariants", "hoist-branches"
/* Removes no-ops and merges consecutive operators. */
#define SIMPLIFY                                                                                                               \
  "eliminate-pad", "eliminate-slice", "eliminate-expand", "eliminate-concat", "eliminate-flatten", "drop-defaults",            \
      "slice-of-concat", "merge-casts", "merge-concats", "merge-slices", "merge-reshapes", "merge-squeezes", "narrow-indices", \
      "slices-to-split", "hoist-gather", "sink-transposes", "merge-transposes", "merge-clips", "merge-min-max",                \
      "simplify-where", "simplify-compare", "simplify-shape", "replace-variadic", "qdq", "qdq-bounds"
#define ARITHMETIC   "algebraic", "strength-reduction", "reduce-axes"
#define NORMS        "strength-reduction", "fuse-layer-norm", "fuse-gelu", "fuse-swish"
#define CONVOLUTIONS "fuse-conv-bn", "fuse-conv-affine", "fuse-bn-conv", "fuse-matmul-bn"

static const char *const nothing[] = { NULL };

/* Marks the purposes of pipelines for translation; the window translates them. */
#define N_(text) text

/* clang-format off */
static const PhPipeline pipelines[] = {
  { "none", N_ ("Leaves the graph alone"), nothing, PH_EXACT },
  { "O1", N_ ("Only passes that are exact to the last bit"),
    PIPELINE (CONSTANTS, SIMPLIFY, "dedupe-initializers", "cse", "algebraic", "div-to-mul", "dce"), PH_EXACT },
  { "O2", N_ ("O1 plus arithmetic and the most common fusions, which may round differently"),
    PIPELINE (CONSTANTS, SIMPLIFY, "dedupe-initializers", "cse", NORMS, ARITHMETIC, "fuse-qdq", CONVOLUTIONS,
              "fuse-matmul-add", "fuse-activation", "dce"), PH_ROUNDING },
  { "O3", N_ ("All passes except the lossy ones"),
    PIPELINE (CONSTANTS, SIMPLIFY, "dedupe-initializers", "cse", "unroll-loops", "if-to-where", "gather-to-slice", "einsum-to-matmul",
              NORMS, ARITHMETIC, "reassociate", "div-to-mul", "factor-matmul", "fold-constants", "fuse-qdq",
              "fuse-integer-product", "fuse-pad", CONVOLUTIONS, "fuse-horizontal", "fuse-matmul-scale", "fuse-matmul-add",
              "fuse-transpose-gemm", "fuse-rotary", "fuse-attention", "fuse-activation", "fuse-epilogue", "fuse-skip-norm",
              "fuse-reduction", "fuse-elementwise", "cse", "dce"), PH_ROUNDING },
  { "train", N_ ("Keeps every weight that a gradient may be asked for: no fusion, no weight folded or merged"),
    PIPELINE ("inline-functions", "expand-gradient", "eliminate-identity", "fold-frozen", "propagate-shapes", "fold-frozen", "loop-state",
              "simplify-shape", "eliminate-pad", "eliminate-slice", "eliminate-expand", "eliminate-concat",
              "eliminate-flatten", "drop-defaults", "merge-reshapes", "merge-squeezes", "merge-transposes", "cse", "dce"), PH_EXACT },
  { "nhwc", N_ ("Channels last: converts convolutions and pools, then sinks and cancels Transposes"),
    PIPELINE ("to-nhwc", "sink-transposes", "merge-transposes", "dce"), PH_EXACT },
  { "nchw", N_ ("Channels first: converts convolutions and pools back, then sinks and cancels Transposes"),
    PIPELINE ("to-nchw", "sink-transposes", "merge-transposes", "dce"), PH_EXACT },
};
/* clang-format on */

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
