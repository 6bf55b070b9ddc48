/* robust.c: tests of what files and memory can do to a model that is open.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/console/console.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <locale.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/escape.h"
#include "core/graph/edit.h"
#include "core/ops/verify.h"
#include "core/io/io.h"
#include "core/replace.h"
#include "core/run/run-private.h"

static char *folder;

typedef struct { PhDocument *document; PhConsole *console; } Session;

static void
session_init (Session *session)
{
  session->document = ph_document_new ();
  session->console = ph_console_new (session->document);
}

static void
session_clear (Session *session)
{
  g_clear_object (&session->console);
  g_clear_object (&session->document);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Session, session_clear)

/* The error of the line, or what it said. (transfer full) */
static char *
ask (Session *session, gboolean ok, const char *format, ...)
{
  g_autoptr(PhReply) reply = NULL;
  g_autofree char *line = NULL;
  va_list args;

  va_start (args, format);
  line = g_strdup_vprintf (format, args);
  va_end (args);
  reply = ph_console_run (session->console, line, NULL);
  if (reply->ok != ok)
    g_error ("'%s': %s", line, reply->ok ? reply->text->str : reply->error->message);
  return g_strdup (ok ? reply->text->str : reply->error->message);
}

#define TELL(session_, ...) g_free (ask (session_, TRUE, __VA_ARGS__))

static char *
in_folder (const char *name)
{
  return g_build_filename (folder, name, NULL);
}

/* y = x * w, with more elements than are read at once on opening. */
static void
write_model (const char *path, int first)
{
  g_autoptr(GString) text = g_string_new ("<ir_version: 8, opset_import: [\"\" : 23]>\ng (float[2,100] x) => (float[2,100] y)\n<float[100,100] w = {");
  g_autoptr(GError) error = NULL;
  g_autoptr(PhModel) model = NULL;

  for (int i = 0; i < 10000; i++)
    g_string_append_printf (text, "%s%d", i > 0 ? ", " : "", i + first);
  g_string_append (text, "}>\n{ y = MatMul (x, w) }\n");
  model = ph_onnx_text_read (text->str, -1, "text", &error);
  g_assert_no_error (error);
  ph_io_save (model, path, NULL, &error);
  g_assert_no_error (error);
}

/* [[0, ..., 1], [0, ..., 1]] */
static char *
one_in_last_column (void)
{
  g_autoptr(GString) row = g_string_new ("[");

  for (int i = 0; i < 99; i++)
    g_string_append (row, "0, ");
  g_string_append (row, "1]");
  return g_strdup_printf ("[%s, %s]", row->str, row->str);
}

typedef enum { TRUNCATE, SHORTEN, OTHER_MODEL, ONE_BYTE, REPLACE, REMOVE, N_WAYS } Way;

static void
change (const char *path, Way way)
{
  g_autofree char *other = in_folder ("other.onnx"), *data = NULL;
  gsize size;
  int fd;

  g_usleep (20000);          /* the time of change is counted in ticks of the kernel */
  switch (way)
    {
    case TRUNCATE:
    case SHORTEN:
      g_assert_cmpint (truncate (path, way == TRUNCATE ? 0 : 5000), ==, 0);
      break;
    case OTHER_MODEL:
    case ONE_BYTE:
      write_model (other, 7);
      g_assert_true (g_file_get_contents (other, &data, &size, NULL));
      fd = g_open (path, O_WRONLY, 0);
      if (way == OTHER_MODEL)
        g_assert_cmpint (write (fd, data, size), ==, (gssize) size);
      else
        g_assert_cmpint (pwrite (fd, "?", 1, 20000), ==, 1);
      close (fd);
      break;
    case REPLACE:
      write_model (other, 7);
      g_assert_cmpint (g_rename (other, path), ==, 0);
      break;
    case REMOVE:
    default:
      g_assert_cmpint (g_unlink (path), ==, 0);
    }
}

