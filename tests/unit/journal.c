/* journal.c: properties of edits and the journal: random edits, walked back and forth, leave the same graph.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/analyze/diff.h"
#include "core/graph/graph-private.h"
#include "core/io/io.h"
#include "core/ops/op.h"
#include "core/ops/verify.h"

/* All that an edit can touch, in the order in which it stands. */
static void
dump_value (GString *text, const PhValue *value)
{
  g_autofree char *type = ph_type_to_string (value->type);

  g_string_append_printf (text, " v%u:%s:%s:%u:%u", value->id, value->name, type, ph_value_n_uses (value), value->place);
}

static void
dump_graph (GString *text, const PhGraph *graph)
{
  g_string_append_printf (text, "graph %u %s\n in", graph->id, graph->name);
  for (guint i = 0; i < graph->inputs->len; i++)
    dump_value (text, graph->inputs->pdata[i]);
  g_string_append (text, "\n const");
  for (guint i = 0; i < graph->constants->len; i++)
    dump_value (text, graph->constants->pdata[i]);
  PH_FOREACH_NODE (node, graph)
    {
      g_autofree char *where = node->where != NULL ? ph_where_to_string (node->where, TRUE) : NULL;

      g_string_append_printf (text, "\n n%u %s '%s' %s %d %u %s", node->id, node->op_type, node->name, node->device, node->role,
                              node->partner, where);
      for (guint i = 0; i < node->inputs->len; i++)
        g_string_append_printf (text, " %s", node->inputs->pdata[i] != NULL ? ((PhValue *) node->inputs->pdata[i])->name : "-");
      g_string_append (text, " ->");
      for (guint i = 0; i < node->outputs->len; i++)
        dump_value (text, node->outputs->pdata[i]);
      for (guint i = 0; i < node->attrs->len; i++)
        {
          g_autofree char *value = ph_attr_value_to_string (node->attrs->pdata[i]);
          g_string_append_printf (text, " %s=%s", ((PhAttr *) node->attrs->pdata[i])->name, value);
        }
      for (guint i = 0; node->control != NULL && i < node->control->len; i++)
        g_string_append_printf (text, " after n%u", ((PhNode *) node->control->pdata[i])->id);
      if (node->followers != NULL)
        g_string_append_printf (text, " before %u", node->followers->len);
      for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
        dump_graph (text, node->graphs->pdata[i]);
    }
  g_string_append (text, "\n out");
  for (guint i = 0; i < graph->outputs->len; i++)
    g_string_append_printf (text, " %s", ((PhValue *) graph->outputs->pdata[i])->name);
  g_string_append_c (text, '\n');
}

static char *
dump (PhModel *model)
{
  GString *text = g_string_new (NULL);
  dump_graph (text, model->graph);
  for (guint i = 0; i < model->functions->len; i++)
    {
      const PhFunction *function = model->functions->pdata[i];

      g_string_append_printf (text, "function %s.%s %u %u\n", function->domain, function->name, function->parameters->len,
                              function->defaults->len);
      dump_graph (text, function->graph);
    }
  return g_string_free (text, FALSE);
}

static PhValue *
pick_value (PhModel *model, GRand *random)
{
  for (guint tries = 0; tries < 50; tries++)
    {
      PhValue *value = ph_model_find_value (model, (PhId) g_rand_int_range (random, 1, (gint32) model->next_id));
      if (value != NULL)
        return value;
    }
  return model->graph->inputs->pdata[0];
}

static PhNode *
pick_node (PhModel *model, GRand *random)
{
  for (guint tries = 0; tries < 50; tries++)
    {
      PhNode *node = ph_model_find_node (model, (PhId) g_rand_int_range (random, 1, (gint32) model->next_id));
      if (node != NULL)
        return node;
    }
  return model->graph->first;
}

