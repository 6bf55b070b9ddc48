/* picture.c: what every picture must be, for random histories of random graphs, and what groups, bundles, clones, stubs and columns
 * are for graphs that are made for it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "core/graph/edit.h"
#include "core/io/io.h"
#include "core/scene/scene-read.h"

#define BORDER 3.0f /* points: outlines may touch          */

typedef struct
{
  float x, y;
} Middle;

static PhModel *
parse (GString *body, const char *output)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = g_strdup_printf ("<\n ir_version: 8,\n opset_import: [\"\" : 17]\n>\n"
                                           "g (float[4] x, float[4] mask) => (float[4] %s)\n{\n%s}\n",
                                           output, body->str);
  PhModel *model = ph_onnx_text_read (text, -1, "made up", &error);

  g_assert_no_error (error);
  return model;
}

/* Blocks of 14 operators, one after the other, joined by one value. */
static PhModel *
blocks (guint n, gboolean masked)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *last = g_strdup ("x");

  for (guint i = 0; i < n; i++)
    {
      static const char *const branch[] = { "Exp", "Abs", "Sqrt", "Tanh" };

      g_string_append_printf (text, "b%u_in = %s (%s%s)\n", i, masked ? "Add" : "Neg", last, masked ? ", mask" : "");
      for (guint side = 0; side < 2; side++)
        for (guint k = 0; k < 6; k++)
          {
            g_autofree char *from = k == 0 ? g_strdup_printf ("b%u_in", i) : g_strdup_printf ("b%u_%u_%u", i, side, k - 1);

            g_string_append_printf (text, "b%u_%u_%u = %s (%s)\n", i, side, k, branch[(k + side) % 4], from);
          }
      g_string_append_printf (text, "b%u_out = Mul (b%u_0_5, b%u_1_5)\n", i, i, i);
      g_free (last);
      last = g_strdup_printf ("b%u_out", i);
    }
  return parse (text, last);
}

static gboolean across; /* pictures run from left to right */

/* @previous: (nullable) */
static PhScene *
extend (PhScene *previous, PhModel *model, PhHistory *history, gboolean grouped, guint open_all)
{
  const PhSceneOptions options
      = { .engine = PH_LAYOUT_LAYERED, .by_scope = grouped, .open_all = open_all, .previous = previous, .across = across };
  g_autoptr (GError) error = NULL;
  PhScene *scene = ph_scene_new (ph_model_clone (model), history != NULL ? ph_history_snapshot (history) : NULL, &options, NULL,
                                 &error);

  g_assert_no_error (error);
  return scene;
}

static PhScene *
picture (PhModel *model, PhHistory *history, gboolean grouped, guint open_all)
{
  return extend (NULL, model, history, grouped, open_all);
}

/* ── what holds for all ─────────────────────────────────────────────────────────────────────────────────────────── */

static void
assert_at (PhScene *scene, int box, PhPoint point)
{
  const PhRect *rect = &ph_scene_box (scene, box)->rect;

  g_assert_cmpfloat (point.x, >=, rect->x - BORDER);
  g_assert_cmpfloat (point.x, <=, rect->x + rect->width + BORDER);
  g_assert_cmpfloat (point.y, >=, rect->y - BORDER);
  g_assert_cmpfloat (point.y, <=, rect->y + rect->height + BORDER);
}

