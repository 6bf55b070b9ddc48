/* tvmscript.c: TVM's modules in their printed form: Relax functions and TIR kernels in Python's syntax. The function main, or the first
 * one, is the main graph; the others are functions of the model.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/format.h"
#include "core/io/python/split.h"
#include "core/io/tvm/script.h"

static guint
probe (const guint8 *head, gsize size, const char *name)
{
  static const char *const words[] = { "@I.ir_module", "@R.function", "@T.prim_func", "ir_module", "tvm.script",
                                       "@R.",          "@T.",         "R.Tensor(",    "T.Buffer(" };
  g_autofree char *text = g_strndup ((const char *) head, size);

  if (memchr (head, 0, size) != NULL)
    return 0;
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (strstr (text, words[i]) != NULL)
      return i < 3 ? 95 : 85;
  return 0;
}

void
ph_tvm_scope_init (PhTvmScope *scope, PhTvm *tvm, PhTvmScope *outer, PhSketchGraph *graph)
{
  GHashTableIter iter;
  gpointer name, value;

  *scope = (PhTvmScope) {
    .tvm = tvm, .graph = graph, .names = g_hash_table_new (g_str_hash, g_str_equal), .effects = g_ptr_array_new ()
  };
  if (outer == NULL)
    return;
  g_hash_table_iter_init (&iter, outer->names);
  while (g_hash_table_iter_next (&iter, &name, &value))
    g_hash_table_insert (scope->names, name, value);
}

const char *
ph_tvm_find (PhTvmScope *scope, const char *name)
{
  return g_hash_table_lookup (scope->names, name);
}

void
ph_tvm_bind (PhTvmScope *scope, const char *name, const char *value)
{
  if (value != NULL)
    g_hash_table_insert (scope->names, (gpointer) name, (gpointer) value);
}

void
ph_tvm_effect (PhTvmScope *scope, PhSketchNode *node)
{
  for (guint i = 0; i < scope->effects->len; i++)
    if (!g_ptr_array_find (node->outputs, scope->effects->pdata[i], NULL))
      g_ptr_array_add (node->after, scope->effects->pdata[i]);
  g_ptr_array_set_size (scope->effects, 0);
  g_ptr_array_add (scope->effects, node->outputs->pdata[0]);
}

static gboolean
has_decorator (const PhPy *def, const char *suffix)
{
  for (guint i = 0; i < def->n_decorators; i++)
    {
      const PhPy *decorator = def->decorators[i]->kind == PH_PY_CALL ? def->decorators[i]->items[0] : def->decorators[i];
      g_autofree char *name = ph_py_dotted (decorator);

      if (name != NULL && g_str_has_suffix (name, suffix))
        return TRUE;
    }
  return FALSE;
}

gboolean
ph_tvm_is_prim_func (const PhPy *def)
{
  return has_decorator (def, "prim_func");
}

/* Collects the functions of a module or file, including those of its classes. */
static void
collect (PhPy *const *body, guint n, GPtrArray *into)
{
  for (guint i = 0; i < n; i++)
    if (body[i]->kind == PH_PY_DEF && !has_decorator (body[i], "py_func"))
      {
        if (body[i]->n_decorators > 0)
          g_ptr_array_add (into, body[i]);
        else
          collect (body[i]->body, body[i]->n_body, into); /* a test around a module */
      }
    else if (body[i]->kind == PH_PY_CLASS)
      collect (body[i]->body, body[i]->n_body, into);
}

static PhModel *
read_text (PhSource *source, const char *text, gsize size, guint line, GError **error)
{
  g_autoptr (PhPyModule) module = NULL;
  g_autoptr (PhSketch) sketch = NULL;
  g_autoptr (GPtrArray) all = g_ptr_array_new ();
  g_autoptr (GHashTable) defs = g_hash_table_new (g_str_hash, g_str_equal);
  const PhPy *main = NULL;
  PhTvm tvm = { .defs = defs };

  if ((module = ph_py_parse (source, text, size, line, NULL, error)) == NULL)
    return NULL;
  collect (module->body, module->n_body, all);
  if (all->len == 0)
    {
      ph_source_fail (source, error, PH_ERROR_INVALID, NULL,
                      "it has no function under @R.function or @T.prim_func, so there is nothing to draw");
      return NULL;
    }
  for (guint i = 0; i < all->len; i++)
    {
      const PhPy *def = all->pdata[i];

      if (main == NULL || (g_str_equal (def->text, "main") && !g_str_equal (main->text, "main"))
          || (ph_tvm_is_prim_func (main) && !ph_tvm_is_prim_func (def) && !g_str_equal (main->text, "main")))
        main = def;
    }
  tvm.sketch = sketch = ph_sketch_new (source);
  tvm.module = module;
  for (guint i = 0; i < all->len; i++)
    {
      PhPy *def = all->pdata[i];

      if (def != main && !g_hash_table_contains (defs, def->text))
        g_hash_table_insert (defs, (gpointer) def->text, def);
    }
  sketch->main->name = ph_importer_name (&sketch->importer, main->text);
  for (guint i = 0; i < all->len; i++)
    {
      PhPy *def = all->pdata[i];
      const gboolean kernel = ph_tvm_is_prim_func (def);
      PhSketchGraph *graph = def == main ? sketch->main
                                         : ph_sketch_add_function (sketch, kernel ? PH_TVM_KERNEL : PH_TVM_FUNCTION, def->text);

      if (kernel)
        ph_tvm_add_tir (&tvm, graph, def);
      else
        ph_tvm_add_relax (&tvm, graph, def, NULL);
    }
  return ph_sketch_finish (sketch, PH_TVM_RELAX, error);
}

static PhModel *
read_model (PhSource *source, GError **error)
{
  g_autoptr (GBytes) bytes = ph_source_dup_bytes (source, error);
  gsize size;
  const char *text = bytes != NULL ? g_bytes_get_data (bytes, &size) : NULL;

  return text != NULL ? read_text (source, text, size, 1, error) : NULL;
}

static gboolean
split (PhStatements *statements, const char *text, gsize size)
{
  return ph_py_split (statements, "main", text, size);
}

static void
stand (const char *text, gsize size, GString *out)
{
  ph_py_stand (text, size, "R.standing()", out);
}

static gboolean
has_effect (const PhNode *node)
{
  return ph_tvm_relax_has_effect (node->op_type);
}

static const PhStatementSyntax statements
    = { .split = split, .describe = ph_py_describe, .stand = stand, .is_ordered = has_effect, .read = read_text };

/* clang-format off */
const PhFormat ph_format_tvmscript = {
  .name = "tvmscript", .title = "TVM module", .patterns = (const char *const[]) { "*.py", NULL },
  .text = TRUE, .probe = probe, .read = read_model, .statements = &statements, .dialect = &ph_dialect_relax,
};
/* clang-format on */
