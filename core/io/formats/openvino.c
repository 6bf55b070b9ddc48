/* openvino.c: OpenVINO's intermediate representation: layers and edges in XML, constants in a .bin file next to it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/format.h"
#include "core/io/sketch.h"
#include "core/ops/op.h"

#define MAX_DEPTH 100

typedef struct _Element Element;
struct _Element
{
  char *name;
  GHashTable *attrs;
  GPtrArray *children;
  GString *text;
  guint line; /* of the end of its tag */
};            /* (element-type Element) */

typedef struct
{
  GPtrArray *stack;
  Element *root;
} Parse;
typedef struct
{
  PhSource *source;
  PhImporter *importer;
  PhFile *weights;
  gboolean looked;
} Reading;

static guint
probe (const guint8 *head, gsize size, const char *name)
{
  g_autofree char *text = g_strndup ((const char *) head, size);
  const char *net = strstr (text, "<net");

  return net != NULL && *g_strchug (text) == '<' && (strstr (net, "version=") != NULL || strstr (net, "<layers") != NULL) ? 95
                                                                                                                          : 0;
}

/* ── XML as a tree ── */

static void
free_element (gpointer data)
{
  Element *element = data;

  g_free (element->name);
  g_hash_table_unref (element->attrs);
  g_ptr_array_unref (element->children);
  g_string_free (element->text, TRUE);
  g_free (element);
}

static void
on_start (GMarkupParseContext *context, const char *name, const char **names, const char **values, gpointer data, GError **error)
{
  Parse *parse = data;
  Element *element = g_new0 (Element, 1), *outer = parse->stack->len > 0 ? parse->stack->pdata[parse->stack->len - 1] : NULL;
  int line;

  element->name = g_strdup (name);
  element->attrs = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  element->children = g_ptr_array_new_with_free_func (free_element);
  element->text = g_string_new (NULL);
  g_markup_parse_context_get_position (context, &line, NULL);
  element->line = (guint) line;
  for (guint i = 0; names[i] != NULL; i++)
    g_hash_table_insert (element->attrs, g_strdup (names[i]), g_strdup (values[i]));
  if (outer != NULL)
    g_ptr_array_add (outer->children, element);
  else if (parse->root == NULL)
    parse->root = element;
  else
    {
      free_element (element);
      g_set_error (error, G_MARKUP_ERROR, G_MARKUP_ERROR_INVALID_CONTENT, "it has a second element '%s' beside its first one",
                   name);
      return;
    }
  if (parse->stack->len >= MAX_DEPTH)
    g_set_error (error, G_MARKUP_ERROR, G_MARKUP_ERROR_INVALID_CONTENT, "it is nested deeper than %d levels", MAX_DEPTH);
  else
    g_ptr_array_add (parse->stack, element);
}

static void
on_end (GMarkupParseContext *context, const char *name, gpointer data, GError **error)
{
  g_ptr_array_set_size (((Parse *) data)->stack, (int) ((Parse *) data)->stack->len - 1);
}

static void
on_text (GMarkupParseContext *context, const char *text, gsize size, gpointer data, GError **error)
{
  Parse *parse = data;

  if (parse->stack->len > 0)
    g_string_append_len (((Element *) parse->stack->pdata[parse->stack->len - 1])->text, text, (gssize) size);
}

static const Element *
child (const Element *element, const char *name)
{
  for (guint i = 0; element != NULL && i < element->children->len; i++)
    if (strcmp (((Element *) element->children->pdata[i])->name, name) == 0)
      return element->children->pdata[i];
  return NULL;
}

static const char *
get (const Element *element, const char *name)
{
  const char *value = element != NULL ? g_hash_table_lookup (element->attrs, name) : NULL;

  return value != NULL ? value : "";
}

/* ── types ── */

