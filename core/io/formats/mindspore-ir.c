/* mindspore-ir.c: reads the graphs that MindSpore dumps as text after each pass (NN_pass_KKKK.ir). A node is one line, with its details on
 * the lines below. Each subgraph becomes a function; the entry becomes the main graph.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/format.h"
#include "core/io/mindspore/split.h"
#include "core/io/own-place.h"
#include "core/io/sketch.h"
#include "core/ops/op.h"

typedef struct
{
  const char *name; /* interned, without "@"                                        */
  PhSketch *draft;
  GHashTable *names; /* interned "%0" -> value                                       */
  gboolean returns;
} Part;

typedef struct
{
  PhSource *source;
  PhImporter *importer;
  GPtrArray *parts;                       /* (element-type Part)                                          */
  GPtrArray *parameters;                  /* (element-type char) of the entry: name, type, name, type ... */
  char *entry;                            /* (nullable)                                                   */
  Part *part;                             /* (nullable) the graph being read                              */
  char *left, *right, *types, *full_name; /* (nullable) of the node that is being read */
  const PhWhere *where;
  guint line, left_line; /* present one; where @left stands */
} Reading;

static guint
probe (const guint8 *head, gsize size, const char *name)
{
  g_autofree char *text = g_strndup ((const char *) head, size);

  if (g_str_has_prefix (text, "# IR entry") || g_str_has_prefix (text, "#IR entry") || strstr (text, "\n# IR entry") != NULL
      || strstr (text, "\n#IR entry") != NULL)
    return 95;
  return g_str_has_suffix (name, ".ir") && (strstr (text, "Total subgraph") != NULL || strstr (text, "%para") != NULL) ? 85 : 0;
}

static void
free_part (gpointer data)
{
  Part *part = data;

  ph_sketch_free (part->draft);
  g_hash_table_unref (part->names);
  g_free (part);
}

/* ── pieces of a line ── */

/* Returns the text after the bracket that closes the one at @text, ignoring brackets within quotes; NULL if it never closes. */
static const char *
skip_balanced (const char *text)
{
  int depth = 0;

  for (; *text != '\0'; text++)
    if (*text == '"')
      {
        for (text++; *text != '\0' && *text != '"'; text++)
          text += *text == '\\' && text[1] != '\0' ? 1 : 0;
        if (*text == '\0')
          return NULL;
      }
    else if (strchr ("([{<", *text) != NULL)
      depth++;
    else if (strchr (")]}>", *text) != NULL && !(*text == '>' && text[-1] == '-') && --depth == 0)
      return text + 1;
  return NULL;
}

/* Splits @text at its top-level commas, outside brackets and quotes. (transfer full) */
static GPtrArray *
split (const char *text, gsize size)
{
  GPtrArray *parts = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *all = g_strndup (text, size);
  char *from = all;
  int depth = 0;
  gboolean quoted = FALSE;

  for (char *at = all;; at++)
    {
      if (*at == '"')
        quoted = !quoted;
      if (!quoted && *at != '\0' && strchr ("([{<", *at) != NULL)
        depth++;
      if (!quoted && *at != '\0' && strchr (")]}>", *at) != NULL)
        depth--;
      if (*at != '\0' && (*at != ',' || depth > 0 || quoted))
        continue;
      {
        g_autofree char *part = g_strstrip (g_strndup (from, (gsize) (at - from)));

        if (*part != '\0')
          g_ptr_array_add (parts, g_steal_pointer (&part));
      }
      if (*at == '\0')
        return parts;
      from = at + 1;
    }
}

