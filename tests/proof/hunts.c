/* hunts.c: whether a hunt finds one small mistake in a large model. A fixture of a rule, and a mutant of it that the proof tells from it, are put into a model at
 * a random place; the hunt is given both models and must come to few nodes, of the fixture.
 *   hunts                     a sample, in the bundled examples; fails below 95 %
 *   hunts --count 200         more of them; with the data folder, in its models
 *   hunts --only NAME         models whose path has this in it
 *   hunts --save FOLDER       before.onnx and after.onnx of the last that is missed or not seen
 *   hunts --each              a line for each hunt, with its time
 *   hunts --again NAME NUMBER a fixture and the number of its mistake and place, as a miss is printed; with --only, in that model
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "core/analyze/become.h"
#include "core/io/io.h"
#include "core/ops/copy.h"
#include "core/prove/hunt/hunt.h"
#include "core/prove/prove.h"
#include "mutate.h"
#include "oracle.h"
#include "passes/run.h"
#include "sources.h"

#define LEAST_SCORE 95 /* percent */
#define FEW         10 /* nodes */
#define SECONDS     50 /* that a hunt may take, as by the command */

static int count = 40, sample = 1;
static char *only, *save, *again;
static gboolean each;

/* ── a model with a fixture inside ── */

static gboolean
is_number (const PhValue *value)
{
  return value->type != NULL && value->type->kind == PH_KIND_TENSOR
         && (ph_dtype_is_float (value->type->dtype) || ph_dtype_is_integer (value->type->dtype) || value->type->dtype == PH_BOOL);
}

static gboolean
can_embed (PhModel *fixture)
{
  if (fixture->functions->len > 0 || fixture->graph->outputs->len == 0 || fixture->graph->n_nodes > 40)
    return FALSE;
  for (guint i = 0; i < fixture->graph->inputs->len; i++)
    if (!is_number (fixture->graph->inputs->pdata[i]) || ((PhValue *) fixture->graph->inputs->pdata[i])->tensor != NULL)
      return FALSE;
  for (guint i = 0; i < fixture->graph->outputs->len; i++)
    if (!is_number (fixture->graph->outputs->pdata[i]))
      return FALSE;
  return TRUE;
}

/* A float value that a node makes and others read. (nullable) */
static PhValue *
place_in (PhModel *host, guint32 number)
{
  g_autoptr (GPtrArray) values = g_ptr_array_new ();

  PH_FOREACH_NODE (node, host->graph)
    {
      PhValue *value = ph_node_output (node, 0);

      if (value != NULL && value->type != NULL && value->type->kind == PH_KIND_TENSOR && value->type->dtype == PH_FLOAT
          && ph_value_n_uses (value) > 0 && value->n_output_uses == 0 && ph_value_constant (value) == NULL)
        g_ptr_array_add (values, value);
    }
  return values->len > 0 ? values->pdata[number % values->len] : NULL;
}

/* What the fixture's outputs come to, as one number, to which each element adds another part: in a plain sum mistakes could cancel. */
static PhValue *
sum_of (PhBuilder *b, PhValue *const *values, guint n)
{
  PhValue *sum = NULL;

  for (guint i = 0; i < n; i++)
    {
      PhValue *number = PH_BUILD_WITH (b, Cast, PH_ATTRS (ph_attr_new_int ("to", PH_FLOAT)), values[i]);

      number = PH_BUILD (b, Reshape, number, ph_build_ints (b, (const gint64[]) { -1 }, 1));
      number = PH_BUILD (b, CumSum, number, ph_build_scalar (b, PH_INT64, 0));
      number = PH_BUILD_WITH (b, ReduceSum, PH_ATTRS (ph_attr_new_int ("keepdims", 0)), number);
      sum = sum == NULL ? number : PH_BUILD (b, Add, sum, number);
    }
  return sum;
}

/* @host with @fixture at the @number-th place: its inputs are the model's, its outputs are added to what flows there. @own: (out)
 * the names of its values. NULL: there is no place. */
