/* preferences.h: the settings of this program's consoles, as `set` changes them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* How the tables of a reply are written. PH_TABLES_JSON: the whole reply is one object on a line, as with `peep --json`. */
typedef enum
{
  PH_TABLES_TABLE,
  PH_TABLES_LIST,
  PH_TABLES_CSV,
  PH_TABLES_JSON,
  PH_TABLES_MARKDOWN,
  PH_N_TABLES
} PhTables;

const char *ph_tables_name (PhTables mode);
gboolean ph_tables_parse (const char *text, PhTables *mode);

/* How every console of this program answers; `set` changes it. From ph_preferences_load() on it is what the user's file of preferences
 * says, and what `set` changes is kept there: for a person's console, never for a script. */
typedef struct
{
  PhTables mode;
  gboolean pager, hints;
} PhPreferences;
PhPreferences *ph_preferences_get (void);
void ph_preferences_load (void);
gboolean ph_preferences_save (GError **error); /* nothing before ph_preferences_load() */
void ph_preferences_unload (void);

G_END_DECLS
