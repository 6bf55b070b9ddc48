/* damaged-rules.c: tests that each rule of each conversion table, on nodes that no sound file holds, rewrites or refuses, and leaves a sound
 * graph: operands, types, attributes and bodies that are missing, of another kind, or of extreme size.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "odd-things.h"

#include "core/graph/history.h"
#include "core/io/format.h"
#include "core/io/infer.h"
#include "core/io/io.h"
#include "core/io/mlir/mlir.h"
#include "core/io/torch/schema.h"
#include "core/ops/copy.h"
#include "core/ops/verify.h"
#include "passes/convert-foreign.h"
#include "passes/stablehlo.h"

/* ── a damaged node ── */

typedef enum
{
  BODIES_WHOLE,
  BODIES_NONE,
  BODIES_EMPTY,
  BODIES_MORE_INPUTS,
  BODIES_FEWER_INPUTS,
  BODIES_NO_OUTPUTS,
  N_BODIES
} Bodies;

typedef struct
{
  const PhNode *from; /* (nullable) the sound one: its bodies are copied */
  const PhOp *op;     /* (nullable) of ONNX                              */
  const char *op_type, *domain;
  PhValue *inputs[MAX_ITEMS];
  const PhType *types[MAX_ITEMS];
  PhAttr *attrs[MAX_ITEMS]; /* owned */
  guint n_inputs, n_outputs, n_attrs;
  Bodies bodies;
} Draft;

static void
draft_of (Draft *draft, const PhNode *node)
{
  *draft = (Draft) { .from = node,
                     .op_type = node->op_type,
                     .domain = node->domain,
                     .n_inputs = MIN (node->inputs->len, MAX_ITEMS - 2),
                     .n_outputs = MIN (node->outputs->len, MAX_ITEMS - 2),
                     .n_attrs = MIN (node->attrs->len, MAX_ITEMS - 2) };
  for (guint i = 0; i < draft->n_inputs; i++)
    draft->inputs[i] = node->inputs->pdata[i];
  for (guint i = 0; i < draft->n_outputs; i++)
    draft->types[i] = ph_node_output (node, i)->type;
  for (guint i = 0; i < draft->n_attrs; i++)
    draft->attrs[i] = ph_attr_ref (node->attrs->pdata[i]);
}

static void
set_attr (Draft *draft, const char *name, GRand *random)
{
  guint at = 0;
  PhAttr *attr;

  while (at < draft->n_attrs && strcmp (draft->attrs[at]->name, name) != 0)
    at++;
  if (at == MAX_ITEMS)
    return;
  attr = odd_attr (name, at < draft->n_attrs ? draft->attrs[at] : NULL, random);
  if (at < draft->n_attrs)
    ph_attr_unref (draft->attrs[at]);
  else
    draft->n_attrs++;
  draft->attrs[at] = attr;
}

/* One thing is not as it should be. @names: attributes that the dialect has. */
static void
damage (Draft *draft, GPtrArray *values, GPtrArray *names, GRand *random)
{
  const guint at = (guint) g_rand_int_range (random, 0, 1000);
  PhValue *value = values->pdata[g_rand_int_range (random, 0, (gint32) values->len)];

  switch (g_rand_int_range (random, 0, 12))
    {
    case 0: draft->n_inputs = draft->n_inputs > 0 ? at % draft->n_inputs : 0; break;
    case 1:
    case 2:
    case 3:
      if (draft->n_inputs > 0)
        draft->inputs[at % draft->n_inputs] = value;
      break;
    case 4:
      for (guint i = 0; i < draft->n_inputs; i++)
        draft->inputs[i] = value;
      break;
    case 5:
      if (draft->n_inputs < MAX_ITEMS)
        draft->inputs[draft->n_inputs++] = value;
      break;
    case 6:
      if (draft->n_attrs > 0)
        {
          const guint k = at % draft->n_attrs;

          ph_attr_unref (draft->attrs[k]);
          draft->n_attrs--;
          draft->attrs[k] = draft->attrs[draft->n_attrs];
        }
      break;
    case 7:
      if (names->len > 0)
        set_attr (draft, names->pdata[at % names->len], random);
      break;
    case 8:
      if (draft->n_outputs > 0 && at % 2 == 0)
        draft->types[at % draft->n_outputs] = odd_type (at % n_odd_types ());
      else
        draft->n_outputs = at % 4;
      break;
    case 9:
      if (draft->from != NULL && draft->from->graphs != NULL)
        {
          draft->bodies = at % N_BODIES;
          break;
        }
      G_GNUC_FALLTHROUGH;
    default:
      if (draft->n_attrs > 0)
        set_attr (draft, draft->attrs[at % draft->n_attrs]->name, random);
    }
}

