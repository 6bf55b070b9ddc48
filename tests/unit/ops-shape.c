/* ops-shape.c: shapes with symbols in them, through the operators that make and use shapes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/io.h"
#include "core/ops/infer.h"

typedef struct
{
  const char *name, *inputs, *body, *type;
} Case;

/* The type that y follows to have. Where @type starts with "!", inference must refuse, with these words. */
/* clang-format off */
static const Case cases[] = {
  { "shape-slice", "float[batch,seq,768] x", "y = Shape <start = 0, end = -1> (x)", "int64[2]" },
  { "split-heads", "float[batch,seq,768] x",
    "s = Shape (x) zero = Constant <value_int = 0> () one = Constant <value_int = 1> () b = Gather (s, zero) n = Gather (s, one) "
    "a = Constant <value_ints = [0]> () b1 = Unsqueeze (b, a) n1 = Unsqueeze (n, a) h = Constant <value_ints = [12]> () "
    "d = Constant <value_ints = [-1]> () t = Concat <axis = 0> (b1, n1, h, d) y = Reshape (x, t)", "float[batch,seq,12,64]" },
  { "merge-heads", "float[batch,12,seq,64] x",
    "p = Transpose <perm = [0, 2, 1, 3]> (x) s = Constant <value_ints = [0, 0, -1]> () y = Reshape (p, s)", "float[batch,seq,768]" },
  { "flatten-product", "float[batch,seq,8] x", "y = Flatten <axis = 2> (x)", "float[batch*seq,8]" },
  { "linear-attention-heads", "float[2,3,4] q, float[2,1,3,4] k, float[2,1,3,5] v",
    "o, y = LinearAttention <q_num_heads = 1, kv_num_heads = 3, update_rule = \"linear\"> (q, k, v)", "float[2,1,4,5]" },
  { "reshape-total", "float[batch,12,seq] x", "s = Constant <value_ints = [-1]> () y = Reshape (x, s)", "float[12*batch*seq]" },
  { "reshape-cancels", "float[batch,12,seq] x",
    "s = Shape (x) i = Constant <value_ints = [0]> () b = Gather (s, i) m = Constant <value_ints = [-1]> () t = Concat <axis = 0> (m, b) "
    "y = Reshape (x, t)", "float[12*seq,batch]" },
  { "slice-of-shape", "float[n,c,h,w] x",
    "s = Shape (x) a = Constant <value_ints = [2]> () e = Constant <value_ints = [9223372036854775807]> () t = Slice (s, a, e) "
    "y = ConstantOfShape (t)", "float[h,w]" },
  { "sum-of-sizes", "float[a,4] x, float[b,4] z", "y = Concat <axis = 0> (x, z, x)", "float[2*a + b,4]" },
  { "expand-mask", "float[batch,1,1,seq] x, float[batch,seq] z",
    "s = Shape (z) o = Constant <value_int = 1> () n = Gather (s, o) a = Constant <value_ints = [0]> () n1 = Unsqueeze (n, a) "
    "one = Constant <value_ints = [1]> () t = Concat <axis = 0> (one, one, n1, one) y = Expand (x, t)", "float[batch,1,seq,seq]" },
  { "range-of-size", "float[batch,seq] x",
    "s = Shape (x) o = Constant <value_int = 1> () n = Gather (s, o) zero = Constant <value_int = 0> () y = Range (zero, n, o)", "int64[seq]" },
  { "causal-corner", "float[batch,seq] x, float[1024,1024] z",
    "n = Shape <start = 1, end = 2> (x) zero = Constant <value_ints = [0]> () one = Constant <value_ints = [1]> () "
    "r = Slice (z, zero, n, zero) y = Slice (r, zero, n, one)", "float[seq,seq]" },
  { "drop-first", "float[batch,seq] x",
    "s = Constant <value_ints = [1]> () e = Constant <value_ints = [9223372036854775807]> () y = Slice (x, s, e, s)", "float[batch,seq - 1]" },
  { "drop-last", "float[batch,seq] x",
    "s = Constant <value_ints = [0]> () e = Constant <value_ints = [-1]> () a = Constant <value_ints = [1]> () y = Slice (x, s, e, a)",
    "float[batch,seq - 1]" },
  { "at-most", "float[n] x", "s = Constant <value_ints = [0]> () e = Constant <value_ints = [5]> () y = Slice (x, s, e)", "float[?]" },
  { "pad", "float[n,3] x", "p = Constant <value_ints = [1, 0, 2, -1]> () y = Pad (x, p)", "float[n + 3,2]" },
  { "tile", "float[n,3] x", "r = Constant <value_ints = [2, 4]> () y = Tile (x, r)", "float[2*n,12]" },
  { "tile-by-size", "float[n,3] x", "s = Shape (x) y = Tile (x, s)", "float[n*n,9]" },
  { "same-padding", "float[n,3,h,w] x, float[8,3,3,3] k", "y = Conv <pads = [1, 1, 1, 1]> (x, k)", "float[n,8,h,w]" },
  { "halved", "float[n,3,h,h] x, float[8,3,2,2] k", "y = Conv <strides = [2, 2]> (x, k)", "float[n,8,floor(h/2),floor(h/2)]" },
  { "doubled", "float[n,8,h,w] x, float[8,4,2,2] k", "y = ConvTranspose <strides = [2, 2]> (x, k)", "float[n,4,2*h,2*w]" },
  { "pooled", "float[n,8,h,6] x", "y = MaxPool <kernel_shape = [3, 3], pads = [1, 1, 1, 1]> (x)", "float[n,8,h,6]" },
  { "global", "float[n,c,h,w] x", "y = GlobalAveragePool (x)", "float[n,c,1,1]" },
  { "resized", "float[n,c,h,w] x", "s = Constant <value = float[4] {1.0, 1.0, 2.0, 0.5}> () y = Resize (x, \"\", s)", "float[n,c,2*h,floor(w/2)]" },
  { "resized-like", "float[n,c,h,w] x, float[n,c,p,q] z", "s = Shape (z) y = Resize (x, \"\", \"\", s)", "float[n,c,p,q]" },
  { "depth-to-space", "float[n,c,h,w] x", "y = SpaceToDepth <blocksize = 1> (x)", "float[n,c,h,w]" },
  { "gather-rows", "float[vocabulary,64] x, int64[batch,seq] z", "y = Gather (x, z)", "float[batch,seq,64]" },
  { "top-k", "float[batch,100] x", "k = Constant <value_ints = [5]> () v, y = TopK (x, k)", "int64[batch,5]" },
  { "split-equal", "float[batch,seq,768] x", "a, b, y = Split <axis = 2, num_outputs = 3> (x)", "float[batch,seq,256]" },
  { "one-hot", "int64[batch] x", "d = Constant <value_int = 10> () v = Constant <value = float[2] {0.0, 1.0}> () y = OneHot (x, d, v)", "float[batch,10]" },
  { "non-zero", "float[a,b,c] x", "y = NonZero (x)", "int64[3,?]" },
  { "lstm", "float[seq,batch,8] x, float[1,64,8] w, float[1,64,16] r", "y = LSTM <hidden_size = 16> (x, w, r)", "float[seq,1,batch,16]" },
  { "if-branches", "bool c, float[n,4] x, float[m,4] z",
    "y = If (c) <then_branch = yes () => (float[?,?] a) { a = Neg (x) }, else_branch = no () => (float[?,?] b) { b = Abs (z) }>", "float[?,4]" },
  { "loop-stacks", "int64 m, float[n] x",
    "f, y = Loop (m, \"\", x) <body = b (int64 i, bool c, float[?] s) => (bool d, float[?] t, float[?] u) "
    "{ d = Identity (c) t = Neg (s) u = Abs (s) }>", "float[?,n]" },
  { "loop-counts", "float[n] x",
    "m = Constant <value_int = 7> () f, y = Loop (m, \"\", x) <body = b (int64 i, bool c, float[?] s) => (bool d, float[?] t, float[?] u) "
    "{ d = Identity (c) t = Neg (s) u = Abs (s) }>", "float[7,n]" },
  { "loop-grows", "int64 m, float[2] x",
    "y = Loop (m, \"\", x) <body = b (int64 i, bool c, float[k] s) => (bool d, float[l] t) { d = Identity (c) t = Concat <axis = 0> (s, s) }>",
    "float[?]" },
  { "scan", "float[seq,8] x, float[8] h",
    "f, y = Scan (h, x) <num_scan_inputs = 1, body = b (float[8] s, float[8] e) => (float[8] t, float[8] u) { t = Add (s, e) u = Neg (t) }>",
    "float[seq,8]" },
  { "stacked", "float[n,3] x, float[n,3] z", "s = SequenceConstruct (x, z) y = ConcatFromSequence <axis = 0, new_axis = 1> (s)", "float[?,n,3]" },

  { "refuses-reshape", "float[2,3] x", "s = Constant <value_ints = [4, -1]> () y = Reshape (x, s)", "!6 elements" },
  { "refuses-concat", "float[2,3] x, float[3,3] z", "y = Concat <axis = 1> (x, z)", "!on axis 0" },
  { "refuses-perm", "float[2,3] x", "y = Transpose <perm = [0, 0]> (x)", "!permutation" },
  { "refuses-squeeze", "float[2,3] x", "a = Constant <value_ints = [0]> () y = Squeeze (x, a)", "!cannot be squeezed" },
  { "refuses-channels", "float[1,3,8,8] x, float[4,5,3,3] k", "y = Conv (x, k)", "!3 channels" },
  { "refuses-axis", "float[2,3] x, int64[2] i", "y = Gather <axis = 2> (x, i)", "!axis" },
  { "refuses-pad-constants", "float[2,3] x, float[2] c", "p = Constant <value_ints = [1, 1, 0, 0]> () y = Pad (x, p, c)",
    "!constant_value has 2 elements" },
  { "refuses-two-values", "float[1] x", "c = Constant <value_floats = [0.0], value_int = 1> () y = Add (x, c)", "!has 2 values" },
  { "refuses-scores", "float[1,2,3,4] q", "y = Attention <qk_matmul_output_mode = 4> (q, q, q)", "!must be 0 to 3" },
  { "refuses-no-window", "float[1,1,2,2] x, int64[1,1,2,2] i", "y = MaxUnpool <kernel_shape = [2, 0]> (x, i)", "!is not above 0" },
  { "refuses-pads", "float[2,3] x", "p = Constant <value_ints = [1, 1]> () y = Pad (x, p)", "!two for each axis" },
  { "refuses-step", "float[4] x", "s = Constant <value_ints = [0]> () y = Slice (x, s, s, s, s)", "!step" },
  { "refuses-expand", "float[2,3] x", "s = Constant <value_ints = [2, 2]> () y = Expand (x, s)", "!broadcast" },
  { "refuses-k", "float[3] x", "k = Constant <value_ints = [5]> () y, i = TopK (x, k)", "!k is 5" },
};
/* clang-format on */