static PhDType
dtype_of (const char *name)
{
  /* clang-format off */
  static const struct { const char *name; PhDType dtype; } types[] = {
    { "f32", PH_FLOAT }, { "fp32", PH_FLOAT }, { "f16", PH_FLOAT16 }, { "fp16", PH_FLOAT16 }, { "bf16", PH_BFLOAT16 }, { "f64", PH_DOUBLE },
    { "fp64", PH_DOUBLE }, { "i64", PH_INT64 }, { "i32", PH_INT32 }, { "i16", PH_INT16 }, { "i8", PH_INT8 }, { "u64", PH_UINT64 },
    { "u32", PH_UINT32 }, { "u16", PH_UINT16 }, { "u8", PH_UINT8 }, { "boolean", PH_BOOL }, { "bool", PH_BOOL }, { "i4", PH_INT4 },
    { "u4", PH_UINT4 }, { "string", PH_STRING }, { "f8e4m3", PH_FLOAT8E4M3FN }, { "f8e5m2", PH_FLOAT8E5M2 }, { "f8e8m0", PH_FLOAT8E8M0 },
    { "f4e2m1", PH_FLOAT4E2M1 } };
  /* clang-format on */

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    if (g_ascii_strcasecmp (types[i].name, name) == 0)
      return types[i].dtype;
  return PH_UNDEFINED;
}

static gboolean
parse_ints (const char *text, GArray *out)
{
  while (TRUE)
    {
      char *end;
      gint64 value;

      while (g_ascii_isspace (*text))
        text++;
      value = g_ascii_strtoll (text, &end, 10);
      if (end == text)
        return FALSE;
      g_array_append_val (out, value);
      for (text = end; g_ascii_isspace (*text); text++)
        ;
      if (*text == '\0')
        return TRUE;
      if (*text++ != ',')
        return FALSE;
    }
}

static const PhType *
type_of_port (const Element *port, PhDType fallback)
{
  const PhDType own = dtype_of (get (port, "precision")), dtype = own != PH_UNDEFINED ? own : fallback;
  PhDim dims[PH_MAX_RANK];
  guint rank = 0;

  if (dtype == PH_UNDEFINED)
    return NULL;
  for (guint i = 0; port != NULL && i < port->children->len && rank < PH_MAX_RANK; i++)
    if (strcmp (((Element *) port->children->pdata[i])->name, "dim") == 0)
      {
        const gint64 size = g_ascii_strtoll (((Element *) port->children->pdata[i])->text->str, NULL, 10);

        dims[rank++] = size >= 0 ? PH_DIM (size) : PH_DIM_UNKNOWN;
      }
  return ph_type_tensor (dtype, rank, dims);
}

/* ── constants ── */

static PhFile *
find_weights (Reading *reading)
{
  g_autofree char *base = g_path_get_basename (reading->source->path), *name = NULL;

  if (reading->looked || reading->source->folder == NULL)
    return reading->weights;
  reading->looked = TRUE;
  if (g_str_has_suffix (base, ".xml"))
    base[strlen (base) - 4] = '\0';
  name = g_strconcat (base, ".bin", NULL);
  reading->weights = ph_source_open_beside (reading->source, name, NULL, "the model", NULL);
  return reading->weights;
}

