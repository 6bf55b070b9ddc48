/* key.h: keys of nodes and regions, for tables that find equal ones.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/graph/graph.h"

G_BEGIN_DECLS

/* Words, most of them numbers: a key is made for each rewrite. */
typedef struct
{
  guint64 *words, first[160];
  gsize n, size;
  GPtrArray *tensors; /* (nullable) (element-type PhTensor) not owned: what the words name by where it lies */
} PhKey;

void ph_key_init (PhKey *key);
void ph_key_clear (PhKey *key);
void ph_key_add_int (PhKey *key, gint64 value);
void ph_key_add_pointer (PhKey *key, gconstpointer pointer);
/* All of @attr; of its tensors what @tensor_of says. */
typedef void (*PhKeyTensor) (PhKey *key, PhTensor *tensor, gpointer data);
void ph_key_add_attr (PhKey *key, const PhAttr *attr, PhKeyTensor tensor_of, gpointer data);

/* For a table of GBytes, with g_bytes_equal(). */
guint ph_key_hash (gconstpointer bytes);

G_END_DECLS
