/* saved-model.c: SavedModels with what lies beside them: the values of variables, what is fed, what is fetched.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "core/io/io.h"
#include "core/io/wire.h"
#include "passes/pass.h"

/* ── a checkpoint, as TensorFlow writes it ──────────────────────────────────────────────────────────────────────── */

static void
put_varint (GByteArray *out, guint64 number)
{
  for (; number >= 0x80; number >>= 7)
    g_byte_array_append (out, (guint8[]) { (guint8) (number | 0x80) }, 1);
  g_byte_array_append (out, (guint8[]) { (guint8) number }, 1);
}

static void
put_entry (GByteArray *block, guint shared, const char *rest, const GByteArray *value)
{
  put_varint (block, shared);
  put_varint (block, strlen (rest));
  put_varint (block, value->len);
  g_byte_array_append (block, (const guint8 *) rest, (guint) strlen (rest));
  g_byte_array_append (block, value->data, value->len);
}

/* Appends @block with its one restart and its trailer to @table, and its place to @handle. */
static void
put_block (GByteArray *table, GByteArray *block, GByteArray *handle)
{
  static const guint8 restarts[] = { 0, 0, 0, 0, 1, 0, 0, 0 }, trailer[] = { 0, 1, 2, 3, 4 };

  g_byte_array_append (block, restarts, sizeof restarts);
  put_varint (handle, table->len);
  put_varint (handle, block->len);
  g_byte_array_append (table, block->data, block->len);
  g_byte_array_append (table, trailer, sizeof trailer);
}

static void
put_bundle (GByteArray *entry, guint dtype, gint64 size, guint offset, guint bytes)
{
  g_autoptr (GByteArray) dim = g_byte_array_new (), shape = g_byte_array_new ();

  ph_wire_put_number (entry, 1, dtype);
  if (size >= 0)
    {
      ph_wire_put_number (dim, 1, (guint64) size);
      ph_wire_put_bytes (shape, 2, dim->data, dim->len);
      ph_wire_put_bytes (entry, 2, shape->data, shape->len);
    }
  ph_wire_put_number (entry, 4, offset);
  ph_wire_put_number (entry, 5, bytes);
}

/* The variable "w" of two floats is saved as "layer/w", "b" as itself: keys that share their first letters do so in the file. */
static void
write_checkpoint (const char *folder, const float *elements, guint n)
{
  g_autoptr (GByteArray) header = g_byte_array_new (), objects = g_byte_array_new (), node = g_byte_array_new (),
                         attr = g_byte_array_new ();
  g_autoptr (GByteArray) data = g_byte_array_new (), graph = g_byte_array_new (), b = g_byte_array_new (),
                         w = g_byte_array_new ();
  g_autoptr (GByteArray) block = g_byte_array_new (), index = g_byte_array_new (), table = g_byte_array_new (),
                         handle = g_byte_array_new ();
  g_autoptr (GByteArray) footer = g_byte_array_new (), empty = g_byte_array_new (), meta = g_byte_array_new ();
  g_autofree char *variables = g_build_filename (folder, "variables", NULL);
  g_autofree char *index_name = g_build_filename (variables, "variables.index", NULL);
  g_autofree char *data_name = g_build_filename (variables, "variables.data-00000-of-00001", NULL);
  static const guint8 magic[] = { 0x57, 0xfb, 0x80, 0x8b, 0x24, 0x75, 0x47, 0xdb };

  g_assert_cmpint (g_mkdir (variables, 0700), ==, 0);
  g_byte_array_append (data, (const guint8 *) elements, n * (guint) sizeof *elements);
  ph_wire_put_bytes (attr, 1, "VARIABLE_VALUE", 14);
  ph_wire_put_bytes (attr, 2, "w", 1);
  ph_wire_put_bytes (attr, 3, "bayer/w", 7);
  ph_wire_put_bytes (node, 2, attr->data, attr->len);
  ph_wire_put_bytes (graph, 1, node->data, node->len);
  put_varint (objects, graph->len);
  g_byte_array_append (objects, (const guint8 *) "\1\2\3\4", 4);
  g_byte_array_append (objects, graph->data, graph->len);
  g_byte_array_append (data, objects->data, objects->len);
  g_assert_true (g_file_set_contents (data_name, (const char *) data->data, data->len, NULL));

  ph_wire_put_number (header, 1, 1);
  put_entry (block, 0, "", header);
  g_byte_array_set_size (objects, 0);
  put_bundle (objects, 7, -1, n * (guint) sizeof *elements, data->len - n * (guint) sizeof *elements);
  put_entry (block, 0, "_CHECKPOINTABLE_OBJECT_GRAPH", objects);
  put_bundle (b, 1, -1, 8, 4);
  put_entry (block, 0, "b", b);
  put_bundle (w, 1, 2, 0, 8);
  put_entry (block, 1, "ayer/w", w);
  put_block (table, block, handle);
  put_entry (index, 0, "c", handle);
  put_block (table, empty, meta);
  g_byte_array_append (footer, meta->data, meta->len);
  g_byte_array_set_size (handle, 0);
  put_block (table, index, handle);
  g_byte_array_append (footer, handle->data, handle->len);
  while (footer->len < 40)
    g_byte_array_append (footer, (guint8[]) { 0 }, 1);
  g_byte_array_append (footer, magic, sizeof magic);
  g_byte_array_append (table, footer->data, footer->len);
  g_assert_true (g_file_set_contents (index_name, (const char *) table->data, table->len, NULL));
}

