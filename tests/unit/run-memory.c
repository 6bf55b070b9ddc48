/* run-memory.c: tests of what a run takes of memory: where its blocks lie, and which weights stay where they came from.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "session.h"

#include <glib/gstdio.h>

#include "core/io/io.h"
#include "core/ops/builder.h"
#include "core/ops/op-list.h"
#include "core/run/executor.h"
#include "core/run/program.h"
#include "core/tensor/blocks.h"
#include "core/tensor/compare.h"
#include "core/tensor/origin.h"
#include "core/tensor/placement.h"
#include "passes/pass.h"

/* ── offsets ── */

/* Names of blocks, each of which comes and goes: a letter takes it, the next one lets go of it. */
typedef struct
{
  const char *events;
  gsize sizes[8]; /* of A, B, ... */
  gsize live;     /* the least that can do */
} Lifetimes;

static const Lifetimes lifetimes[] = {
  { "AABB", { 10, 20 }, 20 },
  { "ABAB", { 10, 20 }, 30 },
  /* B and C end where D, wider than either, begins: taken as they come, D lies behind all */
  { "ABCABDCDEE", { 4, 3, 3, 7, 10 }, 10 },
  { "ABACBDCEDFEF", { 1, 2, 3, 4, 5, 6 }, 11 },
  { "ABCDBECFDGEFGA", { 2, 5, 1, 5, 1, 5, 4 }, 13 },
};

/* Goes through the events; offsets are asked for, and where they are for these sizes none that live at once overlap. Returns: how many
 * came. */
static guint
play (PhPlacement *placement, const Lifetimes *row, gboolean fits)
{
  PhPlacement *before = ph_placement_begin (placement);
  gsize offsets[8] = { 0 };
  gboolean lives[8] = { FALSE }, placed[8] = { FALSE };
  char blocks[8];
  guint n = 0;

  g_assert_true (ph_placement_current () == placement);
  for (const char *event = row->events; *event != '\0'; event++)
    {
      const guint i = (guint) (*event - 'A');

      if (lives[i])
        {
          ph_placement_forget (placement, &blocks[i]);
          lives[i] = FALSE;
          continue;
        }
      placed[i] = ph_placement_next (placement, row->sizes[i], &offsets[i]);
      n += placed[i];
      for (guint k = 0; k < 8; k++)
        g_assert_false (fits && placed[i] && placed[k] && lives[k] && offsets[i] < offsets[k] + row->sizes[k]
                        && offsets[k] < offsets[i] + row->sizes[i]);
      ph_placement_note (placement, &blocks[i], row->sizes[i]);
      lives[i] = TRUE;
    }
  ph_placement_end (placement, before);
  g_assert_true (ph_placement_current () == before);
  return n;
}

static void
test_offsets (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (lifetimes); i++)
    {
      PhPlacement *placement = ph_placement_new ();
      guint n = 0;

      for (const char *event = lifetimes[i].events; *event != '\0'; event++)
        n = MAX (n, (guint) (*event - 'A') + 1);
      g_assert_cmpuint (play (placement, &lifetimes[i], FALSE), ==, 0);
      g_assert_cmpuint (ph_placement_get_live (placement), ==, lifetimes[i].live);
      g_assert_cmpuint (ph_placement_get_bytes (placement) * 10, <=, lifetimes[i].live * 11);
      g_assert_cmpuint (play (placement, &lifetimes[i], TRUE), ==, n);
      play (placement, &lifetimes[(i + 1) % G_N_ELEMENTS (lifetimes)],
            FALSE); /* of other sizes: nothing is promised, nothing breaks */
      ph_placement_free (placement);
    }
}

/* ── a model ── */

/* Branches of 1 MB and more, of different lengths. */
static const char branches[]
    = "<ir_version: 8, opset_import: [\"\" : 23]>\ng (float[1,16,64,64] x) => (float[1,16,64,64] y) {\n"
      "a = Sin (x) b = Concat <axis = 1> (a, x) c = Cos (b) d = Concat <axis = 1> (c, a) e = ReduceMean <noop_with_empty_axes = 1> (d)\n"
      "f = ReduceMax <keepdims = 1> (e) g = Tan (b) h = Split <axis = 1, num_outputs = 2> (g) i = Add (h, f) j = Concat <axis = 1> (i, a, x)\n"
      "k = Sin (j) l = ReduceMax <keepdims = 1> (k) m = Mul (i, l) y = Add (m, a) }\n";

