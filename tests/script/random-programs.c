/* random-programs.c: random programs of the tensor language: the eager run and the compiled graph give the same.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "core/run/executor.h"
#include "core/script/script.h"
#include "core/splitmix.h"
#include "core/tensor/compare.h"

/* Variables by kind: v are float[4], s float without dimensions, k Python's integers. Programs end: each loop has a bound. */
typedef struct
{
  guint64 state;
  GString *out;
  guint depth, loops, counters, budget;
} Maker;

static guint
below (Maker *maker, guint n)
{
  return (guint) (ph_splitmix (&maker->state) % n);
}

static void make_scalar (Maker *maker, guint depth);
static void make_integer (Maker *maker, guint depth);

#define ADD(...) g_string_append_printf (maker->out, __VA_ARGS__)

static void
make_vector (Maker *maker, guint depth)
{
  static const char *const functions[] = { "tanh", "abs", "sin", "relu", "sigmoid" };
  static const char *const signs[] = { "+", "-", "*" };

  switch (depth == 0 ? 0 : below (maker, 12))
    {
    case 0:
    case 1: ADD ("v%u", below (maker, 3)); break;
    case 2:
    case 3:
      ADD ("(");
      make_vector (maker, depth - 1);
      ADD (" %s ", signs[below (maker, 3)]);
      make_vector (maker, depth - 1);
      ADD (")");
      break;
    case 4:
      ADD ("(");
      make_vector (maker, depth - 1);
      ADD (" %s ", signs[below (maker, 3)]);
      make_scalar (maker, depth - 1);
      ADD (")");
      break;
    case 5:
      ADD ("(");
      make_integer (maker, depth - 1);
      ADD (" %s ", signs[below (maker, 3)]);
      make_vector (maker, depth - 1);
      ADD (")");
      break;
    case 6:
      ADD ("-");
      make_vector (maker, depth - 1);
      break;
    case 7:
      ADD ("where(");
      make_vector (maker, depth - 1);
      ADD (" > ");
      make_scalar (maker, depth - 1);
      ADD (", ");
      make_vector (maker, depth - 1);
      ADD (", ");
      make_vector (maker, depth - 1);
      ADD (")");
      break;
    case 8: ADD ("v%u[::-1]", below (maker, 3)); break;
    case 9:
      ADD ("maximum(");
      make_vector (maker, depth - 1);
      ADD (", ");
      make_vector (maker, depth - 1);
      ADD (")");
      break;
    case 10:
      ADD ("(");
      make_vector (maker, depth - 1);
      ADD (" %s %s)", below (maker, 2) ? "//" : "%", below (maker, 2) ? "0.75" : "-1.5");
      break;
    default:
      ADD ("%s(", functions[below (maker, 5)]);
      make_vector (maker, depth - 1);
      ADD (")");
    }
}

static void
make_scalar (Maker *maker, guint depth)
{
  static const char *const functions[] = { "sum", "mean", "max", "min" };
  static const char *const signs[] = { "+", "-", "*" };

  switch (depth == 0 ? below (maker, 2) : below (maker, 8))
    {
    case 0: ADD ("s%u", below (maker, 3)); break;
    case 1: ADD ("%d.%u", (int) below (maker, 5) - 2, below (maker, 10)); break;
    case 2: ADD ("%s(v%u)", functions[below (maker, 4)], below (maker, 3)); break;
    case 3: ADD ("v%u[%d]", below (maker, 3), (int) below (maker, 8) - 4); break;
    case 4:
      ADD ("v%u[", below (maker, 3));
      make_integer (maker, depth - 1);
      ADD (" %% 4]");
      break;
    case 5: ADD ("sum(v%u[%u:%u])", below (maker, 3), below (maker, 3), 1 + below (maker, 4)); break;
    default:
      ADD ("(");
      make_scalar (maker, depth - 1);
      ADD (" %s ", signs[below (maker, 3)]);
      make_scalar (maker, depth - 1);
      ADD (")");
    }
}