static PhDType
dtype_of (const char *name)
{
  /* clang-format off */
  static const struct { const char *name; PhDType dtype; } types[] = {
    { "Float32", PH_FLOAT }, { "F32", PH_FLOAT }, { "Float16", PH_FLOAT16 }, { "F16", PH_FLOAT16 }, { "Float64", PH_DOUBLE }, { "F64", PH_DOUBLE },
    { "BFloat16", PH_BFLOAT16 }, { "Int64", PH_INT64 }, { "I64", PH_INT64 }, { "Int32", PH_INT32 }, { "I32", PH_INT32 }, { "Int16", PH_INT16 },
    { "I16", PH_INT16 }, { "Int8", PH_INT8 }, { "I8", PH_INT8 }, { "UInt64", PH_UINT64 }, { "U64", PH_UINT64 }, { "UInt32", PH_UINT32 },
    { "U32", PH_UINT32 }, { "UInt16", PH_UINT16 }, { "U16", PH_UINT16 }, { "UInt8", PH_UINT8 }, { "U8", PH_UINT8 }, { "Bool", PH_BOOL } };
  /* clang-format on */

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    if (strncmp (name, types[i].name, strlen (types[i].name)) == 0 && !g_ascii_isalnum (name[strlen (types[i].name)]))
      return types[i].dtype;
  return PH_UNDEFINED;
}

/* "<Tensor[Float32], (2, 3)>", "<Ref[Tensor[F32]], (4), ref_key=bias>", "<Tensor(F32)[2, 3]>". (nullable) */
static const PhType *
parse_type (const char *text)
{
  const char *tensor = text != NULL ? strstr (text, "Tensor") : NULL, *shape;
  PhDType dtype;
  PhDim dims[PH_MAX_RANK];
  guint rank = 0;
  const char *scalar = text != NULL && *text == '<' ? text + 1 : text;

  if (text == NULL || strstr (text, "Tuple") != NULL || strstr (text, "List") != NULL)
    return NULL;
  if (tensor == NULL)
    {
      dtype = scalar != NULL ? dtype_of (scalar) : PH_UNDEFINED;
      return dtype != PH_UNDEFINED ? ph_type_tensor (dtype, 0, NULL) : NULL;
    }
  dtype = strlen (tensor) > 7 ? dtype_of (tensor + 7) : PH_UNDEFINED;
  if (dtype == PH_UNDEFINED)
    return NULL;
  shape = tensor[6] == '(' ? strchr (tensor, '[') : strchr (tensor, '(');
  if (shape == NULL)
    return ph_type_unranked (dtype);
  for (shape++; rank < PH_MAX_RANK;)
    {
      char *end;
      gint64 size;

      while (*shape == ' ' || *shape == ',')
        shape++;
      size = g_ascii_strtoll (shape, &end, 10);
      if (end == shape)
        break;
      if (size == -2)
        return ph_type_unranked (dtype);
      dims[rank++] = size >= 0 ? PH_DIM (size) : PH_DIM_UNKNOWN;
      shape = end;
    }
  return ph_type_tensor (dtype, rank, dims);
}

/* Parses "I64(30)", "F32(1.5)" or "Bool(1)" as a number, anything else as a string. */
static PhAttr *
parse_attr (const char *name, const char *text)
{
  const char *open = strchr (text, '(');
  const PhDType dtype = open != NULL ? dtype_of (text) : PH_UNDEFINED;
  char *end;

  if (open != NULL && dtype != PH_UNDEFINED && ph_dtype_is_float (dtype))
    return ph_attr_new_float (name, (float) g_ascii_strtod (open + 1, NULL));
  if (open != NULL && dtype != PH_UNDEFINED)
    return ph_attr_new_int (name, g_ascii_strncasecmp (open + 1, "true", 4) == 0 ? 1 : g_ascii_strtoll (open + 1, &end, 10));
  return ph_attr_new_string (name, text);
}

/* ── nodes ── */

static void
add_attrs (PhSketchNode *node, const char *rest)
{
  for (const char *brace = strchr (rest, '{'); brace != NULL;)
    {
      const char *end = skip_balanced (brace);
      g_autoptr (GPtrArray) pairs = end != NULL ? split (brace + 1, (gsize) (end - brace) - 2) : NULL;

      if (end == NULL)
        return;
      for (guint i = 0; i < pairs->len; i++)
        {
          char *pair = pairs->pdata[i], *colon = strstr (pair, ": ");

          if (colon == NULL || colon == pair)
            continue;
          *colon = '\0';
          ph_sketch_node_attr (node, parse_attr (pair, g_strstrip (colon + 2)));
        }
      brace = strchr (end, '{');
    }
}

