/* call.h: one run of one line, and how the console takes it from begin to reply.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/console/console.h"
#include "core/document/snapshot.h"
#include "core/run/executor.h"

G_BEGIN_DECLS

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
  guint n_recorded; /* steps recorded elsewhere, as it began                           */
  char **argv;      /* its words, unquoted                                             */
  guint argc;
  PhReply *reply;            /* written by one thread at a time                                 */
  GCancellable *cancellable; /* (nullable)                                                      */
  gboolean threaded;
  gboolean typed; /* by somebody: what it opens goes beside what is open               */
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
void ph_call_set_data (PhCall *call, gpointer data, GDestroyNotify free_data);

PhLineKind ph_line_classify (const char *line, const PhCommand **command, const char **rest);

G_END_DECLS
