/* mlir-lines.c: of large functions in a dump of MLIR only the operations that a pass changed are read: random passes over random functions lead to
 * what each snapshot read alone is.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gstdio.h>
#include <string.h>

#include "core/analyze/recording.h"
#include "core/io/format.h"
#include "core/io/io.h"
#include "core/splitmix.h"
#include "tests/unit/graph-hash.h"

#define N_OPS    300
#define N_PASSES 25
#define T        "tensor<4xf32>"

/* ── random functions ───────────────────────────────────────────────────────────────────────────────────────────── */

typedef enum
{
  UNARY,
  BINARY,
  CONSTANT,
  SPLIT, /* two results     */
  SINK,  /* none            */
  MAP,   /* a region that reads a value around it; names in regions are used again */
  N_KINDS
} Kind;

typedef struct _Op Op;
struct _Op
{
  Kind kind;
  guint which;  /* of some names or numbers */
  Op *reads[2]; /* (nullable) NULL: an argument of the function */
  char name[16];
};

static const char *const unary[] = { "tanh", "negate", "abs", "sine" };
static const char *const binary[] = { "add", "multiply", "maximum", "subtract" };

static guint
random_below (guint64 *seed, guint n)
{
  return (guint) (ph_splitmix (seed) % n);
}

/* Something near before @end that has a result. */
static Op *
random_source (guint64 *seed, GPtrArray *ops, guint end)
{
  for (guint tries = 0; tries < 8 && end > 0; tries++)
    {
      Op *op = ops->pdata[end - 1 - random_below (seed, MIN (end, 12))];

      if (op->kind != SINK)
        return op;
    }
  return NULL;
}

static Op *
random_op (guint64 *seed, GPtrArray *ops, guint at)
{
  static const Kind kinds[] = { UNARY, UNARY, UNARY, BINARY, BINARY, BINARY, BINARY, CONSTANT, SPLIT, SINK, MAP };
  Op *op = g_new0 (Op, 1);

  op->kind = kinds[random_below (seed, G_N_ELEMENTS (kinds))];
  op->which = random_below (seed, 4);
  op->reads[0] = random_source (seed, ops, at);
  op->reads[1] = random_source (seed, ops, at);
  return op;
}

static GPtrArray *
random_function (guint64 *seed)
{
  GPtrArray *ops = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < N_OPS; i++)
    g_ptr_array_add (ops, random_op (seed, ops, i));
  return ops;
}

static const char *
name_of (const Op *op)
{
  return op != NULL ? op->name : "%arg0";
}

/* MLIR counts values anew in each dump: in a region it counts on, and behind it from where the region began. */
static void
print_function (GString *out, GPtrArray *ops, const char *symbol, guint indent)
{
  guint count = 0, constants = 0;
  const Op *last = NULL;

  g_string_append_printf (out, "%*sfunc.func %s@%s(%%arg0: " T ") -> " T " {\n", indent, "",
                          g_str_equal (symbol, "main") ? "" : "private ", symbol);
  for (guint i = 0; i < ops->len; i++)
    {
      Op *op = ops->pdata[i];
      const char *a = name_of (op->reads[0]), *b = name_of (op->reads[1]);

      g_string_append_printf (out, "%*s", indent + 2, "");
      switch (op->kind)
        {
        case UNARY:
          g_snprintf (op->name, sizeof op->name, "%%%u", count++);
          g_string_append_printf (out, "%s = stablehlo.%s %s : " T "\n", op->name, unary[op->which], a);
          break;
        case BINARY:
          g_snprintf (op->name, sizeof op->name, "%%%u", count++);
          g_string_append_printf (out, "%s = stablehlo.%s %s, %s : " T "\n", op->name, binary[op->which], a, b);
          break;
        case CONSTANT:
          g_snprintf (op->name, sizeof op->name, constants == 0 ? "%%cst" : "%%cst_%u", constants);
          constants++;
          g_string_append_printf (out, "%s = stablehlo.constant dense<%u.0> : " T "\n", op->name, op->which);
          break;
        case SPLIT:
          g_snprintf (op->name, sizeof op->name, "%%%u#%u", count, op->which % 2);
          g_string_append_printf (
              out, "%%%u:2 = \"x.split\"(%s) {text = \"100 %% \\\"of %%1\\\"\"} : (" T ") -> (" T ", " T ")\n", count, a);
          count++;
          break;
        case SINK: g_string_append_printf (out, "\"x.sink\"(%s) {k = %u : i64} : (" T ") -> ()\n", a, op->which); break;
        default:
          g_snprintf (op->name, sizeof op->name, "%%%u", count);
          g_string_append_printf (out,
                                  "%s = \"x.map\"(%s) ({\n%*s^bb0(%%arg1: " T "):\n%*s%%%u = stablehlo.%s %%arg1, %s : " T "\n",
                                  op->name, a, indent + 2, "", indent + 4, "", count + 1, binary[op->which], b);
          g_string_append_printf (out, "%*s\"x.yield\"(%%%u) : (" T ") -> ()\n%*s}) : (" T ") -> " T "\n", indent + 4, "",
                                  count + 1, indent + 2, "");
          count++;
          break;
        }
      last = op->kind != SINK ? op : last;
    }
  g_string_append_printf (out, "%*sreturn %s : " T "\n%*s}\n", indent + 2, "", name_of (last), indent, "");
}

