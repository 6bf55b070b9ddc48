/* faulty-program.c: a program that is a pass, and goes wrong as it is told: for tests of the hunt.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/graph/edit.h"
#include "core/io/io.h"

static GBytes *
read_stdin (void)
{
  GByteArray *all = g_byte_array_new ();
  guint8 block[65536];
  gssize n;

  while ((n = read (0, block, sizeof block)) > 0)
    g_byte_array_append (all, block, (guint) n);
  return g_byte_array_free_to_bytes (all);
}

static PhNode *
find (PhModel *model, const char *op)
{
  PH_FOREACH_NODE (node, model->graph)
    if (g_str_equal (node->op_type, op))
      return node;
  return NULL;
}

static gboolean
is_off (const char *name)
{
  const char *off = g_getenv ("ONNXOPTIMIZER_SKIP");
  g_auto (GStrv) names = off != NULL ? g_strsplit (off, ",", -1) : NULL;

  return names != NULL && g_strv_contains ((const char *const *) names, name);
}

/* wrong: swaps the operands of each Sub before a Tanh. crash, refuse, garbage: where there is a Sub before a Tanh. error: an axis that is not there.
 * spell: nothing, with an Identity before each Tanh. unknown: an operator that nobody knows. picky: wrong, but refuses
 * what has no Sigmoid. flicker: wrong, or not, by turns. switches: wrong, unless one of two names is switched off. */
int
main (int argc, char *argv[])
{
  const char *mode = argc > 1 ? argv[1] : "wrong";
  g_autoptr (GBytes) in = read_stdin (), out = NULL;
  g_autoptr (PhModel) model = ph_onnx_read (in, "stdin", NULL, NULL);
  PhNode *tanh, *sub;
  gsize size;

  if (model == NULL)
    return 4;
  tanh = find (model, "Tanh");
  sub = tanh != NULL && ph_node_input (tanh, 0)->producer != NULL
                && g_str_equal (ph_node_input (tanh, 0)->producer->op_type, "Sub")
            ? ph_node_input (tanh, 0)->producer
            : NULL;
  if (g_str_equal (mode, "switches") && (is_off ("eliminate_nop_pad") || is_off ("fuse_qkv")))
    sub = NULL;
  if (g_str_equal (mode, "flicker") && argc > 2)
    {
      g_autofree char *count = NULL, *next = NULL;
      int n = g_file_get_contents (argv[2], &count, NULL, NULL) ? atoi (count) : 0;

      next = g_strdup_printf ("%d", n + 1);
      g_file_set_contents (argv[2], next, -1, NULL);
      if (n % 3 == 2)
        sub = NULL;
    }
  if (tanh != NULL && g_str_equal (mode, "spell"))
    {
      PhValue *input = ph_node_input (tanh, 0);
      PhNode *same = ph_graph_add_node (model->graph,
                                        &(PhNodeSpec) { .op_type = "Identity",
                                                        .domain = "",
                                                        .name = "same",
                                                        .inputs = &input,
                                                        .n_inputs = 1,
                                                        .n_outputs = 1,
                                                        .before = tanh },
                                        NULL);

      if (same == NULL || !ph_node_set_input (tanh, 0, ph_node_output (same, 0), NULL))
        return 9;
      sub = NULL;
    }
  if (sub != NULL && g_str_equal (mode, "unknown"))
    {
      PhValue *inputs[] = { ph_node_input (sub, 0), ph_node_input (sub, 1) };
      PhNode *secret = ph_graph_add_node (model->graph,
                                          &(PhNodeSpec) { .op_type = "Secret",
                                                          .domain = "other",
                                                          .name = "secret",
                                                          .inputs = inputs,
                                                          .n_inputs = 2,
                                                          .n_outputs = 1,
                                                          .before = sub },
                                          NULL);

      ph_model_set_opset (model, "other", 1);
      if (secret == NULL || !ph_node_set_input (tanh, 0, ph_node_output (secret, 0), NULL))
        return 8;
      sub = NULL;
    }
  if (sub != NULL && g_str_equal (mode, "picky") && find (model, "Sigmoid") == NULL)
    return 3;
  if (sub != NULL && g_str_equal (mode, "crash"))
    abort ();
  if (sub != NULL && g_str_equal (mode, "refuse"))
    {
      g_printerr ("cannot digest node '%s' of 17 elements\n", sub->name);
      return 3;
    }
  if (sub != NULL && g_str_equal (mode, "garbage"))
    {
      g_print ("this is no model\n");
      return 0;
    }
  if (sub != NULL)
    {
      PhValue *a = ph_node_input (sub, 0), *b = ph_node_input (sub, 1);

      if (!ph_node_set_input (sub, 0, b, NULL) || !ph_node_set_input (sub, 1, a, NULL))
        return 5;
    }
  out = ph_onnx_write (model, NULL);
  if (out == NULL)
    return 6;
  for (gsize done = 0; done < g_bytes_get_size (out);)
    {
      const char *data = g_bytes_get_data (out, &size);
      gssize n = write (1, data + done, size - done);

      if (n <= 0)
        return 7;
      done += (gsize) n;
    }
  return 0;
}
