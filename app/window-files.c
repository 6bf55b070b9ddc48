/* window-files.c: commands of the window that ask for a file.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gi18n.h>

#include "app/window-private.h"
#include "core/io/format.h"

/* @patterns: NULL for those of all formats that can be opened or saved. */
typedef struct
{
  const char *command, *title;
  GtkFileChooserAction action;
  const char *const *patterns;
} FileCommand;

static const char *const script_patterns[] = { "*.peep", "*.txt", NULL };

/* clang-format off */
static const FileCommand file_commands[] = {
  { "open",   N_("Open a Model"), GTK_FILE_CHOOSER_ACTION_OPEN, NULL },
  { "save",   N_("Save the Graph"), GTK_FILE_CHOOSER_ACTION_SAVE, NULL },
  { "compare", N_("Compare With a Model"), GTK_FILE_CHOOSER_ACTION_OPEN, NULL },
  { "source", N_("Run a Script"), GTK_FILE_CHOOSER_ACTION_OPEN, script_patterns },
};
/* clang-format on */

static void
on_file_chosen (GtkNativeDialog *dialog, int response, PhWindow *self)
{
  const FileCommand *command = g_object_get_data (G_OBJECT (dialog), "command");

  if (response == GTK_RESPONSE_ACCEPT)
    {
      g_autoptr (GListModel) files = gtk_file_chooser_get_files (GTK_FILE_CHOOSER (dialog));
      for (guint i = 0; i < g_list_model_get_n_items (files); i++)
        {
          g_autoptr (GFile) file = g_list_model_get_item (files, i);
          g_autofree char *path = g_file_get_path (file);
          if (g_str_equal (command->command, "compare"))
            ph_window_compare (self, file);
          else if (g_str_equal (command->command, "open"))
            ph_window_open (self, file);
          else if (path)
            {
              g_autofree char *quoted = g_shell_quote (path);
              ph_window_run (self, "%s %s", command->command, quoted);
            }
        }
    }
  gtk_native_dialog_destroy (dialog);
  g_object_unref (dialog);
}

static void
ask (PhWindow *self, const FileCommand *command)
{
  gboolean opening = command->action == GTK_FILE_CHOOSER_ACTION_OPEN;
  GtkFileChooserNative *dialog = gtk_file_chooser_native_new (_ (command->title), GTK_WINDOW (self), command->action,
                                                              command->patterns != NULL ? _ ("_Run")
                                                              : opening                 ? _ ("_Open")
                                                                                        : _ ("_Save"),
                                                              NULL);
  GtkFileFilter *filter = gtk_file_filter_new ();
  g_autofree const char **known = ph_format_patterns (!opening);
  const char *const *patterns = command->patterns != NULL ? command->patterns : known;
  const char *path = self->document ? ph_document_get_path (self->document) : NULL;

  gtk_file_filter_set_name (filter, command->patterns != NULL ? _ ("Scripts") : opening ? _ ("Models") : _ ("Known formats"));
  for (guint i = 0; patterns[i]; i++)
    gtk_file_filter_add_pattern (filter, patterns[i]);
  gtk_file_chooser_add_filter (GTK_FILE_CHOOSER (dialog), filter);
  g_object_unref (filter);
  if (opening)
    {
      GtkFileFilter *all = gtk_file_filter_new ();
      gtk_file_filter_set_name (all, _ ("All files"));
      gtk_file_filter_add_pattern (all, "*");
      gtk_file_chooser_add_filter (GTK_FILE_CHOOSER (dialog), all);
      g_object_unref (all);
      gtk_file_chooser_set_select_multiple (GTK_FILE_CHOOSER (dialog), g_str_equal (command->command, "open"));
    }
  else if (path)
    {
      g_autofree char *name = g_filename_display_basename (path);
      char *dot = strrchr (name, '.');
      if (dot)
        *dot = '\0';
      g_autofree char *suggestion = g_strconcat (name, patterns[0] + 1, NULL);
      gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (dialog), suggestion);
    }
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  g_object_set_data (G_OBJECT (dialog), "command", (gpointer) command);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_file_chosen), self, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

gboolean
ph_window_ask_for_file (PhWindow *self, const char *command)
{
  for (guint i = 0; i < G_N_ELEMENTS (file_commands); i++)
    if (g_str_equal (file_commands[i].command, command))
      {
        ask (self, &file_commands[i]);
        return TRUE;
      }
  return FALSE;
}
