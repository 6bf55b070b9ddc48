/* session.c: see session.h.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "session.h"

#include <glib/gstdio.h>

char *folder;

void
session_init (Session *session)
{
  session->document = ph_document_new ();
  session->console = ph_console_new (session->document);
}

void
session_clear (Session *session)
{
  g_clear_object (&session->console);
  g_clear_object (&session->document);
}

char *
ask (Session *session, gboolean ok, const char *format, ...)
{
  g_autoptr (PhReply) reply = NULL;
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

char *
in_folder (const char *name)
{
  return g_build_filename (folder, name, NULL);
}

void
open_text (Session *session, const char *text)
{
  g_autofree char *path = in_folder ("text.onnxtxt");

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  TELL (session, "open '%s'", path);
  g_unlink (path);
}

void
session_test_init (int *argc, char ***argv)
{
  g_test_init (argc, argv, NULL);
  folder = g_dir_make_tmp ("peephole-session-XXXXXX", NULL);
  g_assert_nonnull (folder);
}

int
session_test_run (void)
{
  const int status = g_test_run ();

  g_assert_cmpint (g_rmdir (folder), ==, 0);
  g_free (folder);
  return status;
}
