/* torch.c: tests the readers of PyTorch's archives and code.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "core/io/format.h"
#include "core/io/io.h"
#include "core/io/torch/archive.h"
#include "core/tensor/memory.h"

static PhModel *
read_bytes (const char *format, GBytes *bytes, GError **error)
{
  return ph_format_read_bytes (ph_format_find (format), bytes, "t.pt", NULL, error);
}

static GBytes *
load_seed (const char *format, const char *name)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "fuzz", "corpus", format, name, NULL);
  g_autoptr (GError) error = NULL;
  char *text;
  gsize size;

  g_file_get_contents (path, &text, &size, &error);
  g_assert_no_error (error);
  return g_bytes_new_take (text, size);
}

static PhModel *
read_seed (const char *format, const char *name)
{
  g_autoptr (GBytes) bytes = load_seed (format, name);
  g_autoptr (GError) error = NULL;
  PhModel *model = read_bytes (format, bytes, &error);

  g_assert_no_error (error);
  return model;
}

static PhNode *
maker (PhModel *model, const char *value)
{
  PhValue *found = ph_graph_find_value_named (model->graph, value);

  if (found == NULL || found->producer == NULL)
    g_error ("no node makes %s", value);
  return found->producer;
}

/* Methods and functions stand in place of their calls; strides are honoured; loops and branches have bodies. */
static void
test_script (void)
{
  g_autoptr (PhModel) model = read_seed ("torchscript", "net.pt");
  PhNode *linear = maker (model, "linear"), *loop = maker (model, "k.1"), *branch = maker (model, "w.1");
  PhTensor *weight = ph_node_input (linear, 1)->tensor;
  const float *data = ph_tensor_data (weight);

  g_assert_cmpstr (linear->name, ==, "fc/linear");
  g_assert_cmpstr (linear->domain, ==, "aten");
  g_assert_cmpstr (linear->where->file, ==, "net/code/__torch__/parts.py");
  g_assert_cmpuint (linear->where->line, ==, 7);
  for (guint i = 0; i < 12; i++) /* 4 x 3 with strides 1 and 4 */
    g_assert_cmpfloat (data[i], ==, (float) (i / 3 + 4 * (i % 3)));
  g_assert_cmpstr (loop->op_type, ==, "Loop");
  g_assert_cmpuint (loop->inputs->len, ==, 4);
  g_assert_cmpuint (((PhGraph *) loop->graphs->pdata[0])->inputs->len, ==, 4);
  g_assert_cmpstr (branch->op_type, ==, "If");
  g_assert_cmpuint (branch->graphs->len, ==, 2);
  /* "is None" was decided; relu_ () changed what w means. */
  g_assert_true (ph_node_input (maker (model, "r"), 0)->producer == branch);
  g_assert_cmpuint (model->graph->outputs->len, ==, 2);
  g_assert_cmpstr (((PhValue *) model->graph->outputs->pdata[0])->name, ==, "r");
}

static void
append_number (GByteArray *out, guint64 value, guint bytes)
{
  for (guint i = 0; i < bytes; i++, value >>= 8)
    g_byte_array_append (out, &(guint8) { (guint8) value }, 1);
}

/* Appends what the local header of a stored member and its entry in the directory have in common. */
static void
append_member (GByteArray *out, guint32 size)
{
  append_number (out, 20, 2);
  append_number (out, 0, 2 + 2 + 2 + 2 + 4); /* flags, stored, time, date, checksum */
  append_number (out, size, 4);
  append_number (out, size, 4);
  append_number (out, 1, 2); /* of its name */
  append_number (out, 0, 2);
}