static void
make_integer (Maker *maker, guint depth)
{
  static const char *const signs[] = { "+", "-", "*" };

  switch (depth == 0 ? below (maker, 2) : below (maker, 6))
    {
    case 0: ADD ("k%u", below (maker, 2)); break;
    case 1: ADD ("%u", below (maker, 6)); break;
    case 2:
      ADD ("(");
      make_integer (maker, depth - 1);
      ADD (" %s %d)", below (maker, 2) ? "//" : "%", below (maker, 2) ? 3 : -4);
      break;
    case 3:
      if (below (maker, 2))
        ADD ("int(argmax(v%u))", below (maker, 3));
      else
        ADD ("len(v%u)", below (maker, 3));
      break;
    default:
      /* It stays small. */
      ADD ("((");
      make_integer (maker, depth - 1);
      ADD (" %s ", signs[below (maker, 3)]);
      make_integer (maker, depth - 1);
      ADD (") %% 17)");
    }
}

static void
make_condition (Maker *maker, guint depth)
{
  static const char *const signs[] = { "<", ">", "<=", ">=", "==", "!=" };

  switch (depth == 0 ? below (maker, 3) : below (maker, 7))
    {
    case 0:
    case 1:
      make_scalar (maker, 1);
      ADD (" %s ", signs[below (maker, 4)]);
      make_scalar (maker, 1);
      break;
    case 2:
      make_integer (maker, 1);
      ADD (" %s ", signs[below (maker, 6)]);
      make_integer (maker, 1);
      break;
    case 3:
      ADD ("(");
      make_condition (maker, depth - 1);
      ADD (" %s ", below (maker, 2) ? "and" : "or");
      make_condition (maker, depth - 1);
      ADD (")");
      break;
    case 4:
      ADD ("not (");
      make_condition (maker, depth - 1);
      ADD (")");
      break;
    case 5:
      ADD ("any(v%u > ", below (maker, 3));
      make_scalar (maker, 1);
      ADD (")");
      break;
    default:
      ADD ("all(v%u < ", below (maker, 3));
      make_scalar (maker, 1);
      ADD (")");
    }
}

static void make_block (Maker *maker, guint n);

static void
make_body (Maker *maker)
{
  maker->depth++;
  make_block (maker, 1 + below (maker, 3));
  maker->depth--;
}

static void
indent (Maker *maker)
{
  for (guint i = 0; i <= maker->depth; i++)
    ADD ("    ");
}

static void
make_loop (Maker *maker)
{
  const guint counter = maker->counters++;

  maker->loops++;
  if (below (maker, 3) == 0)
    {
      ADD ("c%u = 0\n", counter);
      indent (maker);
      ADD ("while c%u < %u and ", counter, 1 + below (maker, 4));
      make_condition (maker, 1);
      ADD (":\n");
      maker->depth++;
      indent (maker);
      ADD ("c%u += 1\n", counter);
      maker->depth--;
    }
  else if (below (maker, 3) == 0)
    ADD ("for s%u in v%u:\n", below (maker, 3), below (maker, 3));
  else if (below (maker, 3) == 0)
    {
      ADD ("for i%u in range(k%u %% 5):\n", counter, below (maker, 2));
    }
  else
    ADD ("for k%u in range(%u):\n", below (maker, 2), below (maker, 5));
  make_body (maker);
  maker->loops--;
}