static void
test_case (gconstpointer data)
{
  const Case *row = data;
  g_autofree char *text = g_strdup_printf ("<ir_version: 10, opset_import: [\"\" : 23]> row (%s) => (y) { %s }", row->inputs,
                                           row->body);
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_onnx_text_read (text, -1, row->name, &error);
  g_autofree char *type = NULL;
  PhValue *y;

  g_assert_no_error (error);
  ph_infer_model (model, FALSE, problems, NULL);
  if (row->type[0] == '!')
    {
      g_assert_cmpuint (problems->len, >, 0);
      if (strstr (problems->pdata[0], row->type + 1) == NULL)
        g_error ("%s: '%s' does not say '%s'", row->name, (char *) problems->pdata[0], row->type + 1);
      return;
    }
  if (problems->len > 0)
    g_error ("%s: %s", row->name, (char *) problems->pdata[0]);
  y = ph_model_find_value_named (model, "y");
  type = ph_type_to_string (y->type);
  g_assert_cmpstr (type, ==, row->type);
}

/* The contents of a shape outlive the operators that took it apart and put it together. */
static void
test_contents (void)
{
  const char *text = "<ir_version: 10, opset_import: [\"\" : 23]> row (float[batch,seq,6] x) => (y) { s = Shape (x) "
                     "a = Constant <value_ints = [2, 0]> () g = Gather (s, a) "
                     "y = Concat <axis = 0> (g, s) }";
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_onnx_text_read (text, -1, "contents", &error);
  g_autofree PhDim *dims = NULL;
  g_autoptr (GString) all = g_string_new (NULL);
  int n;

  g_assert_no_error (error);
  g_assert_true (ph_infer_model (model, FALSE, NULL, NULL));
  n = ph_value_dims (ph_model_find_value_named (model, "y"), &dims);
  for (int i = 0; i < n; i++)
    {
      g_autofree char *dim = ph_dim_to_string (dims[i]);

      g_string_append_printf (all, "%s ", dim);
    }
  g_assert_cmpstr (all->str, ==, "6 batch batch seq 6 ");
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ops/contents", test_contents);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strdup_printf ("/ops/shape/%s", cases[i].name);

      g_test_add_data_func (path, &cases[i], test_case);
    }
  return g_test_run ();
}
