/* disk.c: tests of what becomes of files while a model is open: rewritten, truncated, saved over, saved to half.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "session.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/io/io.h"
#include "core/replace.h"

/* y = x * w, with more elements than are read at once on opening. */
static void
write_model (const char *path, int first)
{
  g_autoptr (GString) text = g_string_new (
      "<ir_version: 8, opset_import: [\"\" : 23]>\ng (float[2,100] x) => (float[2,100] y)\n<float[100,100] w = {");
  g_autoptr (GError) error = NULL;
  g_autoptr (PhModel) model = NULL;

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
  g_autoptr (GString) row = g_string_new ("[");

  for (int i = 0; i < 99; i++)
    g_string_append (row, "0, ");
  g_string_append (row, "1]");
  return g_strdup_printf ("[%s, %s]", row->str, row->str);
}

typedef enum
{
  TRUNCATE,
  SHORTEN,
  OTHER_MODEL,
  ONE_BYTE,
  REPLACE,
  REMOVE,
  N_WAYS
} Way;

static void
change (const char *path, Way way)
{
  g_autofree char *other = in_folder ("other.onnx"), *data = NULL;
  gsize size;
  int fd;

  g_usleep (20000); /* the time of change is counted in ticks of the kernel */
  switch (way)
    {
    case TRUNCATE:
    case SHORTEN: g_assert_cmpint (truncate (path, way == TRUNCATE ? 0 : 5000), ==, 0); break;
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
    default: g_assert_cmpint (g_unlink (path), ==, 0);
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
      g_auto (Session) session = { 0 };
      g_autofree char *last_row = one_in_last_column (), *answer = NULL, *saved = in_folder ("saved.onnx"), *problems = NULL;

      session_init (&session);
      write_model (path, 1);
      TELL (&session, "open '%s'", path);
      TELL (&session, "feed x %s", last_row);
      change (path, way);
      if (lost)
        {
          answer = ask (&session, TRUE, "info");
          g_assert_nonnull (strstr (answer, "changed on disk")); /* said with the next line, and once */
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

/* It is told from what was read by what its name leads to, however it was written. */
static void
test_current (void)
{
  g_autofree char *path = in_folder ("open.onnx"), *bytes = NULL;
  gsize size;

  for (Way way = 0; way < N_WAYS; way++)
    {
      g_auto (Session) session = { 0 };

      session_init (&session);
      g_assert_false (ph_document_is_current (session.document));
      write_model (path, 1);
      TELL (&session, "open '%s'", path);
      TELL (&session, "run cse");
      g_assert_true (ph_document_is_current (session.document));
      change (path, way);
      g_assert_false (ph_document_is_current (session.document));
      TELL (&session, "info"); /* which tells of it once */
      g_assert_false (ph_document_is_current (session.document));
      write_model (path, 1);
      TELL (&session, "reload");
      g_assert_true (ph_document_is_current (session.document));

      /* The same bytes, written anew, are another reading's. */
      g_assert_true (g_file_get_contents (path, &bytes, &size, NULL));
      g_usleep (20000);
      g_assert_true (g_file_set_contents (path, bytes, (gssize) size, NULL));
      g_assert_false (ph_document_is_current (session.document));
      g_clear_pointer (&bytes, g_free);
      TELL (&session, "close");
      g_assert_false (ph_document_is_current (session.document));
      g_unlink (path);
    }
}

/* A clone of the model is of the same files. */
static void
test_current_clone (void)
{
  g_auto (Session) session = { 0 };
  g_autofree char *path = in_folder ("open.onnx");

  session_init (&session);
  write_model (path, 1);
  TELL (&session, "open '%s'", path);
  ph_document_take_model (session.document, ph_model_clone (ph_document_get_model (session.document)), path, NULL);
  g_assert_true (ph_document_is_current (session.document));
  change (path, REPLACE);
  g_assert_false (ph_document_is_current (session.document));
  g_unlink (path);
}

/* Weights that were read stay. */
static void
test_rewritten_after_use (void)
{
  g_auto (Session) session = { 0 };
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
  static const char text[]
      = "<ir_version: 8, opset_import: [\"\" : 23]>\ng (float[5000] x) => (float[5000] y)\n"
        "<float[5000] w = [\"location\": \"w.bin\", \"offset\": \"0\", \"length\": \"20000\"]>\n{ y = Add (x, w) }\n";
  g_auto (Session) session = { 0 };
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
  g_autoptr (PhFile) file = NULL;
  g_autoptr (PhTensor) a = NULL, b = NULL, view = NULL, lost = NULL;
  g_autoptr (GError) error = NULL;

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
  g_assert_true (ph_tensor_is_on_disk (a)); /* comparing kept nothing */
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
  g_assert_true (ph_tensor_take_fault (NULL)); /* who is told needs no fault */
  g_unlink (path);
}

/* What writes a file in the folder: a line that ends with its name, or NULL for a tensor by itself. */
static const struct
{
  const char *name, *line;
} rows[] = {
  { "real.onnx", "save" },
  { "real.onnxtxt", "save" },
  { "real.dot", "render" },
  { "real.html", "render" },
  { "real.txt", "info >" },
  { "real.csv", "select op from nodes >" },
  { "real.passes", "pipeline cse --save" },
  { "real.npy", NULL },
};

static void
write_row (Session *session, const char *line, const char *path)
{
  g_autoptr (PhTensor) tensor = ph_tensor_new_scalar (PH_FLOAT, 1);

  if (line != NULL)
    TELL (session, "%s '%s'", line, path);
  else
    g_assert_true (ph_tensor_save (tensor, "t", path, NULL));
}

/* Saving: through a link to what it points to, whose mode stays; nothing is beside it then, nor after a failure. */
static void
test_save_links (void)
{
  g_auto (Session) session = { 0 };
  g_autofree char *full = in_folder ("full.svg"), *answer = NULL;
  struct stat status;

  session_init (&session);
  open_text (&session, "<ir_version: 8, opset_import: [\"\" : 23]>\ng (float[2] x) => (float[2] y) { y = Relu (x) }\n");
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const char *dot = strchr (rows[i].name, '.');
      g_autofree char *path = in_folder (rows[i].name), *link = g_strdup_printf ("%s/link%s", folder, dot), *text = NULL,
                      *target = NULL;
      g_autoptr (GDir) dir = NULL;
      const char *name;

      g_assert_true (g_file_set_contents (path, "old", 3, NULL));
      g_assert_cmpint (g_chmod (path, 0640), ==, 0);
      g_assert_cmpint (symlink (rows[i].name, link), ==, 0);
      write_row (&session, rows[i].line, link);
      target = g_file_read_link (link, NULL);
      g_assert_cmpstr (target, ==, rows[i].name);
      g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
      g_assert_cmpstr (text, !=, "old");
      g_assert_cmpint (stat (path, &status), ==, 0);
      g_assert_cmpint (status.st_mode & 07777, ==, 0640);
      g_unlink (path);
      /* A link to where nothing is yet. */
      write_row (&session, rows[i].line, link);
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

/* Where there is no room, what was there before stays. A limit on the size of files stands for a full disk. */
static void
test_no_room (void)
{
  g_auto (Session) session = { 0 };
  struct rlimit before, small;

  session_init (&session);
  open_text (&session, "<ir_version: 8, opset_import: [\"\" : 23]>\ng (float[2] x) => (float[2] y) { y = Relu (x) }\n");
  signal (SIGXFSZ, SIG_IGN);
  getrlimit (RLIMIT_FSIZE, &before);
  small = before;
  small.rlim_cur = 2;
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *path = in_folder (rows[i].name), *answer = NULL, *text = NULL;
      g_autoptr (PhTensor) tensor = ph_tensor_new_scalar (PH_FLOAT, 1);

      g_assert_true (g_file_set_contents (path, "old", 3, NULL));
      g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &small), ==, 0);
      if (rows[i].line != NULL)
        answer = ask (&session, FALSE, "%s '%s'", rows[i].line, path);
      else
        g_assert_false (ph_tensor_save (tensor, "t", path, NULL));
      g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &before), ==, 0);
      g_assert_true (answer == NULL || strstr (answer, "cannot be written") != NULL);
      g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
      g_assert_cmpstr (text, ==, "old");
      g_unlink (path);
    }
}