static void
make_statement (Maker *maker)
{
  const guint nested = maker->depth < 3 ? 20 : 12;

  indent (maker);
  switch (below (maker, nested))
    {
    case 0:
    case 1:
    case 2:
      ADD ("v%u = tanh(", below (maker, 3));
      make_vector (maker, 3);
      ADD (")\n");
      return;
    case 3:
    case 4:
      ADD ("s%u = tanh(", below (maker, 3));
      make_scalar (maker, 2);
      ADD (" + s%u)\n", below (maker, 3));
      return;
    case 5:
    case 6:
      ADD ("k%u = ", below (maker, 2));
      make_integer (maker, 2);
      ADD ("\n");
      return;
    case 7:
      ADD ("k%u = (k%u + int(", below (maker, 2), below (maker, 2));
      make_scalar (maker, 1);
      ADD (")) %% 11\n");
      return;
    case 8:
      if (below (maker, 2))
        {
          const guint v = below (maker, 3), from = below (maker, 4), to = below (maker, 4);

          ADD ("v%u[%u], v%u[-1 - k%u %% 4] = v%u[k%u %% 4], v%u[%u]\n", v, to, v, below (maker, 2), v, below (maker, 2), v,
               from);
          return;
        }
      ADD ("v%u[%u] = ", below (maker, 3), below (maker, 4));
      make_scalar (maker, 1);
      ADD ("\n");
      return;
    case 9:
      ADD ("v%u[v%u > ", below (maker, 3), below (maker, 3));
      make_scalar (maker, 1);
      ADD (below (maker, 2) ? "] = 0.5\n" : "] -= 0.25\n");
      return;
    case 10:
      if (maker->loops > 0)
        ADD ("if ");
      else
        {
          ADD ("v%u += v%u\n", below (maker, 3), below (maker, 3));
          return;
        }
      make_condition (maker, 1);
      ADD (": %s\n", below (maker, 2) ? "break" : "continue");
      return;
    case 11:
      ADD ("if ");
      make_condition (maker, 1);
      ADD (": return v%u, k%u\n", below (maker, 3), below (maker, 2));
      return;
    case 12:
    case 13:
    case 14: make_loop (maker); return;
    default:
      ADD ("if ");
      make_condition (maker, 2);
      ADD (":\n");
      make_body (maker);
      if (below (maker, 2))
        {
          indent (maker);
          ADD ("else:\n");
          make_body (maker);
        }
    }
}

static void
make_block (Maker *maker, guint n)
{
  for (guint i = 0; i < n; i++)
    make_statement (maker);
}

static char *
make_program (guint64 seed)
{
  Maker own = { seed * 7919 + 1, g_string_new (NULL) }, *maker = &own;

  ADD (
      "w = array([0.5, -0.25, 1.5, -1.0])\n\ndef f(x, y):\n    v0 = x * 1\n    v1 = y + w\n    v2 = x * y\n    s0 = sum(x)\n    s1 = x[1]\n    s2 = y[3] * 0.5\n"
      "    k0 = 3\n    k1 = int(s0 * 4)\n");
  make_block (maker, 3 + below (maker, 5));
  ADD (
      "    return v0 + v1 + v2 + s0 + s1 + s2, k0 * 100 + k1\n\nf(array([%.2f, %.2f, %.2f, %.2f]), array([%.2f, -0.5, 0.25, 1.0]))\n",
      ph_splitmix_normal (&own.state), ph_splitmix_normal (&own.state), ph_splitmix_normal (&own.state),
      ph_splitmix_normal (&own.state), ph_splitmix_normal (&own.state));
  return g_string_free (own.out, FALSE);
}

/* ── comparison ── */

static GPtrArray *
run_graph (PhScriptGraph *graph, GError **error)
{
  g_autoptr (GHashTable) feeds = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) ph_tensor_unref), results = NULL;
  GPtrArray *outputs;
  PhRunOptions options = { 0 };

  for (guint i = 0; i < graph->model->graph->inputs->len; i++)
    {
      PhValue *input = graph->model->graph->inputs->pdata[i];

      g_hash_table_insert (feeds, input, ph_tensor_ref (g_hash_table_lookup (graph->feeds, input->name)));
    }
  results = ph_run_model (graph->model, feeds, NULL, &options, error);
  if (results == NULL)
    return NULL;
  outputs = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_tensor_unref);
  for (guint i = 0; i < graph->model->graph->outputs->len; i++)
    g_ptr_array_add (outputs, ph_tensor_ref (g_hash_table_lookup (
                                  results, GUINT_TO_POINTER (((PhValue *) graph->model->graph->outputs->pdata[i])->id))));
  return outputs;
}