/* No two boxes overlap, groups hold what is in them, and every edge starts and ends at its boxes. */
static void
check_picture (PhScene *scene)
{
  for (guint i = 0; i < ph_scene_n_boxes (scene); i++)
    {
      const PhSceneBox *x = ph_scene_box (scene, i);

      if (!x->shown)
        continue;
      for (guint k = i + 1; k < ph_scene_n_boxes (scene); k++)
        {
          const PhSceneBox *y = ph_scene_box (scene, k);

          if (y->shown && x->parent == y->parent)
            g_assert_true (x->rect.x + x->rect.width <= y->rect.x + BORDER || y->rect.x + y->rect.width <= x->rect.x + BORDER
                           || x->rect.y + x->rect.height <= y->rect.y + BORDER
                           || y->rect.y + y->rect.height <= x->rect.y + BORDER);
        }
      if (x->parent >= 0)
        {
          const PhRect *around = &ph_scene_box (scene, x->parent)->rect;

          g_assert_true (x->rect.x >= around->x && x->rect.y >= around->y
                         && x->rect.x + x->rect.width <= around->x + around->width + BORDER
                         && x->rect.y + x->rect.height <= around->y + around->height + BORDER);
        }
    }
  for (guint e = 0; e < ph_scene_n_edges (scene); e++)
    {
      const PhSceneEdge *edge = ph_scene_edge (scene, e);
      const PhPoint *points = ph_scene_points (scene, edge);

      g_assert_cmpuint (edge->n_points, >=, 4);
      g_assert_cmpuint (edge->n_points % 3, ==, 1);
      assert_at (scene, edge->from, points[0]);
      assert_at (scene, edge->to, points[edge->n_points - 1]);
    }
}

/* Each node has a place of its own, which is the same for as long as it lives. */
static void
check_nodes (PhScene *scene, PhModel *model, int time, GHashTable *places)
{
  g_autoptr (GHashTable) taken = g_hash_table_new (NULL, NULL);

  PH_FOREACH_NODE (node, model->graph)
    {
      int pill, box = ph_scene_find (scene, node->id, &pill);
      Middle *known = g_hash_table_lookup (places, GUINT_TO_POINTER (node->id));
      PhRect rect;

      g_assert_cmpint (box, >=, 0);
      g_assert_cmpint (pill, <, 0);
      g_assert_cmpuint (ph_scene_tenant (scene, box, time)->id, ==, node->id);
      g_assert_true (g_hash_table_add (taken, GINT_TO_POINTER (box + 1)));
      rect = ph_scene_card (scene, box, time, time);
      if (known == NULL)
        {
          known = g_new (Middle, 1);
          *known = (Middle) { rect.x + rect.width / 2, rect.y + rect.height / 2 };
          g_hash_table_insert (places, GUINT_TO_POINTER (node->id), known);
        }
      g_assert_cmpfloat_with_epsilon (known->x, rect.x + rect.width / 2, 0.01);
      g_assert_cmpfloat_with_epsilon (known->y, rect.y + rect.height / 2, 0.01);
    }
}

/* What was there is where it was. */
static void
check_kept (PhScene *before, PhScene *after, PhId last)
{
  for (PhId id = 1; id < last; id++)
    {
      const int a = ph_scene_find (before, id, NULL), b = ph_scene_find (after, id, NULL);
      const PhRect *x = a >= 0 ? &ph_scene_box (before, a)->rect : NULL, *y = b >= 0 ? &ph_scene_box (after, b)->rect : NULL;

      if (x == NULL || y == NULL)
        continue;
      g_assert_cmpfloat_with_epsilon (x->x + x->width / 2, y->x + y->width / 2, 0.01);
      g_assert_cmpfloat_with_epsilon (x->y + x->height / 2, y->y + y->height / 2, 0.01);
    }
}

/* ── random histories ───────────────────────────────────────────────────────────────────────────────────────────── */

static PhModel *
random_model (GRand *rand, guint n)
{
  static const char *const ops[] = { "Neg", "Exp", "Tanh", "Abs", "Add", "Mul", "Sub" };
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *output = g_strdup_printf ("v%u", n - 1);

  for (guint i = 0; i < n; i++)
    {
      const guint op = g_rand_int_range (rand, 0, G_N_ELEMENTS (ops));

      g_string_append_printf (text, "v%u = %s (", i, ops[op]);
      for (guint k = 0; k < (op >= 4 ? 2 : 1); k++)
        {
          /* Mostly what was made a moment ago. */
          const int back = g_rand_int_range (rand, 0, 4) == 0 ? (int) n : 4;
          const int from = g_rand_int_range (rand, MAX ((int) i - back, -1), (int) i);

          if (from < 0)
            g_string_append_printf (text, "%sx", k > 0 ? ", " : "");
          else
            g_string_append_printf (text, "%sv%d", k > 0 ? ", " : "", from);
        }
      g_string_append (text, ")\n");
    }
  return parse (text, output);
}