static PhModel *
embed (PhModel *host, PhModel *fixture, guint32 number, GHashTable *own)
{
  g_autoptr (PhModel) model = ph_model_clone (host);
  g_autoptr (GHashTable) map = g_hash_table_new (NULL, NULL);
  PhValue *at = place_in (model, number), *after = NULL;
  const guint n_in = fixture->graph->inputs->len, n_out = fixture->graph->outputs->len;
  g_autofree PhValue **inputs = g_new0 (PhValue *, n_in + 1), **outputs = g_new0 (PhValue *, n_out + 1);
  PhBuilder b = { .graph = model->graph, .before = at != NULL ? at->producer->next : NULL };
  GHashTableIter iter;
  gpointer value, copy;

  if (at == NULL)
    return NULL;
  for (guint i = 0; i < n_in; i++)
    {
      const PhValue *input = fixture->graph->inputs->pdata[i];
      g_autofree char *name = g_strconcat ("fixture_", input->name, NULL);

      inputs[i] = ph_graph_add_input (model->graph, ph_model_unique_name (model, name), input->type, NULL, G_MAXUINT, NULL);
      if (inputs[i] == NULL)
        return NULL;
    }
  if (ph_build_copy (&b, fixture->graph, inputs, outputs, map))
    after = PH_BUILD (&b, Add, at, sum_of (&b, outputs, n_out));
  if (!ph_builder_finish (&b, NULL) || after == NULL)
    return NULL;
  for (guint i = at->uses->len; i-- > 0;)
    {
      const PhUse use = g_array_index (at->uses, PhUse, i);

      if (use.node != after->producer && !ph_node_set_input (use.node, use.index, after, NULL))
        return NULL;
    }
  g_hash_table_iter_init (&iter, map);
  while (own != NULL && g_hash_table_iter_next (&iter, &value, &copy))
    if (((PhValue *) copy)->producer != NULL)
      g_hash_table_add (own, g_strdup (((PhValue *) copy)->name));
  return g_steal_pointer (&model);
}

/* ── the hunt ── */

static PhModel *wrong;

static gboolean
run_wrong (PhPassRun *run, GError **error)
{
  if (!ph_pass_begin (run, "exec", NULL, "A mistake."))
    return FALSE;
  if (!ph_model_become (ph_pass_run_model (run), wrong, NULL, error))
    {
      ph_pass_abort (run);
      return FALSE;
    }
  ph_pass_end (run);
  return TRUE;
}

static const PhPass mistake
    = { .name = "exec", .group = "foreign", .summary = "A mistake.", .run = run_wrong, .exactness = PH_ROUNDING };

/* NULL: it led to few nodes, of the fixture; else what it led to. (transfer full) @unseen: (out) the proof itself sees no difference in such a place, as where
 * it is promised for finite numbers only. */
static char *
what_is_missed (PhModel *before, GHashTable *own, double *seconds, gboolean *unseen)
{
  g_autoptr (GPtrArray) stages = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_hunt_stage_free);
  PhHuntStage *stage = ph_hunt_stage_new (&mistake, NULL);
  PhHuntOptions options = { .stages = stages, .allow = PH_ROUNDING, .seed = 1, .seconds = SECONDS };
  g_autoptr (GError) error = NULL;
  g_autoptr (PhHunt) hunt = NULL;
  gboolean there = FALSE;

  stage->only_once = TRUE;
  g_ptr_array_add (stages, stage);
  hunt = ph_hunt (ph_model_clone (before), &options, &error);
  if (hunt == NULL)
    return g_strdup (error->message);
  *seconds = hunt->seconds;
  *unseen = !hunt->found && !hunt->out_of_time && ((PhHuntStep *) hunt->steps->pdata[0])->verdict != PH_VERDICT_DIFFERENT;
  if (!hunt->found || hunt->reduced == NULL)
    return g_strdup (hunt->found ? "found, and not reduced" : "not found");
  PH_FOREACH_NODE (node, hunt->reduced->model->graph)
    there |= ph_node_output (node, 0) != NULL && g_hash_table_contains (own, ph_node_output (node, 0)->name);
  if (!there)
    return g_strdup_printf ("another place, of %u nodes", hunt->reduced->n_nodes);
  return hunt->reduced->n_nodes > FEW ? g_strdup_printf ("%u nodes", hunt->reduced->n_nodes) : NULL;
}

typedef struct
{
  guint tried, led, unseen;
  GArray *seconds; /* (element-type double) */
} Score;

/* Whether the mutant shows by itself: what hardly differs is for the mutants' own test. */
static gboolean
tells (PhModel *fixture, PhModel *mutant)
{
  g_autoptr (Oracle) oracle = ph_model_draws (fixture) ? NULL : oracle_new (fixture, NULL);
  g_autofree char *told = oracle != NULL ? oracle_tell (oracle, mutant) : NULL;

  return told != NULL;
}