static void
random_node (PhModel *model, GRand *random)
{
  static const char *const ops[] = { "Foo", "Bar", "Baz" };
  PhGraph *graph = model->graph;
  PhValue *inputs[3];
  g_autoptr (PhAttr) attr = ph_attr_new_int ("k", g_rand_int_range (random, 0, 9));
  guint n = (guint) g_rand_int_range (random, 0, 4);
  PhNode *before = g_rand_boolean (random) ? pick_node (model, random) : NULL;
  const guint line = (guint) g_rand_int_range (random, 0, 90);

  if (before != NULL)
    graph = before->graph;
  for (guint i = 0; i < n; i++)
    inputs[i] = g_rand_int_range (random, 0, 8) == 0 ? NULL : pick_value (model, random);
  /* Many of these are refused (scope, order): then nothing may have happened. */
  ph_graph_add_node (graph,
                     &(PhNodeSpec) { .op_type = ops[g_rand_int_range (random, 0, 3)],
                                     .domain = "test",
                                     .inputs = inputs,
                                     .n_inputs = n,
                                     .attrs = &attr,
                                     .n_attrs = 1,
                                     .n_outputs = (guint) g_rand_int_range (random, 1, 3),
                                     .where = line > 0 ? ph_where_new ("net.py", line, line % 7, FALSE, NULL) : NULL,
                                     .device = line % 3 == 0 ? "gpu" : NULL,
                                     .before = before },
                     NULL);
}

static void
random_body (PhModel *model, GRand *random)
{
  PhNode *owner = pick_node (model, random);
  PhGraph *body = owner != NULL ? ph_node_add_graph (owner, g_rand_boolean (random) ? "then" : "else", NULL, NULL) : NULL;
  PhValue *captured = pick_value (model, random), *input;
  PhNode *node;

  if (body == NULL)
    return;
  input = ph_graph_add_input (body, "arg", ph_type_unranked (PH_FLOAT), NULL, G_MAXUINT, NULL);
  node = ph_graph_add_node (
      body, &(PhNodeSpec) { .op_type = "Inner", .domain = "test", .inputs = &input, .n_inputs = 1, .n_outputs = 1 }, NULL);
  g_assert_nonnull (node);
  ph_node_set_input (node, 1, captured, NULL);
  g_assert_true (ph_graph_set_output (body, 0, node->outputs->pdata[0], NULL));
}

static void
random_function (PhModel *model, GRand *random)
{
  g_autofree char *name = g_strdup_printf ("f%d", g_rand_int_range (random, 0, 4));
  g_autoptr (PhTensor) tensor = ph_tensor_new_scalar (PH_FLOAT, 3);
  g_autoptr (PhAttr) attr = ph_attr_new_ref ("k", "alpha", PH_ATTR_INT);
  PhFunction *function = ph_model_find_function (model, "test", name);
  PhValue *inputs[2];
  PhNode *node;

  if (function != NULL)
    {
      if (g_rand_boolean (random))
        ph_model_remove_function (function, NULL);
      return;
    }
  function = ph_model_add_function (
      model,
      &(PhFunctionSpec) { .domain = "test", .name = name, .parameters = (const char *const[]) { "alpha" }, .n_parameters = 1 },
      NULL);
  inputs[0] = ph_graph_add_input (function->graph, "x", NULL, NULL, G_MAXUINT, NULL);
  inputs[1] = ph_graph_add_constant (function->graph, "c", tensor, NULL);
  g_assert_cmpstr (inputs[0]->name, ==, "x"); /* though the main graph has an x too */
  node = ph_graph_add_node (
      function->graph,
      &(PhNodeSpec) {
          .op_type = "f1", .domain = "test", .inputs = inputs, .n_inputs = 2, .n_outputs = 1, .attrs = &attr, .n_attrs = 1 },
      NULL);
  g_assert_true (ph_graph_set_output (function->graph, 0, node->outputs->pdata[0], NULL));
}

/* What names and types values and cuts lists off. */
static void
random_detail (PhModel *model, GRand *random)
{
  PhNode *node = pick_node (model, random);
  PhValue *value = pick_value (model, random);
  PhGraph *graph = value->graph;
  g_autofree char *name = g_strdup_printf ("r%d", g_rand_int_range (random, 0, 40));

  switch (g_rand_int_range (random, 0, 5))
    {
    case 0: ph_value_rename (value, name, NULL); break;
    case 1:
      ph_value_set_type (value, ph_type_static (g_rand_boolean (random) ? PH_FLOAT : PH_INT64, 1, (gint64[]) { 3 }), NULL);
      break;
    case 2:
      if (node != NULL && node->inputs->len > 0)
        ph_node_truncate_inputs (node, (guint) g_rand_int_range (random, 0, (gint32) node->inputs->len), NULL);
      break;
    case 3:
      if (graph->outputs->len > 0)
        ph_graph_truncate_outputs (graph, (guint) g_rand_int_range (random, 0, (gint32) graph->outputs->len), NULL);
      break;
    default:
      ph_graph_add_input (graph, name, ph_type_unranked (PH_FLOAT), NULL,
                          (guint) g_rand_int_range (random, 0, (gint32) graph->inputs->len + 1), NULL);
    }
}