static GHashTable *
run (PhModel *model, GHashTable *feeds, const PhRunOptions *options)
{
  g_autoptr (GError) error = NULL;
  GHashTable *results = ph_run_model (model, feeds, NULL, options, &error);

  g_assert_no_error (error);
  return results;
}

static PhTensor *
random_tensor (guint rank, const gint64 *dims)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (3);
  PhTensor *tensor = ph_tensor_new (PH_FLOAT, rank, dims);
  float *elements = ph_tensor_writable (tensor);

  for (gsize i = 0; i < ph_tensor_count (tensor); i++)
    elements[i] = (float) g_rand_double_range (random, -1, 1);
  return tensor;
}

/* The bound: 1.1 times the greatest sum of what lives at once. The same numbers, wherever they lie. */
static void
test_bound (void)
{
  g_autoptr (GHashTable) feeds = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref), expected = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_onnx_text_read (branches, -1, "text", &error);
  const PhPlacement *placement;
  PhProgram *program;
  gsize extent = 0;

  g_assert_no_error (error);
  g_hash_table_insert (feeds, model->graph->inputs->pdata[0], random_tensor (4, (gint64[]) { 1, 16, 64, 64 }));
  expected = run (model, feeds, &(PhRunOptions) { .reference = TRUE });
  for (guint i = 0; i < 5; i++)
    {
      g_autoptr (GHashTable) results = run (model, feeds, NULL);
      const gpointer id = GUINT_TO_POINTER (((PhValue *) model->graph->outputs->pdata[0])->id);
      g_auto (PhComparison) comparison = ph_tensor_compare (g_hash_table_lookup (results, id), g_hash_table_lookup (expected, id),
                                                            (PhTolerance) { 1e-5, 1e-5 });

      g_assert_cmpstr (comparison.why, ==, NULL);
      if (i == 2)
        extent = ph_block_get_extent ();
    }
  program = ph_program_take (model);
  placement = ((PhCode *) program->codes->pdata[0])->placement;
  if (ph_block_get_extent () == 0)
    g_test_skip ("with these sanitizers each block is one of malloc's");
  else
    {
      g_assert_cmpuint (ph_placement_get_live (placement), >, 1 << 20);
      g_assert_cmpuint (ph_placement_get_bytes (placement) * 10, <=, ph_placement_get_live (placement) * 11);
      g_assert_cmpuint (ph_block_get_extent (), ==, extent); /* a run that has its offsets reaches no further */
    }
  ph_program_give (model, program);
}

/* What outlives a run has room of its own, so that the runs' blocks stay where they are; many make large pages worth asking for. */
static void
test_lasting (void)
{
  const gsize sizes[] = { 1, 1000, 64 << 10, 3 << 20, (5 << 20) + 1 }, extent = ph_block_get_extent ();
  guint8 *blocks[40];

  for (guint round = 0; round < 3; round++)
    {
      for (guint i = 0; i < G_N_ELEMENTS (blocks); i++)
        {
          const gsize n = sizes[i % G_N_ELEMENTS (sizes)];

          blocks[i] = ph_block_new_lasting (n);
          g_assert_true (blocks[i] != NULL && (gsize) blocks[i] % 64 == 0);
          memset (blocks[i], (int) i, n);
        }
      for (guint i = 0; i < G_N_ELEMENTS (blocks); i++)
        {
          const guint k = (i * 7 + round) % G_N_ELEMENTS (blocks); /* every one, not in order */
          const gsize n = sizes[k % G_N_ELEMENTS (sizes)];

          g_assert_cmpuint (blocks[k][0], ==, k);
          g_assert_cmpuint (blocks[k][n - 1], ==, k);
          ph_block_free (blocks[k], n);
        }
    }
  g_assert_cmpuint (ph_block_get_extent (), ==, extent);
}

/* ── weights ── */

/* Saves what @b built, with the output @y, and lets go of @model. Returns the path. */
static char *
save (PhModel *model, PhBuilder *b, PhValue *y, const char *name)
{
  g_autoptr (GError) error = NULL;
  char *path = in_folder (name);

  ph_graph_set_output (model->graph, 0, y, &error);
  g_assert_true (ph_builder_finish (b, &error));
  ph_io_save (model, path, NULL, &error);
  g_assert_no_error (error);
  ph_model_free (model);
  return path;
}

