/* inputs.c: whatever stands in a tensor file, on a line of the console, or in a model that is optimised and computed, the answer
 * is a result or one error.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gstdio.h>
#include <string.h>

#include "core/console/console.h"
#include "core/io/io.h"
#include "core/ops/verify.h"
#include "core/run/executor.h"
#include "mutate.h"
#include "passes/pass.h"
#include "targets/target.h"

/* Tensor files */

static gboolean
try_tensor (const guint8 *data, gsize size)
{
  const gboolean npy = size > 0 && data[0] == 0x93;
  const char *path = npy ? "t.npy" : "t.pb";
  g_autofree char *name = NULL, *text = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (PhTensor) tensor = NULL;

  g_remove (path); /* without asking for durability, what is longer would show through */
  g_assert_true (g_file_set_contents_full (path, (const char *) data, (gssize) size, G_FILE_SET_CONTENTS_NONE, 0600, NULL));
  tensor = ph_tensor_load (path, NULL, &name, &error);
  g_assert_true ((tensor == NULL) == (error != NULL));
  if (tensor == NULL)
    {
      g_assert_nonnull (strstr (error->message, path));
      return FALSE;
    }
  text = ph_tensor_to_string (tensor, 16);
  g_assert_true (g_utf8_validate (text, -1, NULL));
  return TRUE;
}

static GPtrArray *
tensor_seeds (const char *extension)
{
  static const PhDType types[] = { PH_FLOAT, PH_DOUBLE,  PH_INT64,    PH_INT32, PH_UINT8,
                                   PH_BOOL,  PH_FLOAT16, PH_BFLOAT16, PH_INT4,  PH_STRING };
  GPtrArray *seeds = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    {
      g_autoptr (PhTensor) tensor = ph_tensor_new (types[i], 2, (gint64[]) { 2, 3 });
      g_autofree char *path = g_strconcat ("seed.", extension, NULL), *text = NULL;
      gsize size;

      if (ph_tensor_save (tensor, "t", path, NULL) && g_file_get_contents (path, &text, &size, NULL))
        g_ptr_array_add (seeds, g_bytes_new (text, size));
      g_remove (path);
    }
  g_assert_cmpuint (seeds->len, >, 5);
  return seeds;
}

static void
test_npy (void)
{
  g_autoptr (GPtrArray) seeds = tensor_seeds ("npy");

  fuzz_run (seeds, try_tensor);
}

static void
test_pb (void)
{
  g_autoptr (GPtrArray) seeds = tensor_seeds ("pb");

  fuzz_run (seeds, try_tensor);
}

/* Lines of the console: those that only read */

static PhConsole *console;

static gboolean
try_line (const guint8 *data, gsize size)
{
  static const char *const verbs[] = { "save",   "render", "exec",    "source",    "check", "open",  "export",
                                       "script", "quit",   "compare", "load-pass", "hunt",  "reduce" };
  g_autofree char *line = g_strndup ((const char *) data, size), *json = NULL;
  g_autoptr (PhReply) reply = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (verbs); i++)
    if (strstr (line, verbs[i]) != NULL)
      return FALSE;
  if (!g_utf8_validate (line, -1, NULL))
    return FALSE;
  reply = ph_console_run (console, line, NULL);
  g_assert_true (reply->ok || reply->error != NULL);
  json = ph_reply_to_json (reply);
  g_assert_true (g_utf8_validate (json, -1, NULL));
  return reply->ok;
}