/* What was open is what was open, or says that it is not: it neither dies nor computes with other weights. */
static void
test_rewritten (void)
{
  g_autofree char *path = in_folder ("open.onnx");

  for (Way way = 0; way < N_WAYS; way++)
    {
      const gboolean lost = way < REPLACE;
      g_auto(Session) session = { 0 };
      g_autofree char *last_row = one_in_last_column (), *answer = NULL, *saved = in_folder ("saved.onnx"), *problems = NULL;

      session_init (&session);
      write_model (path, 1);
      TELL (&session, "open '%s'", path);
      TELL (&session, "feed x %s", last_row);
      change (path, way);
      if (lost)
        {
          answer = ask (&session, TRUE, "info");
          g_assert_nonnull (strstr (answer, "changed on disk"));         /* said with the next line, and once */
          g_free (answer);
          answer = ask (&session, TRUE, "info");
          g_assert_null (strstr (answer, "changed on disk"));
          g_clear_pointer (&answer, g_free);
          problems = ask (&session, TRUE, "problems");
          g_assert_nonnull (strstr (problems, "changed on disk"));
        }
      answer = ask (&session, !lost, "eval");
      if (lost)
        {
          g_autofree char *refused = ask (&session, FALSE, "save '%s'", saved);

          g_assert_nonnull (strstr (answer, "open.onnx changed on disk since it was opened"));
          g_assert_nonnull (strstr (answer, "reload"));
          g_assert_nonnull (strstr (refused, "changed on disk"));
          g_assert_false (g_file_test (saved, G_FILE_TEST_EXISTS));
        }
      else
        {
          g_assert_nonnull (strstr (answer, "9901"));
          TELL (&session, "save '%s'", saved);
          g_unlink (saved);
        }
      TELL (&session, "run cse");
      g_unlink (path);
    }
}

/* Weights that were read stay. */
static void
test_rewritten_after_use (void)
{
  g_auto(Session) session = { 0 };
  g_autofree char *path = in_folder ("open.onnx");

  session_init (&session);
  write_model (path, 1);
  TELL (&session, "open '%s'", path);
  TELL (&session, "eval --random 1");
  change (path, TRUNCATE);
  TELL (&session, "eval --random 1");
  write_model (path, 3);
  TELL (&session, "reload");
  TELL (&session, "eval --random 1");
  g_unlink (path);
}

static void
test_external_rewritten (void)
{
  static const char text[] = "<ir_version: 8, opset_import: [\"\" : 23]>\ng (float[5000] x) => (float[5000] y)\n"
                             "<float[5000] w = [\"location\": \"w.bin\", \"offset\": \"0\", \"length\": \"20000\"]>\n{ y = Add (x, w) }\n";
  g_auto(Session) session = { 0 };
  g_autofree char *path = in_folder ("external.onnxtxt"), *data = in_folder ("w.bin"), *answer = NULL;
  g_autofree char *zeros = g_malloc0 (20000);

  session_init (&session);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  g_assert_true (g_file_set_contents (data, zeros, 20000, NULL));
  TELL (&session, "open '%s'", path);
  change (data, TRUNCATE);
  answer = ask (&session, FALSE, "eval --random 1");
  g_assert_nonnull (strstr (answer, "w.bin changed on disk"));
  g_unlink (path);
  g_unlink (data);
}

/* A tensor in a file: its elements one by one, whole, compared, and none of them there. */
static void
test_tensor_on_disk (void)
{
  g_autofree char *path = in_folder ("floats"), *copy = g_malloc (400000);
  g_autofree float *values = g_new (float, 100001);
  g_autoptr(PhFile) file = NULL;
  g_autoptr(PhTensor) a = NULL, b = NULL, view = NULL, lost = NULL;
  g_autoptr(GError) error = NULL;

  for (int i = 0; i < 100001; i++)
    values[i] = (float) i;
  g_assert_true (g_file_set_contents (path, (const char *) values, 400004, NULL));
  file = ph_file_open (path, &error);
  g_assert_no_error (error);
  a = ph_tensor_new_from_file (PH_FLOAT, 1, (gint64[]) { 100000 }, file, 0, &error);
  b = ph_tensor_new_from_file (PH_FLOAT, 1, (gint64[]) { 100000 }, file, 4, &error);
  lost = ph_tensor_new_from_file (PH_FLOAT, 1, (gint64[]) { 100000 }, file, 0, &error);
  view = ph_tensor_reshaped (b, 2, (gint64[]) { 100, 1000 });
  g_assert_cmpfloat (ph_tensor_get (a, 77777), ==, 77777);
  g_assert_cmpfloat (ph_tensor_get (view, 0), ==, 1);
  g_assert_false (ph_tensor_equal (a, b));
  g_assert_true (ph_tensor_equal (a, lost));
  g_assert_true (ph_tensor_is_on_disk (a));               /* comparing kept nothing */
  g_assert_true (ph_tensor_copy_data (a, copy));
  g_assert_true (ph_tensor_is_on_disk (a));
  g_assert_cmpfloat (((const float *) ph_tensor_data (view))[99999], ==, 100000);
  g_assert_cmpmem (copy, 400000, ph_tensor_data (a), 400000);
  g_assert_true (ph_tensor_take_fault (&error));

  change (path, SHORTEN);
  g_assert_null (ph_tensor_data (lost));
  g_assert_false (ph_tensor_take_fault (&error));
  g_assert_error (error, PH_ERROR, PH_ERROR_FILE);
  g_clear_error (&error);
  g_assert_cmpfloat (ph_tensor_get (lost, 5), ==, 0);
  g_assert_false (ph_tensor_take_fault (NULL));
  g_assert_false (ph_tensor_bring (lost, &error));
  g_assert_error (error, PH_ERROR, PH_ERROR_FILE);
  g_assert_true (ph_tensor_take_fault (NULL));            /* who is told needs no fault */
  g_unlink (path);
}

