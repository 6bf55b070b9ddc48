/* driver-leaks.c: what GLib gives up on purpose, and what GTK and VTE lose, kept from the leak checker.
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

/* Who has called the function that asks this. */
#define CALLED_BY(library) is_of (__builtin_return_address (0), library)

static gboolean
is_of (gconstpointer address, const char *library)
{
  Dl_info info;

  return __lsan_ignore_object && dladdr (address, &info) && strstr (info.dli_fname, library);
}

/* In GIO's place: the folder that a file chooser of GTK 4.8 asks for when it is made is told, and lost. */
GFileInfo *
g_file_query_info_finish (GFile *file, GAsyncResult *result, GError **error)
{
  GFileInfo *(*finish) (GFile *, GAsyncResult *, GError **) = (GFileInfo * (*) (GFile *, GAsyncResult *, GError **) )
      dlsym (RTLD_NEXT, "g_file_query_info_finish");
  GFileInfo *info = finish (file, result, error);

  if (info && CALLED_BY ("libgtk-4."))
    __lsan_ignore_object (info);
  return info;
}

/* In GLib's place: VTE 0.70 loses what is selected in it when another widget of the program pastes it. */
GBytes *
g_bytes_new_with_free_func (gconstpointer data, gsize size, GDestroyNotify free_func, gpointer user_data)
{
  GBytes *(*new_bytes) (gconstpointer, gsize, GDestroyNotify, gpointer)
      = (GBytes * (*) (gconstpointer, gsize, GDestroyNotify, gpointer)) dlsym (RTLD_NEXT, "g_bytes_new_with_free_func");
  GBytes *bytes = new_bytes (data, size, free_func, user_data);

  if (CALLED_BY ("libvte-2.91-gtk4."))
    __lsan_ignore_object (bytes);
  return bytes;
}

/* In GTK's place: VTE loses the builder of the formats in which it offers what is selected. */
GdkContentFormatsBuilder *
gdk_content_formats_builder_new (void)
{
  GdkContentFormatsBuilder *(*new_builder) (void) = (GdkContentFormatsBuilder * (*) (void) )
      dlsym (RTLD_NEXT, "gdk_content_formats_builder_new");
  GdkContentFormatsBuilder *builder = new_builder ();

  if (CALLED_BY ("libvte-2.91-gtk4."))
    __lsan_ignore_object (builder);
  return builder;
}

/* In GTK's place: VTE asks for what the middle button would paste; when the program ends before the answer, the question is lost. */
void
gdk_clipboard_read_text_async (GdkClipboard *clipboard, GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data)
{
  void (*read_text) (GdkClipboard *, GCancellable *, GAsyncReadyCallback, gpointer) = (void (*) (
      GdkClipboard *, GCancellable *, GAsyncReadyCallback, gpointer)) dlsym (RTLD_NEXT, "gdk_clipboard_read_text_async");
  const gboolean spared = CALLED_BY ("libvte-2.91-gtk4.");

  if (spared)
    __lsan_disable ();
  read_text (clipboard, cancellable, callback, data);
  if (spared)
    __lsan_enable ();
}

/* In GIO's place: for the sidebar of a file chooser, libcloudproviders looks for the folders of cloud services once it has the bus, and loses
 * an error for each that is not there. Under the leak checker it gets no bus. */
void
g_bus_get (GBusType type, GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data)
{
  void (*get) (GBusType, GCancellable *, GAsyncReadyCallback, gpointer)
      = (void (*) (GBusType, GCancellable *, GAsyncReadyCallback, gpointer)) dlsym (RTLD_NEXT, "g_bus_get");

  if (!CALLED_BY ("libcloudproviders."))
    get (type, cancellable, callback, data);
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
  const guint block = 2048; /* quarks by which GLib's table grows */
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
