/* torchscript.c: reads PyTorch's archives: the program that torch.jit.save() or torch.export.save() wrote, with its weights. Methods are
 * inlined at their calls.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/format.h"
#include "core/io/torch/script.h"
#include "core/io/torch/torch.h"

static guint
probe (const guint8 *head, gsize size, const char *name)
{
  static const char *const members[] = { "/data.pkl",       "/code/__torch__",  "/constants.pkl",
                                         "/archive_format", "archive_format",   "serialized_exported_program.json",
                                         "/byteorder",      "/.format_version", "ZZZZZZZZ" };

  if (size < 4 || memcmp (head, "PK\3\4", 4) != 0)
    return 0;
  for (guint i = 0; i < G_N_ELEMENTS (members); i++)
    if (g_strstr_len ((const char *) head, (gssize) size, members[i]) != NULL
        || memmem (head, size, members[i], strlen (members[i])) != NULL)
      return 95;
  return name != NULL
                 && (g_str_has_suffix (name, ".pt") || g_str_has_suffix (name, ".pth") || g_str_has_suffix (name, ".pt2")
                     || g_str_has_suffix (name, ".ptl"))
             ? 95
             : 0;
}

/* Returns the folder of the archive that contains data.pkl. (nullable) */
static char *
find_prefix (PhZip *zip)
{
  for (guint i = 0; i < zip->list->len; i++)
    {
      const PhZipMember *member = zip->list->pdata[i];

      if (g_str_has_suffix (member->name, "/data.pkl") && strchr (member->name, '/') == strrchr (member->name, '/'))
        return g_strndup (member->name, strlen (member->name) - strlen ("/data.pkl"));
    }
  return NULL;
}

/* Returns TRUE if the archive contains a program of torch.export. */
static gboolean
is_exported (PhZip *zip)
{
  for (guint i = 0; i < zip->list->len; i++)
    {
      const char *name = ((PhZipMember *) zip->list->pdata[i])->name;

      if (g_str_has_suffix (name, "serialized_exported_program.json") || g_str_has_suffix (name, "archive_format"))
        return TRUE;
    }
  return FALSE;
}

static gboolean
refuse (PhSource *source, PhZip *zip, const char *prefix, GError **error)
{
  gboolean code = FALSE;
  guint tensors = 0;

  for (guint i = 0; i < zip->list->len; i++)
    {
      const char *name = ((PhZipMember *) zip->list->pdata[i])->name;

      code = code || (strstr (name, "/code/") != NULL && g_str_has_suffix (name, ".py"));
      tensors += strstr (name, "/data/") != NULL;
    }
  if (prefix == NULL)
    return ph_source_fail (source, error, PH_ERROR_FILE, NULL, "it is a zip archive, but no model of PyTorch's. Unpack it");
  if (!code)
    return ph_source_fail (
        source, error, PH_ERROR_FILE, NULL,
        "it holds %u tensors and no program: a checkpoint or state_dict is not a graph. Save the model itself: torch.jit.trace (model, example).save (\"model.pt\")",
        tensors);
  return TRUE;
}

/* Reads data.pkl or constants.pkl. Returns NULL with @error if it is broken. */
static PhPickles *
read_pickle (PhZip *zip, const char *prefix, const char *name, GError **error)
{
  g_autofree char *member = g_strdup_printf ("%s/%s", prefix, name);
  const PhZipMember *found = ph_zip_find (zip, member);
  g_autoptr (GBytes) bytes = NULL;

  if (found == NULL)
    {
      ph_source_fail (zip->source, error, PH_ERROR_FILE, NULL, "the archive has no member '%s'", member);
      return NULL;
    }
  return (bytes = ph_zip_read (zip, found, error)) != NULL ? ph_pickle_read (zip->source, member, bytes, error) : NULL;
}

/* Adds an input of the graph, for a parameter of type Tuple[...] one for each element. */
static PhTorchVal *
add_input (PhTorch *torch, const char *name, const PhPy *type, guint depth)
{
  const PhPy *inner = type != NULL && type->kind == PH_PY_SUBSCRIPT && type->n == 2 ? type->items[1] : NULL;

  if (inner != NULL && ph_py_is_name (type->items[0], "Optional") && depth < 10)
    return add_input (torch, name, inner, depth + 1);
  if (inner != NULL && ph_py_is_name (type->items[0], "Tuple") && depth < 10)
    {
      PhTorchVal *tuple = ph_torch_list (torch, TRUE);

      for (guint i = 0; i < (inner->kind == PH_PY_TUPLE ? inner->n : 1); i++)
        {
          g_autofree char *each = g_strdup_printf ("%s_%u", name, i);

          g_ptr_array_add (tuple->items,
                           add_input (torch, each, inner->kind == PH_PY_TUPLE ? inner->items[i] : inner, depth + 1));
        }
      return tuple;
    }
  return ph_torch_value (
      torch, ph_sketch_add_input (torch->sketch->main, name,
                                  type != NULL && type->kind == PH_PY_NAME ? ph_torch_script_type (type->text) : NULL));
}

