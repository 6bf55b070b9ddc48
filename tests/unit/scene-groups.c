/* scene-groups.c: tests of what groups are called where names say nothing, and of nodes that no region parts.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/document/document.h"
#include "core/io/format.h"
#include "core/scene/scene-read.h"

#define MANY 60

static PhModel *
read_text (const char *format, const char *text)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  g_autoptr (GError) error = NULL;
  PhModel *model = ph_format_read_bytes (ph_format_find (format), bytes, "a", NULL, &error);

  g_assert_no_error (error);
  return model;
}

static PhModel *
read_model (const char *outputs, const char *weights, const char *nodes)
{
  g_autofree char *text = g_strdup_printf (
      "<ir_version: 8, opset_import: [\"\" : 17]>\nf (float[4, 4] x) => (%s)\n<%s>\n{\n%s}\n", outputs, weights, nodes);

  return read_text ("onnx-text", text);
}

static PhScene *
scene_of (PhModel *model, guint open_all)
{
  const PhSceneOptions options = { .by_scope = TRUE, .open_all = open_all, .engine = PH_LAYOUT_LAYERED };
  g_autoptr (GError) error = NULL;
  PhScene *scene = ph_scene_new (model, NULL, &options, NULL, &error);

  g_assert_no_error (error);
  return scene;
}

static PhScene *
grouped (const char *outputs, const char *weights, const char *nodes, guint open_all)
{
  return scene_of (read_model (outputs, weights, nodes), open_all);
}

/* How many groups have a title with @word in it. */
static guint
count_titles (PhScene *scene, const char *word)
{
  guint n = 0;

  for (guint b = 0; b < ph_scene_n_boxes (scene); b++)
    n += ph_scene_box (scene, b)->kind == PH_BOX_GROUP && strstr (ph_scene_box (scene, b)->title, word) != NULL;
  return n;
}

/* So many parts, one after the other, in each of which %1$d is its number and %2$d that of the one before. */
static PhScene *
repeated (const char *part, guint n)
{
  GString *text = g_string_new ("  h0 = Identity (x)\n  c0 = Identity (x)\n");
  PhScene *scene;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  for (guint i = 1; i <= n; i++)
    g_string_append_printf (text, part, i, i - 1);
#pragma GCC diagnostic pop
  g_string_append_printf (text, "  y = Relu (h%u)\n", n);
  scene = grouped ("float y", "float[4, 4] w = {1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7}", text->str, MANY);
  g_string_free (text, TRUE);
  return scene;
}

/* A name follows from what the group holds. */
static void
test_titles (void)
{
  static const char lstm[]
      = "  a%1$d = MatMul (x, w)\n  b%1$d = MatMul (h%2$d, w)\n  s%1$d = Add (a%1$d, b%1$d)\n  i%1$d = Sigmoid (s%1$d)\n"
        "  f%1$d = Sigmoid (s%1$d)\n  o%1$d = Sigmoid (s%1$d)\n  g%1$d = Tanh (s%1$d)\n  k%1$d = Mul (f%1$d, c%2$d)\n"
        "  l%1$d = Mul (i%1$d, g%1$d)\n  c%1$d = Add (k%1$d, l%1$d)\n  t%1$d = Tanh (c%1$d)\n  h%1$d = Mul (o%1$d, t%1$d)\n";
  static const char rnn[]
      = "  a%1$d = MatMul (x, w)\n  b%1$d = MatMul (h%2$d, w)\n  s%1$d = Add (a%1$d, b%1$d)\n  h%1$d = Tanh (s%1$d)\n";
  static const char mlp[]
      = "  a%1$d = MatMul (h%2$d, w)\n  b%1$d = Add (a%1$d, w)\n  r%1$d = Relu (b%1$d)\n  h%1$d = MatMul (r%1$d, w)\n";
  static const char affine[]
      = "  a%1$d = MatMul (h%2$d, w)\n  b%1$d = Add (a%1$d, w)\n  d%1$d = Mul (b%1$d, w)\n  h%1$d = Add (d%1$d, w)\n";
  g_autoptr (PhScene) cells = repeated (lstm, 20), steps = repeated (rnn, 40), layers = repeated (mlp, 40),
                      maps = repeated (affine, 40);

  g_assert_cmpuint (count_titles (cells, "LSTM cell"), >, 0);
  g_assert_cmpuint (count_titles (cells, "MLP"), ==, 0);
  g_assert_cmpuint (count_titles (steps, "MLP") + count_titles (steps, "cell"), ==, 0);
  g_assert_cmpuint (count_titles (layers, "MLP"), >, 0);
  g_assert_cmpuint (count_titles (maps, "MLP") + count_titles (maps, "block"), ==, 0);
}

/* Hundreds of branches side by side, of which @n_out are outputs, are bundles: no more are seen than one can look at, and no group has
 * nothing but another in it. */