/* "%1" of "%1", "%1 : type", "%para2_y". */
static char *
reference (const char *text)
{
  gsize n = 1;

  while (text[n] != '\0' && strchr (" ,:()[]{}<>=", text[n]) == NULL)
    n++;
  return g_strndup (text, n);
}

static void
add_operand (Reading *reading, PhSketchNode *node, const char *text, guint index)
{
  g_autofree char *key = *text == '%' ? reference (text) : NULL, *attr = NULL;
  const char *value = key != NULL ? g_hash_table_lookup (reading->part->names, ph_intern (key)) : NULL;

  if (key != NULL)
    {
      ph_sketch_node_input (node, value != NULL ? value : key + 1);
      return;
    }
  attr = g_strdup_printf (*text == '@' ? "graph_%u" : "argument_%u", index);
  ph_sketch_node_attr (node, parse_attr (attr, text));
}

static void
flush (Reading *reading)
{
  g_autofree char *left = g_steal_pointer (&reading->left), *right = g_steal_pointer (&reading->right);
  g_autofree char *types = g_steal_pointer (&reading->types), *full = g_steal_pointer (&reading->full_name);
  g_autoptr (GPtrArray) operands = NULL;
  const char *open, *end, *op, *arrow = types != NULL ? strstr (types, "->") : NULL;
  char *own, *value;
  g_autofree char *name = NULL, *key = NULL, *debug = NULL;
  PhSketchNode *node;

  if (left == NULL)
    return;
  /* The operator may contain brackets: "%5[@FuncUnion(@a, @b)](%1)". */
  for (open = right; *open != '\0' && *open != '(';)
    if (strchr ("[{<", *open) != NULL && skip_balanced (open) != NULL)
      open = skip_balanced (open);
    else
      open++;
  end = *open == '(' ? skip_balanced (open) : NULL;
  name = g_strstrip (g_strndup (right, (gsize) (open - right)));
  operands = end != NULL ? split (open + 1, (gsize) (end - open) - 2) : g_ptr_array_new_with_free_func (g_free);
  key = reference (left);
  own = strchr (left, '(');
  debug = own != NULL && skip_balanced (own) != NULL ? g_strndup (own + 1, (gsize) (skip_balanced (own) - own) - 2)
                                                     : g_strdup (key + 1);
  op = name;
  if (g_str_has_prefix (op, "call "))
    op += 5;
  node = ph_sketch_add_named_node (reading->part->draft->main,
                                   *op == '%' || *op == '\0' ? "call"
                                   : *op == '@'              ? op + 1
                                                             : op,
                                   "mindspore", full != NULL ? full : debug);
  ph_sketch_node_place (node, reading->left_line, 0);
  if (*op == '%')
    add_operand (reading, node, op, 0);
  for (guint i = 0; i < operands->len; i++)
    add_operand (reading, node, operands->pdata[i], i);
  value = (char *) ph_sketch_claim (reading->part->draft, debug);
  g_hash_table_insert (reading->part->names, (gpointer) ph_intern (key), value);
  ph_sketch_node_named_output (node, value, arrow != NULL ? parse_type (strchr (arrow, '<')) : NULL);
  add_attrs (node, end != NULL ? end : "");
  if (reading->where != NULL)
    node->node.where = ph_where_in_file (reading->where, node->node.where);
  reading->where = NULL;
}

/* ── lines ── */

static void
add_parameter (Part *part, const char *text)
{
  g_autofree char *key = reference (text);
  const char *value = ph_sketch_claim (part->draft, key + 1), *type = strchr (text, '<');

  g_hash_table_insert (part->names, (gpointer) ph_intern (key), (gpointer) value);
  ph_sketch_add_named_input (part->draft->main, value, parse_type (type));
}

