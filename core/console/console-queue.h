/* console-queue.h: the console itself: the lines that wait, the one that runs, and what was run.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/console/console-state.h"

G_BEGIN_DECLS

typedef struct _PhPending PhPending;

/* A line that waits for its turn, or runs. */
struct _PhPending
{
  char *line;
  char *place; /* (nullable) of a script's line: "script:12" */
  GCancellable *cancellable;
  gboolean typed;   /* by somebody, at the window's console                   */
  PhPending *outer; /* (nullable) the line that its answer goes into  */
  gsize start, end; /* bytes of it that the answer replaces           */
  GError *failure;  /* (nullable) of a line that was to stand in it   */
  gsize scanned;    /* bytes of @line in which no $( is looked for    */
  GTask *task;      /* (nullable) who waits for the reply             */
  PhCall *call;     /* (nullable) while it runs in the worker         */
};

void ph_pending_free (PhPending *pending);

struct _PhConsole
{
  GObject parent_instance;

  PhDocument *document;
  gboolean colour;
  guint width;        /* of the terminal, or 0                    */
  PhTrace *trace;     /* (nullable) made when first asked for     */
  PhSql *sql;         /* (nullable) likewise                      */
  GPtrArray *lines;   /* (element-type char*) what was run        */
  GQueue waiting;     /* of PhPending                             */
  PhPending *running; /* (nullable)                               */
  GQueue pushed;      /* of PhPending: lines that the present one put before the others */
  guint idle;
  gboolean held; /* lines wait until somebody looks          */
  guint depth;   /* of scripts that run scripts              */
  guint doing;   /* a line is about to change the document   */
};

typedef enum
{
  PH_CONSOLE_STARTED,
  PH_CONSOLE_FINISHED,
  PH_CONSOLE_PROGRESS,
  PH_CONSOLE_N_SIGNALS
} PhConsoleSignal;
extern guint ph_console_signals[PH_CONSOLE_N_SIGNALS];

/* run-line.c: one line to its end in this thread. @plain: its answer is for another line. (transfer full) */
PhReply *ph_console_run_line (PhConsole *console, const char *line, gboolean plain, GCancellable *cancellable);

G_END_DECLS
