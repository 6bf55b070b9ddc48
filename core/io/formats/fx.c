/* fx.c: reads the code that FX, Dynamo and AOT autograd print: a function forward () with types and source locations.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/format.h"
#include "core/io/python/split.h"
#include "core/io/torch/torch.h"

static guint
probe (const guint8 *head, gsize size, const char *name)
{
  g_autofree char *text = g_strndup ((const char *) head, size);

  /* A test of MLIR may quote Python in its comments. */
  if (memchr (head, 0, size) != NULL || g_str_has_prefix (text, "//"))
    return 0;
  if (g_str_has_prefix (text, "graph():"))
    return 90;
  if (strstr (text, "def forward(self") != NULL || strstr (text, "torch.ops.aten.") != NULL
      || strstr (text, "(torch.nn.Module):") != NULL)
    return 85;
  return strstr (text, "def forward(") != NULL ? 70 : 0;
}

/* Returns the first forward () of the text, or the first function with a body. */
static const PhPy *
find_forward (PhPy *const *body, guint n, gboolean any, guint depth)
{
  for (guint i = 0; i < n && depth < PH_PY_MAX_DEPTH; i++)
    {
      const PhPy *found = body[i]->kind == PH_PY_DEF && (any || g_str_equal (body[i]->text, "forward")) ? body[i]
                          : body[i]->kind == PH_PY_CLASS ? find_forward (body[i]->body, body[i]->n_body, any, depth + 1)
                                                         : NULL;

      if (found != NULL)
        return found;
    }
  return NULL;
}

static gboolean
lower (PhTorch *torch, const PhPy *def, GError **error)
{
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
  PhTorchScope scope = { .torch = torch, .graph = torch->sketch->main, .scope = "", .names = names };

  for (guint i = 0; i < def->n; i++)
    {
      const PhPy *parameter = def->items[i], *type = parameter->items[0];

      if (i == 0 && g_str_equal (parameter->text, "self"))
        g_hash_table_insert (names, (gpointer) parameter->text, ph_torch_module (torch, NULL, ""));
      else
        g_hash_table_insert (
            names, (gpointer) parameter->text,
            ph_torch_value (torch, ph_sketch_add_input (torch->sketch->main, parameter->text,
                                                        type == NULL                 ? NULL
                                                        : type->kind == PH_PY_STRING ? ph_torch_fx_type (type->text)
                                                        : type->kind == PH_PY_NAME   ? ph_torch_script_type (type->text)
                                                                                     : NULL)));
    }
  if (!ph_torch_block (&scope, def->body, def->n_body))
    return FALSE;
  if (scope.result != NULL)
    ph_torch_output (&scope, scope.result);
  return TRUE;
}

/* "layers.0.weight" as code. */
static void
append_attribute (GString *out, const char *name, const char *target)
{
  g_auto (GStrv) parts = g_strsplit (target, ".", -1);
  g_autoptr (GString) path = g_string_new ("self");

  for (guint i = 0; parts[i] != NULL; i++)
    {
      if (!g_ascii_isdigit (*parts[i]))
        g_string_append_printf (path, ".%s", parts[i]);
      else
        {
          g_string_prepend (path, "getattr(");
          g_string_append_printf (path, ", \"%s\")", parts[i]);
        }
    }
  g_string_append_printf (out, "  %s = %s", name, path->str);
}

/* Rewrites FX's table of nodes as the equivalent code: "%y : [num_users=1] = call_function[target=torch.relu](args = (%x,), kwargs = {})"
 * becomes "y = torch.relu(x,)". */
