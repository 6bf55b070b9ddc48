/* command-words.h: the words that commands take, for completion and hints, and names of files.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* arguments.c: of a row's arguments, behind the @n words that were typed: the kinds of the next word, and options; or, behind an option
 * that takes one, the kind of its value. (transfer full) */
char *ph_arguments_next (const char *arguments, char **words, guint n);
/* All that may still come, as people read it. (transfer full) */
char *ph_arguments_rest (const char *arguments, char **words, guint n);

/* commands-set.c: the names of settings, or what @setting may be set to. (transfer full) */
char **ph_setting_names (const char *setting);

/* commands-view.c: the names of what a view has, or the words that @name can be. (transfer full) */
char **ph_view_names (const char *name);

/* commands-file.c: "~/model.onnx" as the whole path. (transfer full) */
char *ph_expand_home (const char *path);
/* commands-pipeline.c: what ph_document_set_pipeline() takes, out of a name or a file of names. (transfer full) */
char *ph_pipeline_text (const char *name, GError **error);

G_END_DECLS
