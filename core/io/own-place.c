/* own-place.c: gives each node its location in the opened file, in addition to the program that it came from.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/own-place.h"

#include "core/intern.h"

const PhWhere *
ph_where_own (const PhSource *source, guint line, guint column)
{
  return source->is_made_up ? NULL
                            : ph_where_new (ph_intern (source->path != NULL ? source->path : ""), line, column, TRUE, NULL);
}

const PhWhere *
ph_where_in_file (const PhWhere *where, const PhWhere *own)
{
  return where == NULL ? own
                       : ph_where_new (where->file, where->line, where->column, where->own, ph_where_in_file (where->outer, own));
}