/* A weight that lies in the file as it is wanted is not read before somebody asks for it; one with strides of its own is. */
static void
test_weights_on_disk (void)
{
  enum
  {
    ROWS = 256,
    COLUMNS = 32,
    SIZE = ROWS * COLUMNS * sizeof (float)
  };
  g_autoptr (GByteArray) zip = g_byte_array_new ();
  g_autofree char *path = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (PhFile) file = NULL;
  g_auto (PhSource) source = { 0 };
  g_autoptr (PhZip) opened = NULL;
  g_autoptr (PhTensor) plain = NULL, turned = NULL;
  guint32 directory;

  g_byte_array_append (zip, (const guint8 *) "PK\3\4", 4);
  append_member (zip, SIZE);
  g_byte_array_append (zip, (const guint8 *) "w", 1);
  for (guint i = 0; i < ROWS * COLUMNS; i++)
    g_byte_array_append (zip, (const guint8 *) &(float) { (float) i }, sizeof (float));
  directory = zip->len;
  g_byte_array_append (zip, (const guint8 *) "PK\1\2\24\0", 6);
  append_member (zip, SIZE);
  append_number (zip, 0, 2 + 2 + 2 + 4); /* comment, disk, attributes */
  append_number (zip, 0, 4);             /* where it begins */
  g_byte_array_append (zip, (const guint8 *) "w", 1);
  g_byte_array_append (zip, (const guint8 *) "PK\5\6\0\0\0\0", 8);
  append_number (zip, 1, 2);
  append_number (zip, 1, 2);
  append_number (zip, zip->len - 12 - directory, 4);
  append_number (zip, directory, 4);
  append_number (zip, 0, 2);
  close (g_file_open_tmp ("peephole-XXXXXX.pt", &path, &error));
  g_assert_true (g_file_set_contents (path, (const char *) zip->data, (gssize) zip->len, NULL));

  ph_source_init (&source, path, NULL);
  source.disk = file = ph_file_open (path, &error);
  g_assert_no_error (error);
  opened = ph_zip_open (&source, &error);
  g_assert_no_error (error);
  plain = ph_zip_tensor (opened, "w", PH_FLOAT, 2, (const gint64[]) { ROWS - 1, COLUMNS }, (const gint64[]) { COLUMNS, 1 },
                         COLUMNS, &error);
  g_assert_no_error (error);
  g_assert_true (ph_tensor_is_on_disk (plain));
  g_assert_cmpfloat (((const float *) ph_tensor_data (plain))[5], ==, COLUMNS + 5);
  turned = ph_zip_tensor (opened, "w", PH_FLOAT, 2, (const gint64[]) { COLUMNS, ROWS }, (const gint64[]) { 1, COLUMNS }, 0,
                          &error);
  g_assert_no_error (error);
  g_assert_false (ph_tensor_is_on_disk (turned));
  g_assert_cmpfloat (((const float *) ph_tensor_data (turned))[1], ==, COLUMNS);
  g_unlink (path);
}

/* Named tuples and dictionaries are read through; a tuple is an input for each element; a default is left out unless asked for. */
static void
test_options (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "fuzz", "corpus", "torchscript", "options.pt", NULL);
  g_autofree char *with_mask = g_strdup_printf ("%s/4", path), *wrong = g_strdup_printf ("%s/x", path);
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_io_open (path, NULL, NULL, &error), other = NULL;

  g_assert_no_error (error);
  g_assert_cmpuint (model->graph->inputs->len, ==, 3);
  g_assert_cmpstr (((PhValue *) model->graph->inputs->pdata[1])->name, ==, "past_0");
  g_assert_cmpuint (model->graph->outputs->len, ==, 2);
  PH_FOREACH_NODE (node, model->graph)
    g_assert_true (strcmp (node->op_type, "add") == 0 || strcmp (node->op_type, "mul") == 0);
  other = ph_io_open (with_mask, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (other->graph->inputs->len, ==, 4);
  g_assert_cmpstr (maker (other, "t1")->op_type, ==, "masked_fill");
  g_assert_null (ph_io_open (wrong, NULL, NULL, &error));
  g_assert_nonnull (strstr (error->message, "is not a number of inputs"));
}

static void
test_fx (void)
{
  g_autoptr (PhModel) model = read_seed ("fx", "selu.py");
  g_autofree char *type = ph_type_to_string (ph_graph_find_value_named (model->graph, "W")->type);
  PhNode *add = maker (model, "y"), *cat = maker (model, "cat");

  g_assert_cmpstr (type, ==, "float[4,3]");
  g_assert_cmpstr (add->op_type, ==, "add");
  g_assert_cmpstr (add->where->file, ==, "train.py");
  g_assert_cmpuint (add->where->line, ==, 12);
  g_assert_cmpint (ph_node_attr_int (add, "alpha", 0), ==, 2);
  g_assert_cmpuint (cat->inputs->len, ==, 2);
  g_assert_cmpint (ph_node_attr_int (cat, "dim", 0), ==, -1);
  g_assert_cmpstr (ph_node_attr_string (maker (model, "fc2"), "target", NULL), ==, "fc2");
  g_assert_true (ph_graph_find_value_named (model->graph, "fc.weight")->is_input);
  g_assert_cmpuint (model->graph->outputs->len, ==, 2);
}

