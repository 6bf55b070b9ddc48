/* tensor-private.h: what the files of a tensor share.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/tensor/origin.h"

G_BEGIN_DECLS

#define PH_TENSOR_SMALL (16 << 10) /* bytes: read when the file is opened */

struct _PhTensor
{
  gatomicrefcount ref_count;
  PhKind kind;
  PhDType dtype;
  gboolean is_splat;
  gboolean owned; /* data is ours to free, and to write before it is shared       */
  guint rank;
  gsize count;
  gpointer data; /* (nullable) atomic: NULL until a splat is expanded, or misaligned elements are copied */
  GBytes *bytes; /* (nullable) where data is borrowed from, or will be copied from */
  PhFile *file;  /* (nullable) where data will be read from, at @offset             */
  gsize offset;
  gint64 digest;          /* see ph_tensor_digest(); 0: not known yet. Under digest_lock      */
  int n_reads;            /* atomic: single elements read from @file                         */
  gsize charged;          /* bytes of data that count against the budget                    */
  gboolean is_misaligned; /* @bytes (or those of @base) are: elements are copied when somebody wants them whole */
  gpointer packed;        /* (nullable) the elements in @layout; data is made of it            */
  PhMemoryFormat layout;
  PhTensor *wide;   /* (nullable) owned: floats of the same values, of which data is made        */
  PhTensor *base;   /* (nullable) whose data we share                               */
  PhTensor **items; /* (nullable) count of them, of a sequence or optional          */
  union
  {
    guint8 raw[16];
    char *string;
    gint64 align;
  } element;       /* of a splat; string owned */
  gpointer origin; /* (nullable) owned                                               */
  GDestroyNotify free_origin;
  PhTensorCompute compute; /* (nullable) makes data of @origin                               */
  gint64 dims[];
};

/* Room for an element that is not aligned where it is. */
typedef union
{
  guint8 raw[16];
  gint64 align;
} PhElement;

/* Where element @index is, without expanding a splat; a misaligned one is brought into @room. */
gconstpointer ph_tensor_element (PhTensor *tensor, gsize index, PhElement *room);

/* memory.c: the budget. Small sizes are not counted. FALSE: it would be over. */
gboolean ph_memory_take (gsize bytes);
void ph_memory_give (gsize bytes);

/* A file may hold any byte for true, but kernels compare, add and convert bytes, so that all of them are made 1. */
gboolean ph_bools_are_bits (const guint8 *data, gsize n);
void ph_bools_to_bits (guint8 *data, gsize n);

gsize ph_tensor_block_size (const PhTensor *tensor); /* of its data */

/* layout.c: row-major @out of the packed elements of @tensor. */
void ph_tensor_unpack (const PhTensor *tensor, float *out);

G_END_DECLS