/* Reads a constant. Returns NULL without an error if its elements are missing. */
static PhTensor *
read_constant (Reading *reading, const Element *data, const char *name, GError **error)
{
  const PhDType dtype = dtype_of (get (data, "element_type"));
  g_autoptr (GArray) dims = g_array_new (FALSE, FALSE, sizeof (gint64));
  const guint64 offset = g_ascii_strtoull (get (data, "offset"), NULL, 10),
                size = g_ascii_strtoull (get (data, "size"), NULL, 10);
  PhFile *file = find_weights (reading);
  gsize count;
  guint bits = dtype != PH_UNDEFINED ? (guint) ph_dtype_file_bits (dtype) : 0;

  if (*get (data, "shape") != '\0' && (!parse_ints (get (data, "shape"), dims) || dims->len > PH_MAX_RANK))
    return ph_source_fail (reading->source, error, PH_ERROR_INVALID, NULL,
                           "the constant '%s' has the shape '%s', which cannot be", name, get (data, "shape")),
           NULL;
  if (!ph_tensor_count_elements (dims->len, (gint64 *) dims->data, &count))
    return ph_source_fail (reading->source, error, PH_ERROR_INVALID, NULL, "the constant '%s' has a shape that cannot be", name),
           NULL;
  if (bits == 0 || file == NULL)
    return NULL;
  if (count > G_MAXSIZE / 64 || size != (count * bits + 7) / 8 || offset > ph_file_get_size (file)
      || size > ph_file_get_size (file) - offset)
    return ph_source_fail (reading->source, error, PH_ERROR_INVALID, NULL,
                           "the constant '%s' lies at %" G_GUINT64_FORMAT " with %" G_GUINT64_FORMAT
                           " bytes, which %s: the .bin beside it is of another model, or cut short",
                           name, offset, size,
                           size != (count * bits + 7) / 8 ? "its shape does not need" : "the file does not have"),
           NULL;
  if (bits >= 8)
    return ph_tensor_new_from_file (dtype, dims->len, (gint64 *) dims->data, file, (gsize) offset, error);
  {
    g_autoptr (GBytes) packed = ph_file_read_bytes (file, (gsize) offset, (gsize) size, error);
    PhTensor *tensor = packed != NULL ? ph_tensor_new (dtype, dims->len, (gint64 *) dims->data) : NULL;
    const guint8 *from = packed != NULL ? g_bytes_get_data (packed, NULL) : NULL;

    for (gsize i = 0; tensor != NULL && i < count; i++)
      {
        const int value = (from[i * bits / 8] >> (i * bits % 8)) & ((1 << bits) - 1);

        ph_dtype_store_int (dtype, ph_tensor_writable (tensor), i,
                            ph_dtype_is_signed (dtype) && value >= 1 << (bits - 1) ? value - (1 << bits) : value);
      }
    return tensor;
  }
}

/* ── layers ── */

static void
add_attr (PhSketchNode *node, const char *name, const char *text)
{
  g_autoptr (GArray) ints = g_array_new (FALSE, FALSE, sizeof (gint64));
  char *end;
  double number;

  if (parse_ints (text, ints))
    {
      if (ints->len == 1)
        ph_sketch_node_attr (node, ph_attr_new_int (name, g_array_index (ints, gint64, 0)));
      else
        ph_sketch_node_attr (node, ph_attr_new_ints (name, (const gint64 *) ints->data, ints->len));
      return;
    }
  number = g_ascii_strtod (text, &end);
  if (end != text && *end == '\0')
    ph_sketch_node_attr (node, ph_attr_new_float (name, (float) number));
  else if (g_ascii_strcasecmp (text, "true") == 0 || g_ascii_strcasecmp (text, "false") == 0)
    ph_sketch_node_attr (node, ph_attr_new_int (name, g_ascii_tolower (*text) == 't'));
  else
    ph_sketch_node_attr (node, ph_attr_new_string (name, text));
}

static void
add_attrs (PhSketchNode *node, const Element *data)
{
  g_autoptr (GList) names = data != NULL ? g_list_sort (g_hash_table_get_keys (data->attrs), (GCompareFunc) strcmp) : NULL;

  for (GList *l = names; l != NULL; l = l->next)
    if (*(const char *) l->data != '\0')
      add_attr (node, l->data, get (data, l->data));
}

static char *
key_of (const char *layer, const char *port)
{
  return g_strdup_printf ("%s:%s", layer, port);
}

/* @places (nullable): receives "input ID" and "output ID" of the Parameter and Result layers -> their position from 1 on. */
static PhSketch *draft_net (Reading *reading, const Element *net, const char *name, GHashTable *places, GError **error);

static gint64
port_of (const Element *row)
{
  return *get (row, "external_port_id") != '\0' ? g_ascii_strtoll (get (row, "external_port_id"), NULL, 10) : -1;
}

static int
by_number (gconstpointer a, gconstpointer b)
{
  const gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return (x > y) - (x < y);
}

