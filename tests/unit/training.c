/* training.c: steps of training against what is computed by hand, and forward values that are computed again.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "session.h"

#include <math.h>
#include <string.h>

#include "core/ops/saved.h"
#include "core/tensor/tensor.h"

/* loss = sum ((w x - t)^2), so that dw = 2 x (w x - t). */
static const char small[]
    = "<ir_version: 8, opset_import: [\"\" : 23]>\ng (float[2] x) => (float loss)\n<float[2] w = {1, -2}, float[2] t = {0.5, 3}>\n"
      "{ p = Mul (w, x)  d = Sub (p, t)  q = Mul (d, d)  loss = ReduceSum <keepdims = 0> (q) }";

static PhTensor *
fed (Session *session, const char *name)
{
  PhTensor *tensor = g_hash_table_lookup (ph_document_get_feeds (session->document), name);

  if (tensor == NULL)
    g_error ("%s is not fed", name);
  return tensor;
}

typedef struct
{
  double w, m, v;
} Weight;

static void
move (Weight *weight, const char *optimizer, double g, double rate, int turn)
{
  if (g_str_equal (optimizer, "sgd"))
    weight->w -= rate * g;
  else if (g_str_equal (optimizer, "momentum"))
    {
      weight->m = 0.9 * weight->m + g;
      weight->w -= rate * weight->m;
    }
  else
    {
      weight->m = 0.9 * weight->m + 0.1 * g;
      weight->v = 0.999 * weight->v + 0.001 * g * g;
      weight->w -= rate * (weight->m / (1 - pow (0.9, turn))) / (sqrt (weight->v / (1 - pow (0.999, turn))) + 1e-8);
    }
}

static void
test_by_hand (gconstpointer data)
{
  const char *optimizer = data;
  const double x[2] = { 0.5, 2 };
  g_autofree char *command = g_strdup_printf ("train loss --optimizer %s --rate 0.05", optimizer);
  g_auto (Session) session = { 0 };
  Weight w[2] = { { 1, 0, 0 }, { -2, 0, 0 } }, t[2] = { { 0.5, 0, 0 }, { 3, 0, 0 } };

  session_init (&session);
  open_text (&session, small);
  TELL (&session, "%s", command);
  g_autofree char *verdict = ask (&session, TRUE, "verify 1 2");
  g_assert_null (strstr (verdict, "differ")); /* the new inputs are at their defaults, which the weights were */
  TELL (&session, "feed x [0.5, 2]");
  TELL (&session, "train loss --steps 3");
  TELL (&session, "train loss --steps 2");
  for (int turn = 1; turn <= 5; turn++)
    for (int i = 0; i < 2; i++)
      {
        const double d = w[i].w * x[i] - t[i].w;

        move (&w[i], optimizer, 2 * d * x[i], 0.05, turn);
        move (&t[i], optimizer, -2 * d, 0.05, turn);
      }
  for (guint i = 0; i < 2; i++)
    {
      g_assert_cmpfloat_with_epsilon (ph_tensor_get (fed (&session, "w"), i), w[i].w, 1e-4);
      g_assert_cmpfloat_with_epsilon (ph_tensor_get (fed (&session, "t"), i), t[i].w, 1e-4);
    }
}

/* " = {..}" with @n small numbers. */
static void
add_numbers (GString *text, GRand *random, guint n, double size)
{
  g_string_append (text, " = {");
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%.4f", i > 0 ? ", " : "", g_rand_double_range (random, -size, size));
  g_string_append (text, "}");
}

