/* provenance.c: where nodes come from, held against what the compiler says itself: Inductor's mapping of the nodes of its last graph to those of
 * the graph before autograd.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <string.h>

#include "core/analyze/diff.h"
#include "core/analyze/recording.h"

#define RECORD \
  "V0716 10:00:00.000000 1 torch/a.py:1] {\"artifact\": {\"name\": \"%s\", \"encoding\": \"string\"}, \"has_payload\": \"0\"}\n"
#define CLASS "\tclass GraphModule(torch.nn.Module):\n\t    def forward(self, x: \"f32[8]\", y: \"f32[8]\"):\n"

/* One step takes away gelu and linear and puts in the parts of both, one of which is named like a node that was there. */
static const char log_text[] = RECORD CLASS
    "\t        linear: \"f32[8]\" = torch.ops.aten.linear.default(x, y)\n"
    "\t        gelu: \"f32[8]\" = torch.ops.aten.gelu.default(linear)\n"
    "\t        add: \"f32[8]\" = torch.ops.aten.add.Tensor(gelu, y)\n\t        return (add,)\n" RECORD CLASS
    "\t        permute: \"f32[8]\" = torch.ops.aten.permute.default(y, [0])\n"
    "\t        addmm: \"f32[8]\" = torch.ops.aten.mm.default(x, permute)\n"
    "\t        mul: \"f32[8]\" = torch.ops.aten.mul.Tensor(addmm, 0.5)\n"
    "\t        erf: \"f32[8]\" = torch.ops.aten.erf.default(addmm)\n"
    "\t        gelu: \"f32[8]\" = torch.ops.aten.mul.Tensor(mul, erf)\n"
    "\t        add: \"f32[8]\" = torch.ops.aten.add.Tensor(gelu, y)\n\t        return (add,)\n" RECORD
    "\t{\"postToPre\": {\"permute\": [\"linear\"], \"addmm\": [\"linear\"], \"mul\": [\"gelu\"], \"erf\": [\"gelu\"], "
    "\"gelu\": [\"gelu\"], \"add\": [\"add\"]}}\n";

/* Autograd's graph lies between: the mapping names the nodes before it and after it, and no record leads from it to either. */
static const char between_text[] = RECORD CLASS
    "\t        selu: \"f32[8]\" = torch.ops.aten.selu.default(x)\n\t        return (selu,)\n" RECORD CLASS
    "\t        gt: \"b8[8]\" = torch.ops.aten.gt.Scalar(x, 0)\n"
    "\t        expm1: \"f32[8]\" = torch.ops.aten.expm1.default(x)\n"
    "\t        addmm: \"f32[8]\" = torch.ops.aten.addmm.default(x, y, expm1)\n"
    "\t        where: \"f32[8]\" = torch.ops.aten.where.self(gt, x, addmm)\n\t        return (where,)\n" RECORD CLASS
    "\t        gt: \"b8[8]\" = torch.ops.aten.gt.Scalar(x, 0)\n"
    "\t        expm1: \"f32[8]\" = torch.ops.aten.expm1.default(x)\n"
    "\t        mm: \"f32[8]\" = torch.ops.aten.mm.default(y, expm1)\n"
    "\t        add: \"f32[8]\" = torch.ops.aten.add.Tensor(mm, x)\n"
    "\t        where: \"f32[8]\" = torch.ops.aten.where.self(gt, x, add)\n\t        return (where,)\n" RECORD
    "\t{\"postToPre\": {\"gt\": [\"selu\"], \"expm1\": [\"selu\"], \"mm\": [\"selu\"], \"add\": [\"selu\"], "
    "\"where\": [\"selu\"]}}\n";

typedef struct
{
  guint given, said, right; /* pairs */
} Score;

/* The names of the nodes of the file that @node comes from. */
static GHashTable *
origins_of (PhHistory *history, PhModel *model, const PhNode *node)
{
  g_autoptr (GArray) chain = ph_origin_chain (history, model, node->id);
  GHashTable *names = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < chain->len; i++)
    {
      const PhOrigin *origin = &g_array_index (chain, PhOrigin, i);

      if (origin->step == 0)
        {
          g_autoptr (GError) error = NULL;
          const PhPosition now = history->position;
          const PhNode *there;

          ph_history_go (history, model, (PhPosition) { 0, 0 }, &error);
          g_assert_no_error (error);
          there = ph_model_find_node (model, origin->id);
          if (there != NULL && there->outputs->len > 0)
            g_hash_table_add (names, (gpointer) ph_node_output (there, 0)->name);
          ph_history_go (history, model, now, &error);
          g_assert_no_error (error);
        }
    }
  return names;
}

