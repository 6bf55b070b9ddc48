/* match.c: tests of saying another program's result as edits: on random models, with names kept, changed and taken away.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/analyze/become.h"

#include <string.h>

#include "core/graph/history.h"
#include "core/io/format.h"
#include "core/io/io.h"
#include "core/ops/verify.h"

/* ── meaning: what a value computes, whatever it is called ──────────────────────────────────────────────────────── */

static guint64
mix (guint64 hash, guint64 more)
{
  return (hash ^ more) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15) + (hash >> 29);
}

static guint64 meaning_of_graph (const PhGraph *graph, GHashTable *known);

static guint64
meaning (const PhValue *value, GHashTable *known)
{
  guint64 *found = g_hash_table_lookup (known, value), hash = 7;
  const PhNode *node = value->producer;

  if (found != NULL)
    return *found;
  if (node == NULL)
    hash = value->is_input ? g_str_hash (value->name) : mix (3, ph_tensor_hash (value->tensor));
  else
    {
      guint64 attrs = 0;

      hash = mix (mix (hash, g_str_hash (node->op_type)), value->output);
      for (guint i = 0; i < node->inputs->len; i++)
        hash = mix (hash, node->inputs->pdata[i] != NULL ? meaning (node->inputs->pdata[i], known) : 1);
      for (guint i = 0; i < node->attrs->len; i++)
        attrs += mix (5, ph_attr_hash (node->attrs->pdata[i]));
      hash = mix (hash, attrs);
      for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
        hash = mix (hash, meaning_of_graph (node->graphs->pdata[i], known));
    }
  found = g_new (guint64, 1);
  *found = hash;
  g_hash_table_insert (known, (gpointer) value, found);
  return hash;
}

static guint64
meaning_of_graph (const PhGraph *graph, GHashTable *known)
{
  guint64 hash = 11;

  for (guint i = 0; graph->owner != NULL && i < graph->inputs->len; i++)
    {
      guint64 *place = g_new (guint64, 1);

      *place = i + 1000;
      g_hash_table_insert (known, graph->inputs->pdata[i], place);
    }
  for (guint i = 0; graph->owner == NULL && i < graph->inputs->len; i++)
    hash = mix (hash, g_str_hash (((PhValue *) graph->inputs->pdata[i])->name));
  for (guint i = 0; i < graph->outputs->len; i++)
    {
      hash = mix (hash, meaning (graph->outputs->pdata[i], known));
      if (graph->owner == NULL)
        hash = mix (hash, g_str_hash (((PhValue *) graph->outputs->pdata[i])->name));
    }
  return mix (mix (hash, graph->n_nodes), graph->constants->len);
}

static guint64
meaning_of (PhModel *model)
{
  g_autoptr (GHashTable) known = g_hash_table_new_full (NULL, NULL, NULL, g_free);

  return meaning_of_graph (model->graph, known);
}

/* ── random models ──────────────────────────────────────────────────────────────────────────────────────────────── */

static PhValue *
pick (GRand *rand, PhGraph *graph)
{
  g_autoptr (GPtrArray) values = g_ptr_array_new ();

  for (const PhGraph *scope = graph; scope != NULL; scope = scope->owner != NULL ? scope->owner->graph : NULL)
    {
      for (guint i = 0; i < scope->inputs->len; i++)
        g_ptr_array_add (values, scope->inputs->pdata[i]);
      for (guint i = 0; i < scope->constants->len; i++)
        g_ptr_array_add (values, scope->constants->pdata[i]);
      if (scope == graph)
        PH_FOREACH_NODE (node, scope)
          for (guint i = 0; i < node->outputs->len; i++)
            g_ptr_array_add (values, node->outputs->pdata[i]);
    }
  return values->pdata[g_rand_int_range (rand, 0, (gint32) values->len)];
}

