/* anf.h: MindSpore's graphs as its passes leave them (anf_ir.proto), and what they share with MindIR. Private to the reader of both.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/io/sketch.h"
#include "core/io/wire.h"

G_BEGIN_DECLS

/* NULL where @dtype is PH_UNDEFINED. A size of -2 says that the rank is unknown, another below 0 that the size is. */
const PhType *ph_mindspore_type (PhDType dtype, const gint64 *sizes, guint rank);
/* Names in a file are of the whole file: what a node or parameter is called, its users say. @names: @raw -> the value's name, returned. */
const char *ph_mindspore_claim (GHashTable *names, PhSketch *draft, const char *raw);

/* A GraphProto whose first node has messages for inputs, where those of others have texts; or a ModelProto with such a graph. */
gboolean ph_anf_is (const guint8 *head, gsize size);
/* Into the model of @importer. */
gboolean ph_anf_read (PhImporter *importer, PhSpan whole, GError **error);

G_END_DECLS
