/* console-pane.c: the console: readline in this process, in a terminal. There is no pty between them: both ends would be in this thread,
 * and a reply larger than its buffer would deadlock. Typed keys go to readline (its callback interface) through a pipe that never blocks;
 * readline's output goes to a stream that feeds the terminal at once. Three sources write there: readline, replies to lines typed here, and
 * lines run elsewhere (a click, a key), which appear above the line being edited, as if they had been typed.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/console-pane.h"

#include <glib-unix.h>
#include <glib/gi18n.h>
#include <readline/readline.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <vte/vte.h>

#include "core/console/pager.h"
#include "core/escape.h"
#include "views/line-editor.h"
#include "views/terminal-colors.h"
#include "views/terminal-stream.h"

#define PROMPT       "\001\033[1;34m\002peephole>\001\033[0m\002 "
#define PROMPT_SHOWN "\033[1;34mpeephole>\033[0m "
#define MAX_HISTORY  2000
#define PAGED_ROWS   50   /* the pane is low and scrolls: shorter output is not paged */
#define MAX_LINES    5000 /* of one reply; the terminal keeps 10,000 */

struct _PhConsolePane
{
  GtkWidget parent_instance;
  GtkWidget *content;
  VteTerminal *terminal;
  PhConsole *console;  /* (nullable)                                             */
  FILE *out;           /* (nullable) feeds the terminal                          */
  FILE *in;            /* (nullable) readline's input: the end of a pipe         */
  int keys;            /* the pipe's other end, or -1                            */
  GByteArray *waiting; /* typed, and not in the pipe yet                         */
  guint source;
  gboolean prompting, pasting; /* readline edits a line; a paste arrives        */
  char *typed;                 /* (nullable) the line that was typed here and runs now   */
  PhPager *pager;              /* (nullable) shows @paged                                */
  GString *paged;              /* the reply that is written when the pager ends          */
  GString *joined;             /* earlier lines that the edited one continues            */
};

G_DEFINE_FINAL_TYPE (PhConsolePane, ph_console_pane, GTK_TYPE_WIDGET)

static PhConsolePane *the_pane; /* readline's callbacks carry no data */

static void on_line (char *line);

/* Updates the size before readline draws, since the terminal does not report changes. */
static void
follow_size (PhConsolePane *self)
{
  int rows = (int) vte_terminal_get_row_count (self->terminal), columns = (int) vte_terminal_get_column_count (self->terminal);
  int old_rows, old_columns;

  rl_get_screen_size (&old_rows, &old_columns);
  if (rows != old_rows || columns != old_columns)
    rl_set_screen_size (rows, columns);
  if (self->console)
    ph_console_set_width (self->console, (guint) columns);
}

/* Passes on as many keys as fit into the pipe, which never blocks; the rest waits. */
static void
pass_keys_on (PhConsolePane *self)
{
  if (!self->prompting || self->waiting->len == 0)
    return;
  gssize n = write (self->keys, self->waiting->data, self->waiting->len);
  if (n > 0)
    g_byte_array_remove_range (self->waiting, 0, (guint) n);
}

static void
start_prompt (PhConsolePane *self)
{
  if (self->prompting || !self->in)
    return;
  self->prompting = TRUE;
  follow_size (self);
  rl_callback_handler_install (self->joined->len > 0 ? "... " : PROMPT, on_line);
  pass_keys_on (self);
}

/* Leaves a search or key sequence in progress, which readline would otherwise continue in the next line. */
static void
leave_search (void)
{
  gboolean searching = RL_ISSTATE (RL_STATE_ISEARCH | RL_STATE_NSEARCH) != 0;

  rl_callback_sigcleanup ();
  if (searching)
    rl_restore_prompt ();
}

static void
stop_prompt (PhConsolePane *self)
{
  if (!self->prompting)
    return;
  self->prompting = FALSE;
  leave_search ();
  rl_callback_handler_remove ();
}

static void
write_text (PhConsolePane *self, const char *text)
{
  if (text && *text && self->out && fputs (text, self->out) >= 0)
    fflush (self->out);
}

/* Takes the edited line off the screen and puts it back after something was printed. */
static void
begin_output (PhConsolePane *self)
{
  if (self->prompting)
    rl_clear_visible_line ();
}

