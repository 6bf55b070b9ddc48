/* own-place.c: a node knows the program that it came from and, behind that, the line of the file that was opened.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/own-place.h"

const PhWhere *
ph_where_in_file (const PhWhere *where, const PhWhere *own)
{
  return where == NULL ? own
                       : ph_where_new (where->file, where->line, where->column, where->own, ph_where_in_file (where->outer, own));
}
