/* program.c: the equations of a jaxpr, and the model.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/jaxpr/jaxpr.h"
#include "core/io/own-place.h"

/* The arrays that one program is read into. */
typedef struct
{
  GArray *inputs, *constants, *nodes, *outputs;
  GHashTable *names;
} Program;

static const char *
fresh (PhJaxpr *parser, const char *base)
{
  g_autofree char *name = g_strdup_printf ("%s#%u", base, ++parser->n_literals);

  return ph_intern (name);
}

/* "a:f32[8]"; "_" gets a name that nothing uses. */
static gboolean
read_binder (PhJaxpr *parser, Program *program, PhImportValue *value)
{
  const char *word = ph_jaxpr_word (parser), *at = parser->p;

  *value = (PhImportValue) { 0 };
  if (word == NULL)
    return ph_jaxpr_fail (parser, parser->p, "the name of a variable is expected here");
  value->name = g_str_equal (word, "_") ? fresh (parser, "_") : word;
  if (*parser->p == ':')
    {
      parser->p++;
      if (!ph_jaxpr_type (parser, &value->type))
        return FALSE;
    }
  return g_hash_table_add (program->names, (gpointer) value->name)
         || ph_jaxpr_fail (parser, at, "variable '%s' is defined twice", word);
}

/* Adds a node without inputs for a literal that Peephole cannot evaluate. */
static void
add_unknown (PhJaxpr *parser, Program *program, const char *name, const PhType *type, const char *text)
{
  const char **outputs = ph_jaxpr_alloc (parser, sizeof *outputs);
  const PhType **types = ph_jaxpr_alloc (parser, sizeof *types);
  PhAttr **attrs = ph_jaxpr_alloc (parser, sizeof *attrs);
  /* clang-format off */
  PhImportNode node = {
    .op_type = ph_intern ("literal"), .domain = ph_intern ("jax"), .name = name, .outputs = outputs, .n_outputs = 1,
    .output_types = types, .attrs = attrs, .n_attrs = 1
  };
  /* clang-format on */

  outputs[0] = name;
  types[0] = type;
  attrs[0] = ph_attr_new_string (ph_intern ("value"), text);
  g_ptr_array_add (parser->attrs, attrs[0]);
  g_array_append_val (program->nodes, node);
}

/* Reads "2.0:f32[]", "True", "[...]:f32[3]" or "1". */
static const char *
read_literal (PhJaxpr *parser, Program *program)
{
  const char *from = parser->p, *name = fresh (parser, "literal");
  g_autofree char *raw = NULL, *text = NULL, *number = NULL;
  const PhType *type = NULL;
  PhTensor *tensor = NULL;
  char *end, *colon;
  double value = 0;
  gboolean known, whole;

  if (!ph_jaxpr_skip (parser) || parser->p == from)
    {
      ph_jaxpr_fail (parser, parser->p, "a variable or a number is expected here");
      return NULL;
    }
  raw = g_strndup (from, (gsize) (parser->p - from));
  text = g_utf8_make_valid (raw, -1);
  colon = strrchr (text, ':');
  number = colon != NULL ? g_strndup (text, (gsize) (colon - text)) : g_strdup (text);
  if (colon != NULL)
    {
      const char *after = parser->p;

      parser->p = from + (strrchr (raw, ':') - raw) + 1;
      if (!ph_jaxpr_type (parser, &type))
        return NULL;
      parser->p = after;
    }
  whole = strcspn (number, ".en") == strlen (number);
  if (g_str_equal (number, "True") || g_str_equal (number, "False"))
    {
      value = *number == 'T';
      known = TRUE;
      type = type != NULL ? type : ph_type_static (PH_BOOL, 0, NULL);
    }
  else
    {
      value = g_ascii_strtod (number, &end);
      known = end != number && *end == '\0';
    }
  if (type == NULL)
    type = ph_type_static (whole ? PH_INT32 : PH_FLOAT, 0, NULL);
  if (known && type->rank == 0 && type->dtype != PH_COMPLEX64 && type->dtype != PH_COMPLEX128)
    {
      tensor = ph_tensor_new (type->dtype, 0, NULL);
      if (tensor == NULL)
        {
          ph_jaxpr_fail (parser, from, "there is no memory for a literal");
          return NULL;
        }
      if (ph_dtype_is_integer (type->dtype) && whole)
        ph_dtype_store_int (type->dtype, ph_tensor_writable (tensor), 0, g_ascii_strtoll (number, NULL, 10));
      else
        ph_dtype_store (type->dtype, ph_tensor_writable (tensor), 0, value);
      g_ptr_array_add (parser->tensors, tensor);
    }
  g_hash_table_add (program->names, (gpointer) name);
  if (tensor != NULL)
    {
      PhImportValue constant = { .name = name, .tensor = tensor };

      g_array_append_val (program->constants, constant);
    }
  else
    add_unknown (parser, program, name, known || type->rank > 0 || colon != NULL ? type : NULL, number);
  return name;
}