/* The table of nodes that str (graph) gives. */
static void
test_table (void)
{
  const char *text
      = "graph():\n    %x : [num_users=1] = placeholder[target=x]\n    %a : [#users=1] = call_module[target=a.0](args = (%x,), kwargs = {})\n"
        "    %s : [num_users=1] = call_function[target=torch.softmax](args = (%a, -1), kwargs = {dtype: torch.float32})\n    return s";
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = read_bytes ("fx", bytes, &error);

  g_assert_no_error (error);
  g_assert_cmpstr (maker (model, "a")->op_type, ==, "call_module");
  g_assert_cmpstr (ph_node_attr_string (maker (model, "a"), "target", NULL), ==, "a.0");
  g_assert_cmpstr (maker (model, "s")->domain, ==, "aten");
  g_assert_cmpint (ph_node_attr_int (maker (model, "s"), "dim", 0), ==, -1);
  g_assert_cmpuint (maker (model, "s")->where->line, ==, 4);
}

/* An archive that is cut short or changed anywhere is refused, or read; never more. */
static void
test_damage (void)
{
  g_autoptr (GBytes) bytes = load_seed ("torchscript", "net.pt");
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);

  for (gsize i = 0; i < size; i += 7)
    {
      g_autofree guint8 *copy = g_memdup2 (data, size);
      g_autoptr (GBytes) cut = g_bytes_new (data, i), changed = NULL;
      g_autoptr (GError) error = NULL, other = NULL;
      g_autoptr (PhModel) first = read_bytes ("torchscript", cut, &error), second = NULL;

      g_assert_null (first);
      g_assert_nonnull (error);
      copy[i] ^= 0x55;
      changed = g_bytes_new_take (g_steal_pointer (&copy), size);
      second = read_bytes ("torchscript", changed, &other);
      g_assert_true ((second == NULL) == (other != NULL));
    }
}

/* Graph text: constants stand at the nodes, what a module holds is an input, blocks are bodies. */
static void
test_graph_text (void)
{
  g_autoptr (PhModel) model = read_seed ("torch-graph", "loop.txt");
  PhNode *linear = maker (model, "y"), *loop = maker (model, "i"), *cat = maker (model, "cat");

  g_assert_cmpstr (linear->name, ==, "fc/y");
  g_assert_cmpstr (linear->where->file, ==, "net.py");
  g_assert_cmpuint (linear->where->line, ==, 12);
  g_assert_true (ph_graph_find_value_named (model->graph, "fc.weight")->is_input);
  g_assert_cmpuint (loop->inputs->len, ==, 4);
  g_assert_cmpuint (((PhGraph *) loop->graphs->pdata[0])->inputs->len, ==, 4);
  g_assert_cmpuint (maker (model, "z")->graphs->len, ==, 2);
  /* The loop begins with what relu_ () made of y. */
  g_assert_cmpstr (ph_node_input (loop, 2)->producer->op_type, ==, "relu_");
  g_assert_cmpint (ph_node_attr_int (cat, "dim", 0), ==, 1);
  g_assert_true (ph_node_input (cat, 0)->producer == ph_node_input (cat, 1)->producer); /* the first and third part */
  g_assert_nonnull (ph_node_function (maker (model, "fused")));
  g_assert_cmpuint (model->graph->outputs->len, ==, 2);
}

static gboolean
count_step (const char *pass, PhModel *model, GPtrArray *parts, gpointer data, GError **error)
{
  GPtrArray *models = data;

  g_ptr_array_add (models, model);
  g_clear_pointer (&parts, g_ptr_array_unref);
  return TRUE;
}

/* A log of a compilation: its graphs in order, those of one compilation; each node of the last one says which it was before autograd. */
static void
test_trace (void)
{
  static const char *const pairs[][2]
      = { { "permute", "linear" }, { "mm_default", "linear" }, { "add_tensor", "linear" }, { "relu", "relu" } };
  g_autoptr (GBytes) bytes = load_seed ("torch-trace", "linear.log");
  g_autoptr (GPtrArray) models = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_model_free),
                        problems = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  PhModel *last;

  ph_format_record_bytes (ph_format_find ("torch-trace"), bytes, "t.log", count_step, models, problems, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (models->len, ==, 4);
  g_assert_cmpuint (problems->len, ==, 2);
  g_assert_nonnull (strstr (problems->pdata[0], "line 23"));
  last = models->pdata[3];
  for (gsize i = 0; i < G_N_ELEMENTS (pairs); i++)
    g_assert_cmpstr (ph_node_attr_string (maker (last, pairs[i][0]), "made_from", NULL), ==, pairs[i][1]);
  g_assert_cmpuint (maker (models->pdata[0], "relu")->where->line, ==, 9);
}

