/* script.c: variables, functions and the graph that lines record; texts and their runs.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "core/script/script-emit.h"
#include "core/script/script-execute.h"

static guint64
next_recorder (void)
{
  static gint counter;

  return (guint64) (guint) g_atomic_int_add (&counter, 1) + 1;
}

guint64
ph_script_next_recorder (void)
{
  return next_recorder ();
}

/* An entry may be NULL: a value without a tensor yet. */
static void
unref_if_any (gpointer tensor)
{
  if (tensor != NULL)
    ph_tensor_unref (tensor);
}

static void
fill (PhScript *script)
{
  script->globals = ph_script_scope_new (NULL);
  script->outside = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, unref_if_any);
  script->model = ph_model_new ();
  script->model->ir_version = 10;
  ph_model_set_opset (script->model, "", PH_OPSET_NEWEST);
  script->recorder = next_recorder ();
  script->feeds = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref);
  script->scopes = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_script_scope_unref);
  script->draws = 0;
}

static void
empty (PhScript *script)
{
  for (guint i = 0; i < script->scopes->len; i++)
    g_hash_table_remove_all (((PhScriptScope *) script->scopes->pdata[i])->variables);
  g_ptr_array_unref (script->scopes);
  ph_script_scope_unref (script->globals);
  g_hash_table_unref (script->outside);
  g_hash_table_unref (script->feeds);
  ph_model_free (script->model);
}

PhScript *
ph_script_new (void)
{
  PhScript *script = g_new0 (PhScript, 1);

  fill (script);
  return script;
}

void
ph_script_free (PhScript *script)
{
  if (script == NULL)
    return;
  empty (script);
  /* Its functions hold on to it. */
  if (script->library != NULL)
    g_hash_table_remove_all (script->library->variables);
  ph_script_scope_unref (script->library);
  g_free (script);
}

void
ph_script_set_limit (PhScript *script, guint steps)
{
  script->limit = steps;
}

void
ph_script_clear (PhScript *script)
{
  empty (script);
  fill (script);
}

/* ── texts ── */

/* "line:1:4: message" and the line with a caret below. */
static void
add_caret (PhScriptText *text, GError *reason, GError **error)
{
  const char *name = text->source.path, *rest;
  guint line, column;
  PhScriptFrame frame = { .text = text };
  PhScriptMachine machine = { .frame = &frame };
  PhPy at = { 0 };
  int read = 0;

  if (g_str_has_prefix (reason->message, name)
      && sscanf (reason->message + strlen (name), ":%u:%u: %n", &line, &column, &read) == 2 && read > 0)
    {
      rest = reason->message + strlen (name) + read;
      at.line = line;
      at.column = column;
      ph_script_fail (&machine, &at, error, PH_ERROR_PARSE, "%s", rest);
      g_error_free (reason);
    }
  else
    g_propagate_error (error, reason);
}

PhScriptText *
ph_script_parse (const char *source, const char *file, GError **error)
{
  PhScriptText *text = g_new0 (PhScriptText, 1);
  GError *reason = NULL;

  g_atomic_ref_count_init (&text->refs);
  text->text = g_strdup (source);
  text->file = g_strdup (file);
  ph_source_init (&text->source, text->file != NULL ? text->file : "line", NULL);
  text->module = ph_py_parse (&text->source, text->text, strlen (text->text), 1, NULL, &reason);
  if (text->module != NULL)
    return text;
  add_caret (text, reason, error);
  ph_script_text_free (text);
  return NULL;
}

static void
collect_names (const PhPy *py, GHashTable *names)
{
  char *dotted;

  if (py == NULL)
    return;
  if (py->kind == PH_PY_NAME)
    g_hash_table_add (names, g_strdup (py->text));
  else if (py->kind == PH_PY_ATTRIBUTE && (dotted = ph_py_dotted (py)) != NULL)
    g_hash_table_add (names, dotted);
  for (guint i = 0; i < py->n; i++)
    collect_names (py->items[i], names);
  for (guint i = 0; i < py->n_body; i++)
    collect_names (py->body[i], names);
  for (guint i = 0; i < py->n_orelse; i++)
    collect_names (py->orelse[i], names);
}