static void
test_lenet (gconstpointer data)
{
  /* clang-format off */
  static const struct { const char *type; guint n; double size; } weights[] = {
    { "float[4,1,5,5] k1", 100, 0.2 }, { "float[4] b1", 4, 0.1 }, { "float[6,4,3,3] k2", 216, 0.2 }, { "float[6] b2", 6, 0.1 },
    { "float[24,16] w3", 384, 0.2 }, { "float[16] b3", 16, 0.1 }, { "float[16,10] w4", 160, 0.3 }, { "float[10] b4", 10, 0.1 },
  };
  /* clang-format on */
  g_autoptr (GString) text = g_string_new (
      "<ir_version: 8, opset_import: [\"\" : 23]>\nlenet (float[4,1,12,12] x) => (float loss)\n<");
  g_autoptr (GRand) random = g_rand_new_with_seed (3);
  g_autofree char *command = g_strdup_printf ("train --optimizer %s --steps 20", (const char *) data);
  g_autoptr (PhReply) reply = NULL;
  g_auto (Session) session = { 0 };
  JsonArray *losses;

  for (guint i = 0; i < G_N_ELEMENTS (weights); i++)
    {
      g_string_append_printf (text, "%s%s", i > 0 ? ",\n " : "", weights[i].type);
      add_numbers (text, random, weights[i].n, weights[i].size);
    }
  g_string_append (
      text,
      ">\n{ c1 = Conv (x, k1, b1)  a1 = Tanh (c1)  p1 = AveragePool <kernel_shape = [2, 2], strides = [2, 2]> (a1)\n"
      "  c2 = Conv (p1, k2, b2)  a2 = Relu (c2)  f = Flatten (a2)  h = Gemm (f, w3, b3)  r = Tanh (h)  z = Gemm (r, w4, b4)\n"
      "  label = Constant <value = int64[4] {3, 1, 4, 9}> ()  loss = SoftmaxCrossEntropyLoss (z, label) }");
  session_init (&session);
  open_text (&session, text->str);
  reply = ph_console_run (session.console, command, NULL);
  g_assert_no_error (reply->error);
  losses = json_object_get_array_member (reply->json, "losses");
  g_assert_cmpuint (json_array_get_length (losses), ==, 20);
  const double first = json_object_get_double_member (json_array_get_object_element (losses, 0), "loss");
  const double last = json_object_get_double_member (json_array_get_object_element (losses, 19), "loss");
  g_test_message ("%s: loss %g to %g", (const char *) data, first, last);
  g_assert_cmpfloat (last, <, 0.97 * first);
}

#define LAYERS 16
#define ROWS   64
#define WIDTH  256

/* A chain of layers whose values take 64 KiB each. */
static char *
deep_text (void)
{
  GString *text = g_string_new ("<ir_version: 8, opset_import: [\"\" : 23]>\ndeep (float[64,256] x) => (float loss)\n<");
  g_autoptr (GRand) random = g_rand_new_with_seed (4);

  for (guint i = 0; i < LAYERS; i++)
    {
      g_string_append_printf (text, "%sfloat[256] w%u", i > 0 ? ",\n " : "", i);
      add_numbers (text, random, WIDTH, 1);
    }
  g_string_append (text, ">\n{\n");
  for (guint i = 0; i < LAYERS; i++)
    {
      g_autofree char *before = i > 0 ? g_strdup_printf ("h%u", i - 1) : g_strdup ("x");

      g_string_append_printf (text, "  m%u = Mul (%s, w%u)  s%u = Sin (m%u)  h%u = Add (s%u, %s)\n", i, before, i, i, i, i, i,
                              before);
    }
  g_string_append_printf (text, "  loss = ReduceSum <keepdims = 0> (h%u) }", LAYERS - 1);
  return g_string_free (text, FALSE);
}

static GPtrArray *
gradients (Session *session)
{
  GPtrArray *tensors = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_tensor_unref);

  TELL (session, "eval");
  for (guint i = 0; i < LAYERS; i++)
    {
      g_autofree char *name = g_strdup_printf ("grad_w%u", i);
      PhValue *value = ph_model_find_value_named (ph_document_get_model (session->document), name);

      g_ptr_array_add (tensors, ph_tensor_ref (ph_document_get_value (session->document, value->id)));
    }
  return tensors;
}

static gint64
peak_of (Session *session)
{
  return ph_graph_peak (ph_document_get_model (session->document)->graph, NULL);
}