static void
open_text (Session *session, const char *text)
{
  g_autofree char *path = in_folder ("text.onnxtxt");

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  TELL (session, "open '%s'", path);
  g_unlink (path);
}

/* Saving: through a link to what it points to, whose mode stays; nothing is beside it then, nor after a failure. */
static void
test_save_links (void)
{
  static const char *const names[] = { "real.onnx", "real.onnxtxt", "real.dot", "real.npy" };
  g_auto(Session) session = { 0 };
  g_autofree char *full = in_folder ("full.svg"), *answer = NULL;
  struct stat status;

  session_init (&session);
  open_text (&session, "<ir_version: 8, opset_import: [\"\" : 23]>\ng (float[2] x) => (float[2] y) { y = Relu (x) }\n");
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      const char *dot = strchr (names[i], '.');
      g_autofree char *path = in_folder (names[i]), *link = g_strdup_printf ("%s/link%s", folder, dot), *text = NULL, *target = NULL;
      g_autoptr(PhTensor) tensor = ph_tensor_new_scalar (PH_FLOAT, 1);
      g_autoptr(GDir) dir = NULL;
      const char *name;

      g_assert_true (g_file_set_contents (path, "old", 3, NULL));
      g_assert_cmpint (g_chmod (path, 0640), ==, 0);
      g_assert_cmpint (symlink (names[i], link), ==, 0);
      if (g_str_equal (dot, ".npy"))
        g_assert_true (ph_tensor_save (tensor, "t", link, NULL));
      else
        TELL (&session, g_str_equal (dot, ".dot") ? "render '%s'" : "save '%s'", link);
      target = g_file_read_link (link, NULL);
      g_assert_cmpstr (target, ==, names[i]);
      g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
      g_assert_cmpstr (text, !=, "old");
      g_assert_cmpint (stat (path, &status), ==, 0);
      g_assert_cmpint (status.st_mode & 07777, ==, 0640);
      g_unlink (path);
      /* A link to where nothing is yet. */
      if (!g_str_equal (dot, ".npy"))
        TELL (&session, g_str_equal (dot, ".dot") ? "render '%s'" : "save '%s'", link);
      else
        g_assert_true (ph_tensor_save (tensor, "t", link, NULL));
      g_assert_true (g_file_test (path, G_FILE_TEST_IS_REGULAR));
      g_unlink (path);
      g_unlink (link);
      dir = g_dir_open (folder, 0, NULL);
      name = g_dir_read_name (dir);
      g_assert_null (name);
    }
  if (g_file_test ("/dev/full", G_FILE_TEST_EXISTS) && symlink ("/dev/full", full) == 0)
    {
      answer = ask (&session, FALSE, "render '%s'", full);
      g_assert_nonnull (strstr (answer, "cannot be written"));
      g_assert_true (g_file_test (full, G_FILE_TEST_IS_SYMLINK));
      g_unlink (full);
    }
}

