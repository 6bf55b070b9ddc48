/* fx.c: the code that FX, Dynamo and AOT autograd print: a function forward () with types and the lines from which they come.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/format.h"
#include "core/io/torch/torch.h"

static guint
probe (const guint8 *head, gsize size, const char *name)
{
  g_autofree char *text = g_strndup ((const char *) head, size);

  if (memchr (head, 0, size) != NULL)
    return 0;
  if (strstr (text, "def forward(self") != NULL || strstr (text, "torch.ops.aten.") != NULL || strstr (text, "(torch.nn.Module):") != NULL)
    return 85;
  return strstr (text, "def forward(") != NULL ? 70 : 0;
}

/* The first forward () of the text, or the first function that has a body. */
static const PhPy *
find_forward (PhPy *const *body, guint n, gboolean any, guint depth)
{
  for (guint i = 0; i < n && depth < PH_PY_MAX_DEPTH; i++)
    {
      const PhPy *found = body[i]->kind == PH_PY_DEF && (any || g_str_equal (body[i]->text, "forward")) ? body[i]
                          : body[i]->kind == PH_PY_CLASS ? find_forward (body[i]->body, body[i]->n_body, any, depth + 1) : NULL;

      if (found != NULL)
        return found;
    }
  return NULL;
}

static gboolean
lower (PhTorch *torch, const PhPy *def, GError **error)
{
  g_autoptr(GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
  PhTorchScope scope = { .torch = torch, .graph = torch->sketch->main, .scope = "", .names = names };

  for (guint i = 0; i < def->n; i++)
    {
      const PhPy *parameter = def->items[i], *type = parameter->items[0];

      if (i == 0 && g_str_equal (parameter->text, "self"))
        g_hash_table_insert (names, (gpointer) parameter->text, ph_torch_module (torch, NULL, ""));
      else
        g_hash_table_insert (names, (gpointer) parameter->text,
                             ph_torch_value (torch, ph_sketch_add_input (torch->sketch->main, parameter->text,
                                                                        type == NULL ? NULL : type->kind == PH_PY_STRING ? ph_torch_fx_type (type->text)
                                                                        : type->kind == PH_PY_NAME ? ph_torch_script_type (type->text) : NULL)));
    }
  if (!ph_torch_block (&scope, def->body, def->n_body))
    return FALSE;
  if (scope.result != NULL)
    ph_torch_output (&scope, scope.result);
  return TRUE;
}

static PhModel *
read_model (PhSource *source, GError **error)
{
  g_autoptr(GBytes) bytes = ph_source_dup_bytes (source, error);
  g_autoptr(PhPyModule) module = NULL;
  g_autoptr(PhSketch) sketch = NULL;
  g_autoptr(PhModel) model = NULL;
  g_autoptr(GError) reason = NULL;
  const PhPy *def;
  PhTorch torch;
  gsize size;
  const char *text = bytes != NULL ? g_bytes_get_data (bytes, &size) : NULL;

  if (text == NULL || (module = ph_py_parse (source, text, size, 1, NULL, error)) == NULL)
    return NULL;
  if ((def = find_forward (module->body, module->n_body, FALSE, 0)) == NULL && (def = find_forward (module->body, module->n_body, TRUE, 0)) == NULL)
    {
      ph_source_fail (source, error, PH_ERROR_INVALID, NULL, "no function forward () is in it, so there is nothing to draw");
      return NULL;
    }
  sketch = ph_sketch_new (source);
  ph_torch_init (&torch, source, sketch, &reason);
  if (lower (&torch, def, &reason) && reason == NULL)
    model = ph_sketch_finish (sketch, PH_TORCH_ATEN, &reason);
  ph_torch_clear (&torch);
  if (model == NULL)
    g_propagate_error (error, g_steal_pointer (&reason));
  return g_steal_pointer (&model);
}

const PhFormat ph_format_fx = {
  .name = "fx", .title = "PyTorch FX code", .patterns = (const char *const[]) { "*.py", "*.txt", NULL },
  .probe = probe, .read = read_model, .dialect = &ph_dialect_aten,
};
