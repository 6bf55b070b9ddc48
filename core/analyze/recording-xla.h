/* recording-xla.h: the folders that XLA writes with --xla_dump_to. Private to core/analyze and its tests.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "core/graph/history.h"

G_BEGIN_DECLS

/* clang-format off */
typedef enum
{
  PH_XLA_OTHER,          /* of a dump, but no module's text          */
  PH_XLA_BEFORE, PH_XLA_AFTER,
  PH_XLA_BETWEEN,        /* two passes of a pipeline                 */
  PH_XLA_INSIDE          /* a pass: one of its own steps             */
} PhXlaKind;
/* clang-format on */

typedef struct
{
  char *path;     /* (nullable) not set by ph_xla_parse_name()             */
  guint64 module; /* the number that XLA gave it                           */
  char *run;      /* (nullable) OTHER: how the names of one module of one run begin: "1624325116.module_0003.jit_f" */
  gint64 order;   /* among the files of one module                         */
  PhXlaKind kind;
  char *pipeline, *pass; /* (nullable) BETWEEN: @pass has run                     */
} PhXlaFile;

/* "module_0003.jit_f.0012.simplification.after_algsimp.before_dce.txt", in which the module's name may hold dots. FALSE: no such name. */
gboolean ph_xla_parse_name (const char *name, PhXlaFile *file);
void ph_xla_file_clear (PhXlaFile *file);
/* Those of all modules in @folder whose names begin with @prefix (nullable). (transfer full) (element-type PhXlaFile) */
GArray *ph_xla_list_files (const char *folder, const char *prefix);
/* Keeps, in order, those of the module that @prefix (nullable) names wholly, or of which there are most; then the others are a problem. */
void ph_xla_choose_module (GArray *files, const char *folder, const char *prefix, GPtrArray *problems);

/* A folder with several states of a module, or "FOLDER/module_0003", which chooses one. */
gboolean ph_xla_is_dump (const char *path);
/* TRUE with @error: it would choose a module of a folder that has only others. */
gboolean ph_xla_lacks_module (const char *path, GError **error);
/* As ph_recording_open(). Files are read one by one, so that a long dump needs no more memory than a short one. */
PhModel *ph_xla_open_dump (const char *path, PhHistory **history, GPtrArray *problems, GCancellable *cancellable, GError **error);

G_END_DECLS