static PhNode *
pick_node (PhModel *model, GRand *rand)
{
  int at = g_rand_int_range (rand, 0, ph_model_n_nodes (model, FALSE));

  PH_FOREACH_NODE (node, model->graph)
    if (at-- == 0)
      return node;
  return model->graph->first;
}

/* Puts an operator behind another one, in its place, or takes one out: one rewrite. */
static void
random_rewrite (PhModel *model, PhHistory *history, GRand *rand)
{
  static const char *const ops[] = { "Sin", "Cos", "Relu", "Softplus" };
  PhNode *node = pick_node (model, rand), *other = pick_node (model, rand), *made = NULL;
  PhValue *value = node->outputs->pdata[0], *inputs[2] = { value, other->outputs->pdata[0] };
  const int kind = g_rand_int_range (rand, 0, 4);

  ph_history_begin_rewrite (history, "random", node->id, "because");
  if (kind < 2)
    {
      if (kind == 1)
        inputs[0] = node->inputs->pdata[0];
      made = ph_graph_add_node (model->graph,
                                &(PhNodeSpec) { .op_type = ops[g_rand_int_range (rand, 0, 4)],
                                                .domain = "",
                                                .inputs = inputs,
                                                .n_inputs = 1,
                                                .n_outputs = 1,
                                                .output_types = &value->type },
                                NULL);
      if (made != NULL && ph_value_replace_uses (value, made->outputs->pdata[0], NULL) && kind == 1)
        ph_graph_remove_dead (node);
    }
  else if (kind == 2 && node->inputs->pdata[0] != NULL && ph_value_replace_uses (value, node->inputs->pdata[0], NULL))
    ph_graph_remove_dead (node);
  else if (kind == 3)
    ph_node_set_input (node, 0, inputs[1], NULL); /* refused where it makes a cycle */
  ph_history_end_rewrite (history);
}

static void
test_random (void)
{
  const guint n = across ? 10 : 40;
  guint n_rewrites = 0;

  for (guint seed = 0; seed < n; seed++)
    {
      g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
      g_autoptr (PhModel) model = random_model (rand, g_rand_int_range (rand, 4, 60));
      g_autoptr (PhHistory) history = ph_history_new ();
      g_autoptr (PhScene) flat = NULL, grouped = NULL;
      PhScene *half[2] = { NULL, }, *all[2] = { NULL, };
      g_autoptr (GHashTable) places = g_hash_table_new_full (NULL, NULL, NULL, g_free),
                             inside = g_hash_table_new_full (NULL, NULL, NULL, g_free);
      g_autoptr (GError) error = NULL;
      PhPosition at = { 0, 0 };

      for (guint step = 0; step < 4; step++)
        {
          for (guint i = 0; i < 2 && step == 2; i++)
            half[i] = picture (model, history, i == 1, 1000);
          ph_history_begin_step (history, model, "random");
          for (guint i = 0; i < 5; i++)
            random_rewrite (model, history, rand);
          ph_history_end_step (history, model, 0);
        }
      n_rewrites += history->rewrites->len;
      flat = picture (model, history, FALSE, 0);
      grouped = picture (model, history, TRUE, 1000);
      check_picture (flat);
      check_picture (grouped);
      for (guint i = 0; i < 2; i++)
        {
          all[i] = extend (half[i], model, history, i == 1, 1000);
          check_picture (all[i]);
          check_kept (half[i], all[i], model->next_id);
          g_clear_pointer (&half[i], ph_scene_unref);
          g_clear_pointer (&all[i], ph_scene_unref);
        }
      g_assert_true (ph_history_go (history, model, at, &error));
      for (;;)
        {
          const PhPosition next = ph_history_next (history, at, TRUE);

          check_nodes (flat, model, ph_scene_time (history, at), places);
          check_nodes (grouped, model, ph_scene_time (history, at), inside);
          if (ph_position_compare (next, at) == 0)
            break;
          at = next;
          g_assert_true (ph_history_go (history, model, at, &error));
        }
    }
  g_assert_cmpuint (n_rewrites, >, 10 * n);
}

