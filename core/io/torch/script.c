/* script.c: resolves the references in code of TorchScript's archives: attributes and methods of modules, functions, constants. Methods and
 * functions are inlined at their calls, under a scope with the module's name.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/torch/script.h"
#include "core/io/torch/torch.h"

#define MAX_CALLS 100

/* Returns the list in build_tensorlist (list) or restore_type_tag (list, "List[str]"), calls that only declare a type. (nullable) */
static const PhPickle *
typed_list (const PhPickle *call)
{
  static const char *const callees[] = { "torch.jit._pickle.restore_type_tag", "torch.jit._pickle.build_tensorlist",
                                         "torch.jit._pickle.build_intlist",    "torch.jit._pickle.build_doublelist",
                                         "torch.jit._pickle.build_boollist",   NULL };
  const PhPickle *callee = call->items->len == 2 ? call->items->pdata[0] : NULL,
                 *args = callee != NULL ? call->items->pdata[1] : NULL;

  return callee != NULL && callee->kind == PH_PICKLE_GLOBAL && g_strv_contains (callees, callee->text)
                 && args->kind == PH_PICKLE_TUPLE && args->items->len > 0
                 && (((const PhPickle *) args->items->pdata[0])->kind == PH_PICKLE_LIST
                     || ((const PhPickle *) args->items->pdata[0])->kind == PH_PICKLE_DICT)
             ? args->items->pdata[0]
             : NULL;
}

static PhTorchVal *
too_deep (PhTorch *torch, const char *path)
{
  ph_source_fail (torch->source, torch->error, PH_ERROR_INVALID, NULL, "%s: its lists are more than %d deep", path, MAX_CALLS);
  return NULL;
}

static PhTorchVal *from_pickle (PhTorchScope *scope, const PhPickle *pickle, const char *path);

/* A dictionary as code makes it: its values, and a literal that has its keys. */
static PhTorchVal *
dictionary (PhTorchScope *scope, const PhPickle *pickle, const char *path)
{
  PhTorch *torch = scope->torch;
  PhTorchVal *val = ph_torch_list (torch, TRUE);
  PhPy *py = ph_torch_new_literal (torch, PH_PY_DICT, "");

  py->items = ph_py_alloc (torch->own, (pickle->items->len + 1) * sizeof *py->items);
  if (++torch->depth > MAX_CALLS)
    return too_deep (torch, path);
  for (guint i = 0; i + 1 < pickle->items->len; i += 2)
    {
      PhTorchVal *key = from_pickle (scope, pickle->items->pdata[i], path),
                 *value = key != NULL ? from_pickle (scope, pickle->items->pdata[i + 1], path) : NULL;

      if (value == NULL)
        return NULL;
      g_ptr_array_add (val->items, value);
      for (guint k = 0; k < 2; k++)
        py->items[py->n++] = key->kind == PH_TORCH_LITERAL ? (PhPy *) key->py : NULL;
    }
  torch->depth--;
  val->py = py;
  return val;
}

static PhTorchVal *
from_pickle (PhTorchScope *scope, const PhPickle *pickle, const char *path)
{
  PhTorch *torch = scope->torch;
  const PhPickle *typed;
  PhTorchVal *val;
  PhPy *py;
  g_autoptr (PhTensor) tensor = NULL;
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  switch (pickle->kind)
    {
    case PH_PICKLE_NONE: return ph_torch_literal (torch, ph_torch_new_literal (torch, PH_PY_CONSTANT, "None"));
    case PH_PICKLE_BOOL:
      return ph_torch_literal (torch, ph_torch_new_literal (torch, PH_PY_CONSTANT, pickle->i != 0 ? "True" : "False"));
    case PH_PICKLE_INT:
      g_snprintf (number, sizeof number, "%" G_GINT64_FORMAT, pickle->i);
      py = ph_torch_new_literal (torch, PH_PY_INT, number);
      py->i = pickle->i;
      return ph_torch_literal (torch, py);
    case PH_PICKLE_FLOAT:
      py = ph_torch_new_literal (torch, PH_PY_FLOAT, g_ascii_dtostr (number, sizeof number, pickle->f));
      py->f = pickle->f;
      return ph_torch_literal (torch, py);
    case PH_PICKLE_STRING: return ph_torch_literal (torch, ph_torch_new_literal (torch, PH_PY_STRING, pickle->text));
    case PH_PICKLE_TUPLE:
    case PH_PICKLE_LIST:
      val = ph_torch_list (torch, pickle->kind == PH_PICKLE_TUPLE);
      if (++torch->depth > MAX_CALLS)
        return too_deep (torch, path);
      for (guint i = 0; i < pickle->items->len; i++)
        {
          PhTorchVal *item = from_pickle (scope, pickle->items->pdata[i], path);

          if (item == NULL)
            return NULL;
          g_ptr_array_add (val->items, item);
        }
      torch->depth--;
      return val;
    case PH_PICKLE_DICT: return dictionary (scope, pickle, path);
    case PH_PICKLE_CALL:
      if ((typed = typed_list (pickle)) != NULL)
        {
          if (++torch->depth > MAX_CALLS)
            return too_deep (torch, path);
          val = from_pickle (scope, typed, path);
          torch->depth--;
          return val;
        }
      if ((val = g_hash_table_lookup (torch->weights, pickle)) != NULL)
        return val;
      if ((tensor = ph_pickle_tensor (pickle, torch->zip, torch->prefix,
                                      g_str_has_prefix (path, "CONSTANTS") ? "constants" : "data", torch->error))
          != NULL)
        {
          val = ph_torch_value (torch, ph_sketch_add_constant (torch->sketch->main, path, g_steal_pointer (&tensor)));
          val->graph = torch->sketch->main;
          g_hash_table_insert (torch->weights, (gpointer) pickle, val);
          return val;
        }
      if (*torch->error != NULL)
        return NULL;
      break;
    default: break;
    }
  return ph_torch_module (torch, pickle, path);
}

