/* text-round-trip.c: tests that what is written as text is read as the same: any names and attributes, in any language, and in JSON.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "session.h"

#include <glib/gstdio.h>
#include <locale.h>
#include <math.h>
#include <string.h>

#include "core/graph/edit.h"
#include "core/io/io.h"

/* Every value has its elements in JSON. */
static void
test_values_json (void)
{
  g_auto (Session) session = { 0 };
  g_autoptr (PhReply) reply = NULL;
  g_autofree char *json = NULL;

  session_init (&session);
  open_text (&session,
             "<ir_version: 8, opset_import: [\"\" : 23]>\ng (float[2] x) => (float[2] y) { t = Neg (x) y = Relu (t) }\n");
  TELL (&session, "feed x [-3, 4]");
  TELL (&session, "eval --all");
  reply = ph_console_run (session.console, "values", NULL);
  json = ph_reply_to_json (reply);
  g_assert_nonnull (strstr (json, "\"data\": [3, -4]"));
  g_assert_nonnull (strstr (json, "\"data\": [3, 0]"));
  g_assert_null (strstr (json, "\"data\": []"));
}

/* Text that is saved can be opened: every kind of attribute, names and strings of any bytes, any numbers, bodies in bodies. */

static char *
random_name (GRand *rand, const char *prefix)
{
  static const char *const parts[] = { "a",   "B_1", "/", ".", " ", "\"", "\\", "\n", "\t", "\x01", "\x1b[31m", "é", "日本",
                                       "inf", "nan", "<", "{", "}", "=",  ",",  "#",  "//", "'",    "@",        "0" };
  GString *name = g_string_new (prefix);

  for (int i = g_rand_int_range (rand, 0, 4); i > 0; i--)
    g_string_append (name, parts[g_rand_int_range (rand, 0, G_N_ELEMENTS (parts))]);
  return g_string_free (name, FALSE);
}

static float
random_float (GRand *rand)
{
  static const float special[] = { 0, -0.0f, 1, -1, INFINITY, -INFINITY, NAN, 1e-45f, 3.4e38f, 0.1f, 16777217, 1e10f };
  union
  {
    guint32 bits;
    float value;
  } any = { g_rand_int (rand) };

  if (g_rand_boolean (rand))
    return special[g_rand_int_range (rand, 0, G_N_ELEMENTS (special))];
  return isnan (any.value) ? NAN : any.value;
}

static GBytes *
random_bytes (GRand *rand)
{
  guint8 data[8];
  const gsize n = (gsize) g_rand_int_range (rand, 0, 9);

  for (gsize i = 0; i < n; i++)
    data[i] = (guint8) g_rand_int_range (rand, 0, 256);
  return g_bytes_new (data, n);
}

static PhTensor *
random_tensor (GRand *rand)
{
  static const PhDType types[] = { PH_FLOAT, PH_DOUBLE, PH_FLOAT16, PH_BFLOAT16, PH_INT8,      PH_UINT8,
                                   PH_INT16, PH_UINT16, PH_INT32,   PH_UINT32,   PH_INT64,     PH_UINT64,
                                   PH_BOOL,  PH_INT4,   PH_UINT4,   PH_STRING,   PH_COMPLEX64, PH_COMPLEX128 };
  const PhDType dtype = types[g_rand_int_range (rand, 0, G_N_ELEMENTS (types))];
  const guint rank = (guint) g_rand_int_range (rand, 0, 3);
  const gint64 dims[] = { g_rand_int_range (rand, 0, 4), g_rand_int_range (rand, 1, 3) };
  PhTensor *tensor = ph_tensor_new (dtype, rank, dims);

  for (gsize i = 0; i < ph_tensor_count (tensor); i++)
    if (dtype == PH_STRING)
      {
        g_autofree char *text = random_name (rand, "");

        ph_tensor_set_string (tensor, i, text);
      }
    else if (dtype == PH_COMPLEX64)
      ((float *) ph_tensor_writable (tensor))[2 * i] = random_float (rand);
    else if (dtype == PH_COMPLEX128)
      ((double *) ph_tensor_writable (tensor))[2 * i + 1] = random_float (rand);
    else if (ph_dtype_is_float (dtype))
      ph_dtype_store (dtype, ph_tensor_writable (tensor), i, random_float (rand));
    else
      ph_dtype_store_int (dtype, ph_tensor_writable (tensor), i,
                          dtype == PH_BOOL ? g_rand_boolean (rand) : (gint64) ((guint64) g_rand_int (rand) * g_rand_int (rand)));
  return tensor;
}

