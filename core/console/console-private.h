/* console-private.h: what the files of this folder share.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/console/command-list.h"
#include "core/console/console.h"
#include "core/document/snapshot.h"
#include "core/nearest.h"
#include "core/run/executor.h"

G_BEGIN_DECLS

/* Marks what the window translates: titles and summaries of commands. The console itself speaks English. */
#define N_(text) text

/* What a line is. */
typedef enum
{
  PH_LINE_EMPTY,
  PH_LINE_COMMAND,
  PH_LINE_SQL,
  PH_LINE_EXPRESSION
} PhLineKind;

typedef enum
{
  PH_REDIRECT_NONE,
  PH_REDIRECT_WRITE,
  PH_REDIRECT_APPEND,
  PH_REDIRECT_PROGRAM
} PhRedirect;

/* One run of one line. */
typedef struct _PhCall PhCall;
struct _PhCall
{
  PhConsole *console;
  PhDocument *document; /* touched in its own thread only                                  */
  const PhCommand *command;
  char *line;       /* without what stands around it                                   */
  const char *rest; /* what follows the command's words, as typed                      */
  PhRedirect redirect;
  char *target;                   /* (nullable) the file or program                                  */
  gboolean timed, asserts, plain; /* plain: without colours, for another line         */
  char *wanted;                   /* (nullable) the verdict that is asserted                         */
  gint64 begin_time;
  char **argv; /* its words, unquoted                                             */
  guint argc;
  PhReply *reply;            /* written by one thread at a time                                 */
  GCancellable *cancellable; /* (nullable)                                                      */
  gboolean threaded;
  gint64 progress_time;
  PhSnapshot *snapshot; /* (nullable) what ph_call_read() asked for                         */
  PhPosition at, since; /* and what changes were counted from then                          */
  PhModel *model;       /* (nullable) in work, after ph_call_read(): the model there, to be read only */
  PhHistory *history;   /* (nullable) likewise                                              */
  gboolean polished;    /* the reply is done                                                */
  gpointer data;        /* (nullable) what begin made for work and finish                  */
  GDestroyNotify free_data;
};

typedef gboolean (*PhCallFunc) (PhCall *call, GError **error);

/* begin and finish run in the document's thread; work in any, on what begin put into call->data. */
typedef struct
{
  PhCallFunc begin, work, finish; /* work and finish: (nullable) */
  gboolean finish_after_error;    /* finish also when work failed (to keep the steps that went well) */
} PhCommandCode;

/* call.c: what console.c does with a line. ph_call_begin() says what is left to do, or NULL; ph_call_fail() takes @error. */
PhCall *ph_call_new (PhConsole *console, const char *line, GCancellable *cancellable);
void ph_call_free (PhCall *call);
const PhCommandCode *ph_call_begin (PhCall *call);
gboolean ph_call_work (PhCall *call, const PhCommandCode *code, GError **error); /* any thread */
void ph_call_finish (PhCall *call, const PhCommandCode *code);
void ph_call_fail (PhCall *call, GError *error);
void ph_call_polish (PhCall *call, gboolean colour); /* the reply is done, but for what a program says to it */
PhReply *ph_call_take_reply (PhCall *call);          /* (transfer full) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhCall, ph_call_free)

/* around.c. In @line from byte @from on the next $NAME or $(LINE), which ends at @end: the line whose answer stands there. (transfer full)
 * (nullable) */
char *ph_line_find_inner (PhConsole *console, const char *line, gsize *from, gsize *end);
char *ph_reply_to_words (PhReply *reply); /* (transfer full) the answer, for the line around it */
PhLineKind ph_call_split (PhCall *call);  /* fills what stands around the line */
/* Likewise of a query, where only what SQL does not understand is such a sign. TRUE: there was one. */
gboolean ph_call_split_sql (PhCall *call, gboolean (*parses) (const char *text, gpointer data), gpointer data);
void ph_call_check (PhCall *call);    /* what is asserted; before the text is done */
void ph_call_redirect (PhCall *call); /* files, and the time; when it is done */
GSubprocess *ph_call_start_program (PhCall *call, GError **error);
void ph_call_take_output (PhCall *call, GSubprocess *program, GBytes *output, GError *error);
gboolean ph_command_is_time (const PhCommand *command);
gboolean ph_command_is_assert (const PhCommand *command);

/* Static storage at file scope, so that tables of commands need no set-up. */
#define PH_CODE(...) ((gpointer) & (const PhCommandCode) { __VA_ARGS__ })