static PhNode *
grow (GRand *rand, PhGraph *graph, guint depth)
{
  static const char *const ops[] = { "Foo", "Bar", "Baz", "Qux" };
  PhValue *inputs[3];
  guint n = (guint) g_rand_int_range (rand, 1, 4);
  g_autoptr (PhAttr) attr = ph_attr_new_int ("k", g_rand_int_range (rand, 0, 3));
  g_autofree char *name = g_rand_boolean (rand) ? g_strdup_printf ("node%u", g_rand_int_range (rand, 0, 1000)) : NULL;
  PhNode *node;

  for (guint i = 0; i < n; i++)
    inputs[i] = g_rand_int_range (rand, 0, 9) == 0 ? NULL : pick (rand, graph);
  node = ph_graph_add_node (graph,
                            &(PhNodeSpec) { .op_type = ops[g_rand_int_range (rand, 0, 4)],
                                            .domain = "test",
                                            .name = name,
                                            .inputs = inputs,
                                            .n_inputs = n,
                                            .attrs = &attr,
                                            .n_attrs = g_rand_boolean (rand),
                                            .n_outputs = g_rand_int_range (rand, 0, 5) == 0 ? 2 : 1 },
                            NULL);
  if (depth < 2 && g_rand_int_range (rand, 0, 8) == 0)
    {
      PhGraph *body = ph_node_add_graph (node, "branch", "body", NULL);

      ph_graph_add_input (body, "arg", ph_type_unranked (PH_FLOAT), NULL, G_MAXUINT, NULL);
      for (guint i = 0; i < 3; i++)
        grow (rand, body, depth + 1);
      ph_graph_set_output (body, 0, pick (rand, body), NULL);
    }
  return node;
}

static PhModel *
random_model (GRand *rand)
{
  PhModel *model = ph_model_new ();

  ph_model_set_opset (model, "", 17);
  model->ir_version = 8;
  for (guint i = 0; i < 3; i++)
    {
      g_autofree char *name = g_strdup_printf ("in%u", i);
      g_autoptr (PhTensor) tensor = ph_tensor_new_floats ((float[]) { (float) (i / 2) }, 1);

      ph_graph_add_input (model->graph, name, ph_type_unranked (PH_FLOAT), NULL, G_MAXUINT, NULL);
      ph_graph_add_constant (model->graph, NULL, tensor, NULL);
    }
  for (guint i = 0; i < 15; i++)
    grow (rand, model->graph, 0);
  for (guint i = 0; i < 2; i++)
    ph_graph_set_output (model->graph, i, ph_node_output (i == 0 ? model->graph->last : model->graph->last->prev, 0), NULL);
  return model;
}

/* What another program might do: rewire, add, take away, give other attributes, inputs and names. */
static void
disturb (GRand *rand, PhModel *model)
{
  const guint n = (guint) g_rand_int_range (rand, 0, 12);

  for (guint i = 0; i < n; i++)
    {
      PhNode *node = ph_model_find_node (model, (PhId) g_rand_int_range (rand, 1, (gint32) model->next_id));
      g_autoptr (PhAttr) attr = ph_attr_new_int ("k", g_rand_int_range (rand, 0, 5));
      PhValue *value;

      if (node == NULL)
        continue;
      switch (g_rand_int_range (rand, 0, 8))
        {
        case 0:
          ph_node_set_input (node, (guint) g_rand_int_range (rand, 0, (gint32) node->inputs->len + 1), pick (rand, node->graph),
                             NULL);
          break;
        case 1:
          value = pick (rand, node->graph);
          if (value != node->outputs->pdata[0])
            ph_value_replace_uses (node->outputs->pdata[0], value, NULL);
          ph_graph_remove_dead (node);
          break;
        case 2: ph_node_set_attr (node, "k", attr, NULL); break;
        case 3: ph_node_set_input (grow (rand, node->graph, 1), 0, node->outputs->pdata[0], NULL); break;
        case 4:
          ph_graph_add_input (model->graph, "extra", ph_type_unranked (PH_FLOAT), NULL,
                              (guint) g_rand_int_range (rand, 0, (gint32) model->graph->inputs->len + 1), NULL);
          break;
        case 5:
          ph_graph_set_output (model->graph, (guint) g_rand_int_range (rand, 0, (gint32) model->graph->outputs->len + 1),
                               pick (rand, model->graph), NULL);
          break;
        case 6: ph_value_rename (node->outputs->pdata[0], ph_model_unique_name (model, "renamed"), NULL); break;
        default: node->name = ph_intern (g_rand_boolean (rand) ? "" : "node7"); /* a test may: nothing is recorded here */
        }
    }
}

/* Through a file and back, so that nothing is shared, and ids and order are new. */
static PhModel *
elsewhere (PhModel *model)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = ph_onnx_text_print (model, G_MAXSIZE);
  PhModel *copy = ph_onnx_text_read (text, -1, "elsewhere", &error);

  g_assert_no_error (error);
  return copy;
}