static gboolean
is_number_word (const char *word)
{
  return g_str_equal (word, "True") || g_str_equal (word, "False") || g_str_equal (word, "inf") || g_str_equal (word, "nan");
}

/* Reads a variable or a literal, but not "in" or the next equation. */
static const char *
read_atom (PhJaxpr *parser, Program *program)
{
  const char *from, *word;

  ph_jaxpr_peek (parser);
  from = parser->p;
  word = ph_jaxpr_word (parser);
  if (word != NULL
      && (g_hash_table_contains (program->names, word)
          || (*parser->p != ':' && strchr (" \n),;}", *parser->p) != NULL && !g_str_equal (word, "True")
              && !g_str_equal (word, "False") && !g_str_equal (word, "inf") && !g_str_equal (word, "nan"))))
    {
      if (g_hash_table_contains (program->names, word))
        return word;
      ph_jaxpr_fail (parser, from, "'%s' is used here, which nothing above defines", word);
      return NULL;
    }
  parser->p = from;
  return read_literal (parser, program);
}

/* Returns TRUE if an equation begins here: "b:f32[] c:i32[] = ...". Operands have no types, but numbers do: "2:i32[]". Old texts have no
 * types at all; there an equation begins a line. */
static gboolean
is_equation (PhJaxpr *parser)
{
  const char *from = parser->p, *word;
  gboolean fresh = FALSE, is = FALSE;

  ph_jaxpr_peek (parser);
  for (const char *p = from; p < parser->p; p++)
    fresh = fresh || *p == '\n';
  word = ph_jaxpr_word (parser);
  if (word != NULL && *parser->p == ':')
    is = !is_number_word (word);
  else if (word != NULL && fresh && *parser->p == '[')
    is = ph_jaxpr_skip (parser) && (ph_jaxpr_take (parser, "<-") || ph_jaxpr_take (parser, "+="));
  else if (word != NULL && fresh)
    {
      do
        is = ph_jaxpr_peek (parser) == '=';
      while (!is && *parser->p != ':' && ph_jaxpr_word (parser) != NULL);
    }
  parser->p = from;
  return is;
}

static gboolean
at_end_of_operands (PhJaxpr *parser)
{
  const char *from = parser->p;
  const char c = ph_jaxpr_peek (parser);
  gboolean in = ph_jaxpr_take (parser, "in");

  parser->p = from;
  return c == 0 || c == ';' || c == '}' || in || is_equation (parser);
}

static gboolean
has_index (GPtrArray *attrs)
{
  return attrs->len > 0;
}

/* Reads "x[:,0]", a part of a reference: returns the reference's name and puts the index into @attrs (nullable). Returns NULL if it is
 * something else. */
static const char *
read_reference (PhJaxpr *parser, Program *program, GPtrArray *attrs)
{
  const char *from, *word, *open;
  g_autofree char *index = NULL, *valid = NULL;
  PhAttr *attr;

  ph_jaxpr_peek (parser);
  from = parser->p;
  word = ph_jaxpr_word (parser);
  open = parser->p;
  if (word == NULL || *open != '[' || !g_hash_table_contains (program->names, word))
    {
      parser->p = from;
      return NULL;
    }
  if (!ph_jaxpr_skip (parser))
    return NULL;
  index = g_strndup (open, (gsize) (parser->p - open));
  if (g_str_has_suffix (index, ","))
    index[strlen (index) - 1] = '\0';
  valid = g_utf8_make_valid (index, -1);
  if (attrs != NULL)
    {
      attr = ph_attr_new_string (ph_intern ("index"), valid);
      g_ptr_array_add (attrs, attr);
      g_ptr_array_add (parser->attrs, attr);
    }
  return word;
}