static void
score (const char *path, JsonObject *given, Score *score)
{
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  g_autoptr (PhHistory) recorded = NULL, history = ph_history_new ();
  g_autoptr (PhModel) model = ph_recording_open (path, &recorded, problems, NULL, &error);
  g_autoptr (GList) names = json_object_get_members (given);

  g_assert_no_error (error);
  ph_history_append (history, recorded);
  ph_history_go (history, model, (PhPosition) { history->steps->len, 0 }, &error);
  g_assert_no_error (error);
  for (GList *l = names; l != NULL; l = l->next)
    {
      JsonArray *from = json_object_get_array_member (given, l->data);
      const PhValue *value = ph_model_find_value_named (model, l->data);
      g_autoptr (GHashTable) origins = NULL;

      score->given += json_array_get_length (from);
      if (value == NULL || value->producer == NULL)
        continue;
      origins = origins_of (history, model, value->producer);
      score->said += g_hash_table_size (origins);
      for (guint i = 0; i < json_array_get_length (from); i++)
        score->right += g_hash_table_contains (origins, json_array_get_string_element (from, i));
    }
}

/* Reads the pairs that the log gives, and scores. Returns FALSE if it gives none. */
static gboolean
score_file (const char *path, Score *sum)
{
  g_autofree char *text = NULL;
  g_autoptr (JsonParser) parser = json_parser_new ();
  const char *at;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  at = strstr (text, "\"postToPre\"");
  while (at != NULL && at > text && at[-1] != '\n')
    at--;
  if (at == NULL || !json_parser_load_from_data (parser, at, (gssize) strcspn (at, "\n"), NULL))
    return FALSE;
  score (path, json_object_get_object_member (json_node_get_object (json_parser_get_root (parser)), "postToPre"), sum);
  return TRUE;
}

static void
assert_score (const Score *sum)
{
  g_test_message ("%u given pairs, %u said, %u of them given", sum->given, sum->said, sum->right);
  g_assert_cmpuint (sum->given, >, 0);
  g_assert_cmpuint (100 * sum->right, >=, 95 * sum->given);
  g_assert_cmpuint (100 * sum->right, >=, 95 * sum->said);
}

static void
test_own (void)
{
  g_autofree char *folder = g_dir_make_tmp ("provenance-XXXXXX", NULL), *path = g_build_filename (folder, "a.log", NULL);
  g_autofree char *text = g_strdup_printf (log_text, "before_pre_grad_graph", "after_post_grad_graph",
                                           "inductor_provenance_tracking_node_mappings");
  Score sum = { 0 };

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  g_assert_true (score_file (path, &sum));
  assert_score (&sum);
  g_remove (path);
  g_rmdir (folder);
}

/* What Inductor kept of autograd's graph stays, although no node before autograd is called as it is. */
static void
test_between (void)
{
  static const char *const kept[] = { "gt", "expm1", "where" };
  g_autofree char *folder = g_dir_make_tmp ("provenance-XXXXXX", NULL), *path = g_build_filename (folder, "a.log", NULL);
  g_autofree char *text = g_strdup_printf (between_text, "before_pre_grad_graph", "aot_inference_graph", "after_post_grad_graph",
                                           "inductor_provenance_tracking_node_mappings");
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  g_autoptr (PhHistory) recorded = NULL, history = ph_history_new ();
  g_autoptr (PhModel) model = NULL;
  PhId ids[G_N_ELEMENTS (kept)];
  Score sum = { 0 };

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  g_assert_true (score_file (path, &sum));
  assert_score (&sum);
  model = ph_recording_open (path, &recorded, problems, NULL, &error);
  g_assert_no_error (error);
  ph_history_append (history, recorded);
  for (guint step = 1; step <= 2; step++)
    {
      ph_history_go (history, model, (PhPosition) { step, 0 }, &error);
      g_assert_no_error (error);
      for (guint i = 0; i < G_N_ELEMENTS (kept); i++)
        {
          const PhId id = ph_model_find_value_named (model, kept[i])->producer->id;

          if (step == 1)
            ids[i] = id;
          g_assert_cmpuint (id, ==, ids[i]);
        }
    }
  g_remove (path);
  g_rmdir (folder);
}

static void
test_foreign (void)
{
  g_autofree char *folder = g_build_filename (g_getenv ("PEEPHOLE_DATA_DIR"), "foreign/torch-trace", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  Score sum = { 0 };
  guint n = 0;

  if (dir == NULL)
    {
      g_test_skip ("the logs are not there: set PEEPHOLE_DATA_DIR to a folder whose foreign/torch-trace has them");
      return;
    }
  for (const char *name; (name = g_dir_read_name (dir)) != NULL;)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      n += score_file (path, &sum);
    }
  g_test_message ("%u logs give pairs", n);
  assert_score (&sum);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/provenance/own", test_own);
  g_test_add_func ("/provenance/between", test_between);
  g_test_add_func ("/provenance/foreign", test_foreign);
  return g_test_run ();
}