static PhAttr *
random_attr (GRand *rand, const char *name)
{
  const gsize n = (gsize) g_rand_int_range (rand, 0, 4);
  gint64 ints[4] = { G_MININT64, G_MAXINT64, -1, (gint64) g_rand_int (rand) };
  float floats[4] = { random_float (rand), random_float (rand), random_float (rand), random_float (rand) };
  GBytes *strings[4] = { random_bytes (rand), random_bytes (rand), random_bytes (rand), random_bytes (rand) };
  PhTensor *tensors[4] = { random_tensor (rand), random_tensor (rand), random_tensor (rand), random_tensor (rand) };
  /* An attribute of a type that no ONNX has yet, and ints: field 1 is the name, 8 an int, 20 the type. */
  static const guint8 strange[] = { 0x0a, 0x01, 'x', 0x40, 0x07, 0xa0, 0x01, 0x47 };
  g_autoptr (GBytes) opaque = g_bytes_new_static (strange, sizeof strange);
  PhAttr *attr = NULL;

  switch (g_rand_int_range (rand, 0, 9))
    {
    case 0: attr = ph_attr_new_int (name, ints[g_rand_int_range (rand, 0, 4)]); break;
    case 1: attr = ph_attr_new_float (name, floats[0]); break;
    case 2: attr = ph_attr_new_bytes (name, PH_ATTR_STRING, strings[0]); break;
    case 3: attr = ph_attr_new_ints (name, ints, n); break;
    case 4: attr = ph_attr_new_floats (name, floats, n); break;
    case 5: attr = ph_attr_new_strings (name, strings, n); break;
    case 6: attr = ph_attr_new_tensor (name, tensors[0]); break;
    case 7: attr = ph_attr_new_tensors (name, tensors, n); break;
    default: attr = ph_attr_new_bytes (name, PH_ATTR_OPAQUE, opaque);
    }
  for (guint i = 0; i < 4; i++)
    {
      g_bytes_unref (strings[i]);
      ph_tensor_unref (tensors[i]);
    }
  return attr;
}

static void
add_nodes (GRand *rand, PhGraph *graph, PhValue *x, guint depth)
{
  for (int i = g_rand_int_range (rand, 1, 4); i > 0; i--)
    {
      PhAttr *attrs[4] = { NULL };
      g_autofree char *op = random_name (rand, "Op"), *name = random_name (rand, "n"), *output = random_name (rand, "v");
      const char *outputs[] = { output };
      PhNodeSpec spec
          = { .op_type = op, .domain = "t", .name = name, .inputs = &x, .n_inputs = 1, .n_outputs = 1, .output_names = outputs };
      g_autoptr (GError) error = NULL;
      PhNode *node;

      for (int k = g_rand_int_range (rand, 0, 4); k > 0; k--)
        {
          g_autofree char *attr = random_name (rand, "at"), *unique = g_strdup_printf ("%s%d", attr, k);

          attrs[spec.n_attrs++] = random_attr (rand, unique);
        }
      spec.attrs = attrs;
      node = ph_graph_add_node (graph, &spec, &error);
      g_assert_no_error (error);
      for (guint k = 0; k < spec.n_attrs; k++)
        ph_attr_unref (attrs[k]);
      if (depth < 2 && g_rand_int_range (rand, 0, 4) == 0)
        {
          static const char *const words[] = { "", "", "seq", "float", "inf" };
          g_autofree char *title = random_name (rand, words[g_rand_int_range (rand, 0, G_N_ELEMENTS (words))]);
          PhGraph *body = ph_node_add_graph (node, "body", title, &error);

          g_assert_no_error (error);
          add_nodes (rand, body, x, depth + 1);
          ph_graph_set_output (body, 0, ph_node_output (body->last, 0), &error);
          g_assert_no_error (error);
        }
      x = ph_node_output (node, 0);
    }
}