static void
test_across (void)
{
  across = TRUE;
  test_random ();
  across = FALSE;
}

/* ── groups ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

static int
n_children (PhScene *scene, int parent)
{
  int n = 0;

  for (guint b = 0; b < ph_scene_n_boxes (scene); b++)
    n += ph_scene_box (scene, b)->parent == parent;
  return n;
}

/* Where names say nothing, groups are regions that one value enters. */
static void
test_single_entry (void)
{
  g_autoptr (PhModel) model = blocks (12, FALSE);
  g_autoptr (PhScene) scene = picture (model, NULL, TRUE, 1000);
  guint n_groups = 0;

  check_picture (scene);
  for (guint g = 0; g < ph_scene_n_boxes (scene); g++)
    {
      int entry = -1;

      if (ph_scene_box (scene, g)->kind != PH_BOX_GROUP)
        continue;
      n_groups++;
      g_assert_true (ph_scene_box (scene, g)->open);
      for (guint e = 0; e < ph_scene_n_edges (scene); e++)
        {
          const PhSceneEdge *edge = ph_scene_edge (scene, e);

          if (edge->to != (int) g || ph_scene_box (scene, edge->from)->parent == (int) g)
            continue;
          g_assert_true (entry < 0 || entry == edge->source);
          entry = edge->source;
        }
      g_assert_cmpint (entry, >=, 0);
    }
  g_assert_cmpuint (n_groups, ==, 12);
}

/* Blocks that are equal inside have one number, and one picture. */
static void
test_alike (void)
{
  g_autoptr (PhModel) model = blocks (9, FALSE);
  g_autoptr (PhScene) scene = picture (model, NULL, TRUE, 1000);
  int first = -1;
  guint n_alike = 0;

  for (guint g = 0; g < ph_scene_n_boxes (scene); g++)
    {
      const PhSceneBox *group = ph_scene_box (scene, g), *like;

      if (group->kind != PH_BOX_GROUP)
        continue;
      /* A block ends with the one operator before the next one; the last has none. */
      if (group->n_inside == 13)
        {
          g_assert_cmpuint (group->pattern, ==, 0);
          continue;
        }
      g_assert_cmpuint (group->pattern, >, 0);
      first = first < 0 ? (int) g : first;
      like = ph_scene_box (scene, first);
      g_assert_cmpuint (group->pattern, ==, like->pattern);
      g_assert_cmpfloat (group->rect.width, ==, like->rect.width);
      g_assert_cmpfloat (group->rect.height, ==, like->rect.height);
      g_assert_cmpuint (group->n_inside, ==, 14);
      g_autofree char *text = ph_scene_group_text (scene, (int) g, 0);
      g_assert_cmpstr (text, ==, "14 nodes, one of 8 alike");
      n_alike++;
    }
  g_assert_cmpuint (n_alike, ==, 8);
}

/* What is too much for one look is bundled, on every level. */
static void
test_bundles (void)
{
  g_autoptr (PhModel) model = blocks (200, FALSE);
  g_autoptr (PhScene) scene = picture (model, NULL, TRUE, 40);

  check_picture (scene);
  g_assert_cmpint (n_children (scene, -1), <=, 60);
  for (guint g = 0; g < ph_scene_n_boxes (scene); g++)
    if (ph_scene_box (scene, g)->kind == PH_BOX_GROUP)
      {
        g_assert_cmpint (n_children (scene, g), <=, 60);
        g_assert_cmpint (n_children (scene, g), >, 1);
      }
}

static guint
n_links (PhScene *scene, PhId id)
{
  guint n = 0;

  for (guint b = 0; b < ph_scene_n_boxes (scene); b++)
    for (guint p = 0; p < ph_scene_box (scene, b)->n_pills; p++)
      {
        const PhPill *pill = ph_scene_pill (scene, ph_scene_box (scene, b)->first_pill + p);

        n += pill->is_link && (id == PH_NO_ID || pill->id == id);
      }
  return n;
}