/* Reads the names before "=". For a reference that is read or written ("a:f32[] <- x[i]", "x[i] <- a", "x[i] += a") @state names the
 * access. */
static gboolean
read_results (PhJaxpr *parser, Program *program, GArray *outputs, GPtrArray *inputs, GPtrArray *attrs, const char **state)
{
  *state = NULL;
  for (;;)
    {
      PhImportValue value;
      const char *reference;

      if (ph_jaxpr_take (parser, "="))
        return TRUE;
      *state = ph_jaxpr_take (parser, "<-") ? "set" : ph_jaxpr_take (parser, "+=") ? "addupdate" : NULL;
      if (*state != NULL)
        return TRUE;
      if (ph_jaxpr_take (parser, ","))
        continue;
      reference = read_reference (parser, program, attrs->len == 0 ? attrs : NULL);
      if (reference != NULL)
        {
          g_ptr_array_add (inputs, (gpointer) reference);
          continue;
        }
      if (!read_binder (parser, program, &value))
        return FALSE;
      g_array_append_val (outputs, value);
    }
}

static gboolean
read_equation (PhJaxpr *parser, Program *program)
{
  g_autoptr (GArray) outputs = g_array_new (FALSE, TRUE, sizeof (PhImportValue));
  g_autoptr (GPtrArray) inputs = g_ptr_array_new (), attrs = g_ptr_array_new (), bodies = g_ptr_array_new ();
  PhImportNode node = { .domain = ph_intern ("jax") };
  const char **names, **used;
  const PhType **types;
  const char *at, *state;
  guint line, column;
  gpointer copy;

  ph_jaxpr_peek (parser);
  at = parser->p;
  if (!read_results (parser, program, outputs, inputs, attrs, &state))
    return FALSE;
  if (state != NULL)
    node.op_type = ph_intern (outputs->len > 0 && inputs->len == 0 ? "get" : outputs->len > 0 ? "swap" : state);
  else
    node.op_type = ph_jaxpr_word (parser);
  if (node.op_type == NULL)
    return ph_jaxpr_fail (parser, parser->p, "the name of a primitive is expected here");
  if (*parser->p == '<' && state == NULL && !ph_jaxpr_skip (parser))
    return FALSE;
  {
    const guint n_owned = attrs->len;
    const gboolean ok = state != NULL || ph_jaxpr_params (parser, attrs, bodies);

    for (guint i = n_owned; i < attrs->len; i++)
      g_ptr_array_add (parser->attrs, attrs->pdata[i]);
    if (!ok)
      return FALSE;
  }
  while (!at_end_of_operands (parser))
    {
      const char *name;

      if (state != NULL && ph_jaxpr_take (parser, ","))
        continue;
      name = read_reference (parser, program, state != NULL && !has_index (attrs) ? attrs : NULL);
      if (name == NULL)
        name = read_atom (parser, program);
      if (name == NULL)
        return FALSE;
      if (!g_ptr_array_find (inputs, name, NULL) || state == NULL) /* "b, x[i] <- x[i], v" names the changed reference twice */
        g_ptr_array_add (inputs, (gpointer) name);
    }
  ph_jaxpr_take (parser, ";");
  names = ph_jaxpr_alloc (parser, (outputs->len + 1) * sizeof *names);
  types = ph_jaxpr_alloc (parser, (outputs->len + 1) * sizeof *types);
  for (guint i = 0; i < outputs->len; i++)
    {
      names[i] = g_array_index (outputs, PhImportValue, i).name;
      types[i] = g_array_index (outputs, PhImportValue, i).type;
    }
  used = ph_jaxpr_alloc (parser, inputs->len * sizeof *used);
  if (inputs->len > 0)
    memcpy (used, inputs->pdata, inputs->len * sizeof *used);
  node.outputs = names;
  node.output_types = types;
  node.n_outputs = MAX (outputs->len, 1);
  if (outputs->len == 0) /* an effect alone */
    names[0] = fresh (parser, node.op_type);
  node.name = names[0];
  node.inputs = used;
  node.n_inputs = inputs->len;
  copy = ph_jaxpr_alloc (parser, attrs->len * sizeof (gpointer));
  if (attrs->len > 0)
    memcpy (copy, attrs->pdata, attrs->len * sizeof (gpointer));
  node.attrs = copy;
  for (guint i = 0; i < attrs->len; i++) /* one of a name: the first */
    {
      gboolean again = FALSE;

      for (gsize j = 0; j < node.n_attrs; j++)
        again = again || node.attrs[j]->name == ((PhAttr *) attrs->pdata[i])->name;
      if (!again)
        ((PhAttr **) copy)[node.n_attrs++] = attrs->pdata[i];
    }
  copy = ph_jaxpr_alloc (parser, bodies->len * sizeof (gpointer));
  if (bodies->len > 0)
    memcpy (copy, bodies->pdata, bodies->len * sizeof (gpointer));
  node.bodies = copy;
  node.n_bodies = bodies->len;
  node.part = at;
  ph_text_place (&parser->line, parser->begin, at, &line, &column);
  node.where = ph_where_own (parser->source, line, column);
  ph_source_mark (parser->source, at, line, column);
  g_array_append_val (program->nodes, node);
  return TRUE;
}