static void
test_text_round_trip (void)
{
  g_autofree char *path = in_folder ("random.onnxtxt");

  for (guint seed = 0; seed < 300; seed++)
    {
      g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
      g_autoptr (PhModel) model = ph_model_new (), again = NULL;
      g_autoptr (GError) error = NULL;
      g_autofree char *text = NULL, *second = NULL;
      PhNode *b;

      ph_model_set_opset (model, "", 23);
      ph_model_set_opset (model, "t", 1);
      ph_graph_add_input (model->graph, "x", ph_type_unranked (PH_FLOAT), NULL, G_MAXUINT, NULL);
      add_nodes (rand, model->graph, model->graph->inputs->pdata[0], 0);
      ph_graph_set_output (model->graph, 0, ph_node_output (model->graph->last, 0), &error);
      g_assert_no_error (error);
      ph_io_save (model, path, NULL, &error);
      g_assert_no_error (error);
      again = ph_io_open (path, NULL, NULL, &error);
      g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
      if (error != NULL)
        g_error ("seed %u: %s\n%s", seed, error->message, text);
      second = ph_onnx_text_print (again, G_MAXSIZE);
      g_assert_cmpstr (second, ==, text);
      b = again->graph->first;
      PH_FOREACH_NODE (a, model->graph)
        {
          g_assert_cmpstr (a->name, ==, b->name);
          g_assert_cmpstr (a->op_type, ==, b->op_type);
          g_assert_cmpuint (a->attrs->len, ==, b->attrs->len);
          for (guint k = 0; k < a->attrs->len; k++)
            if (((PhAttr *) a->attrs->pdata[k])->kind != PH_ATTR_OPAQUE
                && !ph_attr_equal (a->attrs->pdata[k], b->attrs->pdata[k]))
              g_error ("seed %u: attribute %s of %s is another one", seed, ((PhAttr *) a->attrs->pdata[k])->name, a->name);
          b = b->next;
        }
    }
  g_unlink (path);
}

/* Numbers have points, whatever the user's language writes. */
static void
test_locale (void)
{
  static const char text[]
      = "<ir_version: 8, opset_import: [\"\" : 23]>\ng (float[2] x) => (float[2] y)\n<float[2] w = {0.5, 1.25}>\n"
        "{ t = LeakyRelu <alpha = 0.125> (x) y = Mul (t, w) }\n";
  g_autofree char *path = in_folder ("locale.onnxtxt"), *dot = in_folder ("locale.dot"), *drawn = NULL, *profile = NULL,
                  *locales = in_folder ("locales"),
                  *command = g_strdup_printf ("mkdir -p %s && localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8", locales, locales),
                  *remove = g_strdup_printf ("rm -rf %s", locales), *former = g_strdup (g_getenv ("LOCPATH"));
  g_auto (Session) session = { 0 };
  gboolean there = setlocale (LC_NUMERIC, "de_DE.UTF-8") != NULL;

  g_autofree char *localedef = g_find_program_in_path ("localedef");

  if (!there && localedef != NULL)
    {
      const char *const argv[] = { "sh", "-c", command, NULL };

      g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL,
                    NULL, NULL, NULL, NULL, NULL, NULL);
      g_setenv ("LOCPATH", locales, TRUE);
      there = setlocale (LC_NUMERIC, "de_DE.UTF-8") != NULL;
    }
  if (there && *localeconv ()->decimal_point == ',')
    {
      session_init (&session);
      open_text (&session, text);
      TELL (&session, "feed x [1.5, -2.25]");
      TELL (&session, "eval");
      TELL (&session, "render '%s'", dot);
      g_assert_true (g_file_get_contents (dot, &drawn, NULL, NULL));
      g_assert_nonnull (strstr (drawn, "0.125"));
      g_assert_nonnull (strstr (drawn, "[0.5, 1.25]"));
      profile = ask (&session, TRUE, "profile");
      for (const char *p = strchr (profile, ','); p != NULL; p = strchr (p + 1, ','))
        if (g_ascii_isdigit (p[1]))
          g_error ("a decimal comma: %s", profile);
      TELL (&session, "save '%s'", path);
      TELL (&session, "open '%s'", path);
      g_unlink (path);
      g_unlink (dot);
    }
  else
    g_test_skip (
        "no locale here writes a decimal comma: make one, with localedef -i de_DE -f UTF-8 de_DE.UTF-8 (package locales)");
  setlocale (LC_NUMERIC, "C");
  if (former != NULL)
    g_setenv ("LOCPATH", former, TRUE);
  else
    g_unsetenv ("LOCPATH");
  g_spawn_command_line_sync (remove, NULL, NULL, NULL, NULL);
}

int
main (int argc, char *argv[])
{
  session_test_init (&argc, &argv);
  g_test_add_func ("/text-round-trip/random", test_text_round_trip);
  g_test_add_func ("/text-round-trip/values-json", test_values_json);
  g_test_add_func ("/text-round-trip/locale", test_locale);
  return session_test_run ();
}
