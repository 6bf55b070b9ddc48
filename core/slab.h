/* slab.h: objects of one size, in chunks that grow with their number, so that many lie in pages of 2 MB.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/large-pages.h"

G_BEGIN_DECLS

typedef struct
{
  gsize size;              /* of an object, in bytes: a multiple of a pointer's */
  gpointer free_objects;   /* each holds the address of the next                */
  gpointer chunks;         /* likewise                                          */
  char *at;                /* the unused rest of the newest chunk               */
  gsize left, chunk_bytes; /* of it; of the newest chunk                        */
  PhFilling filling;       /* the newest chunk                                  */
} PhSlab;

#define PH_SLAB(type) ((PhSlab) { .size = sizeof (type) })
gpointer ph_slab_alloc0 (PhSlab *slab);            /* all zeros; from any thread, but one at a time */
void ph_slab_free (PhSlab *slab, gpointer object); /* to be used again */
void ph_slab_clear (PhSlab *slab);                 /* with all objects that are left */
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PhSlab, ph_slab_clear)

G_END_DECLS