static void
random_edit (PhModel *model, GRand *random)
{
  PhNode *node = pick_node (model, random), *before;
  g_autoptr (PhTensor) tensor = ph_tensor_new_scalar (PH_FLOAT, g_rand_double (random));
  g_autoptr (PhAttr) attr = ph_attr_new_int ("k", g_rand_int_range (random, 0, 9));
  PhValue *value = pick_value (model, random), *other = pick_value (model, random);

  switch (g_rand_int_range (random, 0, 20))
    {
    case 0:
    case 1:
    case 2: random_node (model, random); break;
    case 3:
      if (node != NULL)
        ph_graph_remove_node (node, NULL);
      break;
    case 4: ph_graph_add_constant (model->graph, "c", tensor, NULL); break;
    case 5:
      if (value->producer == NULL && !(value->is_input && value->graph == model->graph))
        ph_graph_remove_value (value, NULL);
      break;
    case 6:
      if (node != NULL)
        ph_node_set_input (node, (guint) g_rand_int_range (random, 0, (gint32) node->inputs->len + 1), value, NULL);
      break;
    case 7:
      if (node != NULL)
        ph_node_set_attr (node, "k", g_rand_boolean (random) ? attr : NULL, NULL);
      break;
    case 8:
      if (value != other)
        ph_value_replace_uses (value, other, NULL);
      break;
    case 9:
      if (node != NULL)
        ph_graph_remove_dead (node);
      break;
    case 10:
      if (value->graph == model->graph)
        ph_graph_set_output (model->graph, (guint) g_rand_int_range (random, 0, (gint32) model->graph->outputs->len + 1), value,
                             NULL);
      break;
    case 11: random_body (model, random); break;
    case 14: random_function (model, random); break;
    case 12:
      before = pick_node (model, random);
      if (node != NULL && before != NULL && node != before)
        ph_node_add_control (node, before, NULL);
      break;
    case 13:
      if (node != NULL && node->control != NULL)
        ph_node_remove_control (node, node->control->pdata[g_rand_int_range (random, 0, (gint32) node->control->len)], NULL);
      break;
    case 16:
    case 17:
    case 18: random_detail (model, random); break;
    default:
      before = pick_node (model, random);
      if (node != NULL && before != NULL)
        ph_node_move_before (node, before->graph == node->graph ? before : NULL, NULL);
      break;
    }
}

static PhModel *
small_model (void)
{
  PhModel *model = ph_model_new ();

  ph_model_set_opset (model, "", PH_OPSET_NEWEST);
  ph_model_set_opset (model, "test", 1);
  ph_graph_add_input (model->graph, "x", ph_type_unranked (PH_FLOAT), NULL, G_MAXUINT, NULL);
  ph_graph_add_input (model->graph, "w", ph_type_unranked (PH_FLOAT), NULL, G_MAXUINT, NULL);
  return model;
}

/* ONNX wants the outputs of a graph to be distinct and made in it; what is not goes through an Identity. */
static gboolean
has_plain_outputs (PhModel *model)
{
  for (guint g = 0; g < model->graphs->len; g++)
    {
      const PhGraph *graph = model->graphs->pdata[g];

      for (guint i = 0; graph != NULL && i < graph->outputs->len; i++)
        {
          const PhValue *value = graph->outputs->pdata[i];

          if (value != NULL && (value->graph != graph || value->n_output_uses > 1))
            return FALSE;
        }
    }
  return TRUE;
}

static void
assert_reads (PhModel *model, const char *text, GError *problem)
{
  g_autofree char *printed = model != NULL ? ph_onnx_text_print (model, G_MAXSIZE) : NULL;
  g_autoptr (GError) error = NULL;

  g_assert_no_error (problem);
  g_assert_cmpstr (printed, ==, text);
  g_assert_true (ph_model_verify (model, &error));
}