/* A pipe that nobody reads is an error, not a wait. */
static void
test_save_pipe (void)
{
  g_autofree char *path = in_folder ("pipe.onnx");
  g_autoptr (GError) error = NULL;
  struct stat status;
  PhReplace replace;

  g_assert_cmpint (mkfifo (path, 0600), ==, 0);
  g_assert_false (ph_replace_open (&replace, path, &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_NXIO);
  g_assert_cmpint (lstat (path, &status), ==, 0);
  g_assert_true (S_ISFIFO (status.st_mode));
  g_unlink (path);
}

/* Killed in the midst of it: what was there is there, and nothing else. */
static void
test_save_killed (void)
{
  g_autofree char *path = in_folder ("kept.onnx"), *text = NULL;
  g_autoptr (GDir) dir = NULL;
  PhReplace replace;
  const char *name;

  g_assert_true (g_file_set_contents (path, "old", 3, NULL));
  g_assert_true (ph_replace_open (&replace, path, NULL));
  g_assert_cmpint (write (replace.fd, "new", 3), ==, 3);
  if (replace.temporary != NULL)
    g_test_skip (
        "the file system here has no files without a name (O_TMPFILE): set TMPDIR to a folder on ext4, xfs, btrfs or tmpfs");
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

int
main (int argc, char *argv[])
{
  session_test_init (&argc, &argv);
  g_test_add_func ("/disk/rewritten", test_rewritten);
  g_test_add_func ("/disk/current", test_current);
  g_test_add_func ("/disk/current-clone", test_current_clone);
  g_test_add_func ("/disk/rewritten-after-use", test_rewritten_after_use);
  g_test_add_func ("/disk/external-rewritten", test_external_rewritten);
  g_test_add_func ("/disk/tensor-on-disk", test_tensor_on_disk);
  g_test_add_func ("/disk/save-links", test_save_links);
  g_test_add_func ("/disk/no-room", test_no_room);
  g_test_add_func ("/disk/save-pipe", test_save_pipe);
  g_test_add_func ("/disk/save-killed", test_save_killed);
  return session_test_run ();
}