static void
drop (GPtrArray *ops, guint at)
{
  Op *gone = ops->pdata[at];

  for (guint i = at + 1; i < ops->len; i++)
    for (guint k = 0; k < 2; k++)
      if (((Op *) ops->pdata[i])->reads[k] == gone)
        ((Op *) ops->pdata[i])->reads[k] = gone->reads[0];
  g_ptr_array_remove_index (ops, at);
}

/* What passes do: one operation goes, comes, becomes another, reads something else, or moves. */
static void
change (guint64 *seed, GPtrArray *ops)
{
  const guint at = random_below (seed, ops->len - 1);
  Op *op = ops->pdata[at], *next = ops->pdata[at + 1];

  switch (random_below (seed, 6))
    {
    case 0: drop (ops, at); break;
    case 1:
      g_ptr_array_insert (ops, (int) at, random_op (seed, ops, at));
      if (((Op *) ops->pdata[at])->kind != SINK)
        op->reads[0] = ops->pdata[at];
      break;
    case 2: op->which = (op->which + 1) % 4; break;
    case 3: op->reads[1] = random_source (seed, ops, at); break;
    case 4:
      if (next->reads[0] != op && next->reads[1] != op)
        {
          ops->pdata[at] = next;
          ops->pdata[at + 1] = op;
        }
      break;
    default:
      for (guint i = 0; i < 5 && at + 1 < ops->len - 1; i++) /* a whole part goes */
        drop (ops, at);
      break;
    }
}

static void
assert_same (PhModel *model, PhModel *whole, const char *symbol, guint step)
{
  g_autoptr (GHashTable) values = g_hash_table_new (NULL, NULL), of_whole = g_hash_table_new (NULL, NULL);
  const PhGraph *graph = symbol == NULL ? model->graph : ph_model_find_function (model, "func", symbol)->graph;
  const PhGraph *other = symbol == NULL ? whole->graph : ph_model_find_function (whole, "func", symbol)->graph;

  if (graph->n_nodes != other->n_nodes || graph_hash (graph, values) != graph_hash (other, of_whole))
    g_error ("after step %u %s is not what the snapshot says: %u nodes, not %u", step, symbol != NULL ? symbol : "main",
             graph->n_nodes, other->n_nodes);
}

/* ── tests ──────────────────────────────────────────────────────────────────────────────────────────────────────── */

static void
print_module (GString *out, GPtrArray *const functions[2])
{
  g_string_append (out, "module @m {\n");
  print_function (out, functions[0], "main", 2);
  print_function (out, functions[1], "f", 2);
  g_string_append (out, "}\n");
}

/* Each state alone, as text (element-type char*), and all of them as a dump. @alone: some passes print the function that they worked on. */
static GString *
random_dump (guint64 *seed, GPtrArray *states, gboolean alone)
{
  GPtrArray *functions[2] = { random_function (seed), random_function (seed) };
  GString *dump = g_string_new (NULL);

  for (guint pass = 0; pass <= N_PASSES; pass++)
    {
      GString *state = g_string_new (NULL);
      const guint where = random_below (seed, 2), n = random_below (seed, 5);

      for (guint i = 0; pass > 0 && i < n; i++)
        change (seed, functions[where]);
      print_module (state, functions);
      g_string_append_printf (dump, "// -----// IR Dump After p%u (p%u) //----- //\n", pass, pass);
      if (alone && pass > 0 && random_below (seed, 3) > 0)
        print_function (dump, functions[where], where == 0 ? "main" : "f", 0);
      else
        g_string_append (dump, state->str);
      g_ptr_array_add (states, g_string_free (state, FALSE));
    }
  g_ptr_array_unref (functions[0]);
  g_ptr_array_unref (functions[1]);
  return dump;
}