/* @how on the deep net: the same gradients to the bit, fewer bytes, and cse leaves it alone. */
static void
test_recompute (gconstpointer how)
{
  g_autofree char *text = deep_text ();
  g_autoptr (GPtrArray) before = NULL, after = NULL;
  g_auto (Session) session = { 0 };
  gint64 peak;
  guint n_nodes;

  session_init (&session);
  open_text (&session, text);
  TELL (&session, "grad loss");
  TELL (&session, "feed x random 5");
  before = gradients (&session);
  peak = peak_of (&session);
  n_nodes = ph_model_n_nodes (ph_document_get_model (session.document), TRUE);
  TELL (&session, "%s", (const char *) how);
  g_assert_cmpuint (ph_model_n_nodes (ph_document_get_model (session.document), TRUE), >, n_nodes);
  n_nodes = ph_model_n_nodes (ph_document_get_model (session.document), TRUE);
  TELL (&session, "run cse dce --no-verify");
  g_assert_cmpuint (ph_model_n_nodes (ph_document_get_model (session.document), TRUE), ==, n_nodes);
  after = gradients (&session);
  for (guint i = 0; i < LAYERS; i++)
    g_assert_cmpmem (ph_tensor_data (before->pdata[i]), WIDTH * sizeof (float), ph_tensor_data (after->pdata[i]),
                     WIDTH * sizeof (float));
  if (!g_str_has_suffix (how, "all"))
    g_assert_cmpint (peak_of (&session), <, peak);
}

/* What the run may occupy is set to the budget: it fails as the gradient stands, and does not once values are computed again. */
static void
test_measured (void)
{
  const gint64 budget = 1000000;
  g_autofree char *text = deep_text (), *limit = NULL,
                  *command = g_strdup_printf ("recompute --budget %" G_GINT64_FORMAT, budget);
  g_autoptr (PhReply) refused = NULL, impossible = NULL;
  g_auto (Session) session = { 0 };

  session_init (&session);
  open_text (&session, text);
  TELL (&session, "grad loss");
  TELL (&session, "feed x random 5");
  g_assert_cmpint (peak_of (&session), >, 2 * budget);
  /* What is fed counts, and what is computed while a node reads and writes it. */
  limit = g_strdup_printf ("set memory %" G_GINT64_FORMAT, budget + 2 * ROWS * WIDTH * 4);
  TELL (&session, "%s", limit);
  refused = ph_console_run (session.console, "eval --reference", NULL);
  g_assert_false (refused->ok);
  TELL (&session, "%s", command);
  g_assert_cmpint (peak_of (&session), <=, budget);
  TELL (&session, "eval --reference");
  TELL (&session, "set memory default");
  impossible = ph_console_run (session.console, "recompute --budget 1K", NULL);
  g_assert_false (impossible->ok);
  g_assert_nonnull (strstr (impossible->error->message, "the least takes"));
}

static void
test_saved (void)
{
  g_auto (Session) session = { 0 };
  g_autoptr (PhReply) reply = NULL;

  session_init (&session);
  open_text (&session, small);
  TELL (&session, "grad loss wrt w");
  reply = ph_console_run (session.console, "saved", NULL);
  g_assert_no_error (reply->error);
  /* d, for the square; x and w are no computed values. */
  g_assert_cmpint (json_object_get_int_member (reply->json, "bytes"), ==, 8);
}

int
main (int argc, char *argv[])
{
  session_test_init (&argc, &argv);
  g_test_add_data_func ("/training/by-hand/sgd", "sgd", test_by_hand);
  g_test_add_data_func ("/training/by-hand/momentum", "momentum", test_by_hand);
  g_test_add_data_func ("/training/by-hand/adam", "adam", test_by_hand);
  g_test_add_data_func ("/training/lenet/sgd", "sgd --rate 0.1", test_lenet);
  g_test_add_data_func ("/training/lenet/momentum", "momentum --rate 0.05", test_lenet);
  g_test_add_data_func ("/training/lenet/adam", "adam --rate 0.01", test_lenet);
  g_test_add_func ("/training/saved", test_saved);
  g_test_add_data_func ("/training/recompute/all", "recompute all", test_recompute);
  g_test_add_data_func ("/training/recompute/sqrt", "recompute sqrt", test_recompute);
  g_test_add_data_func ("/training/recompute/budget", "recompute --budget 1M", test_recompute);
  g_test_add_func ("/training/recompute/measured", test_measured);
  return session_test_run ();
}
