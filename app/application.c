/* application.c: the program peephole: command line, style, accelerators.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/application.h"

#include <glib/gi18n.h>
#include <gtksourceview/gtksource.h>
#include <locale.h>
#include <stdlib.h>

#include "app/actions.h"
#include "app/session.h"
#include "app/window.h"
#include "config.h"
#include "views/access-names.h"
#include "views/renderer.h"

struct _PhApplication
{
  AdwApplication parent_instance;
  gboolean typing; /* the console has the keyboard */
};

G_DEFINE_FINAL_TYPE (PhApplication, ph_application, ADW_TYPE_APPLICATION)

static PhWindow *
the_window (PhApplication *self)
{
  for (GList *l = gtk_application_get_windows (GTK_APPLICATION (self)); l; l = l->next)
    if (PH_IS_WINDOW (l->data))
      return l->data;
  return ph_window_new (self);
}

static void
ph_application_activate (GApplication *application)
{
  gboolean first = gtk_application_get_windows (GTK_APPLICATION (application)) == NULL;
  PhWindow *window = the_window (PH_APPLICATION (application));

  gtk_window_present (GTK_WINDOW (window));
  if (first && ph_session_restore (window))
    ph_document_view_toast (ph_window_get_view (window), _ ("Peephole ended unexpectedly: this is what was open."));
}

static void
ph_application_open (GApplication *application, GFile **files, int n_files, const char *hint)
{
  PhWindow *window = the_window (PH_APPLICATION (application));

  for (int i = 0; i < n_files; i++)
    ph_window_open (window, files[i]);
  gtk_window_present (GTK_WINDOW (window));
}

static void
set_accelerators (PhApplication *self)
{
  guint n;
  const PhAction *actions = ph_action_list (&n);

  for (guint i = 0; i < n; i++)
    {
      g_auto (GStrv) keys = g_strsplit (actions[i].shortcut ? actions[i].shortcut : "", "|", -1);
      g_autoptr (GPtrArray) wanted = g_ptr_array_new ();
      for (guint k = 0; keys[k]; k++)
        if (*keys[k] && !(self->typing && ph_action_is_editing_key (keys[k])))
          g_ptr_array_add (wanted, keys[k]);
      g_ptr_array_add (wanted, NULL);
      gtk_application_set_accels_for_action (GTK_APPLICATION (self), actions[i].action, (const char *const *) wanted->pdata);
    }
  for (guint i = 1; i <= 9; i++)
    {
      g_autofree char *action = g_strdup_printf ("win.bookmark(%u)", i), *key = g_strdup_printf ("<Control><Alt>%u", i);
      gtk_application_set_accels_for_action (GTK_APPLICATION (self), action, (const char *[]) { key, NULL });
    }
}

enum
{
  PROP_TYPING = 1
};

static void
ph_application_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  PhApplication *self = PH_APPLICATION (object);

  if (self->typing == g_value_get_boolean (value))
    return;
  self->typing = g_value_get_boolean (value);
  set_accelerators (self);
}

static void
about (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  GtkWindow *parent = gtk_application_get_active_window (data);

  GtkWidget *window = adw_about_window_new ();

  g_object_set (window, "transient-for", parent, "application-name", "Peephole", "application-icon", APP_ID, "version",
                PACKAGE_VERSION, "comments", _ ("A window into a graph compiler"), "license-type", GTK_LICENSE_GPL_3_0,
                "developer-name", _ ("The Peephole authors"), NULL);
  ph_access_name_all (window);
  gtk_window_present (GTK_WINDOW (window));
}

static void
quit (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  for (GList *l = gtk_application_get_windows (data), *next; l; l = next)
    {
      next = l->next;
      gtk_window_close (l->data);
    }
}

/* Disables GTK's inspector on Ctrl+Shift+D, a shortcut of the program that must do nothing without a model or in a dialog. The inspector
 * still opens with Ctrl+Shift+I. */