PhTorchVal *
ph_torch_get_attr (PhTorchScope *scope, const PhPy *at, PhTorchVal *module, const char *name)
{
  PhTorch *torch = scope->torch;
  g_autofree char *path = NULL;
  const PhPickle *found;

  if (module->kind == PH_TORCH_UNKNOWN) /* CONSTANTS.c3 */
    {
      const guint64 i = name[0] == 'c' ? g_ascii_strtoull (name + 1, NULL, 10) : G_MAXUINT64;

      if (torch->constants == NULL || torch->constants->items == NULL || i >= torch->constants->items->len)
        {
          ph_source_fail (torch->source, torch->error, PH_ERROR_INVALID, NULL, "%s:%u: the archive has no constant '%s'",
                          scope->file, at->line, name);
          return NULL;
        }
      path = g_strdup_printf ("CONSTANTS.%s", name);
      return from_pickle (scope, torch->constants->items->pdata[i], path);
    }
  if (module->kind != PH_TORCH_MODULE)
    {
      PhSketchNode *node = ph_sketch_add_node (scope->graph, "GetAttr", PH_TORCH_PRIM, 0, 0);

      ph_sketch_node_input (node, ph_torch_as_value (scope, at, module));
      ph_sketch_node_text (node, "name", name);
      return ph_torch_value (torch, ph_sketch_node_output (node, name, NULL));
    }
  path = g_strdup_printf ("%s%s%s", module->path, *module->path != '\0' ? "." : "", name);
  {
    g_autofree char *key = g_strdup_printf ("%p.%s", (const void *) module->object, name);
    PhTorchVal *set = g_hash_table_lookup (torch->set, key);

    if (set != NULL)
      return set;
  }
  if (module->object == NULL) /* FX: the contents of a module are inputs */
    {
      const char *input = g_hash_table_lookup (torch->weights, ph_intern (path));

      return input != NULL ? ph_torch_value (torch, input) : ph_torch_module (torch, NULL, path);
    }
  if ((found = ph_pickle_get (module->object, name)) == NULL)
    {
      ph_source_fail (torch->source, torch->error, PH_ERROR_INVALID, NULL, "%s:%u: the module '%s' has no '%s'",
                      scope->file != NULL ? scope->file : "data.pkl", at->line, module->path, name);
      return NULL;
    }
  return from_pickle (scope, found, path);
}

/* Returns the code of "__torch__.a.b.C": the file and, in it, class or function C. (nullable) */
static const PhPy *
find_code (PhTorch *torch, const char *dotted, const char **file)
{
  g_autofree char *path = g_strdup (dotted), *member = NULL;
  char *last = strrchr (path, '.');
  const PhZipMember *found;
  PhPyModule *module;

  if (last == NULL || torch->zip == NULL) /* the code of one class alone, without its archive */
    return NULL;
  *last++ = '\0';
  g_strdelimit (path, ".", '/');
  member = g_strdup_printf ("%s/code/%s.py", torch->prefix, path);
  if ((module = g_hash_table_lookup (torch->files, member)) == NULL)
    {
      GBytes *bytes;
      gsize size;
      const char *text;

      if ((found = ph_zip_find (torch->zip, member)) == NULL || (bytes = ph_zip_read (torch->zip, found, torch->error)) == NULL)
        return NULL;
      g_ptr_array_add (torch->texts, bytes);
      text = g_bytes_get_data (bytes, &size);
      if ((module = ph_py_parse (torch->source, text, size, 1, ph_intern (found->name), torch->error)) == NULL)
        return NULL;
      g_ptr_array_add (torch->modules, module);
      g_hash_table_insert (torch->files, g_steal_pointer (&member), module);
    }
  *file = module->file;
  for (guint i = 0; i < module->n_body; i++)
    if ((module->body[i]->kind == PH_PY_CLASS || module->body[i]->kind == PH_PY_DEF) && g_str_equal (module->body[i]->text, last))
      return module->body[i];
  return NULL;
}