static void
copy_bodies (const Draft *draft, PhNode *to, PhValue *value)
{
  for (guint g = 0; draft->from->graphs != NULL && g < draft->from->graphs->len; g++)
    {
      PhGraph *from = draft->from->graphs->pdata[g], *body = ph_node_add_graph (to, from->attr, from->name, NULL);
      PhBuilder builder = { .graph = body };
      g_autofree PhValue **inputs = g_new0 (PhValue *, from->inputs->len + 1),
                         **outputs = g_new0 (PhValue *, from->outputs->len + 1);

      g_assert_nonnull (body);
      if (draft->bodies == BODIES_EMPTY)
        continue;
      if (draft->bodies == BODIES_MORE_INPUTS)
        ph_graph_add_input (body, ph_graph_unique_name (body, "more"), NULL, NULL, G_MAXUINT, NULL);
      for (guint i = 0; i < from->inputs->len; i++)
        inputs[i] = draft->bodies == BODIES_FEWER_INPUTS && i + 1 == from->inputs->len
                        ? value
                        : ph_graph_add_input (body, ph_graph_unique_name (body, "in"), ((PhValue *) from->inputs->pdata[i])->type,
                                              NULL, G_MAXUINT, NULL);
      ph_build_copy (&builder, from, inputs, outputs, NULL);
      for (guint i = 0; builder.error == NULL && draft->bodies != BODIES_NO_OUTPUTS && i < from->outputs->len; i++)
        ph_graph_set_output (body, i, outputs[i], NULL);
      g_clear_error (&builder.error);
    }
}

/* What is its body, run once, has the body's inputs and outputs: readers see to that. */
static gboolean
is_whole (const PhNode *node)
{
  const PhGraph *body = node->graphs->pdata[0];

  return body->inputs->len == node->inputs->len && body->outputs->len == node->outputs->len;
}

/* Puts the node into @graph, if it can stand there, and ends the draft. */
static void
place (Draft *draft, PhGraph *graph, PhNode *before, PhValue *value)
{
  PhNode *node = ph_graph_add_node (graph,
                                    &(PhNodeSpec) { .op = draft->op,
                                                    .op_type = draft->op_type,
                                                    .domain = draft->domain,
                                                    .inputs = draft->inputs,
                                                    .n_inputs = draft->n_inputs,
                                                    .n_outputs = draft->n_outputs,
                                                    .output_types = draft->types,
                                                    .attrs = draft->attrs,
                                                    .n_attrs = draft->n_attrs,
                                                    .before = before },
                                    NULL);

  if (node != NULL && draft->from != NULL && draft->bodies != BODIES_NONE)
    copy_bodies (draft, node, value);
  if (node != NULL && (node->op != NULL ? !ph_op_check (node->op, node, NULL) : ph_node_is_fused (node) && !is_whole (node)))
    {
      ph_graph_remove_node (node, NULL);
      node = NULL;
    }
  for (guint i = 0; node != NULL && graph->owner == NULL && i < node->outputs->len; i++)
    ph_graph_set_output (graph, graph->outputs->len, ph_node_output (node, i), NULL);
  for (guint i = 0; i < draft->n_attrs; i++)
    ph_attr_unref (draft->attrs[i]);
}

static void
convert (const char *what, const char *pass, PhModel *model)
{
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (GError) error = NULL;

  if (!ph_model_verify (model, &error))
    g_error ("%s: the damaged graph is none: %s", what, error->message);
  if (!ph_pass_run (ph_pass_find (pass), model, history, &PH_PASS_OPTIONS_DEFAULT, &error))
    g_test_message ("%s: %s", what, error->message);
  g_clear_error (&error);
  if (!ph_model_verify (model, &error))
    g_error ("%s: %s leaves no sound graph: %s", what, pass, error->message);
}

/* ── sound nodes, damaged ── */

typedef struct
{
  GHashTable *seen;  /* interned name -> how many sound nodes of it were damaged                           */
  GHashTable *names; /* domain -> (element-type interned) of attributes                                    */
  guint each, most;  /* damaged copies of a sound node; sound nodes of a rule                              */
  GRand *random;
} Sweep;

