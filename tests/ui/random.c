/* random.c: seeded random actions: keys, clicks, drags, scrolls, every action, every command, documents opened and closed, the
 * layout helper killed or stopped for a while, a file that changes. The window may refuse, but not crash, hang, warn or lose its document.
 *
 * Each action is a line of text, printed as "# do LINE" before it is done. PEEPHOLE_UI_ACTIONS says how many; --seed gives others;
 * PEEPHOLE_UI_MODELS names more files to open, with colons between;
 * PEEPHOLE_UI_REPLAY names a file whose such lines (a log of this test, or what is left of one) are done instead.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <glib/gstdio.h>

#include "app/actions.h"
#include "core/ops/verify.h"
#include "tests/ui/driver.h"

static const char *const examples[] = { "seed",         "tour",      "cse",         "attention",
                                        "conv-bn-relu", "inception", "linear-selu", "loop-branch" };
/* clang-format off */
static const char *const lines[] = {
  "step", "step into", "back", "back into", "run", "goto 0", "goto end", "steps", "rewrites", "diff", "diff 0 .", "info", "pipeline O1",
  "pipeline O2", "pipeline O3", "pipeline train", "pipeline cse,dce", "pass off 1", "pass on 1", "pass move 1 2", "breakpoint 2", "run dce",
  "run nothing", "why n3", "select op, count(*) from nodes group by op", "z = 1 + 2", "garbage (", "goto 99", "feed x1 2", "feed x2 5", "eval",
  "eval --random 1", "node n2", "grad y", "verify", "passes", "help", "bookmark 1 --set", "bookmark 1", "", "find Add", "problems",
};
static const char *const keys[] = {
  "F10", "shift+F10", "F11", "shift+F11", "Up", "Down", "Left", "Right", "Return", "Escape", "Tab", "shift+Tab", "Home", "End", "a", "space",
  "BackSpace", "Delete", "Page_Up", "Page_Down", "F6", "shift+F6", "Menu", "shift+F10", "ctrl+Page_Down", "ctrl+Page_Up", "plus", "minus",
  "ctrl+a", "ctrl+c", "ctrl+z", "ctrl+r", "ctrl+alt+1", "ctrl+alt+9", "alt+1", "alt+Left", "alt+Right", "alt+Up", "alt+Down", "ctrl+Down",
  "ctrl+Up", "ctrl+Home", "ctrl+End", "shift+Down", "shift+Up", "ctrl+Tab", "ctrl+shift+Tab", "F10", "F1",
};
static const char *const words[] = {
  "n1", "n2", "n7", "n99999", "0", "1", "2", "3.1", "end", ".", "-1", "99999999999999", "y", "x", "x1", "input", "output", "Add", "dce", "cse",
  "algebraic", "algebraic/add-zero", "O1", "O2", "on", "off", "1", "--set", "--random", "--help", "'", "\"", "\\", "(", "[1, 2, 3]", "float[2]",
  "select", "*", "nodes", "random 3", "float", "2", "1e400", "nan", "%s%n", "\xc3\xa4", "*", "->", "--", "/", "wrt",
};
/* clang-format on */
/* These wait for somebody outside, or run what they are told to. */
static const char *const left_out[] = { "source", "check", "exec", "sh", NULL };

static char *folder; /* files are written here */

/* --- choosing ---------------------------------------------------------------------------------------------------------- */

static guint
die (guint n)
{
  return (guint) g_test_rand_int_range (0, (int) n);
}

#define ONE_OF(list_) ((list_)[die (G_N_ELEMENTS (list_))])