typedef struct
{
  const PhCommand *rows;
  guint n;
} PhCommandGroup;
#define GROUP(name) extern const PhCommandGroup ph_commands_##name;
PH_COMMAND_GROUPS
#undef GROUP

gboolean ph_sql_tables_command (PhCall *call, GError **error);
/* commands-hunt.c: why the case in @folder fails after @passes (element-type PhPass): what was found goes to @row, files and a report into @out. */
gboolean ph_call_hunt_case (PhCall *call, const char *folder, GPtrArray *passes, PhExactness allow, const char *out,
                            JsonObject *row, GError **error);

/* commands-file.c: "~/model.onnx" as the whole path. (transfer full) */
char *ph_expand_home (const char *path);

/* Text of a reply. Styles are byte pairs that no UTF-8 text holds, turned into ANSI sequences (or nothing) when the reply is
 * done; control characters, which only a hostile file brings, are made visible then (core/escape.h). */
#define PH_STYLE_RESET \
  "\xff"               \
  "1"
#define PH_STYLE_BOLD \
  "\xff"              \
  "2"
#define PH_STYLE_DIM \
  "\xff"             \
  "3"
#define PH_STYLE_ADDED \
  "\xff"               \
  "4"
#define PH_STYLE_REMOVED \
  "\xff"                 \
  "5"
#define PH_STYLE_CHANGED \
  "\xff"                 \
  "6"
#define PH_STYLE_KEY \
  "\xff"             \
  "7"

void ph_reply_say (PhReply *reply, const char *format, ...) G_GNUC_PRINTF (2, 3);
void ph_reply_finish (PhReply *reply, gboolean colour);
void ph_reply_finish_text (PhReply *reply); /* only what is hostile in it */

/* A table whose cells are members of the objects of @rows, so that the text says nothing that JSON does not. Where the member
 * @dim of a row is 0 the row is dim; the first column's counts. @digits: of a number that is not whole; 0: six. @minor: left out
 * first where the terminal is narrow. */
typedef struct
{
  const char *key, *title, *prefix;
  gboolean right;
  const char *style, *dim;
  int digits;
  gboolean minor;
} PhColumn;
void ph_reply_table (PhReply *reply, JsonArray *rows, const PhColumn *columns, guint n);
/* Breaks lines that are wider than the terminal between words; tables fit already. */
void ph_reply_wrap (PhReply *reply);
char *ph_json_cell (JsonNode *node);                                         /* one value as people read it */
JsonArray *ph_reply_array (PhReply *reply, const char *member);              /* (transfer none) a new, empty one */
JsonObject *ph_json_add_object (JsonArray *array);                           /* (transfer none) */
void ph_json_set (JsonObject *object, const char *member, const char *text); /* NULL: null */
double ph_float_value (float value);                                         /* the double that prints as short as the float */

guint64 ph_call_parse_size (const char *text); /* bytes: "8G", "500M", "1e6"; 0: it is no size */

/* A command that is asked whether it is open says so. */
gboolean ph_call_need_open (PhCall *call, GError **error);
gboolean ph_call_need_args (PhCall *call, guint min, guint max, GError **error);                     /* usage error otherwise */
gboolean ph_call_usage (PhCall *call, GError **error, const char *format, ...) G_GNUC_PRINTF (3, 4); /* FALSE */
PhNode *ph_call_find_node (PhCall *call, const char *name, GError **error);                          /* with did-you-mean */
/* Also of a node that was removed: the journal knows it by id and by name. */
gboolean ph_call_find_any_node (PhCall *call, const char *name, PhId *id, GError **error);
/* A step of the pass @name, from 0: the last one that changed something, or the last. FALSE: it did not run. */
gboolean ph_call_find_step_of (PhCall *call, const char *name, guint *step);
/* "3", "3.2", "end", "." for here, or the name of a pass for the position after it. */
gboolean ph_call_find_position (PhCall *call, const char *text, PhPosition *position, GError **error);
/* Takes option "--limit N" or flag "--ahead" out of argv. */
gboolean ph_call_take_flag (PhCall *call, const char *name);
gboolean ph_call_take_option (PhCall *call, const char *name, char **value, GError **error);  /* value NULL: not given */
gboolean ph_call_take_number (PhCall *call, const char *name, double *value, GError **error); /* left alone: not given */
/* From begin: work is to find @call->model standing at @at. What a large model makes slow is left to work. */
void ph_call_read (PhCall *call, PhPosition at);
/* From begin, as its result: the command of that name does the call, with the words that are left. */
gboolean ph_call_hand_over (PhCall *call, const char *command, GError **error);
/* From work, any thread. @fraction < 0: unknown. */
void ph_call_progress (PhCall *call, const char *what, double fraction);
/* A line that runs after this one and those pushed before, and before whatever waits. @place: where it stands, "script:12". */
void ph_call_push_line (PhCall *call, const char *line, const char *place);
void ph_call_set_data (PhCall *call, gpointer data, GDestroyNotify free_data);
void ph_call_reply_position (PhCall *call);
/* Comparing a step takes some computations of the model: beyond this size that is left to be asked for. */
gboolean ph_call_is_quick (PhCall *call, guint nodes, gint64 flops);