static GPtrArray *
names_of (Sweep *sweep, const PhNode *node)
{
  GPtrArray *names = g_hash_table_lookup (sweep->names, node->domain);

  if (names == NULL)
    g_hash_table_insert (sweep->names, (gpointer) node->domain, names = g_ptr_array_new ());
  for (guint i = 0; i < node->attrs->len; i++)
    {
      gpointer name = (gpointer) ((PhAttr *) node->attrs->pdata[i])->name;

      if (!g_ptr_array_find (names, name, NULL))
        g_ptr_array_add (names, name);
    }
  return names;
}

static void
sweep_node (Sweep *sweep, PhModel *sound, PhId id, const char *name)
{
  g_autoptr (PhModel) model = ph_model_clone (sound);
  PhNode *node = ph_model_find_node (model, id);
  g_autoptr (GPtrArray) values = odd_values (model);
  GPtrArray *names = names_of (sweep, node);

  for (guint i = 0; i < sweep->each; i++)
    {
      Draft draft;

      draft_of (&draft, node);
      for (guint k = g_rand_int_range (sweep->random, 0, 4) == 0 ? 2 : 1; k > 0; k--)
        damage (&draft, values, names, sweep->random);
      place (&draft, node->graph, node, values->pdata[1 + i % (values->len - 1)]);
    }
  convert (name, "convert-to-onnx", model);
}

static void
sweep_model (Sweep *sweep, PhModel *model)
{
  g_autoptr (GPtrArray) nodes = ph_model_nodes (model);

  for (guint i = 0; i < nodes->len; i++)
    {
      PhNode *node = nodes->pdata[i];
      const char *name = ph_convert_name (node);
      guint n = name != NULL ? GPOINTER_TO_UINT (g_hash_table_lookup (sweep->seen, name)) : 0;

      if (name == NULL || n >= sweep->most || ph_graph_in_function (node->graph) || node->outputs->len == 0)
        continue;
      g_hash_table_insert (sweep->seen, (gpointer) name, GUINT_TO_POINTER (n + 1));
      sweep_node (sweep, model, node->id, name);
    }
}

static void
sweep_bytes (Sweep *sweep, const PhFormat *format, const char *path, const char *text, gsize size, const char *types)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, size);
  g_autoptr (PhModel) model = format != NULL && format->read != NULL ? ph_format_read_bytes (format, bytes, path, NULL, NULL)
                                                                     : NULL;
  g_auto (GStrv) lines = g_strsplit (types != NULL ? types : "", "\n", -1);
  guint input = 0;

  if (model == NULL)
    return;
  for (guint i = 0; lines[i] != NULL; i++) /* "in float[2,3] 1 2 3 4 5 6" */
    if (g_str_has_prefix (lines[i], "in ") && input < model->graph->inputs->len)
      {
        g_autofree char *type = g_strndup (lines[i] + 3, strcspn (lines[i] + 3, " "));
        g_auto (GStrv) parts = g_strsplit_set (type, "[,]", -1);
        PhDim dims[PH_MAX_RANK];
        guint rank = 0;

        for (guint k = 1; parts[k] != NULL; k++)
          if (*parts[k] != '\0')
            dims[rank++] = PH_DIM (g_ascii_strtoll (parts[k], NULL, 10));
        ph_value_set_type (model->graph->inputs->pdata[input++], ph_type_tensor (ph_dtype_from_name (parts[0]), rank, dims),
                           NULL);
      }
  ph_io_infer (model, NULL);
  sweep_model (sweep, model);
}

static char *
read_data (const char *folder, const char *name, gsize *size)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "unit", folder, name, NULL);
  char *text;

  if (!g_file_get_contents (path, &text, size, NULL))
    g_error ("%s is not there", path);
  return text;
}

static int
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static void
sweep_seeds (Sweep *sweep)
{
  guint n;
  const PhFormat *const *formats = ph_format_list (&n);

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *folder = g_test_build_filename (G_TEST_DIST, "fuzz", "corpus", formats[i]->name, NULL);
      g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
      g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (g_free);
      const char *file;

      while (dir != NULL && (file = g_dir_read_name (dir)) != NULL)
        g_ptr_array_add (files, g_build_filename (folder, file, NULL));
      g_ptr_array_sort (files, by_name);
      for (guint k = 0; k < files->len; k++)
        {
          g_autofree char *text = NULL;
          gsize size;

          if (g_file_get_contents (files->pdata[k], &text, &size, NULL))
            sweep_bytes (sweep, formats[i], files->pdata[k], text, size, NULL);
        }
    }
}