static void
end_output (PhConsolePane *self)
{
  if (self->prompting)
    rl_forced_update_display ();
}

/* Skips lines that would scroll out of the terminal's history anyway, since writing them takes long. */
static const char *
skip_forgotten (PhConsolePane *self, const GString *text)
{
  const char *p = text->str + text->len;
  guint left_out = 0, n = 0;

  while (p > text->str && n <= MAX_LINES)
    n += *--p == '\n';
  if (n <= MAX_LINES)
    return text->str;
  p++;
  for (const char *q = text->str; q < p; q++)
    left_out += *q == '\n';
  g_autofree char *line = g_strdup_printf (_ ("%u lines are left out here."), left_out);
  g_autofree char *shown = g_strdup_printf ("\033[2m%s\033[0m\n", line);
  write_text (self, shown);
  return p;
}

/* Closes the pager and writes its whole text above the prompt. */
static void
close_pager (PhConsolePane *self)
{
  if (!self->pager)
    return;
  g_autofree char *leave = ph_pager_leave (self->pager);
  write_text (self, leave);
  g_clear_pointer (&self->pager, ph_pager_free);
  write_text (self, self->paged->str);
  g_string_truncate (self->paged, 0);
  start_prompt (self);
}

/* Pages the reply to a typed line; the effect of a click is seen elsewhere. */
static gboolean
open_pager (PhConsolePane *self, PhReply *reply)
{
  if (!ph_preferences_get ()->pager || !self->in || !reply->ok || !gtk_widget_get_mapped (GTK_WIDGET (self->terminal)))
    return FALSE;
  VteTerminal *to = self->terminal;
  const guint rows = (guint) vte_terminal_get_row_count (to), columns = (guint) vte_terminal_get_column_count (to);
  self->pager = ph_pager_new (reply->text->str, MAX (rows, PAGED_ROWS), columns);
  if (!self->pager)
    return FALSE;
  ph_pager_resize (self->pager, rows, columns);
  g_string_assign (self->paged, skip_forgotten (self, reply->text));
  g_autofree char *page = ph_pager_draw (self->pager);
  write_text (self, page);
  return TRUE;
}

static void
type_to_pager (PhConsolePane *self, const char *text, gsize size)
{
  gsize used = 0;

  ph_pager_resize (self->pager, (guint) vte_terminal_get_row_count (self->terminal),
                   (guint) vte_terminal_get_column_count (self->terminal));
  g_autofree char *page = ph_pager_type (self->pager, text, size, &used);
  write_text (self, page);
  if (!ph_pager_is_done (self->pager))
    return;
  g_byte_array_append (self->waiting, (const guint8 *) text + used, (guint) (size - used));
  close_pager (self);
}

static void
show_reply (PhConsolePane *self, PhReply *reply)
{
  write_text (self, skip_forgotten (self, reply->text));
  if (reply->text->len > 0 && reply->text->str[reply->text->len - 1] != '\n')
    write_text (self, "\n");
  if (!reply->ok && reply->error && !reply->told)
    {
      g_autofree char *message = ph_reply_error_text (reply);
      g_autofree char *line = g_strdup_printf ("\033[1;31m%s\033[0m %s\n", _ ("error:"), message);
      write_text (self, line);
    }
}

static void
on_started (PhConsolePane *self, const char *line)
{
  follow_size (self);
  if (self->typed)
    return;
  close_pager (self);
  begin_output (self);
  g_autofree char *escaped = ph_escape (line, TRUE);
  g_autofree char *shown = g_strconcat (PROMPT_SHOWN, escaped, "\n", NULL);
  write_text (self, shown);
  end_output (self);
}

static void
on_finished (PhConsolePane *self, PhReply *reply)
{
  close_pager (self);
  if (self->typed && open_pager (self, reply))
    {
      g_clear_pointer (&self->typed, g_free);
      return;
    }
  begin_output (self);
  show_reply (self, reply);
  end_output (self);
  if (self->typed)
    {
      g_clear_pointer (&self->typed, g_free);
      start_prompt (self);
    }
}