/* The numbers of the ports that are outputs of the node, in order. */
static GArray *
output_ports (const Element *map)
{
  GArray *ports = g_array_new (FALSE, FALSE, sizeof (gint64));

  for (guint i = 0; map != NULL && i < map->children->len; i++)
    {
      const gint64 port = port_of (map->children->pdata[i]);

      if (port >= 0 && strcmp (((Element *) map->children->pdata[i])->name, "output") == 0)
        g_array_append_val (ports, port);
    }
  g_array_sort (ports, by_number);
  return ports;
}

/* Keeps a body's port map, which connects its inputs and outputs to the node's, as text attributes, with positions instead of the file's
 * numbers: "input body=0 port=2 axis=1", "output body=1 port=0", "edge from=0 to=1". */
static gboolean
add_port_map (Reading *reading, PhSketchNode *node, const Element *layer, const char *part, GHashTable *places, GError **error)
{
  static const char *const layers[][3]
      = { { "internal_layer_id", "body", NULL }, { "from-layer", "from", "output" }, { "to-layer", "to", "input" } };
  const Element *map = child (layer, part);
  g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  g_autoptr (GArray) ports = output_ports (map);

  for (guint i = 0; map != NULL && i < map->children->len; i++)
    {
      const Element *row = map->children->pdata[i];
      const gint64 port = port_of (row);
      guint before = 0;
      g_autoptr (GString) text = g_string_new (row->name);
      g_autoptr (GList) names = g_list_sort (g_hash_table_get_keys (row->attrs), (GCompareFunc) strcmp);

      for (guint k = 0; k < G_N_ELEMENTS (layers); k++)
        {
          g_autofree char *key = g_strdup_printf ("%s %s", layers[k][2] != NULL ? layers[k][2] : row->name,
                                                  get (row, layers[k][0]));
          const guint place = GPOINTER_TO_UINT (g_hash_table_lookup (places, key));

          if (place > 0)
            g_string_append_printf (text, " %s=%u", layers[k][1], place - 1);
          else if (*get (row, layers[k][0]) != '\0')
            return ph_source_fail (reading->source, error, PH_ERROR_INVALID, NULL,
                                   "layer '%s' is connected to the %s of its body, which does not exist", get (layer, "name"),
                                   key);
        }
      if (strcmp (row->name, "edge") != 0)
        {
          const gboolean found = strcmp (row->name, "output") == 0 && g_array_binary_search (ports, &port, by_number, &before);

          g_string_append_printf (text, " port=%" G_GINT64_FORMAT, found ? (gint64) before : port);
        }
      for (GList *l = names; l != NULL; l = l->next)
        if (strchr (l->data, '-') == NULL && !g_str_has_suffix (l->data, "_id"))
          g_string_append_printf (text, " %s=%s", (const char *) l->data, get (row, l->data));
      g_ptr_array_add (rows, g_bytes_new (text->str, text->len));
    }
  if (rows->len > 0)
    ph_sketch_node_attr (node, ph_attr_new_strings (part, (GBytes *const *) rows->pdata, rows->len));
  return TRUE;
}

static gboolean
add_bodies (Reading *reading, PhSketchNode *node, const Element *layer, GError **error)
{
  static const struct
  {
    const char *part, *attr, *maps[2];
  } bodies[] = { { "body", "loop_body", { "port_map", "back_edges" } },
                 { "then_body", "then_body", { "then_port_map" } },
                 { "else_body", "else_body", { "else_port_map" } } };

  for (guint i = 0; i < G_N_ELEMENTS (bodies); i++)
    if (child (layer, bodies[i].part) != NULL)
      {
        g_autoptr (GHashTable) places = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
        PhSketch *body = draft_net (reading, child (layer, bodies[i].part), bodies[i].part, places, error);

        if (body == NULL)
          return FALSE;
        ph_sketch_node_body (node, bodies[i].attr, body);
        for (guint k = 0; k < G_N_ELEMENTS (bodies[i].maps) && bodies[i].maps[k] != NULL; k++)
          if (!add_port_map (reading, node, layer, bodies[i].maps[k], places, error))
            return FALSE;
      }
  return TRUE;
}