/* A value that feeds every block is cloned beside those that are far from where it comes from, and no line of it is long. */
static void
test_clones (void)
{
  g_autoptr (PhModel) model = blocks (30, TRUE);
  g_autoptr (PhScene) scene = picture (model, NULL, FALSE, 0);
  const PhId mask = ((PhValue *) model->graph->inputs->pdata[1])->id;
  const int box = ph_scene_find (scene, mask, NULL);
  guint n_lines = 0;

  check_picture (scene);
  ph_scene_edges_from (scene, box, &n_lines);
  g_assert_cmpuint (n_links (scene, mask), >, 20);
  g_assert_cmpuint (n_links (scene, mask) + n_lines, ==, 30);
}

/* A way along lines between what is shown leads back to where it began. */
static gboolean
has_loop (PhScene *scene)
{
  g_autofree gboolean *gone = g_new0 (gboolean, ph_scene_n_boxes (scene) + 1);
  gboolean again = TRUE;
  guint n_left = 0;

  while (again)
    {
      g_autofree guint *n_in = g_new0 (guint, ph_scene_n_boxes (scene) + 1);

      for (guint e = 0; e < ph_scene_n_edges (scene); e++)
        n_in[ph_scene_edge (scene, e)->to] += !gone[ph_scene_edge (scene, e)->from];
      again = FALSE;
      n_left = 0;
      for (guint b = 0; b < ph_scene_n_boxes (scene); b++)
        {
          again = again || (!gone[b] && n_in[b] == 0);
          gone[b] = n_in[b] == 0;
          n_left += !gone[b];
        }
    }
  return n_left > 0;
}

/* Scopes, and between each two of them three operators that have none: what these are put into is never both above and below a scope. */
static void
test_between_scopes (void)
{
  g_autoptr (GString) text = g_string_new ("v0 = Neg (x)\n");

  for (guint i = 0; i < 16; i++)
    for (guint k = 0; k < 8; k++)
      {
        if (k < 5)
          g_string_append_printf (text, "[\"s%u/n%u\"] ", i, k);
        g_string_append_printf (text, "v%u = %s (v%u)\n", 8 * i + k + 1, k % 2 == 0 ? "Relu" : "Tanh", 8 * i + k);
      }

  g_autoptr (PhModel) model = parse (text, "v128");
  g_autoptr (PhScene) scene = picture (model, NULL, TRUE, 0);
  check_picture (scene);
  g_assert_false (has_loop (scene));
}

/* What a gradient begins with has a box, though it has a default; other defaults stand in the boxes that read them. */
static void
test_cotangent (void)
{
  static const char *const text = "<\n ir_version: 8,\n opset_import: [\"\" : 17]\n>\n"
                                  "g (float x, float grad_y = {1}, float w = {2}) => (float y, float grad_x)\n"
                                  "{\n y = Mul (x, w)\n grad_x = Mul (grad_y, w)\n}\n";
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_onnx_text_read (text, -1, "made up", &error);
  g_autoptr (PhScene) scene = picture (model, NULL, FALSE, 0);
  const PhValue *cotangent = ph_model_find_value_named (model, "grad_y"), *weight = ph_model_find_value_named (model, "w");
  int box = ph_scene_find (scene, cotangent->id, NULL);

  g_assert_no_error (error);
  g_assert_cmpint (box, >=, 0);
  g_assert_cmpint (ph_scene_box (scene, box)->kind, ==, PH_BOX_INPUT);
  g_assert_cmpint (ph_scene_find (scene, weight->id, NULL), <, 0);
  g_assert_cmpuint (ph_scene_n_edges (scene), ==, 4);
}

