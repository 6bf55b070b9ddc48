/* console.h: runs one line: a command, an SQL query, or a tensor expression. No terminal in it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <json-glib/json-glib.h>

#include "core/document/document.h"

G_BEGIN_DECLS

#define PH_TYPE_CONSOLE (ph_console_get_type ())
G_DECLARE_FINAL_TYPE (PhConsole, ph_console, PH, CONSOLE, GObject)

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

/* What a line answered: the text for people and the object for scripts say the same. */
typedef struct
{
  char *command; /* the line                                                       */
  gboolean ok;
  GError *error;    /* (nullable) when not ok                                         */
  GString *text;    /* for people, may hold ANSI colours when the console has colour  */
  JsonObject *json; /* the members beside command, ok, error                          */
  gboolean quit;
  gboolean told; /* the text ends with what the error says (`N passed, N failed`)  */
  guint width;   /* columns of the terminal that tables are to fit; 0: nothing is cut */
  gboolean wide; /* nothing at all is cut, not even long cells                     */
  PhTables mode;
  GString *csv; /* (nullable) private: its tables, until the reply is done         */
} PhReply;

void ph_reply_free (PhReply *reply);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhReply, ph_reply_free)
char *ph_reply_to_json (PhReply *reply); /* one line, without the newline */

PhConsole *ph_console_new (PhDocument *document);
PhDocument *ph_console_get_document (PhConsole *console);
void ph_console_set_colour (PhConsole *console, gboolean colour);
/* Tables of replies are cut to so many columns of text. 0, as at first: they are not cut. */
void ph_console_set_width (PhConsole *console, guint columns);
/* Runs to the end in this thread (peep). The signal progress is emitted from it. */
PhReply *ph_console_run (PhConsole *console, const char *line, GCancellable *cancellable);
/* Slow parts in a worker thread, on a clone; the document changes in the caller's main context. Lines queue up. Signals of
 * PhConsole: started (char *line), finished (PhReply*), progress (char *what, double fraction). Every line of the window,
 * typed or clicked, comes this way, so the console pane shows both. */
void ph_console_run_async (PhConsole *console, const char *line, GCancellable *cancellable, GAsyncReadyCallback callback,
                           gpointer data);
/* (transfer full) of the reply; a command that failed is a reply too. */
PhReply *ph_console_run_finish (PhConsole *console, GAsyncResult *result, GError **error);
gboolean ph_console_is_running (PhConsole *console); /* a line runs or waits */
/* A line `view FIELD WORD...`: at once, and without an answer while another line runs, which may take minutes. */
void ph_console_look (PhConsole *console, const char *line);
/* No line of ph_console_run_async() begins before it is let go again. */
void ph_console_set_held (PhConsole *console, gboolean held);
void ph_console_cancel (PhConsole *console); /* the line that runs; those that wait are dropped */
/* Lines that belong together: behind a backslash, in open brackets, in a block of the language. PH_JOIN_MORE: @line was taken, and
 * more is wanted; PH_JOIN_WHOLE: it was taken, and @whole can be run; PH_JOIN_BEFORE: @whole can be run without it, which comes next.
 * @typed: at a prompt, where an empty line ends a block; else one that is not indented does. */
typedef enum
{
  PH_JOIN_MORE,
  PH_JOIN_WHOLE,
  PH_JOIN_BEFORE
} PhJoin;
PhJoin ph_line_join (GString *whole, const char *line, gboolean typed);
/* What the lines of @text are, each whole; @first: (nullable) the number of the line at which each begins. The last may want more.
 * (transfer full) */
GPtrArray *ph_lines_join (const char *text, GArray *first);
/* TRUE: @line runs what is no part of Peephole: a program, a shared object, or a script of lines that may do so. */
gboolean ph_line_is_foreign (const char *line);
/* The line that does from any folder what @line does from @folder: names of files that are there become absolute. (transfer full) */
char *ph_line_to_absolute (const char *line, const char *folder);
#define PH_MAX_COMPLETIONS 500
/* At most that many completions of the word of @line that ends at byte @cursor: commands, passes, pipelines, node and
 * value names, files, SQL. Where nothing begins with it: what holds its letters in their order, the best first. @word_start: the byte where that
 * word begins. (transfer full), sorted, never NULL. */
char **ph_console_complete (PhConsole *console, const char *line, guint cursor, guint *word_start);
/* What @line, typed so far, still wants: the arguments of its command or function, or the end of the command's name. (transfer full)
 * (nullable) */
char *ph_console_hint (PhConsole *console, const char *line);

/* One command: from its row follow the verb, its help, its completion, its GAction, menu label and shortcut, and its line of
 * the manual page. */
typedef struct _PhCommand PhCommand;
struct _PhCommand
{
  const char *name;        /* "step into": words as typed                                        */
  const char *arguments;   /* "[A B]"; each word names a kind of completion: FILE NODE PASS STEP VALUE SQL */
  const char *summary;     /* one line                                                           */
  const char *help;        /* (nullable) more, with an example                                   */
  const char *title;       /* (nullable) menu and palette label; NULL: not in menus              */
  const char *shortcut;    /* (nullable) GTK accelerators, separated by |                        */
  const char *icon;        /* (nullable)                                                         */
  gpointer implementation; /* private to core/console                                            */
};
/* All rows. (transfer none) */
const PhCommand *const *ph_command_list (guint *n);
const PhCommand *ph_command_find (const char *name);

/* The manual page's section COMMANDS, in roff. */
char *ph_command_manual (void);

/* The expressions that made the graph which `trace` shows, as typed; run again, they make it again. (element-type char*) */
GPtrArray *ph_console_get_expressions (PhConsole *console);

G_END_DECLS