/* Saved as text and as ONNX and read again it is the same, as far as its text says. Whether ONNX could say it as it is. */
static gboolean
assert_saved (PhModel *model)
{
  g_autofree char *text = ph_onnx_text_print (model, G_MAXSIZE), *as_onnx = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) from_text = ph_onnx_text_read (text, -1, "text", &error), from_onnx = NULL, again = NULL;
  g_autoptr (GBytes) bytes = NULL, bytes_again = NULL;
  const gboolean plain = has_plain_outputs (model);

  assert_reads (from_text, text, error);
  bytes = ph_onnx_write (model, &error);
  g_assert_no_error (error);
  from_onnx = ph_onnx_read (bytes, "onnx", NULL, &error);
  g_assert_no_error (error);
  as_onnx = ph_onnx_text_print (from_onnx, G_MAXSIZE);
  if (plain)
    g_assert_cmpstr (as_onnx, ==, text);
  bytes_again = ph_onnx_write (from_onnx, &error);
  g_assert_no_error (error);
  again = ph_onnx_read (bytes_again, "onnx", NULL, &error);
  assert_reads (again, as_onnx, error);
  return plain;
}

static void
test_back_and_forth (void)
{
  guint n_plain = 0;

  for (guint32 seed = 1; seed <= 60; seed++)
    {
      g_autoptr (GRand) random = g_rand_new_with_seed (seed);
      g_autoptr (PhModel) model = small_model ();
      g_autoptr (PhHistory) history = ph_history_new ();
      g_autoptr (PhModel) clone = NULL;
      g_autoptr (GPtrArray) dumps = g_ptr_array_new_with_free_func (g_free);
      g_autoptr (GError) error = NULL;
      g_autofree char *again = NULL;
      PhPosition at = { 0, 0 };
      guint i;

      g_ptr_array_add (dumps, dump (model));
      clone = ph_model_clone (model);
      for (guint step = 0; step < 4; step++)
        {
          ph_history_begin_step (history, model, "random");
          for (guint rewrite = 0; rewrite < 12; rewrite++)
            {
              guint n = history->rewrites->len;

              ph_history_begin_rewrite (history, "random", PH_NO_ID, NULL);
              for (guint edit = 0; edit < 4; edit++)
                random_edit (model, random);
              if (g_rand_int_range (random, 0, 5) == 0)
                {
                  ph_history_abort_rewrite (history, model);
                  again = dump (model);
                  g_assert_cmpstr (again, ==, dumps->pdata[dumps->len - 1]);
                  g_clear_pointer (&again, g_free);
                }
              else if (ph_history_end_rewrite (history))
                g_ptr_array_add (dumps, dump (model));
              g_assert_true (ph_model_verify (model, &error) || (g_printerr ("seed %u: %s\n", seed, error->message), FALSE));
              g_assert_cmpuint (history->rewrites->len, <=, n + 1);
            }
          ph_history_end_step (history, model, 0);
        }

      /* Back by rewrites, forward by rewrites: the same dumps, and the model stays sound. */
      for (i = dumps->len; i-- > 0;)
        {
          g_autofree char *now = dump (model);

          g_assert_cmpstr (now, ==, dumps->pdata[i]);
          if (i % 8 == 7)
            n_plain += assert_saved (model);
          g_assert_true (ph_model_verify (model, &error));
          at = ph_history_previous (history, history->position, TRUE);
          /* Steps without a rewrite are positions of their own. */
          while (ph_history_edit_index (history, at) == ph_history_edit_index (history, history->position)
                 && ph_position_compare (at, (PhPosition) { 0, 0 }) > 0)
            {
              g_assert_true (ph_history_go (history, model, at, &error));
              at = ph_history_previous (history, at, TRUE);
            }
          g_assert_true (ph_history_go (history, model, at, &error));
        }
      g_assert_true (ph_history_go (history, model, (PhPosition) { history->steps->len, 0 }, &error));
      again = dump (model);
      g_assert_cmpstr (again, ==, dumps->pdata[dumps->len - 1]);

      /* The journal applies to a clone of the file as well. */
      for (i = 0; i < history->edits->len; i++)
        ph_edit_apply (clone, history->edits->pdata[i]);
      g_free (again);
      again = dump (clone);
      g_assert_cmpstr (again, ==, dumps->pdata[dumps->len - 1]);

      /* And a clone made now is the same model. */
      {
        g_autoptr (PhModel) copy = ph_model_clone (model);
        g_autofree char *copied = dump (copy);

        g_assert_cmpstr (copied, ==, again);
        g_assert_true (ph_model_verify (copy, &error));
      }
    }
  g_assert_cmpuint (n_plain, >, 30);
}