/* A file with a convolution, its normalisation and a product, each with more weights than are read at once. */
static char *
write_weighted (void)
{
  PhModel *model = ph_model_new ();
  g_autoptr (PhTensor) w = random_tensor (4, (gint64[]) { 32, 16, 3, 3 }), v = random_tensor (2, (gint64[]) { 144, 48 });
  g_autoptr (PhTensor) ones = ph_tensor_new_splat (PH_FLOAT, 1, (gint64[]) { 32 }, &(float) { 2 });
  g_autoptr (PhTensor) shape = ph_tensor_new_int64s ((gint64[]) { 1, 32, 144 }, 3);
  g_autoptr (GError) error = NULL;
  PhBuilder b = { .graph = model->graph };
  PhValue *x = ph_graph_add_input (model->graph, "x", ph_type_static (PH_FLOAT, 4, (gint64[]) { 1, 16, 12, 12 }), NULL, G_MAXUINT,
                                   &error);
  PhValue *s = ph_build_tensor (&b, ph_tensor_ref (ones)), *y;

  ph_model_set_opset (model, "", PH_OPSET_NEWEST);
  y = PH_BUILD_WITH (&b, Conv, PH_ATTRS (ph_attr_new_ints ("pads", (gint64[]) { 1, 1, 1, 1 }, 4)), x,
                     ph_build_tensor (&b, ph_tensor_ref (w)));
  y = PH_BUILD (&b, Relu, PH_BUILD (&b, BatchNormalization, y, s, s, s, s));
  y = PH_BUILD (&b, MatMul, PH_BUILD (&b, Reshape, y, ph_build_tensor (&b, ph_tensor_ref (shape))),
                ph_build_tensor (&b, ph_tensor_ref (v)));
  return save (model, &b, y, "weighted.onnx");
}

/* Of the weights, not of the few numbers for each channel. */
static guint
count_waiting (PhModel *model)
{
  guint n = 0;

  for (guint i = 0; i < model->graph->constants->len; i++)
    {
      PhTensor *tensor = ((PhValue *) model->graph->constants->pdata[i])->tensor;

      n += ph_tensor_rank (tensor) > 1 && (ph_tensor_is_on_disk (tensor) || ph_tensor_is_deferred (tensor));
    }
  return n;
}

/* A run puts them in the order that its kernels like, and needs them no more; those that a pass made are computed for that and let go, also
 * inside a fused node. */
static void
test_weights (void)
{
  g_autofree char *path = write_weighted ();
  g_autoptr (GHashTable) feeds = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref);
  g_autoptr (PhHistory) history = ph_history_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_io_open (path, NULL, NULL, &error);
  static const char *const passes[] = { "fuse-conv-bn", "fuse-activation" };
  PhPassOptions options = PH_PASS_OPTIONS_DEFAULT;

  g_assert_no_error (error);
  options.allow = PH_ROUNDING;
  g_hash_table_insert (feeds, model->graph->inputs->pdata[0], random_tensor (4, (gint64[]) { 1, 16, 12, 12 }));
  for (guint i = 0; i <= G_N_ELEMENTS (passes); i++)
    {
      g_autoptr (GHashTable) fast = NULL, slow = NULL;
      g_auto (PhComparison) comparison = { 0 };
      gpointer id;

      g_assert_cmpuint (count_waiting (model), ==, 2);
      fast = run (model, feeds, NULL);
      g_assert_cmpuint (count_waiting (model), ==, 2);
      slow = run (model, feeds, &(PhRunOptions) { .reference = TRUE, .passing = TRUE });
      g_assert_cmpuint (count_waiting (model), ==, 2);
      id = GUINT_TO_POINTER (((PhValue *) model->graph->outputs->pdata[0])->id);
      comparison = ph_tensor_compare (g_hash_table_lookup (fast, id), g_hash_table_lookup (slow, id),
                                      (PhTolerance) { 1e-4, 1e-4 });
      g_assert_cmpstr (comparison.why, ==, NULL);
      if (i < G_N_ELEMENTS (passes))
        ph_pass_run (ph_pass_find (passes[i]), model, history, &options, &error);
      g_assert_no_error (error);
    }
  g_assert_cmpuint (model->graph->n_nodes, ==, 3);
  g_unlink (path);
}