/* A command of the table with arguments that may suit it or not. */
static char *
random_line (void)
{
  guint n;
  const PhCommand *const *commands = ph_command_list (&n);
  const PhCommand *command = commands[die (n)];
  g_autoptr (GString) line = g_string_new (command->name);

  if (die (3) > 0)
    return g_strdup (ONE_OF (lines));
  if (g_strv_contains (left_out, command->name) || g_str_has_prefix (command->name, "run"))
    return g_strdup ("info");
  if (g_str_equal (command->name, "save"))
    g_string_append_printf (line, " %s/saved.%s", folder, die (2) ? "onnx" : "onnxtxt");
  else if (g_str_equal (command->name, "render"))
    g_string_append_printf (line, " %s/picture.%s", folder, ((const char *[]) { "svg", "png", "pdf", "dot" })[die (4)]);
  else
    for (guint words_left = die (4); words_left > 0; words_left--)
      g_string_append_printf (line, " %s", ONE_OF (words));
  return g_string_free (g_steal_pointer (&line), FALSE);
}

/* Any but the one that ends the program, and the test with it. */
static const PhAction *
any_action (void)
{
  guint n;
  const PhAction *actions = ph_action_list (&n), *action;

  do
    action = &actions[die (n)];
  while (g_str_equal (action->action, "command.quit"));
  return action;
}

static char *
random_action (void)
{
  g_auto (GStrv) own = NULL;
  GActionGroup *group = G_ACTION_GROUP (driver_window ());
  const GVariantType *type;

  if (die (4) > 0)
    return g_strconcat ("action ", any_action ()->action, NULL);
  /* Those that stand in no list too, with what they ask for. */
  own = g_action_group_list_actions (group);
  guint n_own = g_strv_length (own);
  if (n_own == 0)
    return g_strdup ("settle");
  const char *name = own[die (n_own)];
  type = g_action_group_get_action_parameter_type (group, name);
  if (!type)
    return g_strconcat ("action win.", name, NULL);
  if (g_variant_type_equal (type, G_VARIANT_TYPE_INT32))
    return g_strdup_printf ("action win.%s(%u)", name, die (12));
  if (g_variant_type_equal (type, G_VARIANT_TYPE_BOOLEAN))
    return g_strdup_printf ("action win.%s(%s)", name, die (2) ? "true" : "false");
  if (g_variant_type_equal (type, G_VARIANT_TYPE_STRING))
    return g_strdup_printf ("action win.%s('%s')", name, die (2) ? ONE_OF (examples) : ONE_OF (lines));
  return g_strdup ("settle");
}

/* A shortcut of the table, or a key that a widget may know. */
static char *
random_key (void)
{
  guint key;
  GdkModifierType modifiers;
  const PhAction *action = any_action ();

  if (die (2) == 0 || !action->shortcut)
    return g_strconcat ("key ", ONE_OF (keys), NULL);
  g_auto (GStrv) accelerators = g_strsplit (action->shortcut, "|", -1);
  if (!gtk_accelerator_parse (accelerators[0], &key, &modifiers))
    g_error ("%s is not an accelerator", accelerators[0]);
  return g_strdup_printf ("key %s%s%s%s", modifiers & GDK_CONTROL_MASK ? "ctrl+" : "", modifiers & GDK_ALT_MASK ? "alt+" : "",
                          modifiers & GDK_SHIFT_MASK ? "shift+" : "", gdk_keyval_name (key));
}

static char *
random_text (void)
{
  GString *text = g_string_new ("type ");

  for (guint n = 1 + die (12); n > 0; n--)
    g_string_append_c (text, (char) g_test_rand_int_range (' ', 127));
  return g_string_free (text, FALSE);
}

/* What lies in the file under this name is written when it is opened. */
static char *
random_document (void)
{
  static const char *const odd[] = { "broken", "empty", "vanished", "folder", "bytes", "weave", "live", "live" };

  const char *models = g_getenv ("PEEPHOLE_UI_MODELS");

  if (models && die (4) == 0)
    {
      g_auto (GStrv) paths = g_strsplit (models, ":", -1);
      return g_strconcat ("open ", paths[die (g_strv_length (paths))], NULL);
    }
  return die (5) > 0 ? g_strconcat ("open ", ONE_OF (examples), NULL) : g_strconcat ("open ", ONE_OF (odd), NULL);
}