/* Steps of which the main graph holds only a part: (few, all). */
static gboolean
count_few (const char *pass, PhModel *model, GPtrArray *parts, gpointer data, GError **error)
{
  guint *counts = data;

  counts[0] += model == NULL || model->graph->n_nodes < N_OPS / 4;
  counts[1]++;
  g_clear_pointer (&parts, g_ptr_array_unref);
  g_clear_pointer (&model, ph_model_free);
  return TRUE;
}

static void
check_dump (guint64 seed, gboolean alone, guint counts[2])
{
  g_autoptr (GPtrArray) states = g_ptr_array_new_with_free_func (g_free), problems = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GString) dump = random_dump (&seed, states, alone);
  g_autofree char *folder = g_dir_make_tmp ("peephole-XXXXXX", NULL), *path = g_build_filename (folder, "dump.txt", NULL);
  g_autoptr (PhHistory) history = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = NULL;

  ph_format_record_text (ph_format_find ("mlir-dump"), dump->str, "dump.txt", count_few, counts, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (g_file_set_contents (path, dump->str, -1, NULL));
  model = ph_recording_open (path, &history, problems, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < problems->len; i++)
    g_error ("%s", (char *) problems->pdata[i]);
  g_assert_cmpuint (history->steps->len, ==, N_PASSES);
  history->position = (PhPosition) { 0, 0 }; /* where the model is */
  for (guint step = 0; step <= N_PASSES; step++)
    {
      g_autoptr (GBytes) bytes = g_bytes_new_static (states->pdata[step], strlen (states->pdata[step]));
      g_autoptr (PhModel) whole = ph_format_read_bytes (ph_format_find ("mlir"), bytes, "state.mlir", NULL, &error);

      g_assert_no_error (error);
      g_assert_true (ph_history_go (history, model, (PhPosition) { step, 0 }, &error));
      assert_same (model, whole, NULL, step);
      assert_same (model, whole, "f", step);
    }
  g_unlink (path);
  g_rmdir (folder);
}

static void
test_random (void)
{
  guint counts[2] = { 0, 0 };

  for (guint64 seed = 1; seed <= 12; seed++)
    check_dump (seed, seed % 2 == 0, counts);
  g_test_message ("%u of %u steps were read in part", counts[0], counts[1]);
  g_assert_cmpuint (4 * counts[0], >, 3 * counts[1]);
}

static gboolean
count_nodes (const char *pass, PhModel *model, GPtrArray *parts, gpointer data, GError **error)
{
  g_array_append_val ((GArray *) data, model->graph->n_nodes);
  g_clear_pointer (&parts, g_ptr_array_unref);
  ph_model_free (model);
  return TRUE;
}

/* Of 300 operations that are counted anew, three are read: what took the place of one, what reads it, and what that reads. */
static void
test_only_changes (void)
{
  g_autoptr (GString) dump = g_string_new (NULL);
  g_autoptr (GArray) counts = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GError) error = NULL;

  for (guint pass = 0; pass < 3; pass++)
    {
      guint count = 0;

      g_string_append_printf (
          dump, "// -----// IR Dump After p%u (p%u) //----- //\nmodule {\n  func.func @main(%%arg0: " T ") -> " T " {\n", pass,
          pass);
      for (guint i = 0; i < N_OPS; i++)
        {
          if (pass > 0 && i == 10)
            continue;
          g_string_append_printf (dump, "    %%%u = stablehlo.%s %%%s%u : " T "\n", count,
                                  pass == 2 && i == 150 ? "sine" : unary[i % 3 == 0], count == 0 ? "arg" : "",
                                  count == 0 ? 0 : count - 1);
          count++;
        }
      g_string_append_printf (dump, "    return %%%u : " T "\n  }\n}\n", count - 1);
    }
  g_assert_true (
      ph_format_record_text (ph_format_find ("mlir-dump"), dump->str, "dump.txt", count_nodes, counts, NULL, NULL, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (counts->len, ==, 3);
  g_assert_cmpuint (g_array_index (counts, guint, 0), ==, N_OPS);
  g_assert_cmpuint (g_array_index (counts, guint, 1), <=, 4);
  g_assert_cmpuint (g_array_index (counts, guint, 2), <=, 4);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/mlir-lines/random", test_random);
  g_test_add_func ("/mlir-lines/only-changes", test_only_changes);
  return g_test_run ();
}