static void
check_branches (guint n_out)
{
  g_autoptr (GString) text = g_string_new (NULL), sum = g_string_new (NULL), outputs = g_string_new ("float y");
  g_autoptr (PhScene) scene = NULL;
  guint n_shown = 0;

  for (guint i = 0; i < 300; i++)
    {
      g_string_append_printf (text, "  a%u = Relu (x)\n", i);
      g_string_append_printf (sum, "%sa%u", i > 0 ? ", " : "", i);
      if (i < n_out)
        g_string_append_printf (outputs, ", float[4, 4] a%u", i);
    }
  g_string_append_printf (text, "  y = Sum (%s)\n", sum->str);
  scene = grouped (outputs->str, "float w = {1}", text->str, MANY);
  for (guint b = 0; b < ph_scene_n_boxes (scene); b++)
    {
      const PhSceneBox *box = ph_scene_box (scene, b);
      guint n_children = 0, n_groups = 0;

      for (guint k = 0; k < ph_scene_n_boxes (scene); k++)
        if (ph_scene_box (scene, k)->parent == (int) b)
          {
            n_children++;
            n_groups += ph_scene_box (scene, k)->kind == PH_BOX_GROUP;
          }
      g_assert_false (box->kind == PH_BOX_GROUP && n_children == 1 && n_groups == 1);
      g_assert_cmpuint (n_children, <=, MANY);
      n_shown += box->shown && !box->open;
    }
  g_assert_cmpuint (n_shown, <=, MANY);
  g_assert_cmpuint (count_titles (scene, "Relu ×"), >, 1);
}

static void
test_branches (void)
{
  check_branches (0);
  check_branches (5);
  check_branches (30);
}

/* A chain of groups is folded into columns also where as many boxes stand between them, as in a DenseNet. */
static void
test_columns (void)
{
  g_autoptr (GString) text = g_string_new ("  h0 = Identity (x)\n");
  g_autoptr (PhScene) scene = NULL;

  for (guint i = 1; i <= 9; i++)
    {
      g_string_append_printf (text, "  [\"/block%1$u/a\"] a%1$u = Relu (h%2$u)\n  [\"/block%1$u/b\"] b%1$u = Tanh (a%1$u)\n", i,
                              i - 1);
      g_string_append_printf (text, "  [\"/block%1$u/c\"] %2$s%1$u = Relu (b%1$u)\n", i, i < 6 ? "c" : "h");
      if (i < 6)
        g_string_append_printf (text, "  h%1$u = Sigmoid (c%1$u)\n", i);
    }
  g_string_append (text, "  y = Tanh (h9)\n");
  scene = grouped ("float[4, 4] y", "float w = {1}", text->str, 0);
  g_assert_cmpuint (count_titles (scene, "block"), ==, 9);
  g_assert_cmpfloat (ph_scene_height (scene), <, 2 * ph_scene_width (scene));
}

/* What would open as a strip opens grouped, though it has few boxes; as many side by side do not. */
static void
test_strips (void)
{
  for (guint k = 0; k < 3; k++)
    {
      const guint n = k == 0 ? 64 : k == 1 ? 65 : 130;
      g_autoptr (GString) nodes = g_string_new (NULL);
      g_autofree char *output = g_strdup_printf ("float[4, 4] v%u", n);
      g_autoptr (PhDocument) document = ph_document_new ();

      for (guint i = 1; i <= n; i++)
        if (k < 2)
          g_string_append_printf (nodes, "  v%u = %s (%s%.0u)\n", i, i % 2 == 0 ? "Relu" : "Tanh", i == 1 ? "x" : "v", i - 1);
        else
          g_string_append_printf (nodes, "  v%u = Relu (x)\n", i);
      ph_document_take_model (document, read_model (output, "", nodes->str), NULL, NULL);
      g_assert_cmpuint (ph_scene_count_layers (ph_document_get_model (document)), ==, k == 2 ? 1 : n);
      g_assert_cmpint (ph_view_state_is_grouped (ph_document_get_view (document)), ==, k == 1);
    }
}

/* Modules of a file are called by their names, each by its own; a bundle of them by what they are. */
static void
test_modules (void)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GHashTable) titles = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (PhScene) scene = NULL;
  guint n_boxes = 0;

  for (guint i = 0; i < 2 * MANY; i++)
    g_string_append_printf (text, "HloModule m%u\n\nENTRY main {\n  x = f32[2] parameter(0)\n  ROOT y = f32[2] negate(x)\n}\n",
                            i % 2);
  scene = scene_of (read_text ("hlo", text->str), 0);
  for (guint b = 0; b < ph_scene_n_boxes (scene); b++)
    if (ph_scene_box (scene, b)->kind == PH_BOX_NODE && ph_scene_box (scene, b)->can_open)
      {
        g_hash_table_add (titles, (gpointer) ph_scene_face (scene, ph_scene_tenant (scene, b, 0), 0)->title);
        n_boxes++;
      }
  g_assert_cmpuint (n_boxes, ==, 2 * MANY);
  g_assert_cmpuint (g_hash_table_size (titles), ==, n_boxes);
  g_assert_true (g_hash_table_contains (titles, "m0#1"));
  g_assert_cmpuint (count_titles (scene, "module ×"), >, 1);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/scene-groups/titles", test_titles);
  g_test_add_func ("/scene-groups/columns", test_columns);
  g_test_add_func ("/scene-groups/branches", test_branches);
  g_test_add_func ("/scene-groups/strips", test_strips);
  g_test_add_func ("/scene-groups/modules", test_modules);
  return g_test_run ();
}