/* ── a model ────────────────────────────────────────────────────────────────────────────────────────────────────── */

#define F "attr { key: 'dtype' value { type: DT_FLOAT } }"

/* y = w * x + b, where x is fed in the place of what would parse it; beside it what saves w. */
static const char model_text[]
    = "saved_model_schema_version: 1 meta_graphs { meta_info_def { tags: 'serve' } graph_def {\n"
      "node { name: 'raw' op: 'Placeholder' attr { key: 'dtype' value { type: DT_STRING } } }\n"
      "node { name: 'x' op: 'ParseNumbers' input: 'raw' attr { key: 'T' value { type: DT_FLOAT } } }\n"
      "node { name: 'w' op: 'VarHandleOp' " F " attr { key: 'shared_name' value { s: 'w' } } }\n"
      "node { name: 'b' op: 'VarHandleOp' " F " attr { key: 'shared_name' value { s: 'b' } } }\n"
      "node { name: 'read_w' op: 'ReadVariableOp' input: 'w' @WAIT@ " F " }\n"
      "node { name: 'read_b' op: 'ReadVariableOp' input: 'b' " F " }\n"
      "node { name: 'wx' op: 'Mul' input: 'read_w' input: 'x' attr { key: 'T' value { type: DT_FLOAT } } }\n"
      "node { name: 'y' op: 'AddV2' input: 'wx' input: 'read_b' attr { key: 'T' value { type: DT_FLOAT } } }\n"
      "node { name: 'save' op: 'SaveV2' input: 'raw' input: 'read_w' }\n"
      "@MORE@"
      "} signature_def { key: 'serving_default' value { inputs { key: 'in' value { name: 'x:0' dtype: DT_FLOAT tensor_shape { dim { size: -1 } } } }\n"
      "  outputs { key: 'out' value { name: 'y:0' dtype: DT_FLOAT } } } } }\n";

typedef struct
{
  char *folder, *path;
} Saved;

static void
saved_set_up (Saved *saved, gconstpointer more)
{
  g_autoptr (GString) text = g_string_new (model_text);
  g_autofree char *folder = g_dir_make_tmp ("peephole-XXXXXX", NULL);

  g_string_replace (text, "@MORE@", more, 0);
  g_string_replace (text, "@WAIT@", *(const char *) more != '\0' ? "input: '^more'" : "", 0);
  saved->path = g_build_filename (folder, "saved_model.pbtxt", NULL);
  g_assert_true (g_file_set_contents (saved->path, text->str, -1, NULL));
  saved->folder = g_steal_pointer (&folder);
}

static void
saved_tear_down (Saved *saved, gconstpointer more)
{
  static const char *const names[] = { "variables/variables.index", "variables/variables.data-00000-of-00001", "variables",
                                       "saved_model.pbtxt" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (saved->folder, names[i], NULL);

      g_remove (path);
    }
  g_rmdir (saved->folder);
  g_free (saved->folder);
  g_free (saved->path);
}

static PhModel *
open_saved (const Saved *saved, GPtrArray *problems)
{
  g_autoptr (GError) error = NULL;
  PhModel *model = ph_io_open (saved->path, problems, NULL, &error);

  g_assert_no_error (error);
  return model;
}

static void
convert (PhModel *model)
{
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (GError) error = NULL;

  ph_pass_run (ph_pass_find ("convert-to-onnx"), model, history, &PH_PASS_OPTIONS_DEFAULT, &error);
  g_assert_no_error (error);
}

static guint
count_nodes (PhModel *model, const char *domain)
{
  g_autoptr (GPtrArray) nodes = ph_model_nodes (model);
  guint n = 0;

  for (guint i = 0; i < nodes->len; i++)
    n += g_str_equal (((PhNode *) nodes->pdata[i])->domain, domain) ? 1 : 0;
  return n;
}

static const float elements[] = { 1.5f, -2.0f, 0.25f };

/* What is fed is an input, what is not fetched is gone, and variables are the constants of the checkpoint. */
static void
test_serving (Saved *saved, gconstpointer more)
{
  g_autoptr (PhModel) model = NULL;
  const PhValue *wx_left, *bias;
  const PhNode *sum;

  write_checkpoint (saved->folder, elements, G_N_ELEMENTS (elements));
  model = open_saved (saved, NULL);
  g_assert_nonnull (ph_model_find_value_named (model, "x")->producer);
  convert (model);
  g_assert_cmpuint (count_nodes (model, "tf"), ==, 0);
  g_assert_cmpuint (count_nodes (model, ""), ==, 2);
  sum = ((PhValue *) model->graph->outputs->pdata[0])->producer;
  bias = sum->inputs->pdata[1];
  wx_left = ((PhValue *) sum->inputs->pdata[0])->producer->inputs->pdata[0];
  g_assert_cmpfloat (ph_tensor_get (bias->tensor, 0), ==, 0.25);
  g_assert_cmpuint (ph_tensor_count (wx_left->tensor), ==, 2);
  g_assert_cmpfloat (ph_tensor_get (wx_left->tensor, 1), ==, -2.0);
  g_assert_true (ph_model_find_value_named (model, "x")->is_input);
  g_assert_cmpuint (ph_model_find_value_named (model, "x")->type->rank, ==, 1); /* as the signature says */
  g_assert_cmpuint (model->graph->inputs->len, ==, 1);                          /* nobody reads what would be parsed */
}