/* A file with a table of embeddings, products by a matrix and by a transposed one, and a recurrent cell, each with more weights than are read
 * at once. */
static char *
write_tables (void)
{
  static const gint64 sizes[][3] = { { 4100, 600 }, { 600, 700 }, { 520, 700 }, { 1, 520, 520 }, { 1, 520, 130 } };
  PhModel *model = ph_model_new ();
  g_autoptr (GError) error = NULL;
  PhBuilder b = { .graph = model->graph };
  PhValue *ids = ph_graph_add_input (model->graph, "ids", ph_type_static (PH_INT64, 2, (gint64[]) { 5, 4 }), NULL, G_MAXUINT,
                                     &error);
  PhValue *weights[G_N_ELEMENTS (sizes)], *y,
      *less = ph_build_tensor (&b, ph_tensor_new_splat (PH_FLOAT, 0, NULL, &(float) { 0.01f }));

  ph_model_set_opset (model, "", PH_OPSET_NEWEST);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    weights[i] = ph_build_tensor (&b, random_tensor (sizes[i][2] > 0 ? 3 : 2, sizes[i]));
  y = PH_BUILD (&b, MatMul, PH_BUILD (&b, Gather, weights[0], ids), weights[1]);
  y = PH_BUILD (&b, Reshape, PH_BUILD (&b, Mul, y, less), ph_build_ints (&b, (gint64[]) { 20, 700 }, 2));
  y = PH_BUILD_WITH (&b, Gemm, PH_ATTRS (ph_attr_new_int ("transB", 1)), y, weights[2]);
  y = PH_BUILD (&b, Reshape, PH_BUILD (&b, Mul, y, less), ph_build_ints (&b, (gint64[]) { 5, 4, 520 }, 3));
  y = PH_BUILD_WITH (&b, LSTM, PH_ATTRS (ph_attr_new_int ("hidden_size", 130)), y, weights[3], weights[4]);
  return save (model, &b, y, "tables.onnx");
}

/* What is packed, and a table of which a few rows are read, stays in its file. */
static void
test_tables (void)
{
  g_autofree char *path = write_tables ();
  g_autoptr (GHashTable) feeds = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref);
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = ph_io_open (path, NULL, NULL, &error);
  PhTensor *ids = ph_tensor_new (PH_INT64, 2, (gint64[]) { 5, 4 });
  gint64 *rows = ph_tensor_writable (ids);
  g_autoptr (GHashTable) slow = NULL;
  gpointer id;

  g_assert_no_error (error);
  for (guint i = 0; i < 20; i++)
    rows[i] = (gint64) (i * 409) % 8200 - 4100;
  g_hash_table_insert (feeds, model->graph->inputs->pdata[0], ids);
  id = GUINT_TO_POINTER (((PhValue *) model->graph->outputs->pdata[0])->id);
  slow = run (model, feeds, &(PhRunOptions) { .reference = TRUE, .passing = TRUE });
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (GHashTable) fast = run (model, feeds, NULL);
      g_auto (PhComparison) comparison = ph_tensor_compare (g_hash_table_lookup (fast, id), g_hash_table_lookup (slow, id),
                                                            (PhTolerance) { 1e-5, 1e-5 });

      g_assert_cmpuint (count_waiting (model), ==, 5);
      g_assert_cmpstr (comparison.why, ==, NULL);
    }
  rows[3] = 4100; /* the error is the reference kernel's */
  g_assert_null (ph_run_model (model, feeds, NULL, NULL, &error));
  g_assert_nonnull (strstr (error->message, "index 4100 is outside the 4100 elements of axis 0"));
  g_unlink (path);
}

int
main (int argc, char *argv[])
{
  session_test_init (&argc, &argv);
  ph_tensor_set_poison (TRUE);
  g_test_add_func ("/run-memory/offsets", test_offsets);
  g_test_add_func ("/run-memory/bound", test_bound);
  g_test_add_func ("/run-memory/lasting", test_lasting);
  g_test_add_func ("/run-memory/weights", test_weights);
  g_test_add_func ("/run-memory/tables", test_tables);
  return session_test_run ();
}