static void
test_random (void)
{
  guint kept = 0, all = 0;

  for (guint seed = 0; seed < 1500; seed++)
    {
      g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
      g_autoptr (PhModel) model = random_model (rand);
      g_autoptr (PhModel) clone = ph_model_clone (model);
      g_autoptr (PhModel) target = NULL;
      g_autoptr (PhHistory) history = ph_history_new ();
      g_autoptr (GError) error = NULL;
      g_autofree char *before = ph_onnx_text_print (model, G_MAXSIZE), *after = NULL;
      PhBecame counts = { 0 };

      disturb (rand, clone);
      target = elsewhere (clone);
      model->journal = history;
      ph_history_begin_step (history, model, "test");
      ph_history_begin_rewrite (history, "test", PH_NO_ID, "");
      if (!ph_model_become (model, target, &counts, &error))
        g_error ("seed %u: %s", seed, error->message);
      ph_history_end_rewrite (history);
      ph_history_end_step (history, model, 0);
      if (!ph_model_verify (model, &error))
        g_error ("seed %u: %s", seed, error->message);
      if (meaning_of (model) != meaning_of (target))
        {
          g_autofree char *got = ph_onnx_text_print (model, G_MAXSIZE), *wanted = ph_onnx_text_print (target, G_MAXSIZE);
          g_error ("seed %u: got\n%s\nwanted\n%s", seed, got, wanted);
        }
      g_assert_true (ph_history_go (history, model, (PhPosition) { 0, 0 }, &error));
      after = ph_onnx_text_print (model, G_MAXSIZE);
      g_assert_cmpstr (before, ==, after);
      kept += counts.kept;
      all += counts.kept + counts.added;
      model->journal = NULL;
    }
  g_test_message ("%u of %u nodes were recognised", kept, all);
}

/* Two snapshots part at their first node: all others are found by the names of what they make, wherever they stand, and the one that
 * is called otherwise by the name of its node, which only it has. */
static void
test_names (void)
{
  static const char *const head = "<ir_version: 8, opset_import: [\"\" : 17]>\ng (float[2] x) => (float[2] y) {\n";
  g_autofree char *ours = g_strconcat (head,
                                       "  [gone] a = Relu (x)\n  [one] b = Neg (a)\n  [two] c = Neg (x)\n  [three] d = Neg (c)\n"
                                       "  [four] y = Add (b, d)\n}",
                                       NULL);
  g_autofree char *theirs = g_strconcat (
      head,
      "  [two] c = Neg (x)\n  [new] e = Exp (c)\n  [one] b = Neg (e)\n  [three] other = Neg (c)\n"
      "  [four] y = Add (b, other)\n}",
      NULL);
  g_autoptr (PhModel) model = ph_onnx_text_read (ours, -1, "ours", NULL), target = ph_onnx_text_read (theirs, -1, "theirs", NULL);
  PhBecame counts = { 0 };
  PhId ids[4];

  for (guint i = 0; i < 4; i++)
    ids[i] = ph_model_find_node_named (model, ((const char *[]) { "one", "two", "three", "four" })[i])->id;
  g_assert_true (ph_model_become (model, target, &counts, NULL));
  g_assert_cmpuint (counts.added, ==, 1);
  g_assert_cmpuint (counts.removed, ==, 1);
  g_assert_cmpuint (counts.kept, ==, 4);
  for (guint i = 0; i < 4; i++)
    g_assert_cmpuint (ph_model_find_node_named (model, ((const char *[]) { "one", "two", "three", "four" })[i])->id, ==, ids[i]);
}

/* Nothing changed: no edits, however the names look. */
static void
test_same (void)
{
  for (guint seed = 0; seed < 200; seed++)
    {
      g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
      g_autoptr (PhModel) untyped = random_model (rand);
      g_autoptr (PhModel) model = elsewhere (untyped);
      g_autoptr (PhModel) target = elsewhere (model);
      g_autoptr (PhHistory) history = ph_history_new ();
      PhBecame counts = { 0 };

      model->journal = history;
      g_assert_true (ph_model_become (model, target, &counts, NULL));
      g_assert_cmpuint (counts.added + counts.removed, ==, 0);
      for (guint i = 0; i < history->edits->len; i++)
        {
          g_autofree char *edit = ph_edit_to_string (history->edits->pdata[i]);
          g_error ("seed %u: %s", seed, edit);
        }
      model->journal = NULL;
    }
}