void
ph_script_find_outside (PhScript *script, PhScriptText *text, PhScriptOutside outside, gpointer data)
{
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  GHashTableIter iter;
  gpointer key, value;

  for (guint i = 0; i < text->module->n_body; i++)
    collect_names (text->module->body[i], names);
  g_hash_table_iter_init (&iter, script->globals->variables);
  while (g_hash_table_iter_next (&iter, &key, &value))
    if (((PhScriptValue *) value)->kind == PH_SCRIPT_FUNCTION)
      collect_names (((PhScriptValue *) value)->function->def, names);
  g_hash_table_remove_all (script->outside);
  g_hash_table_iter_init (&iter, names);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    if (!g_hash_table_contains (script->globals->variables, key))
      {
        gboolean known = FALSE;
        PhTensor *tensor = outside (key, &known, data);

        if (tensor != NULL || known)
          g_hash_table_insert (script->outside, g_strdup (key), tensor);
      }
}

PhTensor *
ph_script_outside (PhScript *script, const char *name)
{
  return g_hash_table_lookup (script->outside, name);
}

/* ── runs ── */

gboolean
ph_script_run (PhScript *script, PhScriptText *text, gboolean typed, GCancellable *cancellable, PhScriptResult *result,
               GError **error)
{
  PhScriptFrame frame = { .text = text, .scope = script->globals, .typed = typed };
  /* clang-format off */
  PhScriptMachine machine = {
    .script = script, .frame = &frame, .cancellable = cancellable, .graph = script->model->graph, .recorder = script->recorder,
    .max_nodes = PH_SCRIPT_MAX_NODES / 4, .keep = TRUE, .result = result
  };
  /* clang-format on */
  const PhId before = script->model->next_id;
  gboolean ok;

  *result = (PhScriptResult) { .out = g_string_new (NULL) };
  machine.out = result->out;
  machine.n_nodes = script->model->graph->n_nodes;
  machine.keep = machine.n_nodes < machine.max_nodes;
  machine.constants = g_hash_table_new_full (NULL, NULL, (GDestroyNotify) ph_script_value_unref, NULL);
  ok = ph_script_execute (&machine, text->module->body, text->module->n_body, error) != PH_FLOW_ERROR;
  if (ok && result->value != NULL && result->value->kind == PH_SCRIPT_TENSOR && result->value->weak && !result->value->list)
    {
      PhScriptValue *strong = ph_script_strong (&machine, result->value, error);

      ph_script_value_unref (result->value);
      result->value = strong;
      ok = strong != NULL;
    }
  result->recorded = result->recorded || script->model->next_id != before || result->target != NULL;
  ph_script_machine_clear (&machine);
  return ok;
}

/* ── variables ── */

static PhScriptValue *
variable (PhScript *script, const char *name)
{
  return g_hash_table_lookup (script->globals->variables, name);
}

gboolean
ph_script_has (PhScript *script, const char *name)
{
  const PhScriptValue *value = variable (script, name);

  return value != NULL && value->kind != PH_SCRIPT_FUNCTION;
}

gboolean
ph_script_has_function (PhScript *script, const char *name)
{
  const PhScriptValue *value = variable (script, name);

  return value != NULL && value->kind == PH_SCRIPT_FUNCTION;
}

char **
ph_script_names (PhScript *script)
{
  g_autofree gpointer *names = g_hash_table_get_keys_as_array (script->globals->variables, NULL);

  return g_strdupv ((char **) names);
}

PhModel *
ph_script_get_model (PhScript *script)
{
  return script->model;
}

PhValue *
ph_script_get_recorded (PhScript *script, const char *name)
{
  const PhScriptValue *value = variable (script, name);

  return value != NULL && value->recorder == script->recorder ? value->value : NULL;
}

PhTensor *
ph_script_get_tensor (PhScript *script, const char *name)
{
  const PhScriptValue *value = variable (script, name);

  return value != NULL ? value->tensor : NULL;
}

PhTensor *
ph_script_get_feed (PhScript *script, const PhValue *input)
{
  return g_hash_table_lookup (script->feeds, GUINT_TO_POINTER (input->id));
}