char **ph_split_words (const char *line, GError **error); /* quotes as in a shell, nothing else special */

/* step-rows.c */
void ph_step_to_json (PhDocument *document, guint index, JsonObject *row);
void ph_reply_steps (PhReply *reply, JsonArray *rows, gboolean brief); /* brief: many that did nothing are only counted */
void ph_proof_to_json (const PhProof *proof, PhHistory *history, JsonObject *row);
void ph_change_to_json (const PhNodeChange *change, JsonObject *row);

/* values.c */
void ph_tensor_to_json (PhTensor *tensor, JsonObject *row, gsize limit);
PhTensor *ph_literal_parse (const char *text, const PhType *type, GError **error);

/* commands-pass.c: an entry of the pipeline, by its place from 1 or by its pass */
gboolean ph_call_find_entry (PhCall *call, const char *text, guint *index, GError **error);
/* commands-pass.c: what ph_document_set_pipeline() takes, out of a name or a file of names. (transfer full) */
char *ph_pipeline_text (const char *name, GError **error);

/* arguments.c: of a row's arguments, behind the @n words that were typed: the kinds of the next word, and options; or, behind an option
 * that takes one, the kind of its value. (transfer full) */
char *ph_arguments_next (const char *arguments, char **words, guint n);
/* All that may still come, as people read it. (transfer full) */
char *ph_arguments_rest (const char *arguments, char **words, guint n);

/* commands-set.c: the names of settings, or what @setting may be set to. (transfer full) */
char **ph_setting_names (const char *setting);

/* commands-view.c: the names of what a view has, or the words that @name can be. (transfer full) */
char **ph_view_names (const char *name);

PhLineKind ph_line_classify (const char *line, const PhCommand **command, const char **rest);

/* sql.c, expression-line.c, trace.c: the code of lines that are no commands, and of commands that stand elsewhere */
gboolean ph_sql_begin (PhCall *call, GError **error);
gboolean ph_sql_work (PhCall *call, GError **error);
gboolean ph_expression_begin (PhCall *call, GError **error);
gboolean ph_expression_work (PhCall *call, GError **error);
gboolean ph_trace_command (PhCall *call, GError **error);

/* commands-script.c: functions of the language: what trace, compile and compare share */
gboolean ph_call_names_function (PhCall *call);                                  /* the first argument is one, or a call of one */
gboolean ph_call_read_function (PhCall *call, gboolean compile, GError **error); /* begin */
gboolean ph_call_make_graph (PhCall *call, GError **error);                      /* work, and */
gboolean ph_call_open_graph (PhCall *call, GError **error);                      /* finish; nothing without begin */
gboolean ph_call_compare_function (PhCall *call, GError **error);                /* work, and */
gboolean ph_call_read_script (PhCall *call, const char *text, GError **error);   /* a file of the language: begin, */
gboolean ph_call_run_script (PhCall *call, GError **error);                      /* and work; nothing without it */
gboolean ph_call_reply_comparison (PhCall *call);                                /* what it found */

/* trace.c: the dynamic graph, one a console */
typedef struct _PhTrace PhTrace;
typedef struct _PhSql PhSql;
PhTrace *ph_console_get_trace (PhConsole *console);
PhSql *ph_console_get_sql (PhConsole *console);
guint ph_console_get_width (PhConsole *console);
GPtrArray *ph_console_get_lines (PhConsole *console); /* (element-type char*) every line that was run */
PhTrace *ph_trace_new (void);
gboolean ph_trace_has (PhConsole *console, const char *name);
gboolean ph_trace_grad (PhCall *call, GError **error);
void ph_trace_free (PhTrace *trace);
PhSql *ph_sql_new (PhDocument *document);
void ph_sql_free (PhSql *sql);
const char *ph_sql_function_arguments (const char *name); /* (nullable) "NODE)" */
char **ph_sql_names (void);                               /* tables, columns, keywords: for completion */

G_END_DECLS