static void
sweep_stablehlo (Sweep *sweep, const char *name)
{
  gsize size;
  g_autofree char *text = read_data ("stablehlo", name, &size);
  g_auto (PhSource) source = { 0 };
  g_autoptr (GPtrArray) parts = NULL, modules = g_ptr_array_new (), functions = NULL;

  ph_source_init (&source, name, NULL);
  parts = ph_mlir_parse_all (&source, text, size, NULL);
  for (guint i = 0; i < parts->len; i++)
    g_ptr_array_add (modules, ((PhMlirPart *) parts->pdata[i])->module);
  functions = ph_mlir_functions (modules);
  for (guint i = 0; i < functions->len; i++)
    {
      g_autoptr (PhModel) model = ph_mlir_build (&source, modules, functions->pdata[i], "inputs", NULL);

      if (model == NULL)
        continue;
      ph_io_infer (model, NULL);
      sweep_model (sweep, model);
    }
}

static void
test_damaged (gconstpointer seed)
{
  static const char *const stablehlo[] = { "bodies.mlir",      "complex.mlir", "complex-bodies.mlir",
                                           "elementwise.mlir", "linear.mlir",  "moving.mlir" };
  static const char head[]
      = "<ir_version: 11, opset_import: [\"\" : 23, \"onednn\" : 1, \"mindspore\" : 1, \"relax\" : 1, \"relay\" : 1]>\n";
  Sweep sweep = { .seen = g_hash_table_new (NULL, NULL),
                  .names = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) g_ptr_array_unref),
                  .each = 32,
                  .most = 2,
                  .random = g_rand_new_with_seed (GPOINTER_TO_UINT (seed)) };
  gsize size;
  g_autofree char *systems = read_data (".", "systems-cases.txt", &size), *aten = read_data (".", "aten-cases.txt", &size);
  g_auto (GStrv) of_systems = g_strsplit (systems, "=== ", -1), of_aten = g_strsplit (aten, "=== ", -1);

  sweep_seeds (&sweep);
  for (guint i = 0; i < G_N_ELEMENTS (stablehlo); i++)
    sweep_stablehlo (&sweep, stablehlo[i]);
  for (guint i = 1; of_systems[i] != NULL; i++)
    {
      g_auto (GStrv) parts = g_strsplit (of_systems[i], "\nas\n", 2), lines = g_strsplit (parts[0], "\n", 3);
      g_autofree char *text = g_strdup_printf ("%sg %s\n{\n%s\n}\n", head, lines[1], lines[2]);

      sweep_bytes (&sweep, ph_format_find ("onnx-text"), "case", text, strlen (text), NULL);
    }
  for (guint i = 1; of_aten[i] != NULL; i++)
    {
      const char *code = strchr (of_aten[i], '\n') + 1, *end = strstr (code, "\nin ");
      const gsize n = end != NULL ? (gsize) (end - code) + 1 : strlen (code);

      sweep_bytes (&sweep, ph_format_find ("fx"), "model.py", code, n, of_aten[i]);
    }
  g_test_message ("%u operators", g_hash_table_size (sweep.seen));
  g_assert_cmpuint (g_hash_table_size (sweep.seen), >, 400);
  g_hash_table_unref (sweep.seen);
  g_hash_table_unref (sweep.names);
  g_rand_free (sweep.random);
}

/* ── nodes of nothing but odd things ── */

static GPtrArray *
names_for (const char *op)
{
  /* clang-format off */
  static const char *const common[] = {
    "axis", "axes", "strides", "stride", "dilations", "padding", "paddings", "pads_begin", "pads_end", "kernel_size", "ksize", "data_format", "group", "groups",
    "block_size", "num_split", "keep_dims", "begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask", "transpose_a", "transpose_b",
    "dimensions", "dimension", "permutation", "slice_sizes", "start_indices", "limit_indices", "window_dimensions", "window_strides", "base_dilations",
    "edge_padding_low", "edge_padding_high", "interior_padding", "broadcast_dimensions", "index_vector_dim", "batch_dims", "exponent_bits", "mantissa_bits",
    "dim", "size", "shape", "k", "dtype", "mode", "equation", "epsilon", "alpha", "indices_or_sections", "begin", "end", "depth", "offset", "num", "DstT",
    "fused_activation_function", "stride_h", "stride_w", "filter_height", "filter_width", "batch_group_count", "feature_group_count", "dim_labels", "format",
  };
  /* clang-format on */
  const char *signature = g_str_has_prefix (op, "aten:") ? ph_torch_signature (op + strlen ("aten:")) : NULL;
  g_auto (GStrv) words = g_strsplit (signature != NULL ? signature : "", " ", -1);
  GPtrArray *names = g_ptr_array_new ();

  for (guint i = 0; words[i] != NULL; i++)
    if (*words[i] != '\0' && *words[i] != '*')
      g_ptr_array_add (names, (gpointer) ph_intern (words[i]));
  for (guint i = 0; signature == NULL && i < G_N_ELEMENTS (common); i++)
    g_ptr_array_add (names, (gpointer) ph_intern (common[i]));
  return names;
}

