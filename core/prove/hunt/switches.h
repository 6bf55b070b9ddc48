/* switches.h: passes of a program that can be switched off by name, and which of them make it go wrong.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/prove/hunt/fault.h"

G_BEGIN_DECLS

/* How a program takes the names of what it is to leave out: an environment variable, in which they are joined. */
typedef struct
{
  const char *variable;     /* "ORT_DISABLE"                                             */
  const char *separator;    /* ";"                                                       */
  const char *const *names; /* of its passes, up to NULL; unknown ones do no harm        */
} PhSwitches;

/* The switches of the program that @line starts: those whose variable one of its files mentions. (nullable) */
const PhSwitches *ph_switches_find (const char *line, const char *folder);
/* The fewest names that together make the pass go wrong on @model as @like says, the others switched off. (transfer full) (nullable) (element-type utf8) NULL: no names
 * do, or, with @error, it was cancelled. */
GPtrArray *ph_switches_reduce (const PhSwitches *switches, const PhFaultPass *pass, PhModel *model, const PhFault *like,
                               gint64 deadline, guint *n_runs, GError **error);

G_END_DECLS
