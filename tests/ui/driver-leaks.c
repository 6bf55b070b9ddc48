/* driver-leaks.c: what GLib gives up on purpose, kept from the leak checker.
 *
 * A suppression names a function of the stack, and stacks through GLib, which has no frame pointers, cost ten times the time of
 * everything else. So what is lost on purpose is made to be no leak, and what is then reported is one.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "tests/ui/driver.h"

extern void __lsan_ignore_object (const void *object) __attribute__ ((weak));
extern void __lsan_disable (void) __attribute__ ((weak));
extern void __lsan_enable (void) __attribute__ ((weak));

static gboolean
cancel (gpointer dialog)
{
  g_signal_emit_by_name (dialog, "response", GTK_RESPONSE_CANCEL);
  return G_SOURCE_REMOVE;
}

/* In GTK's place. Its file chooser loses memory, which a run under the leak checker has no use for: with PEEPHOLE_UI_NO_CHOOSER, whoever
 * asks for a file is told that there will be none. */
void
gtk_native_dialog_show (GtkNativeDialog *dialog)
{
  void (*show) (GtkNativeDialog *) = (void (*) (GtkNativeDialog *)) dlsym (RTLD_NEXT, "gtk_native_dialog_show");

  if (g_getenv ("PEEPHOLE_UI_NO_CHOOSER"))
    g_idle_add_full (G_PRIORITY_DEFAULT, cancel, g_object_ref (dialog), g_object_unref);
  else
    show (dialog);
}

/* In GIO's place: the folder that a file chooser of GTK 4.8 asks for when it is made is told, and lost. */
GFileInfo *
g_file_query_info_finish (GFile *file, GAsyncResult *result, GError **error)
{
  GFileInfo *(*finish) (GFile *, GAsyncResult *, GError **) =
    (GFileInfo *(*) (GFile *, GAsyncResult *, GError **)) dlsym (RTLD_NEXT, "g_file_query_info_finish");
  GFileInfo *info = finish (file, result, error);
  Dl_info caller;

  if (info && __lsan_ignore_object && dladdr (__builtin_return_address (0), &caller) && strstr (caller.dli_fname, "libgtk-4."))
    __lsan_ignore_object (info);
  return info;
}

/* GLib's variables as they were: the checker looks for addresses here too. */
static GByteArray *variables;

static int
keep_variables (struct dl_phdr_info *library, gsize size, gpointer data)
{
  if (strstr (library->dlpi_name, "libglib-2.0."))
    for (guint i = 0; i < library->dlpi_phnum; i++)
      if (library->dlpi_phdr[i].p_type == PT_LOAD && library->dlpi_phdr[i].p_flags & PF_W)
        g_byte_array_append (variables, (const guint8 *) (library->dlpi_addr + library->dlpi_phdr[i].p_vaddr),
                             (guint) library->dlpi_phdr[i].p_memsz);
  return 0;
}

void
driver_spare_glib (void)
{
  const guint block = 2048;      /* quarks by which GLib's table grows */
  guint i = 0;

  if (!__lsan_disable || !__lsan_enable)
    return;
  /* When its table of quarks grows, GLib lets go of the old one, which others may be reading without a lock. The first was made by its
   * constructor; the next, and all that this program will need, are made here. */
  variables = g_byte_array_new ();
  dl_iterate_phdr (keep_variables, NULL);
  __lsan_disable ();
  for (GQuark quark = 1; quark % block != 0;)
    {
      g_autofree char *name = g_strdup_printf ("peephole-test-%u", i++);
      quark = g_quark_from_string (name);
    }
  /* GIO's modules are never unloaded. */
  g_vfs_get_default ();
  __lsan_enable ();
}