static void
place_odd (const PhOp *op, const char *domain, const char *name, PhGraph *graph, GPtrArray *values, GPtrArray *names, guint i,
           GRand *random)
{
  Draft draft = { .op = op, .op_type = name, .domain = domain, .n_inputs = i % 6, .n_outputs = i % 9 == 8 ? i % 4 : 1 };
  const gboolean alike = g_rand_boolean (random);

  for (guint k = 0; k < draft.n_inputs; k++)
    draft.inputs[k] = alike && k > 0 ? draft.inputs[0] : values->pdata[g_rand_int_range (random, 1, (gint32) values->len)];
  for (guint k = 0; k < draft.n_outputs; k++)
    draft.types[k] = odd_type (g_rand_int_range (random, 0, (gint32) n_odd_types ()));
  for (guint k = 0; k < names->len && i % 3 != 0; k++)
    if (g_rand_int_range (random, 0, 3) == 0)
      set_attr (&draft, names->pdata[k], random);
  place (&draft, graph, NULL, NULL);
}

static void
test_odd (gconstpointer seed)
{
  static const char *const domains[] = { "stablehlo", "hlo", "jax", "mhlo" }, *const tvm[] = { "relax", "relay" };
  GRand *random = g_rand_new_with_seed (GPOINTER_TO_UINT (seed));
  guint n = 0;

  for (guint t = 0; ph_convert_tables[t] != NULL; t++)
    for (const PhConvertRule *rule = ph_convert_tables[t]; rule->op != NULL; rule++)
      {
        g_autoptr (PhModel) model = ph_model_new ();
        g_autoptr (GPtrArray) values = odd_values (model), names = names_for (rule->op);
        const char *colon = strchr (rule->op, ':');
        g_autofree char *domain = g_strndup (rule->op, colon != NULL ? (gsize) (colon - rule->op) : 0);

        for (guint i = 0; i < 36; i++)
          place_odd (NULL,
                     colon == NULL                 ? domains[i % 4]
                     : g_str_equal (domain, "tvm") ? tvm[i % 2]
                                                   : domain,
                     colon != NULL ? colon + 1 : rule->op, model->graph, values, names, i, random);
        convert (rule->op, "convert-to-onnx", model);
        n++;
      }
  g_test_message ("%u rules", n);
  g_assert_cmpuint (n, >, 700);
  g_rand_free (random);
}

/* The way back: ONNX's operators in StableHLO. */
static void
test_back (gconstpointer seed)
{
  const PhLowerRule *const tables[] = { ph_stable_elementwise, ph_stable_linear, ph_stable_reduce_rules, ph_stable_shape };
  GRand *random = g_rand_new_with_seed (GPOINTER_TO_UINT (seed));

  for (guint t = 0; t < G_N_ELEMENTS (tables); t++)
    for (const PhLowerRule *rule = tables[t]; rule->op != NULL; rule++)
      {
        g_autoptr (PhModel) model = ph_model_new ();
        g_autoptr (GPtrArray) values = odd_values (model), names = names_for ("");
        const char *domain, *name;

        ph_op_get_name (rule->op, &domain, &name);
        ph_model_set_opset (model, "", PH_OPSET_NEWEST);
        for (guint i = 0; i < 36; i++)
          place_odd (rule->op, domain, name, model->graph, values, names, i, random);
        convert (name, "convert-to-stablehlo", model);
      }
  g_rand_free (random);
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *name;
    GTestDataFunc test;
    guint seeds[4]; /* those behind the first have found something */
  } tests[] = {
    { "damaged", test_damaged, { 29, 107 } },
    { "odd", test_odd, { 31, 603, 608, 610 } },
    { "back", test_back, { 37, 1026 } },
  };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    for (guint k = 0; k < G_N_ELEMENTS (tests[i].seeds) && tests[i].seeds[k] != 0; k++)
      {
        g_autofree char *path = g_strdup_printf ("/damaged-rules/%s/%u", tests[i].name, tests[i].seeds[k]);

        g_test_add_data_func (path, GUINT_TO_POINTER (tests[i].seeds[k]), tests[i].test);
      }
  return g_test_run ();
}