/* Returns the completed line, or NULL if more belongs to it. Further lines of a paste are run one after the other. */
static char *
take_line (PhConsolePane *self, const char *line, gboolean end)
{
  g_autofree char *text = NULL;
  g_autoptr (GPtrArray) lines = NULL;

  if (self->joined->len == 0 && strchr (line, '\n'))
    {
      lines = ph_lines_join (line, NULL);
      if (lines->len == 0)
        return g_strdup ("");
      for (guint i = 0; self->console && i + 1 < lines->len; i++)
        ph_console_run_async (self->console, lines->pdata[i], NULL, NULL);
      return g_strdup (lines->pdata[lines->len - 1]);
    }
  PhJoin join = ph_line_join (self->joined, line, TRUE);
  if (join == PH_JOIN_MORE && !end)
    return NULL;
  text = g_strstrip (g_strdup (self->joined->str));
  g_string_truncate (self->joined, 0);
  if (join != PH_JOIN_BEFORE)
    return g_steal_pointer (&text);
  /* The line is separate from the block and runs after it. */
  if (self->console)
    ph_console_run_async (self->console, text, NULL, NULL);
  return g_strdup (line);
}

static void
on_line (char *line)
{
  PhConsolePane *self = the_pane;

  /* Taken off at once, or readline shows the next prompt before this line's reply. */
  stop_prompt (self);
  if (!line)
    write_text (self, "\n");
  g_autofree char *text = take_line (self, line ? line : "", line == NULL);
  free (line);
  if (!text || !*text || !self->console)
    {
      start_prompt (self);
      return;
    }
  ph_line_editor_remember (text);
  self->typed = g_steal_pointer (&text);
  ph_console_run_typed (self->console, self->typed);
}

/* --- keys ----------------------------------------------------------------------------------------------------------- */

/* Handles Ctrl+C: cancels the running line, else gives up the edited one. */
static void
interrupt (PhConsolePane *self)
{
  if (self->pager)
    {
      close_pager (self);
      return;
    }
  if (self->typed && self->console)
    {
      ph_console_cancel (self->console);
      return;
    }
  if (!self->prompting)
    return;
  leave_search ();
  ph_line_editor_clear_hint ();
  write_text (self, "^C\n");
  g_string_truncate (self->joined, 0);
  rl_set_prompt (PROMPT);
  rl_replace_line ("", 1);
  rl_point = rl_end = 0;
  rl_forced_update_display ();
}

static gboolean
on_readable (int fd, GIOCondition condition, gpointer data)
{
  PhConsolePane *self = data;

  if (condition & (G_IO_ERR | G_IO_HUP))
    {
      self->source = 0;
      return G_SOURCE_REMOVE;
    }
  if (self->prompting)
    {
      follow_size (self);
      rl_callback_read_char ();
      pass_keys_on (self);
      return G_SOURCE_CONTINUE;
    }
  /* Input during a running line is kept for the next prompt. */
  guint8 bytes[1024];
  gssize n = read (fd, bytes, sizeof bytes);
  if (n > 0)
    g_byte_array_prepend (self->waiting, bytes, (guint) n);
  return G_SOURCE_CONTINUE;
}

static void
on_commit (PhConsolePane *self, const char *text, guint size)
{
  if (!self->in)
    return;
  if (self->pager)
    {
      type_to_pager (self, text, size);
      return;
    }
  if (ph_line_editor_take_keys (self->waiting, &self->pasting, text, size))
    pass_keys_on (self);
}

/* Tab completes. On an empty line it moves to the next panel, and Shift+Tab always to the previous one, so that keyboard users can leave
 * the console. */
static gboolean
leave_by_tab (PhConsolePane *self, guint key, GdkModifierType modifiers)
{
  const gboolean back = key == GDK_KEY_ISO_Left_Tab || (key == GDK_KEY_Tab && modifiers == GDK_SHIFT_MASK);
  const gboolean empty = self->prompting && rl_end == 0 && self->waiting->len == 0 && !RL_ISSTATE (RL_STATE_ISEARCH);

  if (!back && (key != GDK_KEY_Tab || modifiers != 0 || !empty))
    return FALSE;
  g_signal_emit_by_name (self->terminal, "move-focus", back ? GTK_DIR_TAB_BACKWARD : GTK_DIR_TAB_FORWARD);
  return TRUE;
}