/* Without a checkpoint its variables are inputs. */
static void
test_without (Saved *saved, gconstpointer more)
{
  g_autoptr (PhModel) model = open_saved (saved, NULL);

  convert (model);
  g_assert_true (ph_model_find_value_named (model, "variable w")->is_input);
}

/* A variable that a function writes to, which the output waits for, is none. */
static void
test_written (Saved *saved, gconstpointer more)
{
  g_autoptr (PhModel) model = NULL;

  write_checkpoint (saved->folder, elements, G_N_ELEMENTS (elements));
  model = open_saved (saved, NULL);
  convert (model);
  g_assert_cmpstr (ph_model_find_value_named (model, "read_w")->producer->op_type, ==, "ReadVariableOp");
  g_assert_cmpuint (ph_model_find_value_named (model, "read_w")->producer->control->len, ==, 1);
}

/* A checkpoint that is cut short or damaged is said, at every length; one with too few elements is an error. */
static void
test_damaged (Saved *saved, gconstpointer more)
{
  g_autofree char *path = g_build_filename (saved->folder, "variables", "variables.index", NULL), *bytes = NULL;
  gsize size;

  write_checkpoint (saved->folder, elements, G_N_ELEMENTS (elements));
  g_assert_true (g_file_get_contents (path, &bytes, &size, NULL));
  for (gsize length = 0; length < size; length++)
    {
      g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
      g_autoptr (PhModel) model = NULL;

      g_assert_true (g_file_set_contents (path, bytes, (gssize) length, NULL));
      model = open_saved (saved, problems);
      g_assert_cmpuint (problems->len, ==, 1);
      g_assert_nonnull (strstr (problems->pdata[0], "not a checkpoint that can be read"));
    }
  for (gsize at = 0; at < size; at++)
    {
      const char was = bytes[at];
      g_autoptr (GError) error = NULL;
      g_autoptr (PhModel) model = NULL;

      bytes[at] = (char) (was ^ 0x15);
      g_assert_true (g_file_set_contents (path, bytes, (gssize) size, NULL));
      model = ph_io_open (saved->path, NULL, NULL, &error);
      g_assert_true ((model == NULL) == (error != NULL));
      bytes[at] = was;
    }
}

static void
test_short (Saved *saved, gconstpointer more)
{
  g_autofree char *path = g_build_filename (saved->folder, "variables", "variables.data-00000-of-00001", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = NULL;

  write_checkpoint (saved->folder, elements, G_N_ELEMENTS (elements));
  g_assert_true (g_file_set_contents (path, "1234", 4, NULL));
  model = ph_io_open (saved->path, NULL, NULL, &error);
  g_assert_error (error, PH_ERROR, PH_ERROR_INVALID);
  g_assert_nonnull (strstr (error->message, "cut short"));
}

/* A link that leads out of the folder is not followed. */
static void
test_link (Saved *saved, gconstpointer more)
{
  g_autofree char *path = g_build_filename (saved->folder, "variables", "variables.data-00000-of-00001", NULL);
  g_autofree char *away = g_strconcat (saved->folder, "-away", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = NULL;

  write_checkpoint (saved->folder, elements, G_N_ELEMENTS (elements));
  g_assert_cmpint (g_rename (path, away), ==, 0);
  g_assert_cmpint (symlink (away, path), ==, 0);
  model = ph_io_open (saved->path, NULL, NULL, &error);
  g_assert_error (error, PH_ERROR, PH_ERROR_FILE);
  g_assert_nonnull (strstr (error->message, "a link out of the model's folder"));
  g_remove (away);
}

#define ADD(name_, more_, test_) g_test_add ("/saved-model/" name_, Saved, more_, saved_set_up, test_, saved_tear_down)
/* A call of a function that adds to the variable. */
/* clang-format off */
#define CALL "node { name: 'more' op: 'StatefulPartitionedCall' input: 'w' input: 'raw' attr { key: 'f' value { func { name: 'bump' } } } }\n" \
             "library { function { signature { name: 'bump' input_arg { name: 'h' type: DT_RESOURCE } input_arg { name: 'd' type: DT_STRING } } " \
             "node_def { name: 'a' op: 'AssignAddVariableOp' input: 'h' input: 'd' } } }\n"
/* clang-format on */

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("serving", "", test_serving);
  ADD ("without", "", test_without);
  ADD ("written", CALL, test_written);
  ADD ("damaged", "", test_damaged);
  ADD ("short", "", test_short);
  ADD ("link", "", test_link);
  return g_test_run ();
}
