/* onnx-reader.c: opens a model: what kind of file it is, its messages, its graph, its types.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/import.h"

#include <string.h>

#include "core/ops/infer.h"
#include "passes/pass.h"

/* ── the graph ──────────────────────────────────────────────────────────────────────────────────────────────────── */

static gboolean
import_functions (PhImport *import, GError **error)
{
  PhSource *source = import->source;

  for (guint i = 0; source->functions != NULL && i < source->functions->len; i++)
    {
      GBytes *bytes = source->functions->pdata[i];
      Onnx__FunctionProto *proto = ph_proto_parse (import->arena, &onnx__function_proto__descriptor, bytes);
      PhFunction *function;

      if (proto == NULL)
        return ph_source_fail (source, error, PH_ERROR_FILE, NULL, "function %u is damaged and cannot be read", i);
      function = g_new0 (PhFunction, 1);
      function->name = ph_import_name (import, proto->name);
      function->domain = ph_import_name (import, proto->domain);
      function->proto = g_bytes_ref (bytes);
      g_ptr_array_add (import->model->functions, function);
      g_hash_table_insert (import->functions, g_strdup_printf ("%s\n%s", function->domain, function->name), proto);
    }
  return TRUE;
}

/* Functions that became bodies of fused nodes are written again from these. */
static void
drop_fused_functions (PhImport *import)
{
  GPtrArray *functions = import->model->functions;

  for (guint i = functions->len; i-- > 0;)
    {
      const PhFunction *function = functions->pdata[i];
      Onnx__FunctionProto *proto = ph_import_function (import, function->domain, function->name);

      if (proto != NULL && g_hash_table_contains (import->fused, proto))
        g_ptr_array_remove_index (functions, i);
    }
}

PhModel *
ph_onnx_import (PhSource *source, PhArena *arena, Onnx__ModelProto *proto, GError **error)
{
  g_autoptr(PhModel) model = ph_model_new ();
  g_autoptr(GHashTable) functions = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr(GHashTable) fused = g_hash_table_new (NULL, NULL);
  g_autoptr(GHashTable) unknown = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  PhImport import = { source, arena, model, functions, fused, unknown, 0 };

  if (proto->graph == NULL)
    {
      ph_source_fail (source, error, PH_ERROR_FILE, NULL, "there is no graph in it: this is not an ONNX model");
      return NULL;
    }
  model->ir_version = proto->has_ir_version ? proto->ir_version : 0;
  for (gsize i = 0; i < proto->n_opset_import; i++)
    {
      const char *domain = ph_import_name (&import, proto->opset_import[i]->domain);
      gint64 version = proto->opset_import[i]->version;

      if (version < 1 || version > G_MAXINT)
        {
          ph_source_fail (source, error, PH_ERROR_INVALID, proto->opset_import[i], "it imports version %" G_GINT64_FORMAT
                          " of the operators of '%s', which cannot be", version, domain);
          return NULL;
        }
      ph_model_set_opset (model, g_str_equal (domain, "ai.onnx") ? "" : domain, (int) version);
    }
  if (ph_model_opset (model, "") == 0 && proto->n_opset_import == 0)
    {
      ph_source_problem (source, "The file says no version of ONNX's operators; 1 is assumed");
      ph_model_set_opset (model, "", 1);
    }
  model->graph->name = ph_import_name (&import, proto->graph->name);
  if (!import_functions (&import, error)
      || !ph_import_graph (&import, NULL, FALSE, model->graph, proto->graph, error))
    return NULL;
  drop_fused_functions (&import);
  model->extra = source->extra != NULL ? g_bytes_ref (source->extra) : NULL;
  return g_steal_pointer (&model);
}

