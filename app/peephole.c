/* peephole.c: the entry point of the window's program.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gi18n.h>
#include <stdio.h>
#include <unistd.h>

#include "app/application.h"
#include "config.h"
#include "core/descriptors.h"

int
main (int argc, char **argv)
{
  ph_descriptors_reserve ();
  const char *translations = g_getenv ("PEEPHOLE_LOCALE_DIR"); /* of a build that is not installed */

  bindtextdomain (GETTEXT_PACKAGE, translations ? translations : LOCALEDIR);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);

  g_autoptr (PhApplication) application = ph_application_new (); /* sets the locale */
  int status = g_application_run (G_APPLICATION (application), argc, argv);
  /* A proof or layout may still run in a thread, and exit() would free data of libraries that it uses. */
  fflush (NULL);
  _exit (status);
}