/* What a diff says must be what a comparison of the two graphs says. */
static void
test_diff_agrees (void)
{
  for (guint32 seed = 100; seed < 130; seed++)
    {
      g_autoptr (GRand) random = g_rand_new_with_seed (seed);
      g_autoptr (PhModel) model = small_model ();
      g_autoptr (PhHistory) history = ph_history_new ();
      g_autoptr (GHashTable) before = g_hash_table_new (NULL, NULL);
      g_autoptr (PhDiff) diff = NULL, back = NULL;
      guint added = 0, removed = 0;

      for (guint i = 0; i < 20; i++)
        random_node (model, random);
      for (PhId id = 1; id < model->next_id; id++)
        if (ph_model_find_node (model, id) != NULL)
          g_hash_table_insert (before, GUINT_TO_POINTER (id),
                               GUINT_TO_POINTER (ph_graph_root (ph_model_find_node (model, id)->graph)->id));
      const PhId first = model->next_id;
      ph_history_begin_step (history, model, "random");
      ph_history_begin_rewrite (history, "random", PH_NO_ID, NULL);
      for (guint i = 0; i < 60; i++)
        random_edit (model, random);
      ph_history_end_rewrite (history);
      ph_history_end_step (history, model, 0);

      diff = ph_diff_new (history, model, (PhPosition) { 0, 0 }, (PhPosition) { 1, 0 });
      back = ph_diff_new (history, model, (PhPosition) { 1, 0 }, (PhPosition) { 0, 0 });
      for (PhId id = 1; id < model->next_id; id++)
        {
          const PhNode *node = ph_model_find_node (model, id);
          const gboolean was = g_hash_table_contains (before, GUINT_TO_POINTER (id)), is = node != NULL;
          const PhNodeChange *change = g_hash_table_lookup (diff->by_id, GUINT_TO_POINTER (id));
          const PhId root = is ? ph_graph_root (node->graph)->id
                               : GPOINTER_TO_UINT (g_hash_table_lookup (before, GUINT_TO_POINTER (id)));

          /* A call may say it of what is in a function that came or went as a whole. */
          if (was != is && change == NULL && (root >= first || ph_model_find_graph (model, root) == NULL))
            continue;
          g_assert_cmpint (change != NULL && change->change == PH_CHANGE_ADDED, ==, !was && is);
          g_assert_cmpint (change != NULL && change->change == PH_CHANGE_REMOVED, ==, was && !is);
          added += !was && is;
          removed += was && !is;
        }
      g_assert_cmpuint (diff->n_added, ==, added);
      g_assert_cmpuint (diff->n_removed, ==, removed);
      g_assert_cmpuint (back->n_added, ==, removed);
      g_assert_cmpuint (back->n_removed, ==, added);
      g_assert_cmpuint (back->n_changed, ==, diff->n_changed);
    }
}

static void
test_refusals (void)
{
  g_autoptr (PhModel) model = small_model ();
  g_autoptr (GError) error = NULL;
  PhValue *x = model->graph->inputs->pdata[0];
  PhNode *a = ph_graph_add_node (
      model->graph, &(PhNodeSpec) { .op_type = "A", .domain = "t", .inputs = &x, .n_inputs = 1, .n_outputs = 1 }, NULL);
  PhValue *y = a->outputs->pdata[0];
  PhNode *b = ph_graph_add_node (
      model->graph, &(PhNodeSpec) { .op_type = "B", .domain = "t", .inputs = &y, .n_inputs = 1, .n_outputs = 1 }, NULL);

  g_assert_false (ph_node_set_input (a, 0, b->outputs->pdata[0], &error));
  g_assert_error (error, PH_ERROR, PH_ERROR_INVALID);
  g_assert_nonnull (strstr (error->message, "cycle"));
  g_clear_error (&error);

  g_assert_false (ph_graph_remove_node (a, &error));
  g_assert_error (error, PH_ERROR, PH_ERROR_INVALID);
  g_clear_error (&error);

  g_assert_false (ph_value_rename (y, "x", &error));
  g_assert_error (error, PH_ERROR, PH_ERROR_INVALID);
  g_clear_error (&error);

  /* x => f(x): what f(x) is made from keeps x. */
  g_assert_true (ph_value_replace_uses (x, y, &error));
  g_assert_true (a->inputs->pdata[0] == x);
  g_assert_true (ph_model_verify (model, &error));
}

