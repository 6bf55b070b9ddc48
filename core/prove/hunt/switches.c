/* switches.c: finds the faulty ones among a program's passes that can be switched off by name.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/prove/hunt/switches.h"

#include <string.h>

/* Longer scripts are not searched. */
#define MOST_SCRIPT (256 * 1024)

/* The rewrite rules and graph transformers of ONNX Runtime's session option optimization.disable_specified_optimizers. */
/* clang-format off */
static const char *const onnxruntime[] = {
  "AttentionFusion", "AvxWeightS8ToU8Transformer", "Avx2WeightS8ToU8Transformer", "BiasDropoutFusion", "BiasGeluFusion", "BiasSkipLayerNormFusion", "BiasSoftmaxFusion",
  "CastChainElimination", "CastElimination", "CastFloat16Transformer", "ClipQuantRewrite", "ClipQuantFusion", "CommonSubexpressionElimination", "ConcatSliceElimination",
  "ConstantFolding", "ConstantSharing", "ConvActivationFusion", "ConvAddActivationFusion", "ConvAddFusion", "ConvBNFusion", "ConvMulFusion", "DivMulFusion",
  "DoubleQDQPairsRemover", "DynamicQuantizeMatMulFusion", "EliminateDropout", "EliminateIdentity", "EliminateSlice", "EmbedLayerNormFusion",
  "EnsureUniqueDQForNodeUnit", "ExpandElimination", "FastGeluFusion", "FreeDimensionOverrideTransformer", "FuseFp16InitializerToFp32NodeTransformer",
  "FuseInitializersTransformer", "FuseReluClip", "GatherSliceToSplitFusion", "GatherToSliceFusion", "GatherToSplitFusion", "GeluApproximation", "GeluFusion", "GeluFusionL1",
  "GeluFusionL2", "GemmActivationFusion", "GemmSumFusion", "GemmTransposeFusion", "GroupQueryAttentionFusion", "GroupQueryAttentionPreNormFusion", "IdenticalChildrenConsolidation",
  "IsInfReduceSumFusion", "LabelEncoderFusion", "LayerNormFusion", "LayerNormFusionL1", "LayerNormFusionL2", "MatMulActivationFusion", "MatMulAddFusion",
  "MatMulBNFusion", "MatMul_BatchNormalization_Fusion", "MatMulIntegerToFloatFusion", "MatMulNBitsFusion", "MatMulNBitsMlpFusion", "MatMulNBitsQkvFusion", "MatMulScaleFusion",
  "MatmulTransposeFusion", "MatMulTransposeFusion", "MemcpyTransformer", "MissDTTransformer", "NchwcTransformer", "NhwcTransformer", "NoopElimination", "NotWhereFusion", "Pad_Fusion",
  "PadFusion", "PreShapeNodeElimination", "PropagateCastOps", "QDQFinalCleanupTransformer", "QDQPropagationTransformer", "QDQS8ToU8Transformer",
  "QDQSelectorActionTransformer", "QuickGeluFusion", "ReluQuantRewrite", "ReluQuantFusion", "ReshapeFusion", "RocmBlasAltImpl", "SimplifiedLayerNormFusion", "SkipLayerNormFusion",
  "SliceConcatToSpaceToDepthFusion", "SliceElimination", "TransposeOptimizer", "UnsqueezeElimination", "WeightBiasQuantization", NULL,
};
/* clang-format on */

/* The passes of onnxoptimizer, as examples/pass/onnxoptimizer leaves them out. */
/* clang-format off */
static const char *const onnxoptimizer[] = {
  "adjust_add", "adjust_slice_and_matmul", "eliminate_consecutive_idempotent_ops", "eliminate_common_subexpression", "eliminate_deadend", "eliminate_duplicate_initializer",
  "eliminate_identity", "eliminate_if_with_const_cond", "eliminate_nop_cast", "eliminate_nop_concat", "eliminate_nop_dropout", "eliminate_nop_expand", "eliminate_nop_flatten",
  "eliminate_nop_monotone_argmax", "eliminate_nop_pad", "eliminate_nop_reshape", "eliminate_nop_split", "eliminate_nop_transpose", "eliminate_nop_with_unit",
  "eliminate_shape_gather", "eliminate_shape_op", "eliminate_slice_after_shape", "eliminate_unused_initializer", "extract_constant_to_initializer",
  "fuse_add_bias_into_conv", "fuse_bn_into_conv", "fuse_concat_into_reshape", "fuse_consecutive_concats", "fuse_consecutive_log_softmax", "fuse_consecutive_reduce_unsqueeze",
  "fuse_consecutive_slices", "fuse_consecutive_squeezes", "fuse_consecutive_transposes", "fuse_consecutive_unsqueezes", "fuse_matmul_add_bias_into_gemm",
  "fuse_pad_into_conv", "fuse_pad_into_pool", "fuse_qkv", "fuse_transpose_into_gemm", "replace_einsum_with_matmul", "rewrite_where", "set_unique_name_for_nodes", NULL,
};
/* clang-format on */

/* onnxsim knows three parts beside the passes of onnxoptimizer. */
static const char *const onnxsim[] = { "constant-folding", "shape-inference", "optimization", NULL };

/* From Python, only groups of passes can be left out. */
static const char *const openvino[] = { "moc", "constant-folding", "fused-names-cleanup", NULL };