static void
try_one (const char *path, PhModel *host, const Source *source, guint32 number, Score *score)
{
  g_autoptr (PhModel) fixture = source_model (source), mutant = NULL, before = NULL;
  g_autoptr (GHashTable) own = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autofree char *missed = NULL, *what = NULL;
  Mutation mutation;
  gboolean unseen = FALSE;
  double seconds = 0;

  if (fixture == NULL || !can_embed (fixture))
    return;
  mutant = ph_model_clone (fixture);
  if (!mutate (mutant, number, &mutation))
    return;
  what = mutation.what;
  if (!tells (fixture, mutant))
    return;
  before = embed (host, fixture, number, own);
  wrong = before != NULL ? embed (host, mutant, number, own) : NULL;
  if (wrong == NULL)
    return;
  missed = what_is_missed (before, own, &seconds, &unseen);
  score->tried += !unseen;
  score->unseen += unseen;
  score->led += missed == NULL;
  g_array_append_val (score->seconds, seconds);
  if (each)
    g_print ("%6.2f s  %s in %s: %s\n", seconds, source->name, path,
             missed == NULL ? "led there"
             : unseen       ? "not seen"
                            : "missed");
  if (missed != NULL && !unseen)
    g_print ("missed: %s in %s (%u): %s: %s\n", source->name, path, number, what, missed);
  if (missed != NULL && save != NULL)
    {
      g_autofree char *was = g_build_filename (save, "before.onnx", NULL), *is = g_build_filename (save, "after.onnx", NULL);

      ph_io_save (before, was, NULL, NULL);
      ph_io_save (wrong, is, NULL, NULL);
    }
  g_clear_pointer (&wrong, ph_model_free);
}

/* ── which models ── */

static int
by_path (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

static void
add_models (GPtrArray *paths, const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      if ((g_str_has_suffix (name, ".onnx") || g_str_has_suffix (name, ".onnxtxt"))
          && (only == NULL || strstr (path, only) != NULL))
        g_ptr_array_add (paths, g_steal_pointer (&path));
    }
  g_ptr_array_sort (paths, by_path);
}

static int
by_size (gconstpointer a, gconstpointer b)
{
  const double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

static const GOptionEntry options[] = {
  { "count", 0, 0, G_OPTION_ARG_INT, &count, "how many hunts", "N" },
  { "sample", 0, 0, G_OPTION_ARG_INT, &sample, "which sample", "N" },
  { "only", 0, 0, G_OPTION_ARG_STRING, &only, "models whose path has this in it", "TEXT" },
  { "save", 0, 0, G_OPTION_ARG_FILENAME, &save, "where both models of a hunt that missed go", "FOLDER" },
  { "again", 0, 0, G_OPTION_ARG_STRING, &again, "a fixture, whose mistake and place have the number that follows", "NAME" },
  { "each", 0, 0, G_OPTION_ARG_NONE, &each, "a line for each hunt, with its time", NULL },
  { NULL, 0, 0, 0, NULL, NULL, NULL },
};

int
main (int argc, char *argv[])
{
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autoptr (GPtrArray) sources = NULL, paths = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GRand) rand = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *examples = NULL, *models = NULL;
  Score score = { .seconds = g_array_new (FALSE, FALSE, sizeof (double)) };
  double percent;

  g_test_init (&argc, &argv, NULL);
  g_option_context_add_main_entries (context, options, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error))
    {
      g_printerr ("%s\n", error->message);
      return 2;
    }
  examples = g_test_build_filename (G_TEST_DIST, "..", "resources", "examples", NULL);
  models = g_build_filename (g_getenv ("PEEPHOLE_DATA_DIR") != NULL ? g_getenv ("PEEPHOLE_DATA_DIR") : "", "models", NULL);
  if (count > 50 || again != NULL)
    add_models (paths, models);
  if (paths->len == 0)
    add_models (paths, examples);
  sources = sources_all ();
  for (guint i = 0; again != NULL && argc > 1 && i < sources->len && paths->len > 0; i++)
    {
      const Source *source = sources->pdata[i];
      g_autoptr (PhModel) host = g_str_has_suffix (source->name, again) ? ph_hunt_open_model (paths->pdata[0], NULL) : NULL;

      if (host != NULL)
        try_one (paths->pdata[0], host, source, (guint32) g_ascii_strtoull (argv[1], NULL, 10), &score);
    }
  rand = g_rand_new_with_seed ((guint32) sample);
  for (int turn = 0; (int) score.tried < count && again == NULL && turn < 40 * count && paths->len > 0; turn++)
    {
      const char *path = paths->pdata[turn % paths->len];
      const Source *source = sources->pdata[g_rand_int_range (rand, 0, (gint32) sources->len)];
      const guint32 number = g_rand_int (rand);
      g_autoptr (PhModel) host = g_str_has_prefix (source->name, "fixtures/") && g_hash_table_size (source->ranges) == 0
                                     ? ph_hunt_open_model (path, NULL)
                                     : NULL;

      if (host != NULL)
        try_one (path, host, source, number, &score);
    }
  g_array_sort (score.seconds, by_size);
  percent = score.tried > 0 ? 100.0 * score.led / score.tried : 0;
  g_print ("hunts %u, led to the place and to %d nodes at most %u, %.1f %%", score.tried, FEW, score.led, percent);
  if (score.seconds->len > 0)
    g_print (", median %.2f s, longest %.2f s", g_array_index (score.seconds, double, score.seconds->len / 2),
             g_array_index (score.seconds, double, score.seconds->len - 1));
  g_print ("; %u more that the proof does not see there\n", score.unseen);
  g_array_unref (score.seconds);
  return percent < LEAST_SCORE;
}