/* "subgraph @name(%para1_x, %para2_y : <...>) {". */
static void
begin_part (Reading *reading, const char *at)
{
  const char *open = strchr (at, '('), *end = open != NULL ? skip_balanced (open) : NULL;
  const char *stop = open != NULL ? open : at + strcspn (at, " {");
  g_autofree char *name = g_strstrip (g_strndup (at + 1, (gsize) (stop - at) - 1));
  g_autoptr (GPtrArray) parameters = end != NULL ? split (open + 1, (gsize) (end - open) - 2) : NULL;
  Part *part = g_new0 (Part, 1);

  part->name = ph_importer_name (reading->importer, name);
  part->draft = ph_sketch_new_part (reading->importer, name);
  part->names = g_hash_table_new (NULL, NULL);
  for (guint i = 0; parameters != NULL && i < parameters->len; i++)
    if (*(char *) parameters->pdata[i] == '%')
      add_parameter (part, parameters->pdata[i]);
  /* The file declares the entry's parameters once, above all graphs. */
  if ((parameters == NULL || parameters->len == 0) && reading->entry != NULL && strcmp (part->name, reading->entry) == 0)
    for (guint i = 0; i < reading->parameters->len; i++)
      add_parameter (part, reading->parameters->pdata[i]);
  g_ptr_array_add (reading->parts, part);
  reading->part = part;
}

static void
add_return (Reading *reading, const char *text)
{
  const char *at = strchr (text, '%');
  g_autofree char *key = at != NULL ? reference (at) : NULL;
  const char *value = key != NULL ? g_hash_table_lookup (reading->part->names, ph_intern (key)) : NULL;

  if (key != NULL && !reading->part->returns)
    ph_sketch_add_output (reading->part->draft->main, value != NULL ? value : key + 1);
  reading->part->returns = TRUE;
}

/* "# In file t6.py:16, 12~25/ ...": the first that names one line. */
static void
note_where (Reading *reading, const char *text)
{
  const char *colon = strrchr (text, ':');
  const char *first = strchr (text, ':');
  g_autofree char *file = NULL;
  guint64 line;
  char *end;

  for (colon = first; colon != NULL && !g_ascii_isdigit (colon[1]);)
    colon = strchr (colon + 1, ':');
  if (reading->left == NULL || reading->where != NULL || colon == NULL)
    return;
  line = g_ascii_strtoull (colon + 1, &end, 10);
  if (*end == '~' || line == 0 || line > G_MAXUINT)
    return;
  file = g_strndup (text, (gsize) (colon - text));
  if (g_utf8_validate (file, -1, NULL))
    reading->where = ph_where_new (ph_intern (file), (guint) line,
                                   *end == ',' ? (guint) MIN (g_ascii_strtoull (end + 1, NULL, 10) + 1, G_MAXINT) : 0, FALSE,
                                   NULL);
}

static void
read_line (Reading *reading, char *line)
{
  char *text = g_strstrip (line), *equals;

  if (g_str_has_prefix (text, "# In file "))
    note_where (reading, text + strlen ("# In file "));
  else if (reading->left != NULL && strstr (text, "Fullname with scope: (") != NULL)
    {
      char *from = strchr (text, '(') + 1, *to = strrchr (from, ')');

      g_free (reading->full_name);
      reading->full_name = g_strndup (from, to != NULL ? (gsize) (to - from) : strlen (from));
    }
  else if (reading->left != NULL && *text == ':')
    {
      g_free (reading->types);
      reading->types = g_strdup (text);
    }
  else if (reading->entry == NULL && *text == '#' && strstr (text, "IR entry") != NULL && strchr (text, '@') != NULL)
    reading->entry = g_strndup (strchr (text, '@') + 1,
                                strcspn (strchr (text, '@') + 1, " \t.\r") > 0 ? strlen (strchr (text, '@') + 1) : 0);
  else if (reading->part == NULL && *text == '%')
    g_ptr_array_add (reading->parameters, g_strdup (text));
  else if (g_str_has_prefix (text, "subgraph @") || (*text == '@' && strchr (text, '{') != NULL))
    {
      flush (reading);
      begin_part (reading, strchr (text, '@'));
    }
  else if (reading->part != NULL && *text == '%' && (equals = strstr (text, " = ")) != NULL)
    {
      flush (reading);
      *equals = '\0';
      reading->left = g_strdup (text);
      reading->left_line = reading->line;
      reading->right = g_strdup (equals + 3);
    }
  else if (reading->part != NULL && g_ascii_strncasecmp (text, "return", 6) == 0)
    {
      flush (reading);
      add_return (reading, text);
    }
  else if (reading->part != NULL && *text == '}')
    {
      flush (reading);
      reading->part = NULL;
    }
}