/* ── types ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

static void
copy_types (PhModel *to, PhModel *from)
{
  for (guint i = 0; i < to->values->len && i < from->values->len; i++)
    {
      PhValue *value = to->values->pdata[i];
      const PhValue *known = from->values->pdata[i];

      if (value != NULL && known != NULL && known->type != NULL && known->type != value->type)
        ph_value_set_type (value, known->type, NULL);
    }
}

void
ph_onnx_infer (PhModel *model, GPtrArray *problems)
{
  const PhPass *upgrade = NULL;
  int opset = ph_model_opset (model, "");

  if (opset > 0 && opset < PH_OPSET_NEWEST && ph_upgrade_changes_nodes (model))
    upgrade = ph_pass_find ("upgrade-opset");
  if (upgrade != NULL)
    {
      g_autoptr(PhModel) clone = ph_model_clone (model);
      g_autoptr(PhHistory) history = ph_history_new ();
      g_autoptr(GError) reason = NULL;
      PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;

      if (!ph_pass_run (upgrade, clone, history, &options, &reason))
        {
          if (problems != NULL)
            g_ptr_array_add (problems, g_strdup_printf ("Types are not known: %s", reason->message));
          return;
        }
      ph_infer_model (clone, FALSE, problems, NULL);
      copy_types (model, clone);
    }
  else
    ph_infer_model (model, FALSE, problems, NULL);
}

/* ── the messages ───────────────────────────────────────────────────────────────────────────────────────────────── */

static PhModel *
read_binary (PhSource *source, GError **error)
{
  g_auto(PhArena) arena = { 0 };
  g_autoptr(GByteArray) slim = NULL;
  ProtobufCAllocator allocator;
  Onnx__ModelProto *proto;

  if (source->file != NULL && g_bytes_get_size (source->file) == 0)
    {
      ph_source_fail (source, error, PH_ERROR_FILE, NULL, "the file is empty");
      return NULL;
    }
  slim = ph_wire_walk (source, error);
  if (slim == NULL)
    return NULL;
  ph_arena_init (&arena);
  allocator = ph_arena_allocator (&arena);
  proto = onnx__model_proto__unpack (&allocator, slim->len, slim->data);
  if (proto == NULL)
    {
      ph_source_fail (source, error, PH_ERROR_FILE, NULL, "not a readable ONNX model: one of its small messages is damaged. Get it again");
      return NULL;
    }
  return ph_onnx_import (source, &arena, proto, error);
}

static PhModel *
read_text (PhSource *source, const char *text, gsize length, GError **error)
{
  g_auto(PhArena) arena = { 0 };
  Onnx__ModelProto *proto;

  ph_arena_init (&arena);
  source->lenient = TRUE;
  proto = ph_text_parse (source, &arena, text, length, error);
  return proto != NULL ? ph_onnx_import (source, &arena, proto, error) : NULL;
}

static char *
folder_of (const char *path)
{
  return path != NULL && (strchr (path, '/') != NULL || g_file_test (path, G_FILE_TEST_EXISTS)) ? g_path_get_dirname (path) : NULL;
}

PhModel *
ph_onnx_read (GBytes *bytes, const char *path, GPtrArray *problems, GError **error)
{
  g_auto(PhSource) source = { 0 };
  PhModel *model;

  ph_source_init (&source, path, problems);
  source.folder = folder_of (path);
  source.file = bytes;
  model = read_binary (&source, error);
  if (model != NULL)
    ph_onnx_infer (model, problems);
  return model;
}

PhModel *
ph_onnx_text_read (const char *text, gssize length, const char *path, GError **error)
{
  g_auto(PhSource) source = { 0 };
  PhModel *model;

  ph_source_init (&source, path, NULL);
  source.folder = folder_of (path);
  model = read_text (&source, text, length >= 0 ? (gsize) length : strlen (text), error);
  if (model != NULL)
    ph_onnx_infer (model, NULL);
  return model;
}

/* ── files ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

/* What else people try to open, by how it begins. */
static const struct { const char *magic; gsize length; const char *what; } strangers[] = {
  { "\x89PNG", 4, "a PNG picture" },
  { "\xff\xd8\xff", 3, "a JPEG picture" },
  { "GIF8", 4, "a GIF picture" },
  { "%PDF", 4, "a PDF document" },
  { "PK\x03\x04", 4, "a zip archive (a PyTorch checkpoint is one). Unpack it, or export the model to ONNX" },
  { "\x1f\x8b", 2, "gzip-compressed. Unpack it first" },
  { "\x7f" "ELF", 4, "a program" },
  { "\x93NUMPY", 6, "a NumPy array: feed it to an input, do not open it as a model" },
  { "\x89HDF", 4, "an HDF5 file (Keras). Convert the model to ONNX" },
  { "version https://git-lfs", 23, "a Git LFS pointer, not the model itself. Run git lfs pull" },
  { "<!DOCTYPE", 9, "a web page. The download went wrong" },
  { "<html", 5, "a web page. The download went wrong" },
  { "{", 1, "JSON. Only ONNX, binary or text, can be opened" },
};