/* Killed in the midst of it: what was there is there, and nothing else. */
static void
test_save_killed (void)
{
  g_autofree char *path = in_folder ("kept.onnx"), *text = NULL;
  g_autoptr(GDir) dir = NULL;
  PhReplace replace;
  const char *name;

  g_assert_true (g_file_set_contents (path, "old", 3, NULL));
  g_assert_true (ph_replace_open (&replace, path, NULL));
  g_assert_cmpint (write (replace.fd, "new", 3), ==, 3);
  if (replace.temporary != NULL)
    g_test_skip ("the file system here has no files without a name");
  else
    {
      dir = g_dir_open (folder, 0, NULL);
      while ((name = g_dir_read_name (dir)) != NULL)
        g_assert_cmpstr (name, ==, "kept.onnx");
    }
  ph_replace_abandon (&replace);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, "old");
  g_unlink (path);
}

/* Ctrl+C keeps the passes that were done. */
static void
on_progress (PhConsole *console, const char *what, double fraction, gpointer cancellable)
{
  if (g_str_has_prefix (what, "cse"))
    g_cancellable_cancel (cancellable);
}

static void
test_cancelled_run (void)
{
  g_autoptr(GString) text = g_string_new ("<ir_version: 8, opset_import: [\"\" : 23]>\ng (float[2] x) => (float[2] y) {\n v0 = Neg (x)\n");
  g_autoptr(GCancellable) cancellable = g_cancellable_new ();
  g_autoptr(PhReply) reply = NULL;
  g_auto(Session) session = { 0 };
  PhHistory *history;

  for (int i = 1; i < 4000; i++)
    g_string_append_printf (text, "a%d = Sin (v%d)\nb%d = Sin (v%d)\nv%d = Add (a%d, b%d)\n", i, i - 1, i, i - 1, i, i, i);
  g_string_append (text, "y = Neg (v3999) }\n");
  session_init (&session);
  open_text (&session, text->str);
  g_signal_connect (session.console, "progress", G_CALLBACK (on_progress), cancellable);
  reply = ph_console_run (session.console, "run eliminate-identity dce cse algebraic --no-verify", cancellable);
  g_assert_false (reply->ok);
  g_assert_error (reply->error, PH_ERROR, PH_ERROR_CANCELLED);
  history = ph_document_get_history (session.document);
  g_assert_cmpuint (history->steps->len, ==, 2);              /* those before cse */
  TELL (&session, "run cse --no-verify");
}

/* A small model is computed by one thread, a large one by as many as there are. */
static gboolean
is_small (const char *text)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(PhModel) model = ph_onnx_text_read (text, -1, "text", &error);
  g_autoptr(PhPlan) plan = NULL;

  g_assert_no_error (error);
  plan = ph_plan_new (model->graph, model->graph->outputs, NULL);
  return ph_plan_is_small (plan, NULL);
}

static void
test_threads (void)
{
  g_assert_true (is_small ("<ir_version: 8, opset_import: [\"\" : 23]>\ng (float[8,64] x, float[64,64] w) => (float[8,64] y) { t = MatMul (x, w) y = Relu (t) }\n"));
  g_assert_false (is_small ("<ir_version: 8, opset_import: [\"\" : 23]>\ng (float[512,512] x, float[512,512] w) => (float[512,512] y) { y = MatMul (x, w) }\n"));
  /* Nodes that lack what they work on. */
  g_assert_true (is_small ("<ir_version: 8, opset_import: [\"\" : 23]>\ng (float[2] x) => (float[2] y, float[2] z) { y = Softmax () z = Einsum <equation = \"i,i->i\"> (x, \"\") }\n"));
  g_assert_true (is_small ("<ir_version: 8, opset_import: [\"\" : 23]>\ng (float[N,K] x, float[K,M] w) => (float[N,M] y) { y = MatMul (x, w) }\n"));
}

/* A filter as wide as a scale that is next to nothing asks for is none that can be counted: the sanitizers see it. */
static void
test_tiny_scale (void)
{
  g_auto(Session) session = { 0 };
  g_autofree char *answer = NULL;

  session_init (&session);
  open_text (&session, "<ir_version: 8, opset_import: [\"\" : 23]>\ng (float[1,1,4,4] x, float[4] s) => (float[A,B,C,D] y) {\n"
             " e = Constant <value = float[0] {}> ()\n y = Resize <antialias = 1, mode = \"linear\"> (x, e, s) }\n");
  TELL (&session, "feed x random 1");
  TELL (&session, "feed s [1, 1, 1e-30, 1]");
  answer = ask (&session, FALSE, "eval");
  g_assert_nonnull (strstr (answer, "Resize"));
}