/* A line from the first to the last of 120 operators is cut to a stub; a short one is not. */
static void
test_stubs (void)
{
  for (guint n = 20; n <= 120; n += 100)
    {
      g_autoptr (GString) text = g_string_new ("v0 = Neg (x)\n");
      g_autoptr (PhModel) model = NULL;
      g_autoptr (PhScene) scene = NULL;
      guint n_in = 0;

      for (guint i = 1; i < n; i++)
        g_string_append_printf (text, "v%u = %s (v%u)\n", i, i % 2 ? "Exp" : "Tanh", i - 1);
      g_string_append_printf (text, "sum = Add (v%u, v0)\n", n - 1);
      model = parse (text, "sum");
      scene = picture (model, NULL, FALSE, 0);
      check_picture (scene);
      ph_scene_edges_to (scene, ph_scene_find (scene, ((PhNode *) model->graph->last)->id, NULL), &n_in);
      g_assert_cmpuint (n_links (scene, PH_NO_ID), ==, n > 48 ? 1 : 0);
      g_assert_cmpuint (n_in, ==, n > 48 ? 1 : 2);
    }
}

/* A long chain of groups is folded: a screen's shape, not a ribbon's. */
static void
test_columns (void)
{
  g_autoptr (PhModel) model = blocks (40, FALSE);
  g_autoptr (PhScene) closed = picture (model, NULL, TRUE, 1), open = picture (model, NULL, TRUE, 10000);

  check_picture (closed);
  check_picture (open);
  g_assert_cmpfloat (ph_scene_width (closed), >, 0.8 * ph_scene_height (closed));
  g_assert_cmpfloat (ph_scene_width (closed), <, 5 * ph_scene_height (closed));
  g_assert_cmpfloat (ph_scene_width (open), >, 0.8 * ph_scene_height (open));
  g_assert_cmpfloat (ph_scene_width (open), <, 5 * ph_scene_height (open));
}

/* The first of each block goes: the value from the block above runs on through its place, whichever border lies between, and the place
 * below it stands where it would stand alone. */
static void
test_through_borders (void)
{
  g_autoptr (PhModel) model = blocks (12, FALSE);
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (PhScene) scene = NULL;
  guint n_through = 0;

  ph_history_begin_step (history, model, "random");
  for (guint i = 1; i < 12; i++)
    {
      g_autofree char *name = g_strdup_printf ("b%u_in", i);
      PhValue *value = ph_model_find_value_named (model, name);
      PhNode *node = value->producer;

      ph_history_begin_rewrite (history, "random", node->id, "because");
      g_assert_true (ph_value_replace_uses (value, node->inputs->pdata[0], NULL));
      ph_graph_remove_dead (node);
      ph_history_end_rewrite (history);
    }
  ph_history_end_step (history, model, 0);
  scene = picture (model, history, TRUE, 10000);
  check_picture (scene);
  for (guint e = 0; e < ph_scene_n_edges (scene); e++)
    {
      const PhSceneEdge *edge = ph_scene_edge (scene, e);
      const PhSceneBox *from = ph_scene_box (scene, edge->from), *to = ph_scene_box (scene, edge->to);
      const PhPoint *points = ph_scene_points (scene, edge);

      if (from->kind != PH_BOX_NODE || to->kind != PH_BOX_NODE || from->parent == to->parent)
        continue;
      n_through++;
      g_assert_cmpuint (edge->n_points % 3, ==, 1);
      g_assert_cmpfloat (fabsf (points[0].y - from->rect.y - from->rect.height), <, 2);
      g_assert_cmpfloat (fabsf (points[edge->n_points - 1].y - to->rect.y), <, 2);
    }
  g_test_message ("%u lines run through places in other groups", n_through);
  g_assert_cmpuint (n_through, >, 2);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/picture/random", test_random);
  g_test_add_func ("/picture/across", test_across);
  g_test_add_func ("/picture/single-entry", test_single_entry);
  g_test_add_func ("/picture/alike", test_alike);
  g_test_add_func ("/picture/bundles", test_bundles);
  g_test_add_func ("/picture/clones", test_clones);
  g_test_add_func ("/picture/between-scopes", test_between_scopes);
  g_test_add_func ("/picture/cotangent", test_cotangent);
  g_test_add_func ("/picture/stubs", test_stubs);
  g_test_add_func ("/picture/columns", test_columns);
  g_test_add_func ("/picture/through-borders", test_through_borders);
  return g_test_run ();
}