static char *
code_of_table (const char *text, gsize size)
{
  g_autoptr (GRegex) line = g_regex_new (
      "^\\s*%(\\w+) :.* = (\\w+)\\[target=([^\\]]*)\\](?:\\(args = \\((.*)\\), kwargs = \\{(.*)\\}\\))?", G_REGEX_RAW, 0, NULL);
  g_autoptr (GRegex) value = g_regex_new ("%(\\w+)", G_REGEX_RAW, 0, NULL),
                     key = g_regex_new ("(^|, )(\\w+): ", G_REGEX_RAW, 0, NULL),
                     /* The table writes texts without quotes. */
      text_argument = g_regex_new ("(^|, )(?!(?:None|True|False|inf|nan)\\b)([\\w,.]*->[\\w.]*|[A-Za-z_][\\w-]*)(?=,|$)",
                                   G_REGEX_RAW, 0, NULL),
                     text_keyword = g_regex_new ("(?<=: )(?!(?:None|True|False|inf|nan)\\b)[A-Za-z_][\\w-]*(?=,|$)", G_REGEX_RAW,
                                                 0, NULL);
  g_autofree char *copy = g_strndup (text, size);
  g_auto (GStrv) lines = g_strsplit (copy, "\n", -1);
  GString *out = g_string_new ("def forward(self):\n");

  for (guint i = 1; lines[0] != NULL && lines[i] != NULL; i++)
    {
      g_autoptr (GMatchInfo) match = NULL;
      g_autofree char *bare = g_regex_replace (value, lines[i], -1, 0, "\\1", G_REGEX_MATCH_DEFAULT, NULL);

      if (!g_regex_match (line, lines[i], 0, &match))
        g_string_append_printf (out, "  %s", g_strstrip (bare));
      else
        {
          g_autofree char *name = g_match_info_fetch (match, 1), *kind = g_match_info_fetch (match, 2),
                          *target = g_match_info_fetch (match, 3), *args = g_match_info_fetch (match, 4),
                          *more = g_match_info_fetch (match, 5);
          g_autofree char *texts = g_regex_replace (text_argument, args != NULL ? args : "", -1, 0, "\\1\"\\2\"", 0, NULL);
          g_autofree char *texts_of_words = g_regex_replace (text_keyword, more != NULL ? more : "", -1, 0, "\"\\0\"", 0, NULL);
          g_autofree char *plain = g_regex_replace (value, texts, -1, 0, "\\1", G_REGEX_MATCH_DEFAULT, NULL);
          g_autofree char *words = g_regex_replace (value, texts_of_words, -1, 0, "\\1", G_REGEX_MATCH_DEFAULT, NULL);
          g_autofree char *named = g_regex_replace (key, words, -1, 0, "\\1\\2=", G_REGEX_MATCH_DEFAULT, NULL);
          const char *rest = strstr (plain, ", ");
          const char *comma = *plain != '\0' && !g_str_has_suffix (plain, ",") ? "," : "";

          if (g_str_equal (kind, "placeholder"))
            g_string_append_printf (out, "  %s, = tree_flatten_spec()", name);
          else if (g_str_equal (kind, "get_attr"))
            append_attribute (out, name, target);
          else if (g_str_equal (target, "operator.getitem") && rest != NULL) /* parts are written slice(a, b, c) */
            g_string_append_printf (out, "  %s = %.*s[%s]", name, (int) (rest - plain), plain, rest + 2);
          else if (g_str_equal (target, "builtins.getattr") && rest != NULL && rest[2] == '"')
            g_string_append_printf (out, "  %s = %.*s.%.*s", name, (int) (rest - plain), plain, (int) strcspn (rest + 3, "\""),
                                    rest + 3);
          else if (g_str_equal (kind, "call_function") || g_str_equal (kind, "call_method"))
            g_string_append_printf (out, "  %s = %s%s(%s%s %s)", name, kind[5] == 'm' ? "torch." : "", target, plain, comma,
                                    named);
          else
            g_string_append_printf (out, "  %s = %s(%s%s target=\"%s\")", name, kind, plain, comma, target);
        }
      g_string_append_c (out, '\n');
    }
  return g_string_free (out, FALSE);
}

PhModel *
ph_torch_read_fx (PhSource *source, const char *text, gsize size, guint line, GError **error)
{
  g_autoptr (PhPyModule) module = NULL;
  g_autoptr (PhSketch) sketch = NULL;
  g_autoptr (PhModel) model = NULL;
  g_autoptr (GError) reason = NULL;
  const PhPy *def;
  PhTorch torch;
  g_autofree char *code = NULL;

  if (size >= 8 && memcmp (text, "graph():", 8) == 0)
    {
      text = code = code_of_table (text, size);
      size = strlen (code);
    }
  if ((module = ph_py_parse (source, text, size, line, NULL, error)) == NULL)
    return NULL;
  if ((def = find_forward (module->body, module->n_body, FALSE, 0)) == NULL
      && (def = find_forward (module->body, module->n_body, TRUE, 0)) == NULL)
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

static PhModel *
read_model (PhSource *source, GError **error)
{
  g_autoptr (GBytes) bytes = ph_source_dup_bytes (source, error);
  gsize size;
  const char *text = bytes != NULL ? g_bytes_get_data (bytes, &size) : NULL;

  return text != NULL ? ph_torch_read_fx (source, text, size, 1, error) : NULL;
}

static gboolean
split (PhStatements *statements, const char *text, gsize size)
{
  return ph_py_split (statements, "forward", text, size);
}

static void
stand (const char *text, gsize size, GString *out)
{
  ph_py_stand (text, size, "torch.ops.aten.standing.default()", out);
}

const PhStatementSyntax ph_torch_fx_statements
    = { .split = split, .describe = ph_py_describe, .stand = stand, .read = ph_torch_read_fx };

/* clang-format off */
const PhFormat ph_format_fx = {
  .name = "fx", .title = "PyTorch FX code", .patterns = (const char *const[]) { "*.py", "*.txt", NULL },
  .text = TRUE, .probe = probe, .read = read_model, .statements = &ph_torch_fx_statements, .dialect = &ph_dialect_aten,
};
/* clang-format on */