/* Passes go over what no schema allows: branches that take inputs, nodes that lack theirs. */
static void
test_odd_nodes (void)
{
  g_auto(Session) session = { 0 };

  session_init (&session);
  open_text (&session, "<ir_version: 8, opset_import: [\"\" : 23]>\ng (float[2] x, bool c) => (float[2] y, float[2] z) {\n"
             " y = If <then_branch = t (float[2] a) => (float[2] u) { u = Neg (a) }, else_branch = e (float[2] b) => (float[2] v) { v = Abs (b) }> (c)\n"
             " z = Einsum <equation = \"i,i->i\"> (x, \"\") }\n");
  TELL (&session, "info");
  TELL (&session, "run if-to-where sink-transposes inline-if --no-verify");
}

/* Nodes that make nothing: every pass goes past them. */
static void
test_no_outputs (void)
{
  static const int opsets[] = { 4, 23 };
  guint            n;
  const PhPass *const *passes = ph_pass_list (&n);

  for (guint k = 0; k < G_N_ELEMENTS (opsets); k++)
    for (guint i = 0; i < n; i++)
      {
        g_auto(Session) session = { 0 };
        g_autofree char *text = NULL, *line = g_strdup_printf ("run %s --no-verify", passes[i]->name);

        if (passes[i]->needs_arguments || !ph_pass_is_builtin (passes[i]))
          continue;
        session_init (&session);
        text = g_strdup_printf ("<ir_version: 8, opset_import: [\"\" : %d]>\ng (float[4] x, bool c) => (float[4] y)\n"
                                "< float[4] w = {0.5, -1, 2, 3}, int64[2] shape = {2, 2} >\n{\n = Add (x, w) = Mul (w, w) = Transpose (w)\n"
                                " = ConstantOfShape (shape) = MatMul (x, w) = Max (x, w) = Gelu (x) = Identity (x)\n"
                                " = If (c) <then_branch = t () => (float[4] u) { u = Relu (x) }, else_branch = e () => (float[4] v) { v = Neg (x) }>\n"
                                " y = Relu (x) }\n", opsets[k]);
        open_text (&session, text);
        TELL (&session, "%s", line);
        TELL (&session, "info");
        TELL (&session, "grad y");
      }
}

/* Every value has its elements in JSON. */
static void
test_values_json (void)
{
  g_auto(Session) session = { 0 };
  g_autoptr(PhReply) reply = NULL;
  g_autofree char *json = NULL;

  session_init (&session);
  open_text (&session, "<ir_version: 8, opset_import: [\"\" : 23]>\ng (float[2] x) => (float[2] y) { t = Neg (x) y = Relu (t) }\n");
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
  static const char *const parts[] = { "a", "B_1", "/", ".", " ", "\"", "\\", "\n", "\t", "\x01", "\x1b[31m", "é", "日本", "inf", "nan", "<", "{", "}", "=", ",", "#", "//", "'", "@", "0" };
  GString *name = g_string_new (prefix);

  for (int i = g_rand_int_range (rand, 0, 4); i > 0; i--)
    g_string_append (name, parts[g_rand_int_range (rand, 0, G_N_ELEMENTS (parts))]);
  return g_string_free (name, FALSE);
}

static float
random_float (GRand *rand)
{
  static const float special[] = { 0, -0.0f, 1, -1, INFINITY, -INFINITY, NAN, 1e-45f, 3.4e38f, 0.1f, 16777217, 1e10f };
  union { guint32 bits; float value; } any = { g_rand_int (rand) };

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
  static const PhDType types[] = { PH_FLOAT, PH_DOUBLE, PH_FLOAT16, PH_BFLOAT16, PH_INT8, PH_UINT8, PH_INT16, PH_UINT16, PH_INT32, PH_UINT32,
                                   PH_INT64, PH_UINT64, PH_BOOL, PH_INT4, PH_UINT4, PH_STRING, PH_COMPLEX64, PH_COMPLEX128 };
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
      ph_dtype_store_int (dtype, ph_tensor_writable (tensor), i, dtype == PH_BOOL ? g_rand_boolean (rand) : (gint64) ((guint64) g_rand_int (rand) * g_rand_int (rand)));
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
  g_autoptr(GBytes) opaque = g_bytes_new_static (strange, sizeof strange);
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
      PhNodeSpec spec = { .op_type = op, .domain = "t", .name = name, .inputs = &x, .n_inputs = 1, .n_outputs = 1, .output_names = outputs };
      g_autoptr(GError) error = NULL;
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
      g_autoptr(GRand) rand = g_rand_new_with_seed (seed);
      g_autoptr(PhModel) model = ph_model_new (), again = NULL;
      g_autoptr(GError) error = NULL;
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
            if (((PhAttr *) a->attrs->pdata[k])->kind != PH_ATTR_OPAQUE && !ph_attr_equal (a->attrs->pdata[k], b->attrs->pdata[k]))
              g_error ("seed %u: attribute %s of %s is another one", seed, ((PhAttr *) a->attrs->pdata[k])->name, a->name);
          b = b->next;
        }
    }
  g_unlink (path);
}

