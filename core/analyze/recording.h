/* recording.h: makes a history of the models that another compiler wrote after each of its passes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

#include "core/graph/history.h"
#include "core/io/format.h"

G_BEGIN_DECLS

/* The model after one pass. */
typedef struct
{
  char *pass;
  PhModel *model;
  GPtrArray *parts; /* (nullable) (element-type PhTextPart) of @model, when it was told so */
} PhRecorded;

/* A file: what it holds (format.h's record). A folder of XLA's dumps: see recording-xla.h. Another folder: the models in it, in the order of
 * their names with numbers as numbers, are the history; the names of the steps are those of the files, without number and extension.
 * @history: (out) (nullable) (transfer full): NULL when there is one model. */
PhModel *ph_recording_open (const char *path, PhHistory **history, GPtrArray *problems, GCancellable *cancellable,
                            GError **error);

/* "module_0003", ..., which ph_recording_open() takes after @folder: the modules of XLA's dumps in it. (transfer full) (element-type utf8) */
GPtrArray *ph_recording_list_modules (const char *folder);

/* What @bytes, a dump in @format, makes of @model, which is changed to its last state: a history that leads on from the model as it was. Where the
 * dump begins with another state than the model's, that is its first step, called @start. */
PhHistory *ph_recording_follow (const PhFormat *format, GBytes *bytes, const char *path, PhModel *model, const char *start,
                                GPtrArray *problems, GCancellable *cancellable, GError **error);

G_END_DECLS