static gboolean
import_parts (Reading *reading, GError **error)
{
  PhModel *model = reading->importer->model;
  Part *main = reading->parts->pdata[0];
  g_autoptr (GPtrArray) functions = g_ptr_array_new ();

  for (guint i = 0; i < reading->parts->len; i++)
    if (reading->entry != NULL && strcmp (((Part *) reading->parts->pdata[i])->name, reading->entry) == 0)
      {
        main = reading->parts->pdata[i];
        break;
      }
  for (guint i = 0; i < reading->parts->len; i++)
    {
      Part *part = reading->parts->pdata[i];
      PhFunction *function = NULL;

      if (part != main && *part->name != '\0' && ph_model_find_function (model, "mindspore", part->name) == NULL)
        {
          function = ph_model_add_function (model, &(PhFunctionSpec) { .name = part->name, .domain = "mindspore" }, error);
          if (function == NULL)
            return FALSE;
        }
      g_ptr_array_add (functions, function);
    }
  for (guint i = 0; i < reading->parts->len; i++)
    if (functions->pdata[i] != NULL
        && !ph_sketch_import (((Part *) reading->parts->pdata[i])->draft, ((PhFunction *) functions->pdata[i])->graph, error))
      return FALSE;
  return ph_sketch_import (main->draft, model->graph, error);
}

static PhModel *
read_text (PhSource *source, const char *all, gsize size, guint first_line, GError **error)
{
  g_autoptr (PhModel) model = ph_model_new ();
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func (free_part), parameters = g_ptr_array_new_with_free_func (g_free);
  PhImporter importer = { source, model };
  Reading reading = { .source = source, .importer = &importer, .parts = parts, .parameters = parameters, .line = first_line - 1 };
  g_autofree char *raw = g_strndup (all, size), *text = g_utf8_make_valid (raw, -1);
  gboolean ok = FALSE;

  for (char *line = text; line != NULL;)
    {
      char *next = strchr (line, '\n');

      if (next != NULL)
        *next++ = '\0';
      reading.line++;
      read_line (&reading, line);
      line = next;
    }
  if (reading.part != NULL)
    flush (&reading);
  ph_model_set_opset (model, "", PH_OPSET_NEWEST);
  ph_model_set_opset (model, "mindspore", 1);
  if (parts->len == 0)
    ph_source_fail (source, error, PH_ERROR_FILE, NULL, "there is no subgraph in it: this is not a graph that MindSpore dumped");
  else
    ok = import_parts (&reading, error);
  g_free (reading.entry);
  g_free (reading.left);
  g_free (reading.right);
  g_free (reading.types);
  g_free (reading.full_name);
  return ok ? g_steal_pointer (&model) : NULL;
}

static PhModel *
read_model (PhSource *source, GError **error)
{
  g_autoptr (GBytes) bytes = ph_source_dup_bytes (source, error);
  gsize size;
  const char *text = bytes != NULL ? g_bytes_get_data (bytes, &size) : NULL;

  return bytes != NULL ? read_text (source, text != NULL ? text : "", size, 1, error) : NULL;
}

static const PhStatementSyntax statements
    = { .split = ph_mindspore_split, .describe = ph_mindspore_describe, .stand = ph_mindspore_stand, .read = read_text };

/* clang-format off */
const PhFormat ph_format_mindspore_ir = {
  .name = "mindspore-ir", .title = "MindSpore dump", .patterns = (const char *const[]) { "*.ir", NULL }, .mime = "text/x-mindspore-ir",
  .mime_parent = "text/plain", .text = TRUE, .probe = probe, .read = read_model, .statements = &statements, .dialect = &ph_dialect_mindspore,
};
/* clang-format on */