/* Budgets */

/* Sixty doublings: nothing of it is begun with, and the message says what raises the budget. */
static void
test_doubling (void)
{
  g_autoptr(GString) text = g_string_new ("<ir_version: 8, opset_import: [\"\" : 23]>\ng (float[2] x) => (float[N] y) {\n v0 = Identity (x)\n");
  g_auto(Session) session = { 0 };
  g_autofree char *answer = NULL;
  const gsize used = ph_tensor_get_used ();

  for (int i = 0; i < 60; i++)
    g_string_append_printf (text, "v%d = Concat <axis = 0> (v%d, v%d)\n", i + 1, i, i);
  g_string_append (text, "y = Identity (v60) }\n");
  session_init (&session);
  open_text (&session, text->str);
  answer = ask (&session, FALSE, "eval --random 1");
  g_assert_nonnull (strstr (answer, "too large for memory"));
  g_assert_nonnull (strstr (answer, "set memory"));
  TELL (&session, "run");
  g_assert_cmpuint (ph_tensor_get_used (), ==, used);
}

/* The same where sizes are not known beforehand. */
static void
test_doubling_unknown (void)
{
  g_autoptr(GString) text = g_string_new ("<ir_version: 8, opset_import: [\"\" : 23]>\ng (float[N] x, int64[1] n) => (float[M] y) {\n v0 = Expand (x, n)\n");
  g_auto(Session) session = { 0 };
  g_autofree char *answer = NULL;

  for (int i = 0; i < 30; i++)
    g_string_append_printf (text, "v%d = Concat <axis = 0> (v%d, v%d)\n", i + 1, i, i);
  g_string_append (text, "y = Identity (v30) }\n");
  session_init (&session);
  open_text (&session, text->str);
  TELL (&session, "set memory 4M");
  TELL (&session, "feed x [1, 2]");
  TELL (&session, "feed n [2]");
  answer = ask (&session, FALSE, "eval");
  g_assert_nonnull (strstr (answer, "which is over the budget of 4.0 MiB"));
  g_assert_nonnull (strstr (answer, "set memory"));
  TELL (&session, "set memory default");
  g_clear_pointer (&answer, g_free);
  answer = ask (&session, FALSE, "set memory much");
  g_assert_nonnull (strstr (answer, "no size"));
}

/* Forty functions, each calling the next one twice, stand for 10^12 nodes. */
static void
test_functions_in_functions (void)
{
  g_autoptr(GString) text = g_string_new ("<ir_version: 8, opset_import: [\"\" : 23, \"d\" : 1]>\ng (float[2] x) => (float[2] y) { y = d.F0 (x) }\n");
  g_auto(Session) session = { 0 };
  g_autofree char *run = NULL, *eval = NULL;

  for (int i = 0; i < 40; i++)
    g_string_append_printf (text, i < 39 ? "<domain: \"d\", opset_import: [\"\" : 23, \"d\" : 1]>\nF%d (a) => (b) { t = d.F%d (a) b = d.F%d (t) }\n"
                                         : "<domain: \"d\", opset_import: [\"\" : 23, \"d\" : 1]>\nF%d (a) => (b) { b = Relu (a) }\n", i, i + 1, i + 1);
  session_init (&session);
  open_text (&session, text->str);
  run = ask (&session, FALSE, "run inline-functions");
  eval = ask (&session, FALSE, "eval --random 1");
  g_assert_nonnull (strstr (run, "set growth"));
  g_assert_nonnull (strstr (eval, "set growth"));

  open_text (&session, "<ir_version: 8, opset_import: [\"\" : 23, \"d\" : 1]>\ng (float[2] x) => (float[2] y) { y = d.R (x) }\n"
             "<domain: \"d\", opset_import: [\"\" : 23, \"d\" : 1]>\nR (a) => (b) { t = Relu (a) b = d.R (t) }\n");
  g_free (run);
  run = ask (&session, TRUE, "run inline-functions");
  g_free (eval);
  eval = ask (&session, FALSE, "eval --random 1");
  g_assert_nonnull (strstr (eval, "comes to call itself"));
}