static void
add_compilation (GString *log, guint frame, guint n, const char *op)
{
  static const char *const passes[] = { "dynamo_output_graph", "aot_inference_graph", "inductor_post_grad_graph" };

  for (guint i = 0; i < n; i++)
    g_string_append_printf (
        log,
        "V0516 11:47:27.920000 1397 torch/x.py:1] {\"%s\": {}, \"frame_id\": %u, \"frame_compile_id\": 0, \"has_payload\": \"0\"}\n"
        "\tclass GraphModule(torch.nn.Module):\n\t    def forward(self, x: \"f32[2]\"):\n\t        y: \"f32[2]\" = torch.%s(x)\n\t        return (y,)\n",
        passes[i], frame, op);
}

/* Of several compilations the one with the most graphs is shown, or the one that is asked for. */
static void
test_compilations (void)
{
  g_autofree char *folder = g_dir_make_tmp ("peephole-XXXXXX", NULL), *path = g_build_filename (folder, "t.log", NULL);
  static const struct
  {
    const char *part, *op;
    guint n;
  } rows[] = { { NULL, "relu", 3 }, { "0/0", "tanh", 1 }, { "2/0", "neg", 1 }, { "7/0", NULL, 0 } };
  g_autoptr (GString) log = g_string_new (NULL);

  add_compilation (log, 0, 1, "tanh");
  add_compilation (log, 1, 3, "relu");
  add_compilation (log, 2, 1, "neg");
  g_assert_true (g_file_set_contents (path, log->str, (gssize) log->len, NULL));
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *asked = rows[i].part != NULL ? g_build_filename (path, rows[i].part, NULL) : g_strdup (path);
      g_autoptr (GPtrArray) models = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_model_free),
                            problems = g_ptr_array_new_with_free_func (g_free);
      g_autoptr (GError) error = NULL;

      ph_format_record (asked, count_step, models, problems, NULL, &error);
      g_assert_cmpuint (models->len, ==, rows[i].n);
      if (rows[i].n == 0)
        g_assert_nonnull (strstr (error->message, "these have: 0/0, 1/0, 2/0"));
      else
        {
          g_assert_no_error (error);
          maker (models->pdata[0], "y");
          g_assert_cmpstr (((PhModel *) models->pdata[0])->graph->first->op_type, ==, rows[i].op);
          g_assert_nonnull (strstr (problems->pdata[0], "several compilations"));
        }
    }
  g_unlink (path);
  g_rmdir (folder);
}

/* A program of torch.export: names as in the program, weights by their strides, branches as bodies; unions old and new. */
static void
test_export (void)
{
  g_autoptr (PhModel) model = read_seed ("torchscript", "export.pt2"), old = read_seed ("torchscript", "export-old.pt2");
  PhNode *linear = maker (model, "linear"), *cond = maker (model, "cond"), *view = maker (model, "view");
  const float *data = ph_tensor_data (ph_node_input (linear, 1)->tensor);
  g_autofree char *type = ph_type_to_string (ph_graph_find_value_named (model->graph, "x")->type);

  g_assert_cmpstr (type, ==, "float[s0,3]");
  g_assert_cmpstr (ph_node_input (linear, 1)->name, ==, "fc.weight");
  for (guint i = 0; i < 12; i++)
    g_assert_cmpfloat (data[i], ==, (float) (i % 5) * 0.5f - 1);
  g_assert_cmpstr (linear->where->file, ==, "/home/me/net.py");
  g_assert_cmpuint (linear->where->line, ==, 12);
  g_assert_cmpint (ph_node_attr_int (view, "size_input", -1), ==, 1);
  g_assert_cmpuint (cond->graphs->len, ==, 2);
  g_assert_cmpstr (cond->domain, ==, "higher_order");
  g_assert_cmpuint (model->graph->inputs->len, ==, 1);
  g_assert_cmpuint (model->graph->outputs->len, ==, 3);
  /* Its weights are a pickle in the archive: they stay inputs. */
  g_assert_true (ph_graph_find_value_named (old->graph, "fc.weight")->is_input);
  g_assert_cmpuint (old->graph->inputs->len, ==, 4);
}

