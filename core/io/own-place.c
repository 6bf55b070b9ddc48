/* own-place.c: gives each node its location in the opened file, in addition to the program that it came from.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/own-place.h"

const PhWhere *
ph_where_in_file (const PhWhere *where, const PhWhere *own)
{
  return where == NULL ? own
                       : ph_where_new (where->file, where->line, where->column, where->own, ph_where_in_file (where->outer, own));
}