/* All names are gone: structure alone says which node is which. */
static void
test_structure (void)
{
  static const char *const head = "<ir_version: 8, opset_import: [\"\" : 17]>\n";
  g_autofree char *ours = g_strconcat (
      head,
      "g (float[2] x) => (float[2] y) <float[2] w = {1, 2}> {\n"
      "  [one] a = Add (x, w)\n  [two] b = Identity (a)\n  [three] c = Relu (b)\n  [four] y = Mul (c, x)\n}",
      NULL);
  g_autofree char *theirs = g_strconcat (head,
                                         "g (float[2] x) => (float[2] y) <float[2] v0 = {1, 2}> {\n"
                                         "  v1 = Add (x, v0)\n  v2 = Relu (v1)\n  y = Mul (v2, x)\n}",
                                         NULL);
  g_autoptr (PhModel) model = ph_onnx_text_read (ours, -1, "ours", NULL);
  g_autoptr (PhModel) target = ph_onnx_text_read (theirs, -1, "theirs", NULL);
  const PhNode *two = ph_model_find_node_named (model, "two"), *three = ph_model_find_node_named (model, "three");
  PhId gone = two->id;
  PhBecame counts = { 0 };

  g_assert_true (ph_model_become (model, target, &counts, NULL));
  g_assert_cmpuint (counts.removed, ==, 1);
  g_assert_cmpuint (counts.added, ==, 0);
  g_assert_null (ph_model_find_node (model, gone));
  g_assert_true (ph_model_find_node_named (model, "three") == three);
  g_assert_cmpstr (ph_node_input (three, 0)->name, ==, "a");
}

static PhModel *
read_mlir (const char *body)
{
  g_autofree char *text = g_strdup_printf (
      "func.func @main(%%arg0: tensor<4xf32>, %%arg1: tensor<4xf32>) -> tensor<4xf32> {\n%s}\n", body);
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  g_autoptr (GError) error = NULL;
  PhModel *model = ph_format_read_bytes (ph_format_find ("mlir"), bytes, "m.mlir", NULL, &error);

  g_assert_no_error (error);
  return model;
}

/* Values that are only counted: where one goes, all behind it are called otherwise, and are what they were. */
static void
test_numbers (void)
{
  g_autoptr (PhModel) model = read_mlir (
      "%0 = stablehlo.add %arg0, %arg1 : tensor<4xf32>\n  %1 = stablehlo.add %arg0, %arg1 : tensor<4xf32>\n"
      "%2 = stablehlo.multiply %0, %arg0 : tensor<4xf32>\n  %3 = stablehlo.multiply %1, %arg1 : tensor<4xf32>\n"
      "%4 = stablehlo.multiply %2, %3 : tensor<4xf32>\n  %5 = stablehlo.add %4, %arg1 : tensor<4xf32>\n"
      "return %5 : tensor<4xf32>\n");
  g_autoptr (PhModel) target = read_mlir (
      "%0 = stablehlo.add %arg0, %arg1 : tensor<4xf32>\n"
      "%1 = stablehlo.multiply %0, %arg0 : tensor<4xf32>\n  %2 = stablehlo.multiply %0, %arg1 : tensor<4xf32>\n"
      "%3 = stablehlo.multiply %1, %2 : tensor<4xf32>\n  %4 = stablehlo.add %3, %arg1 : tensor<4xf32>\n"
      "return %4 : tensor<4xf32>\n");
  g_autoptr (GArray) guessed = g_array_new (FALSE, FALSE, sizeof (PhId));
  const PhNode *second = model->graph->first->next, *product = second->next->next;
  const PhId gone = second->id;
  PhBecame became = { .guessed = guessed };

  g_assert_true (ph_model_become (model, target, &became, NULL));
  g_assert_cmpuint (became.kept, ==, 5);
  g_assert_cmpuint (became.added, ==, 0);
  g_assert_cmpuint (became.removed, ==, 1);
  g_assert_null (ph_model_find_node (model, gone));
  g_assert_true (ph_node_input (product, 0)->producer == model->graph->first);
  g_assert_cmpuint (guessed->len, ==, 3); /* what computes the same by other means is one by its place */
}

/* A node in the middle reads what came between: it stays, what came is new, and nothing else is touched. */
static void
test_like (void)
{
  g_autoptr (PhModel) model = read_mlir (
      "%0 = stablehlo.add %arg0, %arg1 : tensor<4xf32>\n  %1 = stablehlo.multiply %0, %arg0 : tensor<4xf32>\n"
      "%2 = stablehlo.tanh %1 : tensor<4xf32>\n  %3 = stablehlo.multiply %2, %arg1 : tensor<4xf32>\n"
      "return %3 : tensor<4xf32>\n");
  g_autoptr (PhModel) target = read_mlir (
      "%0 = stablehlo.add %arg0, %arg1 : tensor<4xf32>\n  %1 = stablehlo.negate %0 : tensor<4xf32>\n"
      "%2 = stablehlo.multiply %1, %arg0 : tensor<4xf32>\n  %3 = stablehlo.exponential %2 : tensor<4xf32>\n"
      "%4 = stablehlo.multiply %3, %arg1 : tensor<4xf32>\n  return %4 : tensor<4xf32>\n");
  const PhNode *first = model->graph->first->next, *last = model->graph->last;
  PhBecame became = { 0 };

  g_assert_true (ph_model_become (model, target, &became, NULL));
  g_assert_cmpuint (became.kept, ==, 3);
  g_assert_cmpuint (became.added, ==, 2);
  g_assert_cmpuint (became.removed, ==, 1);
  g_assert_cmpstr (ph_node_input (first, 0)->producer->op_type, ==, "negate");
  g_assert_true (((PhValue *) model->graph->outputs->pdata[0])->producer == last);
}