/* Returns how many inputs are asked for: 3 of "model.pt/3". Those with a default are left out otherwise, as a caller does. */
static guint
wanted_inputs (PhSource *source)
{
  guint64 n = 0;

  return source->part != NULL && g_ascii_string_to_unsigned (source->part, 10, 0, 1000, &n, NULL) ? (guint) n : 0;
}

/* Calls forward () with its parameters as inputs of the graph. */
static PhTorchVal *
run_forward (PhTorch *torch, const PhPickle *module, GError **error)
{
  PhTorchScope scope = { .torch = torch, .graph = torch->sketch->main, .scope = "" };
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) args = g_ptr_array_new ();
  PhPy at = { .line = 1, .column = 1 };
  PhTorchVal *self = ph_torch_module (torch, module, ""), *result;
  const PhPy *forward = ph_torch_find_method (torch, module, "forward");
  gboolean known = FALSE;

  scope.names = names;
  if (*error != NULL)
    return NULL;
  if (forward == NULL)
    {
      ph_source_fail (torch->source, error, PH_ERROR_INVALID, NULL,
                      "its module has no method forward (), so there is nothing to draw");
      return NULL;
    }
  for (guint i = 1; i < forward->n; i++)
    {
      const PhPy *parameter = forward->items[i], *type = parameter->items[0];

      if (parameter->items[1] != NULL && torch->sketch->main->inputs->len >= wanted_inputs (torch->source))
        {
          PhTorchVal *given = ph_torch_expr (&scope, parameter->items[1], NULL, NULL);

          if (given == NULL)
            return NULL;
          g_ptr_array_add (args, given);
          continue;
        }
      g_ptr_array_add (args, add_input (torch, parameter->text, type, 0));
    }
  result = ph_torch_call_method (&scope, &at, self, "forward", args, &known);
  if (result != NULL)
    ph_torch_output (&scope, result);
  return result;
}

static PhModel *
read_model (PhSource *source, GError **error)
{
  g_autoptr (PhZip) zip = ph_zip_open (source, error);
  g_autofree char *prefix = zip != NULL ? find_prefix (zip) : NULL, *constants_name = NULL;
  g_autoptr (PhPickles) data = NULL, constants = NULL;
  g_autoptr (PhSketch) sketch = NULL;
  g_autoptr (PhModel) model = NULL;
  g_autoptr (GError) reason = NULL;
  PhTorch torch;
  PhTorchVal *result;

  if (zip != NULL && is_exported (zip))
    return ph_torch_read_export (source, zip, error);
  if (zip == NULL || !refuse (source, zip, prefix, error) || (data = read_pickle (zip, prefix, "data.pkl", error)) == NULL)
    return NULL;
  constants_name = g_strdup_printf ("%s/constants.pkl", prefix);
  if (ph_zip_find (zip, constants_name) != NULL && (constants = read_pickle (zip, prefix, "constants.pkl", error)) == NULL)
    return NULL;
  if (data->root->kind != PH_PICKLE_OBJECT)
    {
      ph_source_fail (source, error, PH_ERROR_INVALID, NULL, "%s/data.pkl: no module is in it", prefix);
      return NULL;
    }
  if (source->part != NULL && wanted_inputs (source) == 0)
    {
      ph_source_fail (source, error, PH_ERROR_FILE, NULL,
                      "'%s' is not a number of inputs: FILE/3 opens it with three, also those that have a default", source->part);
      return NULL;
    }
  sketch = ph_sketch_new (source);
  ph_torch_init (&torch, source, sketch, &reason);
  torch.zip = zip;
  torch.prefix = prefix;
  torch.constants = constants != NULL ? constants->root : NULL;
  result = run_forward (&torch, data->root, &reason);
  if (result != NULL && reason == NULL)
    model = ph_sketch_finish (sketch, PH_TORCH_ATEN, &reason);
  ph_torch_clear (&torch);
  if (model == NULL)
    g_propagate_error (error, g_steal_pointer (&reason));
  return g_steal_pointer (&model);
}

/* clang-format off */
const PhFormat ph_format_torchscript = {
  .name = "torchscript", .title = "PyTorch archive (TorchScript, torch.export)", .patterns = (const char *const[]) { "*.pt", "*.ptl", "*.pt2", NULL },
  .mime = "application/x-torchscript", .probe = probe, .read = read_model, .parts = TRUE, .dialect = &ph_dialect_aten,
};
/* clang-format on */
