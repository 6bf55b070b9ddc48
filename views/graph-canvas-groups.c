/* graph-canvas-groups.c: opens and closes groups, including those that hide the selected node.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/scene/scene-read.h"
#include "views/graph-canvas-pair.h"
#include "views/graph-canvas-private.h"
#include "views/graph-canvas-scene.h"

/* Returns the key of this box in the set of open boxes, or NULL if it cannot be opened. */
static char *
key_of (PhGraphCanvas *self, int box)
{
  const PhSceneBox *at = ph_scene_box (self->shown.scene, box);
  const PhTenant *tenant = at->kind == PH_BOX_NODE ? ph_scene_tenant (self->shown.scene, box, self->time) : NULL;

  if (!at->can_open)
    return NULL;
  if (at->kind == PH_BOX_GROUP)
    return g_strdup (at->path);
  if (tenant == NULL && at->kind == PH_BOX_NODE)
    tenant = ph_scene_tenant (self->shown.scene, box, self->since);
  return tenant != NULL ? g_strdup_printf ("n%u", tenant->id) : NULL;
}

void
ph_graph_canvas_toggle_group (PhGraphCanvas *self, int box)
{
  g_autofree char *key = NULL, *quoted = NULL;

  g_return_if_fail (PH_IS_GRAPH_CANVAS (self) && self->shown.scene != NULL);
  self = ph_canvas_leader (self);
  key = key_of (self, box);
  if (key == NULL)
    return;
  quoted = g_shell_quote (key);
  ph_canvas_say (self, "view open %c%s", ph_scene_box (self->shown.scene, box)->open ? '-' : '+',
                 strpbrk (key, " '\"\\$") != NULL ? quoted : key);
}

/* Opens the outermost closed group or body that hides the selected node; the following layout opens the next one, and scrolls to the node
 * once none is left. Returns FALSE if nothing hides it. */
gboolean
ph_canvas_uncover (PhGraphCanvas *self)
{
  self = ph_canvas_leader (self);

  const PhId id = self->document != NULL ? ph_document_get_selection (self->document) : PH_NO_ID;
  const int box = self->shown.scene != NULL && id != PH_NO_ID ? ph_scene_find (self->shown.scene, id, NULL) : -1;
  const PhSceneBox *at = box >= 0 ? ph_scene_box (self->shown.scene, box) : NULL;
  g_autofree char *key = NULL;

  self->uncovered = PH_NO_ID;
  if (at == NULL || at->open || !at->can_open)
    return FALSE;
  /* A node that has bodies does not hide itself. */
  for (guint t = 0; t < at->n_tenants; t++)
    if (ph_scene_tenant_at (self->shown.scene, at->first_tenant + t)->id == id)
      return FALSE;
  key = key_of (self, box);
  if (key == NULL || (ph_canvas_wanted (self)->opened != NULL && g_hash_table_contains (ph_canvas_wanted (self)->opened, key)))
    return FALSE;
  self->uncovered = id;
  ph_graph_canvas_toggle_group (self, box);
  return TRUE;
}
