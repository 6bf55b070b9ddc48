/* list-drag.c: keeps lists from scrolling under a drag.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/list-drag.h"

void
ph_list_lies_still (GtkListView *list)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (GTK_WIDGET (list));

  for (guint i = g_list_model_get_n_items (controllers); i-- > 0;)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);
      if (GTK_IS_DROP_CONTROLLER_MOTION (controller))
        gtk_widget_remove_controller (GTK_WIDGET (list), controller);
    }
}