/* What cannot be followed when the file is read is refused with its line, never passed over. */
static void
test_refused (void)
{
  /* clang-format off */
  static const char *const texts[][2] = {
    { "def forward(self, x):\n    while bool(torch.gt(torch.sum(x), 0)):\n        return x\n    return x\n", "line 2: a loop from whose middle a function returns" },
    { "def forward(self, x):\n    for i in range(3):\n        break\n    return x\n", "line 2: a loop with break" },
    { "def forward(self, x, n):\n    y = torch.mul(x, 1)\n    z = [y.view(-1)]\n    for i in range(n):\n        y.add_(1)\n    return z[0]\n", "line 5: what it writes into in place" },
    { "def forward(self, x):\n    y = torch.mul(x, 1)\n    torch.flatten(y).add_(1)\n    return y\n", "'y' may share its memory with 'flatten', which was written into in place" },
    { "def forward(self, x):\n    y = torch.mul(x, 1)\n    z = torch.reshape(y, [-1])\n    y.add_(1)\n    return torch.neg(z)\n", "line 5: 'z' may share its memory" },
    { "def forward(self, x, n):\n    y = torch.mul(x, 1)\n    v = torch.select(y, 0, 0)\n    for i in range(n):\n        v.add_(1)\n        v = torch.select(y, 0, i)\n    return y\n",
      "'y' may share its memory with 'v', which was written into in place" },
    { "def forward(self, x, n):\n    y = torch.mul(x, 1)\n    u = y\n    v = y\n    for i in range(n):\n        u = torch.add_(u, 1)\n        v = torch.add(v, 1)\n    return v\n",
      "'u' and 'v' share their memory, and the loop writes into it in place" },
    { "def forward(self, x, c):\n    y = torch.mul(x, 1)\n    if bool(c):\n        z = y\n    else:\n        z = torch.neg(y)\n    z.add_(1)\n    return y\n",
      "'y' may share its memory with 'z.1', which was written into in place" },
    { "def forward(self, x):\n    if bool(torch.sum(x)):\n        return x\n", "line 2: one branch returns a value" },
    { "def forward(self, x):\n    y = {'a': x}\n    if bool(torch.sum(x)):\n        torch.ops.aten._set_item.default(y, 'b', x)\n    return y['a']\n", "line 4: it changes a list of outside" },
  };
  /* clang-format on */
  static const char *const graphs[][2] = {
    { "graph(%x : Tensor):\n  %y : Tensor = aten::relu(%z)\n  return (%y)\n", "line 2: nothing before it makes '%z'" },
    { "graph(%x : Tensor):\n  %y : Tensor = aten::relu(%x)\n", "the text ends before the graph does" },
    { "graph(%x : Tensor):\n  %y : Tensor = relu(%x)\n  return (%y)\n", "line 2: an operator such as aten::relu" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (texts) + G_N_ELEMENTS (graphs); i++)
    {
      const gboolean code = i < G_N_ELEMENTS (texts);
      const char *const *text = code ? texts[i] : graphs[i - G_N_ELEMENTS (texts)];
      g_autoptr (GBytes) bytes = g_bytes_new_static (text[0], strlen (text[0]));
      g_autoptr (GError) error = NULL;
      g_autoptr (PhModel) model = read_bytes (code ? "fx" : "torch-graph", bytes, &error);

      g_assert_null (model);
      if (strstr (error->message, text[1]) == NULL)
        g_error ("'%s' does not say '%s'", error->message, text[1]);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/torch/script", test_script);
  g_test_add_func ("/torch/weights-on-disk", test_weights_on_disk);
  g_test_add_func ("/torch/options", test_options);
  g_test_add_func ("/torch/fx", test_fx);
  g_test_add_func ("/torch/table", test_table);
  g_test_add_func ("/torch/graph-text", test_graph_text);
  g_test_add_func ("/torch/trace", test_trace);
  g_test_add_func ("/torch/compilations", test_compilations);
  g_test_add_func ("/torch/export", test_export);
  g_test_add_func ("/torch/refused", test_refused);
  g_test_add_func ("/torch/damage", test_damage);
  return g_test_run ();
}
