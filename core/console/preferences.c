/* preferences.c: preferences of the console, saved between sessions.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gstdio.h>

#include "core/console/command-code.h"

#define GROUP "console"

static PhPreferences preferences = { PH_TABLES_TABLE, TRUE, TRUE };
static char *file; /* (nullable) until ph_preferences_load(): nothing is kept */

const char *
ph_tables_name (PhTables mode)
{
  static const char *const names[PH_N_TABLES] = { "table", "list", "csv", "json", "markdown" };

  return mode < PH_N_TABLES ? names[mode] : NULL;
}

gboolean
ph_tables_parse (const char *text, PhTables *mode)
{
  for (PhTables i = 0; i < PH_N_TABLES; i++)
    if (g_str_equal (text, ph_tables_name (i)))
      {
        *mode = i;
        return TRUE;
      }
  return FALSE;
}

PhPreferences *
ph_preferences_get (void)
{
  return &preferences;
}

static void
load_flag (GKeyFile *key_file, const char *name, gboolean *flag)
{
  g_autoptr (GError) error = NULL;
  const gboolean value = g_key_file_get_boolean (key_file, GROUP, name, &error);

  if (error == NULL)
    *flag = value;
}

void
ph_preferences_load (void)
{
  g_autoptr (GKeyFile) key_file = g_key_file_new ();
  g_autofree char *mode = NULL;

  g_free (file);
  file = g_build_filename (g_get_user_config_dir (), "peephole", "console.ini", NULL);
  if (!g_key_file_load_from_file (key_file, file, G_KEY_FILE_NONE, NULL))
    return;
  load_flag (key_file, "pager", &preferences.pager);
  load_flag (key_file, "hints", &preferences.hints);
  mode = g_key_file_get_string (key_file, GROUP, "mode", NULL);
  if (mode != NULL)
    ph_tables_parse (mode, &preferences.mode);
}

gboolean
ph_preferences_save (GError **error)
{
  g_autoptr (GKeyFile) key_file = g_key_file_new ();
  g_autofree char *folder = file != NULL ? g_path_get_dirname (file) : NULL;
  GError *own = NULL;

  if (file == NULL)
    return TRUE;
  g_key_file_load_from_file (key_file, file, G_KEY_FILE_KEEP_COMMENTS, NULL);
  g_key_file_set_string (key_file, GROUP, "mode", ph_tables_name (preferences.mode));
  g_key_file_set_boolean (key_file, GROUP, "pager", preferences.pager);
  g_key_file_set_boolean (key_file, GROUP, "hints", preferences.hints);
  g_mkdir_with_parents (folder, 0700);
  if (g_key_file_save_to_file (key_file, file, &own))
    return TRUE;
  g_set_error (error, PH_ERROR, PH_ERROR_FILE, "the preference holds for now, but cannot be kept: %s", own->message);
  g_error_free (own);
  return FALSE;
}

void
ph_preferences_unload (void)
{
  g_clear_pointer (&file, g_free);
  preferences = (PhPreferences) { PH_TABLES_TABLE, TRUE, TRUE };
}
