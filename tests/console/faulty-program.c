/* faulty-program.c: a program that is a pass, and goes wrong as it is told: for tests of the hunt, which start it hundreds of times. So it
 * knows the format alone: what watches the library's memory takes longer to load than the program to run.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <gio/gio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/io/onnx.pb-c.h"

static GByteArray *
read_stdin (void)
{
  GByteArray *all = g_byte_array_new ();
  guint8 block[65536];
  gssize n;

  while ((n = read (0, block, sizeof block)) > 0)
    g_byte_array_append (all, block, (guint) n);
  return all;
}

static Onnx__NodeProto *
find (Onnx__GraphProto *graph, const char *op)
{
  for (gsize i = 0; i < graph->n_node; i++)
    if (g_strcmp0 (graph->node[i]->op_type, op) == 0)
      return graph->node[i];
  return NULL;
}

static Onnx__NodeProto *
find_producer (Onnx__GraphProto *graph, const char *value)
{
  for (gsize i = 0; i < graph->n_node; i++)
    if (graph->node[i]->n_output > 0 && strcmp (graph->node[i]->output[0], value) == 0)
      return graph->node[i];
  return NULL;
}

/* Puts a node that reads @inputs before @reader, whose first input becomes what it makes. */
static void
insert (Onnx__GraphProto *graph, Onnx__NodeProto *reader, const char *domain, const char *op, char **inputs, gsize n_inputs)
{
  Onnx__NodeProto *node = g_new0 (Onnx__NodeProto, 1), **nodes = g_new0 (Onnx__NodeProto *, graph->n_node + 1);
  gsize n = 0;

  onnx__node_proto__init (node);
  node->domain = g_strdup (domain);
  node->op_type = g_strdup (op);
  node->name = g_ascii_strdown (op, -1);
  node->n_input = n_inputs;
  node->input = g_new0 (char *, n_inputs);
  for (gsize i = 0; i < n_inputs; i++)
    node->input[i] = g_strdup (inputs[i]);
  node->n_output = 1;
  node->output = g_new0 (char *, 1);
  node->output[0] = g_strdup ("inserted");
  for (gsize i = 0; i < graph->n_node; i++)
    {
      if (graph->node[i] == reader)
        nodes[n++] = node;
      nodes[n++] = graph->node[i];
    }
  free (graph->node);
  graph->node = nodes;
  graph->n_node = n;
  free (reader->input[0]);
  reader->input[0] = g_strdup ("inserted");
}

static void
add_opset (Onnx__ModelProto *model, const char *domain)
{
  Onnx__OperatorSetIdProto *opset = g_new0 (Onnx__OperatorSetIdProto, 1);

  onnx__operator_set_id_proto__init (opset);
  opset->domain = g_strdup (domain);
  opset->has_version = TRUE;
  opset->version = 1;
  model->opset_import = g_renew (Onnx__OperatorSetIdProto *, model->opset_import, model->n_opset_import + 1);
  model->opset_import[model->n_opset_import++] = opset;
}

static gboolean
is_off (const char *name)
{
  const char *off = g_getenv ("ONNXOPTIMIZER_SKIP");
  g_auto (GStrv) names = off != NULL ? g_strsplit (off, ",", -1) : NULL;

  return names != NULL && g_strv_contains ((const char *const *) names, name);
}

/* Counts its calls in the file @path. */
static int
count_call (const char *path)
{
  g_autofree char *count = NULL, *next = NULL;
  int n = g_file_get_contents (path, &count, NULL, NULL) ? atoi (count) : 0;

  next = g_strdup_printf ("%d", n + 1);
  g_file_set_contents (path, next, -1, NULL);
  return n;
}

/* wrong: swaps the operands of each Sub before a Tanh. crash, refuse, garbage: where there is a Sub before a Tanh.
 * spell: nothing, with an Identity before each Tanh. unknown: an operator that nobody knows. picky: wrong, but refuses
 * what has no Sigmoid. flicker: wrong, or not, by turns. switches: wrong, unless one of two names is switched off. */
int
main (int argc, char *argv[])
{
  const char *mode = argc > 1 ? argv[1] : "wrong";
  g_autoptr (GByteArray) in = read_stdin ();
  g_autofree guint8 *out = NULL;
  Onnx__ModelProto *model = onnx__model_proto__unpack (NULL, in->len, in->data);
  Onnx__NodeProto *tanh, *sub;
  gsize size;

  if (model == NULL || model->graph == NULL)
    return 4;
  tanh = find (model->graph, "Tanh");
  sub = tanh != NULL ? find_producer (model->graph, tanh->input[0]) : NULL;
  if (sub != NULL && g_strcmp0 (sub->op_type, "Sub") != 0)
    sub = NULL;
  if (g_str_equal (mode, "switches") && (is_off ("eliminate_nop_pad") || is_off ("fuse_qkv")))
    sub = NULL;
  if (g_str_equal (mode, "flicker") && argc > 2 && count_call (argv[2]) % 3 == 2)
    sub = NULL;
  if (tanh != NULL && g_str_equal (mode, "spell"))
    {
      insert (model->graph, tanh, "", "Identity", tanh->input, 1);
      sub = NULL;
    }
  if (sub != NULL && g_str_equal (mode, "unknown"))
    {
      insert (model->graph, tanh, "other", "Secret", sub->input, 2);
      add_opset (model, "other");
      sub = NULL;
    }
  if (sub != NULL && g_str_equal (mode, "picky") && find (model->graph, "Sigmoid") == NULL)
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
      g_print ("this is not a model\n");
      return 0;
    }
  if (sub != NULL)
    {
      char *first = sub->input[0];

      sub->input[0] = sub->input[1];
      sub->input[1] = first;
    }
  size = onnx__model_proto__get_packed_size (model);
  out = g_malloc (size);
  onnx__model_proto__pack (model, out);
  onnx__model_proto__free_unpacked (model, NULL);
  for (gsize done = 0; done < size;)
    {
      gssize n = write (1, out + done, size - done);

      if (n <= 0)
        return 7;
      done += (gsize) n;
    }
  return 0;
}