static gboolean
agree (PhScriptValue *eager, GPtrArray *outputs, char **why)
{
  if (ph_script_value_n (eager) != outputs->len)
    {
      *why = g_strdup_printf ("%u values, not %u", outputs->len, ph_script_value_n (eager));
      return FALSE;
    }
  for (guint i = 0; i < outputs->len; i++)
    {
      g_autoptr (PhTensor) expected = ph_script_value_tensor (ph_script_value_item (eager, i));
      g_auto (PhComparison) comparison = ph_tensor_compare (outputs->pdata[i], expected, (PhTolerance) { 1e-4, 1e-5 });

      if (!comparison.close)
        {
          *why = g_strdup (comparison.why);
          return FALSE;
        }
    }
  return TRUE;
}

typedef struct
{
  guint ran, stopped, refused;
} Tally;

static gboolean
try_program (guint64 seed, Tally *tally)
{
  g_autofree char *source = make_program (seed), *why = NULL;
  const char *call = strstr (source, "\nf(") + 1;
  g_autoptr (PhScript) script = ph_script_new ();
  g_autoptr (PhScriptGraph) graph = NULL;
  g_autoptr (GPtrArray) outputs = NULL;
  g_autoptr (GError) error = NULL;
  PhScriptResult result = { NULL };
  PhScriptText *text = ph_script_parse (source, "random.py", &error), *bare;
  gboolean ok = TRUE;

  g_assert_no_error (error);
  if (g_getenv ("PEEPHOLE_RANDOM_SHOW") != NULL)
    g_test_message ("program %" G_GUINT64_FORMAT ":\n%s", seed, source);
  if (!ph_script_run (script, text, FALSE, NULL, &result, &error))
    tally->stopped++; /* what was set on one way alone and read, say */
  else
    {
      bare = ph_script_parse (call, NULL, NULL);
      graph = ph_script_compile (script, bare, NULL, &error);
      ph_script_text_free (bare);
      outputs = graph != NULL ? run_graph (graph, &error) : NULL;
      if (graph == NULL)
        {
          tally->refused++;
          if (g_getenv ("PEEPHOLE_RANDOM_REFUSED") != NULL)
            g_test_message ("program %" G_GUINT64_FORMAT ": %s", seed, error->message);
        }
      else
        tally->ran++;
      ok = graph == NULL || (outputs != NULL && agree (result.value, outputs, &why));
      if (!ok)
        {
          g_test_message ("program %" G_GUINT64_FORMAT ": %s\n%s", seed, outputs != NULL ? why : error->message, source);
          g_test_fail ();
        }
    }
  ph_script_result_clear (&result);
  ph_script_text_free (text);
  return ok;
}

static void
test_random (void)
{
  const char *asked = g_getenv ("PEEPHOLE_RANDOM_PROGRAMS"), *first = g_getenv ("PEEPHOLE_RANDOM_FIRST");
  const guint n = asked != NULL ? (guint) atoi (asked) : 300, from = first != NULL ? (guint) atoi (first) : 0;
  Tally tally = { 0 };
  guint failed = 0;

  for (guint i = 0; i < n && failed < 5; i++)
    failed += !try_program (from + i, &tally);
  g_test_message ("%u ran and agreed, %u stopped, %u are refused by the compiler", tally.ran - failed, tally.stopped,
                  tally.refused);
  /* Or it says nothing. */
  g_assert_cmpuint (tally.ran, >, n / 2);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/random-programs/eager-equals-compiled", test_random);
  return g_test_run ();
}