/* A pass that writes out what is within the budget does, and one beyond it leaves the model as it was. */
static void
test_growth (void)
{
  static const char text[] = "<ir_version: 8, opset_import: [\"\" : 23, \"d\" : 1]>\ng (float[2] x) => (float[2] y) { a = d.F (x) b = d.F (a) y = d.F (b) }\n"
                             "<domain: \"d\", opset_import: [\"\" : 23, \"d\" : 1]>\nF (a) => (b) { t = Relu (a) u = Neg (t) b = Relu (u) }\n";
  g_auto(Session) session = { 0 };
  g_autofree char *answer = NULL;

  session_init (&session);
  open_text (&session, text);
  TELL (&session, "set growth 5");
  answer = ask (&session, FALSE, "run inline-functions");
  g_assert_nonnull (strstr (answer, "5 nodes that are allowed"));
  g_assert_cmpuint (ph_model_n_nodes (ph_document_get_model (session.document), TRUE), ==, 3);
  TELL (&session, "set growth default");
  TELL (&session, "run inline-functions");
  g_assert_cmpuint (ph_model_n_nodes (ph_document_get_model (session.document), TRUE), ==, 9);
}

/* Elements that cannot be had: what needs them is an error and no crash, what does not goes on. */
static void
test_no_memory (void)
{
  static const char text[] =
    "<ir_version: 8, opset_import: [\"\" : 23]>\ng (float[1,2000] x) => (float[1,1000] y, int64[2] s, float[1000,2000] t, float[2000,1000] a)\n{\n"
    " shape = Constant <value_ints = [2000, 1000]> ()\n v = ConstantOfShape <value = float[1] {1}> (shape)\n"
    " y = MatMul (x, v)\n s = Shape (v)\n t = Transpose (v)\n a = Add (v, v) }\n";
  g_auto(Session) session = { 0 };
  g_autofree char *answer = NULL;

  session_init (&session);
  open_text (&session, text);
  TELL (&session, "set memory 1M");           /* v takes 8 MB when it is not one element repeated */
  TELL (&session, "eval --random 1 y");
  TELL (&session, "eval --random 1 s");
  TELL (&session, "eval --random 1 a");
  answer = ask (&session, FALSE, "eval --random 1 t");
  g_assert_nonnull (strstr (answer, "too large for memory"));
  TELL (&session, "set memory default");
  TELL (&session, "eval --random 1 t");
}

/* Names of a hostile file: what they would do to a terminal, a label or a picture. */
static void
test_escapes (void)
{
  static const char text[] =
    "<ir_version: 8, opset_import: [\"\" : 23, \"e\\x1bvil\" : 1], producer_name: \"\\x1b]0;TITLE\\x07\">\n"
    "\"g\\x1b[2J\" (float[2,\"d\\x1b[31m\"] \"x\\x01\\x04\") => (float[M,K] \"y\\x1b]0;T\\x07\") {\n"
    "  [\"n\\x02o\\x9bd\"] t = Relu <\"a\\x1b\" = \"v\\x1b[31m\"> (\"x\\x01\\x04\")\n"
    "  [\"second\\x1bc\"] \"y\\x1b]0;T\\x07\" = \"e\\x1bvil\".\"Op\\x1b[5m\" (t) }\n";
  static const char *const lines[] = {
    "info", "problems", "eval --random 1", "run", "steps", "rewrites", "node n1", "node n9", "find Relu", "select * from nodes", "print", "why n9",
    "select * from \"values\"", "diff 0 0 --text", "neighbours n9 2", "history", "verify", "feed 1", "values", "open nothing\x1b[31m", "profile",
  };
  g_autofree char *dot = in_folder ("picture.dot"), *drawn = NULL, *shown = NULL;
  g_auto(Session) session = { 0 };
  gboolean seen = FALSE;

  session_init (&session);
  ph_console_set_colour (session.console, FALSE);
  open_text (&session, text);
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    {
      g_autoptr(PhReply) reply = ph_console_run (session.console, lines[i], NULL);

      for (const guchar *p = (const guchar *) reply->text->str; *p != 0; p++)
        if ((*p < 0x20 && *p != '\n' && *p != '\t') || *p == 0x7f)
          g_error ("'%s' lets byte %d through: %s", lines[i], *p, reply->text->str);
      seen = seen || strstr (reply->text->str, "x\\x01\\x04") != NULL;
    }
  g_assert_true (seen);                     /* shown, neither swallowed nor taken for a colour */
  TELL (&session, "render '%s'", dot);
  g_assert_true (g_file_get_contents (dot, &drawn, NULL, NULL));
  g_assert_null (strchr (drawn, '\x1b'));
  g_unlink (dot);
  shown = ph_escape ("a\x1b\x7f\xc2\x9b\xe2\x80\xae\xff" "b\n", FALSE);
  g_assert_cmpstr (shown, ==, "a\\x1b\\x7f\\x9b\\u202e\357\277\275b\\x0a");
}