static void
note_place (GHashTable *places, const char *kind, const char *id, guint place)
{
  if (places != NULL)
    g_hash_table_insert (places, g_strdup_printf ("%s %s", kind, id), GUINT_TO_POINTER (place));
}

/* @names: "layer:port" -> the value of that output. @edges: "layer:port" of an input -> that of its source. */
static gboolean
add_layer (Reading *reading, PhSketch *draft, const Element *layer, GHashTable *names, GHashTable *edges, GHashTable *places,
           GError **error)
{
  const char *type = get (layer, "type"), *name = get (layer, "name"), *id = get (layer, "id");
  const Element *data = child (layer, "data"), *input = child (layer, "input"), *output = child (layer, "output");
  const Element *first = child (output, "port");
  PhSketchNode *node;

  if (strcmp (type, "Parameter") == 0 || strcmp (type, "Input") == 0)
    {
      g_autofree char *key = key_of (id, get (first, "id"));

      if (g_hash_table_contains (names, key))
        {
          ph_sketch_add_named_input (draft->main, g_hash_table_lookup (names, key),
                                     type_of_port (first, dtype_of (get (data, "element_type"))));
          note_place (places, "input", id, draft->main->inputs->len);
        }
      return TRUE;
    }
  if (strcmp (type, "Const") == 0)
    {
      g_autofree char *key = key_of (id, get (first, "id"));
      const char *value = g_hash_table_lookup (names, key);
      PhTensor *tensor;
      GError *reason = NULL;

      if (value == NULL)
        return TRUE;
      tensor = read_constant (reading, data, name, &reason);
      if (reason != NULL)
        {
          g_propagate_error (error, reason);
          return FALSE;
        }
      if (tensor != NULL)
        ph_sketch_add_named_constant (draft->main, value, tensor);
      else
        {
          ph_source_problem (reading->source, "The elements of the constant '%s' are not there: it became an input", name);
          ph_sketch_add_named_input (draft->main, value, type_of_port (first, dtype_of (get (data, "element_type"))));
        }
      return TRUE;
    }
  node = strcmp (type, "Result") != 0 ? ph_sketch_add_named_node (draft->main, type, "openvino", name) : NULL;
  for (guint i = 0; input != NULL && i < input->children->len; i++)
    {
      g_autofree char *key = key_of (id, get (input->children->pdata[i], "id"));
      const char *from = g_hash_table_lookup (edges, key), *value = from != NULL ? g_hash_table_lookup (names, from) : NULL;

      if (from != NULL && value == NULL)
        return ph_source_fail (reading->source, error, PH_ERROR_INVALID, NULL,
                               "layer '%s' uses '%s' (layer:port), which does not exist", name, from);
      if (node == NULL && value != NULL)
        {
          ph_sketch_add_output (draft->main, value);
          note_place (places, "output", id, draft->main->outputs->len);
        }
      else if (node != NULL)
        ph_sketch_node_input (node, value != NULL ? value : "");
    }
  if (node == NULL)
    return TRUE;
  ph_sketch_node_place (node, layer->line, 1);
  for (guint i = 0; output != NULL && i < output->children->len; i++)
    {
      const Element *port = output->children->pdata[i];
      g_autofree char *key = key_of (id, get (port, "id"));

      if (g_hash_table_contains (names, key))
        ph_sketch_node_named_output (node, g_hash_table_lookup (names, key),
                                     type_of_port (port, dtype_of (get (layer, "precision"))));
    }
  add_attrs (node, data);
  return add_bodies (reading, node, layer, error);
}