static gboolean
enable_debugging (GtkWindow *window, gboolean toggle)
{
  gboolean done = TRUE;

  if (!toggle)
    g_signal_chain_from_overridden_handler (window, toggle, &done);
  return done;
}

static gboolean
has_fonts (void)
{
  PangoFontMap *map = pango_cairo_font_map_get_default ();
  PangoContext *context = pango_font_map_create_context (map);
  PangoFontDescription *description = pango_font_description_from_string ("Sans 10");
  PangoFont *font = pango_font_map_load_font (map, context, description);
  const gboolean found = font != NULL;

  g_clear_object (&font);
  pango_font_description_free (description);
  g_object_unref (context);
  return found;
}

static void
ph_application_startup (GApplication *application)
{
  static const GActionEntry entries[] = { { "about", about }, { "quit", quit } };

  /* GTK would try for seconds and then show nothing. */
  if (!has_fonts ())
    {
      g_printerr (_ (
          "peephole: there are no fonts, so nothing can be drawn. Install some (on Debian: apt install fonts-cantarell) and start it again; "
          "peep needs none.\n"));
      exit (1);
    }
  /* Screen readers use the session bus; without one GTK would print a warning. */
  if (!g_application_get_dbus_connection (application))
    g_setenv ("GTK_A11Y", "none", FALSE);
  G_APPLICATION_CLASS (ph_application_parent_class)->startup (application);
  gtk_source_init ();
  g_type_class_unref (g_type_class_ref (GTK_TYPE_WINDOW)); /* creates the class, and with it its signals */
  g_signal_override_class_handler ("enable-debugging", GTK_TYPE_WINDOW, G_CALLBACK (enable_debugging));
  g_action_map_add_action_entries (G_ACTION_MAP (application), entries, G_N_ELEMENTS (entries), application);
  set_accelerators (PH_APPLICATION (application));
}

static void
ph_application_shutdown (GApplication *application)
{
  G_APPLICATION_CLASS (ph_application_parent_class)->shutdown (application);
  gtk_source_finalize ();
}

/* Prints text for roff, with escapes for backslashes, hyphens and other characters beyond ASCII. */
static void
print_roff (const char *text)
{
  g_autofree char *plain = g_str_to_ascii (text, "C");

  for (const char *p = plain; *p; p++)
    if (*p == '-' || *p == '\\')
      g_print ("\\%c", *p);
    else if (*p != '_')
      g_print ("%c", *p);
}

static void
print_manual (void)
{
  guint n;
  const PhAction *actions = ph_action_list (&n);

  g_print (
      ".TH PEEPHOLE 1 \"\" \"Peephole\" \"User Commands\"\n.SH NAME\npeephole \\- a window into a graph compiler\n"
      ".SH SYNOPSIS\n.B peephole\n[\\fIOPTION\\fR]... [\\fIFILE\\fR]...\n"
      ".SH DESCRIPTION\nOpens each FILE, an ONNX model or its text form, in a tab: draws its graph, runs optimisation passes on it "
      "one at a time, and shows what each of them did. The console in the window is that of\n.BR peep (1).\n"
      ".SH OPTIONS\n"
      ".TP\n.B \\-h\\fR, \\fB\\-\\-help\nSay what options there are, those of GTK with \\fB\\-\\-help\\-all\\fR.\n"
      ".TP\n.B \\-\\-version\nPrint the version.\n"
      ".SH KEYS\nWhile the console has the keyboard, Ctrl with a letter edits its line. Keys with a function key work there too; for the rest, "
      "Ctrl+F12 goes to the graph first.\n");
  for (guint i = 0; i < n; i++)
    if (actions[i].shortcut)
      {
        g_auto (GStrv) keys = g_strsplit (actions[i].shortcut, "|", -1);
        guint key, n_labels = 0;
        GdkModifierType modifiers;
        g_print (".TP\n.B ");
        for (guint k = 0; keys[k]; k++)
          if (gtk_accelerator_parse (keys[k], &key, &modifiers))
            {
              g_autofree char *label = gtk_accelerator_get_label (key, modifiers);
              g_print ("%s", n_labels++ > 0 ? ", " : "");
              print_roff (label);
            }
        g_print ("\n");
        print_roff (actions[i].title);
        g_print (".\n");
      }
  g_print (
      ".SH FILES\n"
      ".TP\n.I ~/.local/state/peephole/session.ini\nWhat is open and where, so that a crash loses nothing; gone after a regular "
      "end. \\fIsession\\-2.ini\\fR and so on are those of further programs that run at the same time.\n"
      ".TP\n.I ~/.local/state/peephole/files/\nWhere one was in each file.\n"
      ".TP\n.I ~/.local/state/peephole/window.ini\nSize and panels of the window.\n"
      ".TP\n.I ~/.local/state/peephole/history\nThe lines that were typed at the console.\n"
      ".SH ENVIRONMENT\n"
      ".TP\n.B XDG_STATE_HOME\nThe folder that holds \\fIpeephole/\\fR, instead of \\fI~/.local/state\\fR.\n"
      ".TP\n.B PEEPHOLE_LAYOUT\nThe program that lays graphs out, instead of the installed \\fIpeephole\\-layout\\fR.\n"
      ".TP\n.B PEEPHOLE_PASS_SECONDS\nHow long a program of `run exec` may take, instead of 60.\n"
      ".TP\n.B PEEPHOLE_EXAMPLES_DIR\nWhere the examples of the start page are.\n"
      ".SH SEE ALSO\n.BR peep (1)\n");
}