static const char *
find_stranger (const char *data, gsize size)
{
  for (gsize i = 0; i < G_N_ELEMENTS (strangers); i++)
    if (size >= strangers[i].length && memcmp (data, strangers[i].magic, strangers[i].length) == 0)
      return strangers[i].what;
  if (size > 8 && memcmp (data + 4, "TFL3", 4) == 0)
    return "a TensorFlow Lite model. Convert it to ONNX";
  return NULL;
}

/* ONNX's binary form has control characters in its first bytes; text has none. */
static gboolean
looks_like_text (const char *data, gsize size)
{
  for (gsize i = 0; i < MIN (size, 512); i++)
    if ((guchar) data[i] < 0x20 && strchr ("\t\n\r\f", data[i]) == NULL)
      return FALSE;
    else if (data[i] == '\0')
      return FALSE;
  return TRUE;
}

static void
keep_files (PhModel *model, PhSource *source)
{
  GHashTableIter iter;
  gpointer file;

  model->files = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_file_unref);
  g_ptr_array_add (model->files, ph_file_ref (source->disk));
  g_hash_table_iter_init (&iter, source->external);
  while (g_hash_table_iter_next (&iter, NULL, &file))
    g_ptr_array_add (model->files, ph_file_ref (file));
}

#define HEAD 512          /* bytes by which a file is known */

PhModel *
ph_io_open (const char *path, GPtrArray *problems, GCancellable *cancellable, GError **error)
{
  g_auto(PhSource) source = { 0 };
  g_autoptr(PhFile) file = NULL;
  g_autoptr(GBytes) head = NULL, text = NULL;
  g_autoptr(GError) reason = NULL;
  const char *data, *stranger;
  gsize size;
  PhModel *model;

  ph_source_init (&source, path, problems);
  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    {
      ph_source_fail (&source, error, PH_ERROR_FILE, NULL, "this is a folder; open the model file in it");
      return NULL;
    }
  if (g_file_test (path, G_FILE_TEST_EXISTS) && !g_file_test (path, G_FILE_TEST_IS_REGULAR))
    {
      ph_source_fail (&source, error, PH_ERROR_FILE, NULL, "this is not a regular file");
      return NULL;
    }
  file = ph_file_open (path, &reason);
  if (file == NULL)
    {
      if (g_error_matches (reason, G_FILE_ERROR, G_FILE_ERROR_NOENT))
        ph_source_fail (&source, error, PH_ERROR_FILE, NULL, "there is no such file");
      else
        ph_source_fail (&source, error, PH_ERROR_FILE, NULL, "it cannot be read: %s", reason->message);
      return NULL;
    }
  if (ph_file_get_size (file) == 0)
    {
      ph_source_fail (&source, error, PH_ERROR_FILE, NULL, "the file is empty");
      return NULL;
    }
  head = ph_file_read_bytes (file, 0, MIN (ph_file_get_size (file), HEAD), error);
  if (head == NULL)
    return NULL;
  data = g_bytes_get_data (head, &size);
  stranger = find_stranger (data, size);
  if (stranger != NULL)
    {
      ph_source_fail (&source, error, PH_ERROR_FILE, NULL, "not an ONNX model: this is %s", stranger);
      return NULL;
    }
  source.disk = file;
  source.folder = g_path_get_dirname (path);
  if (looks_like_text (data, size))
    {
      text = ph_file_read_bytes (file, 0, ph_file_get_size (file), error);
      model = text != NULL ? read_text (&source, g_bytes_get_data (text, NULL), g_bytes_get_size (text), error) : NULL;
    }
  else
    model = read_binary (&source, error);
  if (model != NULL && (g_cancellable_set_error_if_cancelled (cancellable, error) || !ph_file_check (file, error)))
    g_clear_pointer (&model, ph_model_free);
  if (model != NULL)
    keep_files (model, &source);
  if (model != NULL)
    ph_onnx_infer (model, problems);
  return model;
}
