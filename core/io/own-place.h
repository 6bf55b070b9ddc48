/* own-place.h: a node knows the program that it came from and, behind that, the line of the file that was opened.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/where.h"

G_BEGIN_DECLS

/* @where (nullable), and behind all of it @own, of which ph_where_to_string() says nothing then. */
const PhWhere *ph_where_in_file (const PhWhere *where, const PhWhere *own);

G_END_DECLS