static void
test_console (void)
{
  /* clang-format off */
  static const char *const lines[] = {
    "y = log(2) + sin(1.5) * 3", "z = [1, 2; 3, 4] @ [1; 2]", "w = relu([1, -2, 3]) / 4 - -1", "v = transpose([[1, 2], [3, 4]], perm=[1, 0])",
    "select op, count(*) from nodes group by op order by 2 desc", "select name, type from \"values\" where name like 'a%'", "info",
    "passes", "help algebraic", "pipeline O2", "steps", "run cse dce", "step", "back", "why n1", "goto 0", "rewrites", "feed x random 3",
    "diff 0 1", "eval", "diff 0 . --text", "diff cse --stat", "why Mul", "node Mul", "goto cse", "goto 1.1", "print --elements 3", "find /a+/",
    "neighbours n4 2", "paths n4 n8", "help same-operation", "rewrites 2", "pipeline cse,dce:limit=2 allow=exact", "pass off dce",
    "breakpoint cse", "rule off algebraic/add-zero", "feed a [1, 2, 3]", "select a.op, b.inputs from nodes_at('0') a join nodes_at('1') b on a.id = b.id",
    "select s.step, n.op from steps s, nodes_at(s.step) n join edges_at(s.step) e on e.src = n.id where n.op = 'Add'",
    "with recursive up(id) as (select 4 union select e.src from edges e join up on e.dst = up.id where e.src is not null) select * from up limit 9",
  };
  /* clang-format on */
  g_autoptr (GPtrArray) seeds = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  g_autoptr (PhDocument) document = ph_document_new ();
  g_autofree char *file = g_test_build_filename (G_TEST_DIST, "..", "resources", "examples", "cse.onnxtxt", NULL);
  g_autofree char *open_line = g_strdup_printf ("open '%s'", file);
  g_autoptr (PhReply) opened = NULL;

  console = ph_console_new (document);
  opened = ph_console_run (console, open_line, NULL);
  g_assert_no_error (opened->error);
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    if (try_line ((const guint8 *) lines[i], strlen (lines[i]))) /* what this document answers */
      g_ptr_array_add (seeds, g_bytes_new_static (lines[i], strlen (lines[i])));
  g_assert_cmpuint (seeds->len, >, 5);
  for (guint i = seeds->len; i-- > 0;)
    if (g_str_has_prefix (g_bytes_get_data (seeds->pdata[i], NULL), "back")
        || g_str_has_prefix (g_bytes_get_data (seeds->pdata[i], NULL), "step"))
      g_ptr_array_remove_index (seeds, i); /* they succeed once */
  fuzz_run (seeds, try_line);
  g_clear_object (&console);
}

/* Models that are optimised and computed */

#define MOST 100000 /* elements: memory is not what this is about */

static gboolean
is_small (PhGraph *graph)
{
  PH_FOREACH_NODE (node, graph)
    for (guint i = 0; i < node->outputs->len; i++)
      {
        const PhType *type = ph_node_output (node, i)->type;

        if (type != NULL && type->kind == PH_KIND_TENSOR && type->has_rank && ph_type_count (type) > MOST)
          return FALSE;
      }
  for (guint i = 0; i < graph->inputs->len; i++)
    {
      const PhType *type = ((PhValue *) graph->inputs->pdata[i])->type;

      if (type == NULL || type->kind != PH_KIND_TENSOR || !type->has_rank || type->rank > 8 || type->dtype == PH_UNDEFINED
          || ph_type_count (type) > MOST)
        return FALSE;
    }
  return TRUE;
}

static GHashTable *
compute (PhModel *model)
{
  g_autoptr (GHashTable) feeds = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref);

  for (guint i = 0; i < model->graph->inputs->len; i++)
    {
      PhValue *value = model->graph->inputs->pdata[i];
      gint64 dims[8];

      for (guint k = 0; k < value->type->rank; k++)
        dims[k] = value->type->dims[k].size >= 0 ? value->type->dims[k].size : 2;
      g_hash_table_insert (feeds, value, ph_tensor_new (value->type->dtype, value->type->rank, dims));
    }
  return ph_run_model (model, feeds, NULL, &(PhRunOptions) { .seed = 1 }, NULL);
}