/* Constants and arguments: "a:f32[8]; b:f32[4]." */
static gboolean
read_binders (PhJaxpr *parser, Program *program)
{
  while (!ph_jaxpr_take (parser, "."))
    {
      PhImportValue value;

      if (ph_jaxpr_take (parser, ";") || ph_jaxpr_take (parser, ","))
        continue;
      if (ph_jaxpr_peek (parser) == 'l' && g_str_has_prefix (parser->p, "let") && !g_ascii_isalnum (parser->p[3])
          && parser->p[3] != ':')
        return TRUE;
      if (!read_binder (parser, program, &value))
        return FALSE;
      g_array_append_val (program->inputs, value);
    }
  return TRUE;
}

static gboolean
read_outputs (PhJaxpr *parser, Program *program)
{
  const gboolean tuple = ph_jaxpr_take (parser, "(") || ph_jaxpr_take (parser, "[");

  while (tuple ? !ph_jaxpr_take (parser, ")") && !ph_jaxpr_take (parser, "]") : program->outputs->len == 0)
    {
      PhImportValue value = { 0 };

      if (ph_jaxpr_take (parser, ","))
        continue;
      value.name = read_atom (parser, program);
      if (value.name == NULL)
        return FALSE;
      g_array_append_val (program->outputs, value);
    }
  return TRUE;
}

static PhImportGraph *
read_program (PhJaxpr *parser, Program *program)
{
  PhImportGraph *graph = ph_jaxpr_alloc (parser, sizeof *graph);

  if (!ph_jaxpr_take (parser, "{") || !ph_jaxpr_take (parser, "lambda"))
    {
      ph_jaxpr_fail (parser, parser->p, "a program ({ lambda a:f32[8]. let ... in (b,) }) is expected here");
      return NULL;
    }
  if (!read_binders (parser, program))
    return NULL;
  if (!ph_jaxpr_take (parser, "let"))
    {
      ph_jaxpr_fail (parser, parser->p, "'let' is expected here");
      return NULL;
    }
  while (!ph_jaxpr_take (parser, "in"))
    if (ph_jaxpr_peek (parser) == 0 ? !ph_jaxpr_fail (parser, parser->p, "'in' is expected here")
                                    : !read_equation (parser, program))
      return NULL;
  if (!read_outputs (parser, program) || !ph_jaxpr_take (parser, "}"))
    {
      ph_jaxpr_fail (parser, parser->p, "'}' is expected here");
      return NULL;
    }
  *graph = (PhImportGraph) {
    .name = ph_intern ("jaxpr"),
    .inputs = (const PhImportValue *) (gpointer) program->inputs->data,
    .n_inputs = program->inputs->len,
    .constants = (const PhImportValue *) (gpointer) program->constants->data,
    .n_constants = program->constants->len,
    .nodes = (const PhImportNode *) (gpointer) program->nodes->data,
    .n_nodes = program->nodes->len,
    .outputs = (const PhImportValue *) (gpointer) program->outputs->data,
    .n_outputs = program->outputs->len,
  };
  return graph;
}

