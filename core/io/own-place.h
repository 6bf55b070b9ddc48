/* own-place.h: a node knows the program that it came from and, behind that, the line of the file that was opened.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/where.h"
#include "core/io/source.h"

G_BEGIN_DECLS

/* A place in the file itself. (nullable) NULL: its lines say nothing. */
const PhWhere *ph_where_own (const PhSource *source, guint line, guint column);
/* @where (nullable), and behind all of it @own (nullable), of which ph_where_to_string() says nothing then. */
const PhWhere *ph_where_in_file (const PhWhere *where, const PhWhere *own);

G_END_DECLS
