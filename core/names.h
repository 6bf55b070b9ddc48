/* names.h: what interned names stand for: a hash table of one array, for graphs of a million values.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _PhNames PhNames;

PhNames *ph_names_new (void);
void ph_names_free (PhNames *names);
/* @name: of ph_intern(), by address. */
gboolean ph_names_contain (const PhNames *names, const char *name);
gpointer ph_names_find (const PhNames *names, const char *name); /* (nullable) */
void ph_names_set (PhNames *names, const char *name, gpointer value);
void ph_names_remove (PhNames *names, const char *name);
guint ph_names_size (const PhNames *names);

G_END_DECLS