PhImportGraph *
ph_jaxpr_program (PhJaxpr *parser)
{
  g_autoptr (GHashTable) names = g_hash_table_new (NULL, NULL);
  Program program = { ph_jaxpr_array (parser, sizeof (PhImportValue)), ph_jaxpr_array (parser, sizeof (PhImportValue)),
                      ph_jaxpr_array (parser, sizeof (PhImportNode)), ph_jaxpr_array (parser, sizeof (PhImportValue)), names };
  PhImportGraph *graph;

  if (parser->depth >= PH_JAXPR_MAX_DEPTH)
    {
      ph_jaxpr_fail (parser, parser->p, "programs are nested more than %d deep", PH_JAXPR_MAX_DEPTH);
      return NULL;
    }
  parser->depth++;
  graph = read_program (parser, &program);
  parser->depth--;
  return graph;
}

/* "let f = { lambda ... } in" before the program that uses it. */
static gboolean
read_named (PhJaxpr *parser)
{
  while (ph_jaxpr_take (parser, "let"))
    {
      while (!ph_jaxpr_take (parser, "in"))
        {
          const char *name = ph_jaxpr_word (parser);
          PhImportGraph *program;

          if (name == NULL || !ph_jaxpr_take (parser, "="))
            return ph_jaxpr_fail (parser, parser->p, "name = { lambda ... } or 'in' is expected here");
          program = ph_jaxpr_program (parser);
          if (program == NULL)
            return FALSE;
          program->name = name;
          g_hash_table_insert (parser->programs, (gpointer) name, program);
        }
    }
  return TRUE;
}

/* Removes the links of documentation: "<a href=...>b</a>" becomes b. */
static char *
without_tags (const char *text, gsize size)
{
  GString *out = g_string_sized_new (size);

  for (gsize i = 0; i < size; i++)
    {
      const gboolean tag = g_str_has_prefix (text + i, "<a ") || g_str_has_prefix (text + i, "</a>");
      const char *close = tag ? memchr (text + i, '>', size - i) : NULL;

      if (close != NULL)
        i = (gsize) (close - text);
      else
        g_string_append_c (out, text[i]);
    }
  return g_string_free (out, FALSE);
}

static void
clear (PhJaxpr *parser)
{
  g_hash_table_unref (parser->programs);
  g_ptr_array_unref (parser->attrs);
  g_ptr_array_unref (parser->tensors);
  g_ptr_array_unref (parser->arrays);
  g_ptr_array_unref (parser->owned);
}

PhModel *
ph_jaxpr_read (PhSource *source, const char *text, gsize size, GError **error)
{
  g_autofree char *raw = g_malloc (size + 1), *copy = NULL;
  g_autoptr (PhModel) model = ph_model_new ();
  PhImporter importer = { source, model };
  PhImportGraph *program = NULL;
  PhJaxpr parser = { .source = source };

  memcpy (raw, text, size);
  raw[size] = '\0';
  copy = without_tags (raw, size);
  parser.begin = parser.p = copy;
  parser.end = copy + strlen (copy);
  parser.programs = g_hash_table_new (NULL, NULL);
  parser.owned = g_ptr_array_new_with_free_func (g_free);
  parser.arrays = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  parser.attrs = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_attr_unref);
  parser.tensors = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_tensor_unref);
  if (read_named (&parser))
    program = ph_jaxpr_program (&parser);
  if (program != NULL && ph_jaxpr_peek (&parser) != 0)
    ph_source_problem (source, "What follows the first program was not read");
  if (program == NULL)
    {
      g_propagate_error (error, parser.error);
      clear (&parser);
      return NULL;
    }
  ph_model_set_opset (model, "jax", 1);
  if (!ph_import_graph (&importer, model->graph, program, error))
    g_clear_pointer (&model, ph_model_free);
  clear (&parser);
  return g_steal_pointer (&model);
}
