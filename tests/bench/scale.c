/* scale.c: what opening and asking a large graph, or a long dump, costs: see BENCHMARKS.md.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include <glib/gstdio.h>

#include "core/console/console.h"
#include "core/io/io.h"
#include "core/ops/builder.h"

#define RUNS 5

/* A deep graph of @n small operators on [4, 4], a tenth of them products, with scopes of 10 and 100 in their names. */
static PhModel *
make_graph (guint n)
{
  static const PhOp *const ops[] = { &ph_op_Relu,      &ph_op_Sigmoid, &ph_op_Tanh, &ph_op_Neg,
                                     &ph_op_Transpose, &ph_op_Add,     &ph_op_Mul,  &ph_op_MatMul };
  PhModel *model = ph_model_new ();
  g_autoptr (GRand) random = g_rand_new_with_seed (1);
  g_autofree PhValue **values = g_new (PhValue *, n + 1);
  g_autoptr (PhTensor) weight = ph_tensor_new (PH_FLOAT, 2, (gint64[]) { 4, 4 });
  PhValue *w;

  ph_model_set_opset (model, "", PH_OPSET_NEWEST);
  values[0] = ph_graph_add_input (model->graph, "x", ph_type_static (PH_FLOAT, 2, (gint64[]) { 4, 4 }), NULL, G_MAXUINT, NULL);
  w = ph_graph_add_constant (model->graph, "w", weight, NULL);
  for (guint i = 0; i < n; i++)
    {
      const PhOp *op = ops[g_rand_int_range (random, 0, G_N_ELEMENTS (ops))];
      const guint back = (guint) g_rand_int_range (random, 1, 20);
      PhValue *inputs[] = { values[i], op == &ph_op_MatMul ? w : values[i - MIN (i, back)] };
      g_autofree char *name = g_strdup_printf ("blk%u/l%u/%s_%u", i / 100, i / 10, op->name, i);
      g_autofree char *output = g_strdup_printf ("blk%u/l%u/v%u", i / 100, i / 10, i);
      const char *outputs[] = { output };
      PhNodeSpec spec = { .op = op,
                          .name = name,
                          .inputs = inputs,
                          .n_inputs = op == &ph_op_Add || op == &ph_op_Mul || op == &ph_op_MatMul ? 2 : 1,
                          .output_names = outputs,
                          .n_outputs = 1 };

      values[i + 1] = ph_node_output (ph_graph_add_node (model->graph, &spec, NULL), 0);
    }
  ph_graph_set_output (model->graph, 0, values[n], NULL);
  return model;
}

typedef struct
{
  double wall, cpu;
} Time;

static Time
now (void)
{
  return (Time) { g_get_monotonic_time () / 1000.0, clock () * 1000.0 / CLOCKS_PER_SEC };
}

static void
report (const char *what, Time least)
{
  struct rusage usage;

  getrusage (RUSAGE_SELF, &usage);
  g_print ("%9.1f ms %9.1f ms of processor, %5ld MB at most: %s\n", least.wall, least.cpu, usage.ru_maxrss / 1024, what);
}

/* One line of the console; behind "complete " its completion. */
static gboolean
run_line (PhConsole *console, const char *line, guint runs)
{
  Time least = { G_MAXDOUBLE, G_MAXDOUBLE };

  for (guint i = 0; i < runs; i++)
    {
      Time start = now (), end;

      if (g_str_has_prefix (line, "complete "))
        {
          const char *text = line + strlen ("complete ");
          guint at;

          g_strfreev (ph_console_complete (console, text, (guint) strlen (text), &at));
        }
      else
        {
          g_autoptr (PhReply) reply = ph_console_run (console, line, NULL);

          if (!reply->ok)
            {
              g_printerr ("%s: %s\n", line, reply->error->message);
              return FALSE;
            }
        }
      end = now ();
      if (end.wall - start.wall < least.wall)
        least = (Time) { end.wall - start.wall, end.cpu - start.cpu };
    }
  report (line, least);
  return TRUE;
}

/* What changes the graph or the position costs something once only. */
static gboolean
is_once (const char *line)
{
  static const char *const verbs[] = { "step", "back", "goto", "run", "undo" };

  for (guint i = 0; i < G_N_ELEMENTS (verbs); i++)
    if (g_str_has_prefix (line, verbs[i]))
      return TRUE;
  return FALSE;
}

/* bench-scale NODES|FILE|FOLDER [LINE...]: the least of five runs of each line, and of one run of opening and of what moves. */
int
main (int argc, char **argv)
{
  g_autoptr (PhDocument) document = ph_document_new ();
  g_autoptr (PhConsole) console = ph_console_new (document);
  g_autofree char *made = NULL, *open = NULL;
  gboolean ok;
  char *end;

  if (argc < 2)
    return 2;
  if (g_ascii_strtoull (argv[1], &end, 10) > 0 && *end == '\0')
    {
      g_autoptr (PhModel) model = make_graph ((guint) g_ascii_strtoull (argv[1], NULL, 10));
      g_autoptr (GError) error = NULL;

      made = g_strdup_printf ("%s/bench-scale-%s.onnx", g_get_tmp_dir (), argv[1]);
      if (!ph_io_save (model, made, NULL, &error))
        g_error ("%s", error->message);
    }
  open = g_strdup_printf ("open %s", made != NULL ? made : argv[1]);
  ok = run_line (console, open, 1);
  for (int i = 2; ok && i < argc; i++)
    ok = run_line (console, argv[i], is_once (argv[i]) ? 1 : RUNS);
  if (made != NULL)
    g_unlink (made);
  return ok ? 0 : 1;
}
