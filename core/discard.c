/* discard.c: frees large objects in a background thread.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/discard.h"

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