static gboolean
try_model (const guint8 *data, gsize size)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_onnx_text_read ((const char *) data, (gssize) size, "fuzz", &error);
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (GHashTable) before = NULL, after = NULL;
  const PhPipeline *pipeline = ph_pipeline_find ("O3");
  const PhPass *upgrade = ph_pass_find ("upgrade-opset");

  g_assert_true ((model == NULL) == (error != NULL));
  if (model == NULL || !is_small (model->graph) || !ph_model_verify (model, NULL))
    return FALSE;
  before = compute (model);
  if (before == NULL)
    return FALSE;
  /* Passes, and what is verified of nodes, know the newest operators only. */
  if (!ph_pass_run (upgrade, model, history, NULL, NULL) || !ph_model_verify (model, NULL))
    return FALSE;
  for (guint i = 0; pipeline->passes[i] != NULL; i++)
    {
      PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;

      options.verify = TRUE;
      ph_pass_run (ph_pass_find (pipeline->passes[i]), model, history, &options, &error);
      if (error != NULL)
        g_error ("%s, of\n%.*s", error->message, (int) size, (const char *) data);
    }
  /* What can be computed still can. */
  after = compute (model);
  g_assert_nonnull (after);
  return TRUE;
}

static void
test_models (void)
{
  static const char *const models[] = {
    "<ir_version: 8, opset_import: [\"\" : 17]>\ng (float[N,4] x) => (float[N,4] y)\n<float[4,4] w = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7}, "
    "int64[2] s = {-1, 4}, int64[1] a = {1}> { b = MatMul (x, w) c = Reshape (b, s) d = ReduceMean <axes = [1]> (c) e = Sub (c, d) "
    "f = Softmax <axis = 1> (e) g1, g2 = Split <axis = 1> (f) h = Concat <axis = 1> (g2, g1) y = Relu (h) }",
    "<ir_version: 8, opset_import: [\"\" : 13]>\ng (float[1,2,5,5] x) => (float[?,?,?,?] y)\n<float[2,2,3,3] w = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "
    "1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, int64[8] p = {0, 0, 1, 1, 0, 0, 1, 1}, float[4] r = {1, 1, 2, 2}> { a = Pad <mode = \"reflect\"> (x, p) "
    "b = Conv <kernel_shape = [3, 3], strides = [1, 2], pads = [1, 0, 0, 1]> (a, w) c = MaxPool <kernel_shape = [2, 2], ceil_mode = 1> (b) "
    "d = Transpose <perm = [0, 2, 3, 1]> (c) e = Resize <mode = \"linear\"> (c, \"\", r) y = Sigmoid (e) }\n",
    "g (int64[3] i, float[4,2] x, bool c) => (float[?,?] y)\n{ a = Gather <axis = 0> (x, i) b = Constant <value = int64[1] {1}> () "
    "d = Slice (a, b, k, b) e = If <then_branch = t () => (float[?,?] u) { u = Tanh (a) }, else_branch = f () => (float[?,?] v) { v = Neg (a) }> (c) "
    "k = Constant <value = int64[1] {2}> () y = ScatterElements <axis = 0> (e, j, a) j = Cast <to = 7> (e) }",
    "g (float[2,3,4] x) => (float[?] y)\n{ e = Einsum <equation = \"abc,abd->acd\"> (x, x) t, n = TopK <axis = 1> (e, k) k = Constant <value = int64[1] {2}> () "
    "c = CumSum (t, z) z = Constant <value_int = 1> () q = QuantizeLinear (c, s, o) s = Constant <value_float = 0.5> () o = Constant <value = uint8 {3}> () "
    "d = DequantizeLinear (q, s, o) y = ReduceSum <keepdims = 0> (d, w) w = Constant <value_ints = [0, 1]> () }",
  };
  g_autoptr (GPtrArray) seeds = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);

  for (guint i = 0; i < G_N_ELEMENTS (models); i++)
    g_ptr_array_add (seeds, g_bytes_new_static (models[i], strlen (models[i])));
  fuzz_run (seeds, try_model);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  target_enter_folder ();
  g_test_add_func ("/fuzz/npy", test_npy);
  g_test_add_func ("/fuzz/pb", test_pb);
  g_test_add_func ("/fuzz/console", test_console);
  g_test_add_func ("/fuzz/models", test_models);
  return g_test_run ();
}