static gboolean
on_key (GtkEventControllerKey *controller, guint key, guint code, GdkModifierType state, PhConsolePane *self)
{
  GdkModifierType modifiers = state & (GDK_CONTROL_MASK | GDK_SHIFT_MASK | GDK_ALT_MASK);

  if (leave_by_tab (self, key, modifiers))
    return GDK_EVENT_STOP;
  if (modifiers == GDK_CONTROL_MASK && (key == GDK_KEY_c || key == GDK_KEY_C))
    {
      if (vte_terminal_get_has_selection (self->terminal))
        {
          vte_terminal_copy_clipboard_format (self->terminal, VTE_FORMAT_TEXT);
          vte_terminal_unselect_all (self->terminal);
        }
      else
        interrupt (self);
      return GDK_EVENT_STOP;
    }
  if (modifiers == (GDK_CONTROL_MASK | GDK_SHIFT_MASK) && (key == GDK_KEY_c || key == GDK_KEY_C))
    {
      vte_terminal_copy_clipboard_format (self->terminal, VTE_FORMAT_TEXT);
      return GDK_EVENT_STOP;
    }
  if (modifiers == (GDK_CONTROL_MASK | GDK_SHIFT_MASK) && (key == GDK_KEY_v || key == GDK_KEY_V))
    {
      vte_terminal_paste_clipboard (self->terminal);
      return GDK_EVENT_STOP;
    }
  return GDK_EVENT_PROPAGATE;
}

/* An application with the property "typing" leaves the keys that edit a line to the console meanwhile. */
static void
say_typing (GApplication *application, gboolean typing)
{
  if (application != NULL && g_object_class_find_property (G_OBJECT_GET_CLASS (application), "typing") != NULL)
    g_object_set (application, "typing", typing, NULL);
}

static void
on_focus_enter (PhConsolePane *self)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  GtkApplication *application = GTK_IS_WINDOW (root) ? gtk_window_get_application (GTK_WINDOW (root)) : NULL;

  say_typing (G_APPLICATION (application), TRUE);
}

static void
on_focus_leave (PhConsolePane *self)
{
  say_typing (g_application_get_default (), FALSE);
}

/* --- object --------------------------------------------------------------------------------------------------------- */

static PhConsole *
get_console (void)
{
  return the_pane ? the_pane->console : NULL;
}

static void
init_readline (PhConsolePane *self)
{
  ph_preferences_load ();
  rl_readline_name = "peephole";
  /* There are no modes to set: the terminal is the widget alone. */
  rl_prep_term_function = NULL;
  rl_deprep_term_function = NULL;
  rl_tty_set_echoing (1);
  rl_instream = self->in;
  rl_outstream = self->out;
  rl_terminal_name = "xterm-256color";
  rl_catch_signals = 0;
  rl_catch_sigwinch = 0;
  rl_change_environment = 0;
  ph_line_editor_init (get_console, TRUE);
  vte_terminal_feed (self->terminal, "\033[?2004h", -1); /* a paste is one line of several */
  rl_variable_bind ("colored-completion-prefix", "on");
  rl_variable_bind ("show-all-if-ambiguous", "on");
  ph_line_editor_open_history (MAX_HISTORY);
}

static gboolean
open_streams (PhConsolePane *self)
{
  g_autoptr (GError) error = NULL;
  int ends[2];

  if (!g_unix_open_pipe (ends, FD_CLOEXEC, &error) || !g_unix_set_fd_nonblocking (ends[1], TRUE, &error))
    {
      g_autofree char *text = g_strdup_printf (
          _ ("The console cannot be used: %s. Close other programs and start Peephole again."), error->message);
      vte_terminal_feed (self->terminal, text, -1);
      return FALSE;
    }
  self->keys = ends[1];
  self->in = fdopen (ends[0], "r");
  setvbuf (self->in, NULL, _IONBF, 0);
  self->out = ph_terminal_stream_new (self->terminal);
  return TRUE;
}

void
ph_console_pane_set_console (PhConsolePane *self, PhConsole *console)
{
  g_return_if_fail (PH_IS_CONSOLE_PANE (self));

  if (self->console)
    g_signal_handlers_disconnect_by_data (self->console, self);
  g_clear_pointer (&self->typed, g_free);
  close_pager (self);
  g_set_object (&self->console, console);
  if (!console)
    return;
  ph_console_set_colour (console, TRUE);
  g_signal_connect_swapped (console, "started", G_CALLBACK (on_started), self);
  g_signal_connect_swapped (console, "finished", G_CALLBACK (on_finished), self);
  start_prompt (self);
}