/* A pass that changes types puts conversions around what it computes in another: these alone are new. */
static void
test_casts (void)
{
  g_autoptr (PhModel) model = read_mlir (
      "%0 = stablehlo.multiply %arg0, %arg1 : tensor<4xf32>\n  %1 = stablehlo.tanh %0 : tensor<4xf32>\n"
      "return %1 : tensor<4xf32>\n");
  g_autoptr (PhModel) target = read_mlir (
      "%0 = stablehlo.convert %arg0 : (tensor<4xf32>) -> tensor<4xf16>\n"
      "%1 = stablehlo.convert %arg1 : (tensor<4xf32>) -> tensor<4xf16>\n"
      "%2 = stablehlo.multiply %0, %1 : tensor<4xf16>\n  %3 = stablehlo.convert %2 : (tensor<4xf16>) -> tensor<4xf32>\n"
      "%4 = stablehlo.tanh %3 : tensor<4xf32>\n  return %4 : tensor<4xf32>\n");
  const PhNode *product = model->graph->first, *tanh = product->next;
  PhBecame became = { 0 };

  g_assert_true (ph_model_become (model, target, &became, NULL));
  g_assert_cmpuint (became.kept, ==, 2);
  g_assert_cmpuint (became.added, ==, 3);
  g_assert_cmpuint (became.removed, ==, 0);
  g_assert_cmpstr (ph_node_input (product, 1)->producer->op_type, ==, "convert");
  g_assert_true (ph_node_input (tanh, 0)->producer->inputs->pdata[0] == product->outputs->pdata[0]);
}

static PhModel *
with_renamed_inputs (PhModel *model, guint n)
{
  PhModel *target = ph_model_clone (model);

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *name = g_strdup_printf ("other_%u", i);

      g_assert_true (ph_value_rename (target->graph->inputs->pdata[i], name, NULL));
    }
  return target;
}

/* Another writer calls every input otherwise: they are the same by place. One that has another name beside one that kept its own is another. */
static void
test_inputs_of_other_names (void)
{
  g_autoptr (PhModel) model = read_mlir (
      "%0 = stablehlo.subtract %arg0, %arg1 : tensor<4xf32>\n  %1 = stablehlo.tanh %0 : tensor<4xf32>\n"
      "return %1 : tensor<4xf32>\n");
  g_autoptr (PhModel) all = with_renamed_inputs (model, 2), one = with_renamed_inputs (model, 1);
  const PhValue *first = model->graph->inputs->pdata[0], *second = model->graph->inputs->pdata[1];
  const PhId old = first->id;
  PhBecame became = { 0 };

  g_assert_true (ph_model_become (model, all, &became, NULL));
  g_assert_true (model->graph->inputs->pdata[0] == first && model->graph->inputs->pdata[1] == second);
  g_assert_cmpstr (first->name, ==, "other_0");
  g_assert_cmpstr (second->name, ==, "other_1");
  g_assert_true (ph_node_input (model->graph->first, 0) == first && ph_node_input (model->graph->first, 1) == second);
  g_assert_cmpuint (became.kept, ==, 2);
  g_assert_cmpuint (became.added + became.removed, ==, 0);

  g_assert_true (ph_value_rename (model->graph->inputs->pdata[1], ((PhValue *) one->graph->inputs->pdata[1])->name, NULL));
  g_assert_true (ph_value_rename (model->graph->inputs->pdata[0], "mine", NULL));
  g_assert_true (ph_model_become (model, one, NULL, NULL));
  g_assert_null (ph_model_find_value (model, old));
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/match/names", test_names);
  g_test_add_func ("/match/structure", test_structure);
  g_test_add_func ("/match/same", test_same);
  g_test_add_func ("/match/random", test_random);
  g_test_add_func ("/match/numbers", test_numbers);
  g_test_add_func ("/match/like", test_like);
  g_test_add_func ("/match/casts", test_casts);
  g_test_add_func ("/match/inputs-of-other-names", test_inputs_of_other_names);
  return g_test_run ();
}