/* Numbers have points, whatever the user's language writes. */
static void
test_locale (void)
{
  static const char text[] = "<ir_version: 8, opset_import: [\"\" : 23]>\ng (float[2] x) => (float[2] y)\n<float[2] w = {0.5, 1.25}>\n"
                             "{ t = LeakyRelu <alpha = 0.125> (x) y = Mul (t, w) }\n";
  g_autofree char *path = in_folder ("locale.onnxtxt"), *dot = in_folder ("locale.dot"), *drawn = NULL, *profile = NULL, *locales = in_folder ("locales"),
                  *command = g_strdup_printf ("mkdir -p %s && localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8", locales, locales),
                  *remove = g_strdup_printf ("rm -rf %s", locales), *former = g_strdup (g_getenv ("LOCPATH"));
  g_auto(Session) session = { 0 };
  gboolean there = setlocale (LC_NUMERIC, "de_DE.UTF-8") != NULL;

  if (!there && g_spawn_command_line_sync ("sh -c 'command -v localedef'", NULL, NULL, NULL, NULL))
    {
      const char *const argv[] = { "sh", "-c", command, NULL };

      g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, NULL, NULL,
                    NULL, NULL);
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
        g_assert_false (g_ascii_isdigit (p[1]));
      TELL (&session, "save '%s'", path);
      TELL (&session, "open '%s'", path);
      g_unlink (path);
      g_unlink (dot);
    }
  else
    g_test_skip ("there is no language here that writes a comma");
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
  int status;

  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("peephole-robust-XXXXXX", NULL);
  g_assert_nonnull (folder);
  g_test_add_func ("/robust/rewritten", test_rewritten);
  g_test_add_func ("/robust/rewritten-after-use", test_rewritten_after_use);
  g_test_add_func ("/robust/external-rewritten", test_external_rewritten);
  g_test_add_func ("/robust/tensor-on-disk", test_tensor_on_disk);
  g_test_add_func ("/robust/save-links", test_save_links);
  g_test_add_func ("/robust/save-killed", test_save_killed);
  g_test_add_func ("/robust/cancelled-run", test_cancelled_run);
  g_test_add_func ("/robust/text-round-trip", test_text_round_trip);
  g_test_add_func ("/robust/tiny-scale", test_tiny_scale);
  g_test_add_func ("/robust/odd-nodes", test_odd_nodes);
  g_test_add_func ("/robust/no-outputs", test_no_outputs);
  g_test_add_func ("/robust/threads", test_threads);
  g_test_add_func ("/robust/values-json", test_values_json);
  g_test_add_func ("/robust/doubling", test_doubling);
  g_test_add_func ("/robust/doubling-unknown", test_doubling_unknown);
  g_test_add_func ("/robust/functions-in-functions", test_functions_in_functions);
  g_test_add_func ("/robust/growth", test_growth);
  g_test_add_func ("/robust/no-memory", test_no_memory);
  g_test_add_func ("/robust/escapes", test_escapes);
  g_test_add_func ("/robust/locale", test_locale);
  status = g_test_run ();
  g_assert_cmpint (g_rmdir (folder), ==, 0);
  g_free (folder);
  return status;
}