static int
ph_application_handle_local_options (GApplication *application, GVariantDict *options)
{
  if (g_variant_dict_contains (options, "version"))
    g_print ("peephole %s\n", PACKAGE_VERSION);
  else if (g_variant_dict_contains (options, "help-man"))
    print_manual ();
  else
    return G_APPLICATION_CLASS (ph_application_parent_class)->handle_local_options (application, options);
  return 0;
}

static void
ph_application_class_init (PhApplicationClass *klass)
{
  GApplicationClass *application_class = G_APPLICATION_CLASS (klass);

  G_OBJECT_CLASS (klass)->set_property = ph_application_set_property;
  /* While the console has the focus, readline gets Ctrl+letter; only function keys and the like remain shortcuts. */
  g_object_class_install_property (G_OBJECT_CLASS (klass), PROP_TYPING,
                                   g_param_spec_boolean ("typing", NULL, NULL, FALSE, G_PARAM_WRITABLE | G_PARAM_STATIC_STRINGS));
  application_class->handle_local_options = ph_application_handle_local_options;
  application_class->startup = ph_application_startup;
  application_class->shutdown = ph_application_shutdown;
  application_class->activate = ph_application_activate;
  application_class->open = ph_application_open;
}

static void
ph_application_init (PhApplication *self)
{
  /* clang-format off */
  static const GOptionEntry options[] = {
    { "version", 0, 0, G_OPTION_ARG_NONE, NULL, N_("Print the version"), NULL },
    { "help-man", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_NONE, NULL, "Print the manual page", NULL },
    { NULL },
  };
  /* clang-format on */

  g_application_add_main_option_entries (G_APPLICATION (self), options);
  g_application_set_option_context_parameter_string (G_APPLICATION (self), _ ("[FILE…]"));
  g_application_set_option_context_summary (G_APPLICATION (self), _ ("A window into a graph compiler."));
}

/* Numbers are drawn, exported and typed in the C locale, as in files and in peep. GTK would otherwise reset the locale. */
static void
set_locale (void)
{
  gtk_disable_setlocale ();
  setlocale (LC_ALL, "");
  setlocale (LC_NUMERIC, "C");
}

PhApplication *
ph_application_new (void)
{
  set_locale ();
  ph_renderer_choose ();
  return g_object_new (PH_TYPE_APPLICATION, "application-id", APP_ID, "flags", G_APPLICATION_HANDLES_OPEN, "resource-base-path",
                       "/org/peephole/Peephole", NULL);
}