static gboolean
claim_names (Reading *reading, PhSketch *draft, const Element *layer, GHashTable *names, GError **error)
{
  const Element *output = child (layer, "output");

  if (*get (layer, "type") == '\0')
    return ph_source_fail (reading->source, error, PH_ERROR_INVALID, NULL, "layer '%s' has no type", get (layer, "name"));
  for (guint i = 0; output != NULL && i < output->children->len; i++)
    {
      g_autofree char *key = key_of (get (layer, "id"), get (output->children->pdata[i], "id"));
      g_autofree char *name = i == 0 ? g_strdup (get (layer, "name")) : g_strdup_printf ("%s.%u", get (layer, "name"), i);

      if (g_hash_table_contains (names, key))
        return ph_source_fail (reading->source, error, PH_ERROR_INVALID, NULL,
                               "two layers or ports have the number %s (layer:port)", key);
      g_hash_table_insert (names, g_steal_pointer (&key), (gpointer) ph_sketch_claim (draft, name));
    }
  return TRUE;
}

static PhSketch *
draft_net (Reading *reading, const Element *net, const char *name, GHashTable *places, GError **error)
{
  g_autoptr (PhSketch) draft = ph_sketch_new_part (reading->importer, name);
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GHashTable) edges = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  const Element *layers = child (net, "layers"), *list = child (net, "edges");

  if (layers == NULL)
    return ph_source_fail (reading->source, error, PH_ERROR_FILE, NULL,
                           "there are no layers in '%s': this is not a model of OpenVINO", name),
           NULL;
  for (guint i = 0; list != NULL && i < list->children->len; i++)
    {
      const Element *edge = list->children->pdata[i];

      g_hash_table_insert (edges, key_of (get (edge, "to-layer"), get (edge, "to-port")),
                           key_of (get (edge, "from-layer"), get (edge, "from-port")));
    }
  for (guint i = 0; i < layers->children->len; i++)
    if (!claim_names (reading, draft, layers->children->pdata[i], names, error))
      return NULL;
  for (guint i = 0; i < layers->children->len; i++)
    if (!add_layer (reading, draft, layers->children->pdata[i], names, edges, places, error))
      return NULL;
  return g_steal_pointer (&draft);
}

static PhModel *
read_model (PhSource *source, GError **error)
{
  static const GMarkupParser parser = { on_start, on_end, on_text, NULL, NULL };
  g_autoptr (GBytes) bytes = ph_source_dup_bytes (source, error);
  g_autoptr (PhModel) model = ph_model_new ();
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();
  g_autoptr (GError) reason = NULL;
  g_autoptr (PhSketch) draft = NULL;
  Parse parse = { stack, NULL };
  g_autoptr (GMarkupParseContext) context = g_markup_parse_context_new (&parser, G_MARKUP_PREFIX_ERROR_POSITION, &parse, NULL);
  PhImporter importer = { source, model };
  Reading reading = { .source = source, .importer = &importer };
  gsize size;
  const char *text = bytes != NULL ? g_bytes_get_data (bytes, &size) : NULL;

  if (text == NULL)
    return NULL;
  if (!g_markup_parse_context_parse (context, text, (gssize) size, &reason)
      || !g_markup_parse_context_end_parse (context, &reason))
    ph_source_fail (source, error, PH_ERROR_FILE, NULL, "not readable as XML: %s", reason->message);
  else if (parse.root == NULL || strcmp (parse.root->name, "net") != 0)
    ph_source_fail (source, error, PH_ERROR_FILE, NULL, "not a model of OpenVINO: its outermost element is not <net>");
  else
    draft = draft_net (&reading, parse.root, *get (parse.root, "name") != '\0' ? get (parse.root, "name") : "model", NULL, error);
  g_clear_pointer (&parse.root, free_element);
  ph_model_set_opset (model, "", PH_OPSET_NEWEST);
  ph_model_set_opset (model, "openvino", 1);
  return draft != NULL && ph_sketch_import (draft, model->graph, error) ? g_steal_pointer (&model) : NULL;
}

/* clang-format off */
const PhFormat ph_format_openvino = {
  .name = "openvino", .title = "OpenVINO model", .patterns = (const char *const[]) { "*.xml", NULL }, .mime = "application/x-openvino",
  .mime_parent = "application/xml", .text = TRUE, .probe = probe, .read = read_model, .dialect = &ph_dialect_openvino,
};
/* clang-format on */