void
ph_console_pane_type (PhConsolePane *self, const char *text)
{
  g_return_if_fail (PH_IS_CONSOLE_PANE (self));

  gtk_widget_grab_focus (GTK_WIDGET (self->terminal));
  close_pager (self);
  if (!self->prompting || !*text)
    return;
  leave_search ();
  rl_replace_line (text, 1);
  rl_point = rl_end;
  rl_forced_update_display ();
}

char *
ph_console_pane_dup_text (PhConsolePane *self)
{
  return vte_terminal_get_text (self->terminal, NULL, NULL, NULL);
}

static void
ph_console_pane_css_changed (GtkWidget *widget, GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS (ph_console_pane_parent_class)->css_changed (widget, change);
  if (PH_CONSOLE_PANE (widget)->terminal)
    ph_terminal_colors_apply (PH_CONSOLE_PANE (widget)->terminal);
}

static void
ph_console_pane_dispose (GObject *object)
{
  PhConsolePane *self = PH_CONSOLE_PANE (object);

  ph_console_pane_set_console (self, NULL);
  stop_prompt (self);
  g_clear_handle_id (&self->source, g_source_remove);
  if (self->in)
    {
      rl_instream = rl_outstream = NULL;
      g_clear_pointer (&self->in, fclose);
      g_clear_pointer (&self->out, fclose);
      close (self->keys);
      self->keys = -1;
    }
  g_clear_pointer (&self->waiting, g_byte_array_unref);
  g_string_free (self->joined, TRUE);
  g_string_free (self->paged, TRUE);
  if (the_pane == self)
    the_pane = NULL;
  gtk_widget_dispose_template (GTK_WIDGET (self), PH_TYPE_CONSOLE_PANE);
  G_OBJECT_CLASS (ph_console_pane_parent_class)->dispose (object);
}

static void
ph_console_pane_class_init (PhConsolePaneClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  g_type_ensure (VTE_TYPE_TERMINAL);
  G_OBJECT_CLASS (klass)->dispose = ph_console_pane_dispose;
  widget_class->css_changed = ph_console_pane_css_changed;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/peephole/Peephole/ui/console-pane.ui");
  gtk_widget_class_bind_template_child (widget_class, PhConsolePane, content);
  gtk_widget_class_bind_template_child (widget_class, PhConsolePane, terminal);
}

static void
ph_console_pane_init (PhConsolePane *self)
{
  self->keys = -1;
  self->waiting = g_byte_array_new ();
  self->joined = g_string_new (NULL);
  self->paged = g_string_new (NULL);
  gtk_widget_init_template (GTK_WIDGET (self));
  g_return_if_fail (the_pane == NULL);
  the_pane = self;

  GtkEventController *keys = gtk_event_controller_key_new ();
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect (keys, "key-pressed", G_CALLBACK (on_key), self);
  gtk_widget_add_controller (GTK_WIDGET (self->terminal), keys);
  GtkEventController *focus = gtk_event_controller_focus_new ();
  g_signal_connect_swapped (focus, "enter", G_CALLBACK (on_focus_enter), self);
  g_signal_connect_swapped (focus, "leave", G_CALLBACK (on_focus_leave), self);
  gtk_widget_add_controller (GTK_WIDGET (self->terminal), focus);

  vte_terminal_set_clear_background (self->terminal, FALSE);
  vte_terminal_set_bold_is_bright (self->terminal, FALSE);
  ph_terminal_colors_apply (self->terminal);
  /* A pty would have set these. */
  vte_terminal_set_backspace_binding (self->terminal, VTE_ERASE_ASCII_DELETE);
  vte_terminal_set_delete_binding (self->terminal, VTE_ERASE_DELETE_SEQUENCE);
  g_signal_connect_swapped (self->terminal, "commit", G_CALLBACK (on_commit), self);
  if (!open_streams (self))
    return;
  init_readline (self);
  self->source = g_unix_fd_add (fileno (self->in), G_IO_IN | G_IO_ERR | G_IO_HUP, on_readable, self);
}