/* What the palette calls an action. */
static char *
random_title (void)
{
  const PhAction *action = any_action ();
  g_auto (GStrv) parts = g_strsplit (action->title ? action->title : "Fit", "_", -1);

  return g_strjoinv ("", parts);
}

/* (transfer full) the next line to do. */
static char *
next_line (void)
{
  guint dice = die (100);
  GtkWidget *front = GTK_WIDGET (driver_front ());
  guint width = (guint) MAX (gtk_widget_get_width (front), 1), height = (guint) MAX (gtk_widget_get_height (front), 1);
  static const char *const held[] = { "-", "ctrl", "shift", "alt" };

  /* It can rename and delete: whoever clicks at random should not be let near. */
  if (GTK_IS_FILE_CHOOSER (front))
    return g_strdup (die (2) ? "key Escape" : "dismiss");
  if (dice < 5)
    return random_document ();
  if (dice < 25)
    {
      g_autofree char *line = random_line ();
      return g_strconcat ("run ", line, NULL);
    }
  if (dice < 28)
    {
      g_autofree char *line = random_line ();
      return g_strconcat ("type ", line, "\\n", NULL);
    }
  if (dice < 32)
    {
      g_autofree char *line = die (2) ? random_line () : random_title ();
      return g_strconcat ("palette ", line, NULL);
    }
  if (dice < 47)
    return random_action ();
  if (dice < 62)
    return random_key ();
  if (dice < 64)
    return random_text ();
  if (dice < 65)
    return g_strconcat ("find ", ONE_OF (words), NULL);
  if (dice < 66)
    return g_strconcat ("rewrite ", ONE_OF (examples), NULL);
  if (dice < 82)
    return g_strdup_printf ("click %u %u %u %u %s", die (width), die (height), 1 + (die (6) == 0 ? 2 : 0), 1 + (die (5) == 0),
                            ONE_OF (held));
  /* Not from the title bar: there is no window manager to move the window. */
  if (dice < 87)
    return g_strdup_printf ("drag %u %u %u %u %u", die (width), 50 + die (MAX (height, 51) - 50), die (width), die (height),
                            1 + die (2));
  if (dice < 92)
    return g_strdup_printf ("scroll %u %u %d %s", die (width), die (height), (int) die (9) - 4, ONE_OF (held));
  if (dice < 94)
    return die (2) ? g_strdup ("kill") : g_strdup_printf ("stop %u", die (400));
  if (dice < 95)
    return g_strdup_printf ("size %u %u", 360 + die (900), 300 + die (480));
  if (dice < 96)
    return g_strdup (die (2) ? "dark" : "light");
  if (dice < 97)
    return g_strdup (die (3) ? "tab" : "close");
  if (dice < 98)
    return g_strdup ("dismiss");
  return g_strdup ("settle");
}

/* --- doing ------------------------------------------------------------------------------------------------------------- */

static char *
path_of (const char *name)
{
  g_autofree char *file = g_strconcat (name, ".onnxtxt", NULL);
  g_autofree char *path = g_build_filename (folder, file, NULL);

  if (g_path_is_absolute (name))
    return g_strdup (name);
  if (g_str_equal (name, "vanished"))
    g_unlink (path);
  else if (g_str_equal (name, "empty"))
    g_assert_true (g_file_set_contents (path, "", 0, NULL));
  else if (g_str_equal (name, "broken"))
    g_assert_true (g_file_set_contents (path, "<ir_version: 8>\ng (float[2] a) => (float[2] b) { b = Relu (c) }\n", -1, NULL));
  else if (g_str_equal (name, "live"))
    return g_steal_pointer (&path);
  else if (g_str_equal (name, "folder"))
    return g_strdup (folder);
  else if (g_str_equal (name, "bytes"))
    return g_build_filename (folder, "\xff\xfe name.onnx", NULL);
  else if (g_str_equal (name, "weave"))
    {
      g_autoptr (GString) text = g_string_new (
          "<ir_version: 8, opset_import: [\"\" : 17]>\nweave (float[4] a0) => (float[4] out)\n{\n");
      for (guint i = 1; i <= 300; i++)
        g_string_append_printf (text, "  a%u = Add (a%u, a%u)\n", i, i - 1, (i * 7) % i);
      g_string_append (text, "  out = Relu (a300)\n}\n");
      g_assert_true (g_file_set_contents (path, text->str, (gssize) text->len, NULL));
    }
  else
    return driver_example (name);
  return g_steal_pointer (&path);
}