static void
test_output_keeps_its_name (void)
{
  g_autoptr (PhModel) model = small_model ();
  g_autoptr (GError) error = NULL;
  PhValue *x = model->graph->inputs->pdata[0], *y, *z;
  const char *names[] = { "answer" };
  PhNode *a, *b;

  a = ph_graph_add_node (model->graph,
                         &(PhNodeSpec) { .op_type = "A", .domain = "t", .inputs = &x, .n_inputs = 1, .n_outputs = 1 }, NULL);
  y = a->outputs->pdata[0];
  b = ph_graph_add_node (
      model->graph,
      &(PhNodeSpec) { .op_type = "B", .domain = "t", .inputs = &y, .n_inputs = 1, .n_outputs = 1, .output_names = names }, NULL);
  z = b->outputs->pdata[0];
  g_assert_true (ph_graph_set_output (model->graph, 0, z, &error));
  g_assert_true (ph_value_replace_uses (z, y, &error));
  g_assert_cmpstr (((PhValue *) model->graph->outputs->pdata[0])->name, ==, "answer");
  g_assert_true (model->graph->outputs->pdata[0] == y);
  /* A graph input cannot take an output's name. */
  g_assert_false (ph_value_replace_uses (y, x, &error));
  g_assert_error (error, PH_ERROR, PH_ERROR_INVALID);
}

/* Nodes put in at one place, as when a chain that was taken out comes back: few of those behind it are numbered anew. */
static void
test_insertions_at_one_place (void)
{
  enum
  {
    N = 2000
  };
  g_autoptr (PhModel) model = small_model ();
  g_autoptr (GHashTable) orders = g_hash_table_new (NULL, NULL);
  PhValue *x = model->graph->inputs->pdata[0];
  guint n_moved = 0;
  guint64 before = 0;

  for (guint i = 0; i < N; i++)
    {
      PhNodeSpec spec
          = { .op_type = "A", .domain = "t", .inputs = &x, .n_inputs = 1, .n_outputs = 1, .before = model->graph->first };

      g_assert_nonnull (ph_graph_add_node (model->graph, &spec, NULL));
      before = 0;
      PH_FOREACH_NODE (node, model->graph)
        {
          g_assert_cmpuint (node->order, >, before);
          before = node->order;
          n_moved += GPOINTER_TO_SIZE (g_hash_table_lookup (orders, node)) != node->order ? 1 : 0;
          g_hash_table_insert (orders, node, GSIZE_TO_POINTER (node->order));
        }
    }
  g_assert_cmpuint (n_moved, <, 25 * N); /* a hundred times each when all were */
  g_assert_true (ph_model_verify (model, NULL));
}

/* Attributes are shared between a model, its clone and the records of edits: a change of one is seen in none of the others. */
static void
test_shared_attributes (void)
{
  g_autoptr (PhModel) model = ph_model_new (), clone = NULL;
  g_autoptr (PhAttr) one = ph_attr_new_int ("one", 1), two = ph_attr_new_int ("two", 2);
  PhNodeSpec spec = { .op_type = "Any", .name = "any", .attrs = &one, .n_attrs = 1 };
  PhNode *node = ph_graph_add_node (model->graph, &spec, NULL), *bare, *copy;

  spec.n_attrs = 0;
  bare = ph_graph_add_node (model->graph, &spec, NULL);
  clone = ph_model_clone (model);
  copy = ph_model_find_node (clone, node->id);
  g_assert_true (copy->attrs == node->attrs);
  g_assert_true (ph_node_set_attr (copy, "two", two, NULL) && ph_node_set_attr (copy, "one", NULL, NULL));
  g_assert_true (ph_node_set_attr (ph_model_find_node (clone, bare->id), "one", one, NULL));
  g_assert_cmpint (ph_node_attr_int (node, "one", 0), ==, 1);
  g_assert_null (ph_node_attr (node, "two"));
  g_assert_cmpuint (bare->attrs->len, ==, 0);
  g_assert_null (ph_node_attr (copy, "one"));
  g_assert_cmpint (ph_node_attr_int (copy, "two", 0), ==, 2);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/journal/back-and-forth", test_back_and_forth);
  g_test_add_func ("/journal/diff-agrees", test_diff_agrees);
  g_test_add_func ("/journal/shared-attributes", test_shared_attributes);
  g_test_add_func ("/journal/refusals", test_refusals);
  g_test_add_func ("/journal/insertions-at-one-place", test_insertions_at_one_place);
  g_test_add_func ("/journal/output-keeps-its-name", test_output_keeps_its_name);
  return g_test_run ();
}
