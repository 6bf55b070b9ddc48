/* recent-files.c: the models opened before, newest first.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/recent-files.h"

static int
newest_first (gconstpointer a, gconstpointer b)
{
  return g_date_time_compare (gtk_recent_info_get_modified (*(GtkRecentInfo **) b),
                              gtk_recent_info_get_modified (*(GtkRecentInfo **) a));
}

GPtrArray *
ph_recent_files (guint most)
{
  GList *items = gtk_recent_manager_get_items (gtk_recent_manager_get_default ());
  GPtrArray *ours = g_ptr_array_new_with_free_func ((GDestroyNotify) gtk_recent_info_unref);

  for (GList *l = items; l; l = l->next)
    if (gtk_recent_info_has_application (l->data, g_get_application_name ()) && gtk_recent_info_is_local (l->data)
        && gtk_recent_info_exists (l->data))
      g_ptr_array_add (ours, gtk_recent_info_ref (l->data));
  g_list_free_full (items, (GDestroyNotify) gtk_recent_info_unref);
  g_ptr_array_sort (ours, newest_first);
  g_ptr_array_set_size (ours, (int) MIN (ours->len, most));
  return ours;
}