static void
open_document (const char *name)
{
  g_autofree char *path = path_of (name);
  g_autoptr (GFile) file = g_file_new_for_path (path);

  if (g_str_equal (name, "bytes"))
    {
      g_autofree char *seed = driver_example ("seed"), *text = NULL;
      g_assert_true (g_file_get_contents (seed, &text, NULL, NULL));
      g_assert_true (g_file_set_contents (path, text, -1, NULL));
    }
  ph_window_open (driver_window (), file);
}

/* The file that is open as "live" changes. */
static void
rewrite (const char *name)
{
  g_autofree char *path = path_of ("live"), *example = driver_example (name), *text = NULL;

  g_assert_true (g_file_get_contents (example, &text, NULL, NULL));
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

/* As with the button that closes a window. */
static void
dismiss (void)
{
  g_autoptr (GListModel) windows = g_object_ref (gtk_window_get_toplevels ());

  for (guint i = g_list_model_get_n_items (windows); i-- > 0;)
    {
      g_autoptr (GtkWindow) window = g_list_model_get_item (windows, i);
      if (window && !PH_IS_WINDOW (window) && gtk_widget_get_mapped (GTK_WIDGET (window)))
        gtk_window_close (window);
    }
  driver_pause (0.05);
}

static void
activate (const char *detailed)
{
  g_autofree char *name = NULL;
  g_autoptr (GVariant) target = NULL;
  g_autoptr (GError) error = NULL;

  if (!g_action_parse_detailed_name (detailed, &name, &target, &error))
    g_error ("%s: %s", detailed, error->message);
  gtk_widget_activate_action_variant (GTK_WIDGET (driver_window ()), name, target);
}

static void
perform (const char *line)
{
  const char *space = strchr (line, ' '), *rest = space ? space + 1 : "";
  g_autofree char *verb = space ? g_strndup (line, (gsize) (space - line)) : g_strdup (line);
  GtkWidget *front = GTK_WIDGET (driver_front ());
  double x, y, x2, y2;
  int a = 1, b = 1;
  char held[16] = "";

  if (g_str_equal (verb, "open"))
    open_document (rest);
  else if (g_str_equal (verb, "run"))
    ph_document_view_run (ph_window_get_view (driver_window ()), rest);
  else if (g_str_equal (verb, "action"))
    activate (rest);
  else if (g_str_equal (verb, "key"))
    driver_send_key (rest);
  else if (g_str_equal (verb, "type") || g_str_equal (verb, "palette"))
    {
      g_autoptr (GString) text = g_string_new (NULL);
      for (const char *p = rest; *p; p++)
        if (p[0] == '\\' && p[1] == 'n')
          p++, g_string_append_c (text, '\n');
        else if ((guchar) *p < 127)
          g_string_append_c (text, *p);
      activate (*verb == 't' ? "win.focus-console" : "win.palette");
      driver_pause (0.05);
      driver_send_text (text->str);
      if (*verb == 'p')
        driver_send_key ("Return");
    }
  else if (g_str_equal (verb, "click") && sscanf (rest, "%lf %lf %d %d %15s", &x, &y, &a, &b, held) >= 2)
    driver_send_click (front, x, y, a, b, *held == '-' ? NULL : held);
  else if (g_str_equal (verb, "drag") && sscanf (rest, "%lf %lf %lf %lf %d", &x, &y, &x2, &y2, &a) >= 4)
    driver_send_drag (front, x, y, x2, y2, a);
  else if (g_str_equal (verb, "scroll") && sscanf (rest, "%lf %lf %d %15s", &x, &y, &a, held) >= 3)
    driver_send_scroll (front, x, y, a, *held == '-' ? NULL : held);
  else if (g_str_equal (verb, "find"))
    {
      activate ("command.find");
      driver_pause (0.05);
      driver_send_text (g_str_is_ascii (rest) ? rest : "Add");
      driver_send_key ("Return");
    }
  else if (g_str_equal (verb, "rewrite"))
    rewrite (rest);
  else if (g_str_equal (verb, "stop"))
    driver_stop_helper ((guint) MAX (atoi (rest), 1));
  else if (g_str_equal (verb, "kill"))
    driver_kill_helper ();
  else if (g_str_equal (verb, "size") && sscanf (rest, "%d %d", &a, &b) == 2)
    gtk_window_set_default_size (GTK_WINDOW (driver_window ()), a, b);
  else if (g_str_equal (verb, "dark") || g_str_equal (verb, "light"))
    adw_style_manager_set_color_scheme (adw_style_manager_get_default (),
                                        *verb == 'd' ? ADW_COLOR_SCHEME_FORCE_DARK : ADW_COLOR_SCHEME_FORCE_LIGHT);
  else if (g_str_equal (verb, "tab"))
    activate ("win.new-tab");
  else if (g_str_equal (verb, "close"))
    activate ("win.close-tab");
  else if (g_str_equal (verb, "dismiss"))
    dismiss ();
  else if (g_str_equal (verb, "settle"))
    driver_settle ();
  else
    g_error ("'%s' is nothing to do", line);
}

static void
check_document (void)
{
  PhModel *model = ph_document_get_model (driver_document ());
  g_autoptr (GError) error = NULL;

  if (model)
    ph_model_verify (model, &error);
  g_assert_no_error (error);
}

static void
say_and_do (const char *line)
{
  /* Before it is done, and at once: the next thing may be a crash. */
  printf ("# do %s\n", line);
  fflush (stdout);
  perform (line);
  /* The window may have been closed: the next start. */
  driver_open_window ();
}

static void
test_replay (const char *file)
{
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;

  g_file_get_contents (file, &text, NULL, &error);
  g_assert_no_error (error);
  g_auto (GStrv) all = g_strsplit (text, "\n", -1);
  for (guint i = 0; all[i]; i++)
    if (g_str_has_prefix (all[i], "# do "))
      {
        say_and_do (all[i] + 5);
        check_document ();
      }
  driver_settle ();
}

static void
test_random (void)
{
  const char *wanted = g_getenv ("PEEPHOLE_UI_ACTIONS"), *replay = g_getenv ("PEEPHOLE_UI_REPLAY");
  guint n = wanted ? (guint) atoi (wanted) : 300, dialog_age = 0;
  g_autoptr (GError) error = NULL;

  folder = g_dir_make_tmp ("peephole-random-XXXXXX", &error);
  g_assert_no_error (error);
  g_assert_cmpint (g_chdir (folder), ==, 0);
  if (replay)
    test_replay (replay);
  else
    for (guint i = 0; i < n; i++)
      {
        g_autofree char *line = i == 0 ? g_strdup ("open seed") : next_line ();
        say_and_do (line);
        /* Often enough the next comes before the last has ended. */
        if (die (3) == 0)
          say_and_do ("settle");
        /* Dialogs are played with for a while, tabs do not pile up. */
        dialog_age = PH_IS_WINDOW (driver_front ()) ? 0 : dialog_age + 1;
        if (dialog_age > 4)
          say_and_do ("dismiss");
        if (driver_n_tabs () > 4)
          say_and_do ("close");
        check_document ();
      }
  say_and_do ("dismiss");
  say_and_do ("settle");
  g_assert_cmpint (g_chdir ("/"), ==, 0);
  driver_remove (folder);
  g_clear_pointer (&folder, g_free);
}

int
main (int argc, char **argv)
{
  if (!driver_init (&argc, &argv))
    return 0;
  g_test_add_func ("/random/actions", test_random);
  return driver_main ();
}
