/* discard.c: frees large objects in a background thread.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/discard.h"

#define FEW 256 /* parts */

typedef struct
{
  gpointer data;
  GDestroyNotify free_func;
} Load;

static void
unload (gpointer data, gpointer unused)
{
  Load *load = data;

  load->free_func (load->data);
  g_free (load);
}

void
ph_discard (gpointer data, GDestroyNotify free_func)
{
  static gsize pool;

  if (data == NULL)
    return;
  if (g_once_init_enter (&pool))
    g_once_init_leave (&pool, (gsize) g_thread_pool_new (unload, NULL, 1, FALSE, NULL));

  Load *load = g_new (Load, 1);
  *load = (Load) { data, free_func };
  g_thread_pool_push ((GThreadPool *) pool, load, NULL);
}

void
ph_discard_parts (gpointer data, GDestroyNotify free_func, gsize n_parts)
{
  if (n_parts > FEW)
    ph_discard (data, free_func);
  else if (data != NULL)
    free_func (data);
}