static PhTorchVal *
run_def (PhTorchScope *outer, const PhPy *def, const char *file, const char *scope_name, GPtrArray *args, guint first)
{
  PhTorch *torch = outer->torch;
  PhTorchScope scope = *outer;
  PhTorchVal *result = NULL;

  if (++torch->depth > MAX_CALLS)
    {
      ph_source_fail (torch->source, torch->error, PH_ERROR_UNSUPPORTED, NULL,
                      "%s:%u: more than %d functions call each other: '%s' may call itself", file, def->line, MAX_CALLS,
                      def->text);
      return NULL;
    }
  scope.names = g_hash_table_new (g_str_hash, g_str_equal);
  scope.scope = scope_name;
  scope.file = file;
  scope.place = NULL;
  scope.returned = FALSE;
  scope.result = NULL;
  for (guint i = first; i < def->n; i++)
    {
      PhTorchVal *val = i < args->len                     ? args->pdata[i]
                        : def->items[i]->items[1] != NULL ? ph_torch_expr (&scope, def->items[i]->items[1], NULL, NULL)
                                                          : NULL;

      if (val != NULL)
        g_hash_table_insert (scope.names, (gpointer) def->items[i]->text, val);
    }
  if (first == 1)
    g_hash_table_insert (scope.names, (gpointer) def->items[0]->text, args->pdata[0]);
  if (ph_torch_block (&scope, def->body, def->n_body))
    result = scope.result != NULL ? scope.result : ph_torch_literal (torch, ph_torch_new_literal (torch, PH_PY_CONSTANT, "None"));
  torch->depth--;
  g_hash_table_unref (scope.names);
  return result;
}

const PhPy *
ph_torch_find_method (PhTorch *torch, const PhPickle *module, const char *method)
{
  const PhPickle *class = module->class;
  const char *file = NULL;
  const PhPy *code = class != NULL && class->kind == PH_PICKLE_GLOBAL ? find_code (torch, class->text, &file) : NULL;

  for (guint i = 0; code != NULL && i < code->n_body; i++)
    if (code->body[i]->kind == PH_PY_DEF && g_str_equal (code->body[i]->text, method) && code->body[i]->n > 0)
      return code->body[i];
  return NULL;
}

PhTorchVal *
ph_torch_call_method (PhTorchScope *scope, const PhPy *at, PhTorchVal *module, const char *method, GPtrArray *args,
                      gboolean *known)
{
  const PhPickle *class = module->object->class;
  const char *file = NULL;
  const PhPy *code = class != NULL && class->kind == PH_PICKLE_GLOBAL ? find_code (scope->torch, class->text, &file) : NULL;
  g_autoptr (GPtrArray) all = g_ptr_array_new ();
  g_autofree char *path = NULL;

  if (*scope->torch->error != NULL)
    return NULL;
  for (guint i = 0; code != NULL && i < code->n_body; i++)
    if (code->body[i]->kind == PH_PY_DEF && g_str_equal (code->body[i]->text, method) && code->body[i]->n > 0)
      {
        *known = TRUE;
        g_ptr_array_add (all, module);
        for (guint a = 0; a < args->len; a++)
          g_ptr_array_add (all, args->pdata[a]);
        path = g_strdup_printf ("%s%s", module->path, *module->path != '\0' ? "/" : "");
        return run_def (scope, code->body[i], file, ph_intern (g_strdelimit (path, ".", '/')), all, 1);
      }
  *known = FALSE;
  return module;
}

/* Makes a named tuple. Its py has the names, as that of a dictionary has the keys. */
static PhTorchVal *
named_tuple (PhTorch *torch, const PhPy *class, GPtrArray *args)
{
  PhTorchVal *tuple = ph_torch_list (torch, TRUE);
  PhPy *names = ph_torch_new_literal (torch, PH_PY_DICT, class->text);

  names->items = ph_py_alloc (torch->own, (2 * (gsize) args->len + 1) * sizeof *names->items);
  for (guint i = 0; i < class->n_body && tuple->items->len < args->len; i++)
    if (class->body[i]->kind == PH_PY_ANNOTATED && class->body[i]->items[0]->kind == PH_PY_NAME)
      {
        PhPy *name = ph_torch_new_literal (torch, PH_PY_STRING, class->body[i]->items[0]->text);

        names->items[names->n++] = name;
        names->items[names->n++] = name;
        g_ptr_array_add (tuple->items, args->pdata[tuple->items->len]);
      }
  tuple->py = names;
  return tuple;
}

PhTorchVal *
ph_torch_call_function (PhTorchScope *scope, const PhPy *at, const char *dotted, GPtrArray *args, gboolean *known)
{
  const char *file = NULL;
  const PhPy *code = find_code (scope->torch, dotted, &file);

  if (*scope->torch->error != NULL)
    return NULL;
  *known = code != NULL && code->kind == PH_PY_DEF;
  if (*known)
    return run_def (scope, code, file, scope->scope, args, 0);
  *known = code != NULL && code->n == 1 && ph_py_is_name (code->items[0], "NamedTuple");
  return *known ? named_tuple (scope->torch, code, args) : ph_torch_module (scope->torch, NULL, dotted);
}