static const PhSwitches known[] = {
  { "ORT_DISABLE", ";", onnxruntime },
  { "ONNXOPTIMIZER_SKIP", ",", onnxoptimizer },
  { "ONNXSIM_SKIP", ",", onnxsim },
  { "OPENVINO_SKIP", ",", openvino },
};

/* Returns TRUE if @word is a file that mentions @variable. */
static gboolean
mentions (const char *word, const char *folder, const char *variable)
{
  g_autofree char *path = g_path_is_absolute (word) || folder == NULL ? g_strdup (word) : g_build_filename (folder, word, NULL);
  g_autofree char *text = NULL;
  gsize length;

  return g_file_test (path, G_FILE_TEST_IS_REGULAR) && g_file_get_contents (path, &text, &length, NULL) && length <= MOST_SCRIPT
         && g_strstr_len (text, (gssize) length, variable) != NULL;
}

const PhSwitches *
ph_switches_find (const char *line, const char *folder)
{
  g_auto (GStrv) words = g_strsplit_set (line, " \t;|&", -1);

  for (guint k = 0; k < G_N_ELEMENTS (known); k++)
    {
      if (strstr (line, known[k].variable) != NULL)
        return NULL; /* set by the user */
      for (guint i = 0; words[i] != NULL; i++)
        if (*words[i] != '\0' && mentions (words[i], folder, known[k].variable))
          return &known[k];
    }
  return NULL;
}

typedef struct
{
  const PhSwitches *switches;
  const PhFaultPass *pass;
  PhModel *model;
  const PhFault *like;
  gint64 deadline;
  guint *n_runs;
  GError **error;
  gboolean over;
} Switching;

/* Returns TRUE if the fault appears with only @on switched on. */
static gboolean
shows (Switching *self, GPtrArray *on)
{
  g_autoptr (GString) off = g_string_new (NULL);
  g_autofree char *rest = g_strjoinv (" ", self->pass->arguments), *line = NULL;
  g_autoptr (PhFault) fault = NULL;
  PhFaultPass pass = *self->pass;

  if (self->over || (self->deadline > 0 && g_get_monotonic_time () > self->deadline))
    {
      self->over = TRUE;
      return FALSE;
    }
  for (guint i = 0; self->switches->names[i] != NULL; i++)
    if (!g_ptr_array_find_with_equal_func (on, self->switches->names[i], g_str_equal, NULL))
      g_string_append_printf (off, "%s%s", off->len > 0 ? self->switches->separator : "", self->switches->names[i]);
  line = g_strdup_printf ("export %s='%s'; %s", self->switches->variable, off->str, rest);
  pass.arguments = (char *[]) { line, NULL };
  fault = ph_fault_find (&pass, self->model, self->like->witness, FALSE, self->error);
  (*self->n_runs)++;
  self->over |= *self->error != NULL;
  return fault != NULL && fault->kind == self->like->kind;
}

static GPtrArray *
joined (GPtrArray *a, const GPtrArray *b, guint first, guint end)
{
  GPtrArray *out = g_ptr_array_copy (a, NULL, NULL);

  for (guint i = first; i < end; i++)
    g_ptr_array_add (out, b->pdata[i]);
  return out;
}

/* The names of @all from @first to @end that are needed beside those of @fixed (Junker, "QuickXplain", 2004). */
static void
needed (Switching *self, GPtrArray *fixed, gboolean grew, const GPtrArray *all, guint first, guint end, GPtrArray *out)
{
  g_autoptr (GPtrArray) with_left = NULL, right = NULL, with_right = NULL, left = NULL;
  guint middle;

  if (self->over || (grew && shows (self, fixed)))
    return;
  if (end - first == 1)
    {
      g_ptr_array_add (out, all->pdata[first]);
      return;
    }
  middle = first + (end - first) / 2;
  with_left = joined (fixed, all, first, middle);
  right = g_ptr_array_new ();
  needed (self, with_left, middle > first, all, middle, end, right);
  with_right = joined (fixed, right, 0, right->len);
  left = g_ptr_array_new ();
  needed (self, with_right, right->len > 0, all, first, middle, left);
  for (guint i = 0; i < left->len; i++)
    g_ptr_array_add (out, left->pdata[i]);
  for (guint i = 0; i < right->len; i++)
    g_ptr_array_add (out, right->pdata[i]);
}

GPtrArray *
ph_switches_reduce (const PhSwitches *switches, const PhFaultPass *pass, PhModel *model, const PhFault *fault, gint64 deadline,
                    guint *n_runs, GError **error)
{
  g_autoptr (GPtrArray) none = g_ptr_array_new (), all = g_ptr_array_new (), out = g_ptr_array_new ();
  GError *own = NULL;
  Switching self = { switches, pass, model, fault, deadline, n_runs, &own, FALSE };

  for (guint i = 0; switches->names[i] != NULL; i++)
    g_ptr_array_add (all, (gpointer) switches->names[i]);
  /* A fault with all of them off has another cause. */
  if (shows (&self, none) || self.over)
    {
      if (own != NULL)
        g_propagate_error (error, own);
      return NULL;
    }
  needed (&self, none, FALSE, all, 0, all->len, out);
  if (own != NULL)
    g_propagate_error (error, own);
  return own == NULL && !self.over && out->len > 0 ? g_steal_pointer (&out) : NULL;
}
