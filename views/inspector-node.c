/* inspector-node.c: the inspector's page of a node, present or removed.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gi18n.h>

#include "core/analyze/diff.h"
#include "core/ops/dialect.h"
#include "core/ops/op.h"
#include "views/access-names.h"
#include "views/inspector-private.h"

static char *
node_text (const PhNode *node)
{
  return *node->name ? g_strdup_printf ("%s %s", node->op_type, node->name) : g_strdup_printf ("%s n%u", node->op_type, node->id);
}

static const char *
argument_name (const PhOpArg *args, guint i)
{
  for (guint k = 0; k < PH_MAX_ARGS && args[k].name; k++)
    if (k == i || (args[k].flags & PH_ARG_VARIADIC))
      return args[k].name;
  return "";
}

static void
add_values (PhInspector *self, const PhNode *node, GPtrArray *values, const PhOpArg *args, const char *title)
{
  if (values->len == 0)
    return;
  GtkListBox *section = ph_inspector_add_section (self, title);
  for (guint i = 0; i < values->len; i++)
    {
      const PhValue *value = values->pdata[i];
      g_autofree char *number = g_strdup_printf ("%u", i);
      const char *formal = args ? argument_name (args, i) : "";
      if (value)
        ph_inspector_add_value_row (self, section, *formal ? formal : number, value);
      else
        ph_inspector_add_row (section, *formal ? formal : number, _ ("not given"));
    }
}

static void
add_attributes (PhInspector *self, const PhNode *node)
{
  if (node->attrs->len == 0)
    return;
  GtkListBox *section = ph_inspector_add_section (self, _ ("Attributes"));
  for (guint i = 0; i < node->attrs->len; i++)
    {
      const PhAttr *attr = node->attrs->pdata[i];
      g_autofree char *text = ph_attr_value_to_string (attr);
      ph_inspector_add_row (section, attr->name, text);
    }
}

/* Shows the operator's declaration: its formal inputs and outputs, types, and defaults of attributes. */
static void
add_operator (PhInspector *self, const PhOp *op)
{
  /* clang-format off */
  static const struct { PhOpFlags flag; const char *text; } traits[] = {
    { PH_OP_COMMUTATIVE, N_("commutative") }, { PH_OP_ELEMENTWISE, N_("elementwise") }, { PH_OP_RANDOM, N_("random") },
    { PH_OP_DATA_MOVEMENT, N_("moves data only") }, { PH_OP_SHAPE_ONLY, N_("reads the shape only") }, { PH_OP_IDEMPOTENT, N_("idempotent") },
    { PH_OP_MULTILINEAR, N_("linear in each input") },
  };
  /* clang-format on */
  g_autoptr (GString) text = g_string_new (NULL);
  GtkListBox *section = ph_inspector_add_section (self, _ ("Operator"));
  g_autofree char *since = g_strdup_printf (_ ("%s, since opset %d"), op->domain ? op->domain : "ONNX", op->since);

  ph_inspector_add_row (section, _ ("Declared in"), since);
  for (guint i = 0; i < G_N_ELEMENTS (traits); i++)
    if (op->flags & traits[i].flag)
      g_string_append_printf (text, "%s%s", text->len ? ", " : "", _ (traits[i].text));
  if (text->len)
    ph_inspector_add_row (section, _ ("Is"), text->str);
  ph_inspector_add_row (section, _ ("Gradient"),
                        ph_op_differentiable (op)       ? _ ("known")
                        : op->flags & PH_OP_NO_GRADIENT ? _ ("none, by its nature")
                                                        : _ ("not declared"));
  for (guint i = 0; i < G_N_ELEMENTS (op->attrs) && op->attrs[i].name; i++)
    {
      const PhOpAttr *attr = &op->attrs[i];
      ph_inspector_add_row (section, attr->name,
                            attr->required   ? _ ("required")
                            : attr->fallback ? attr->fallback
                                             : _ ("optional"));
    }
}

static void
add_time (PhInspector *self, GtkListBox *section, const PhNode *node)
{
  PhProfile *profile = ph_document_get_profile (self->document);
  const PhNodeTime *time = profile ? ph_profile_find (profile, node->id) : NULL;

  if (!time)
    {
      if (ph_document_is_open (self->document))
        ph_inspector_add_line (section, _ ("Time"), profile ? _ ("not measured here") : _ ("not measured"), "profile --random 1",
                               0);
      return;
    }
  g_autofree char *took = ph_seconds_text ((double) time->ns / 1e9);
  double share = ph_profile_total (profile) > 0 ? 100.0 * (double) time->ns / (double) ph_profile_total (profile) : 0;
  g_autofree char *text = g_strdup_printf (_ ("%s, %.1f %% of the whole"), took, share);
  ph_inspector_add_row (section, _ ("Time"), text);
  if (time->calls > 1)
    {
      g_autofree char *calls = g_strdup_printf ("%'u", time->calls);
      ph_inspector_add_row (section, _ ("Calls"), calls);
    }
  if (time->flops > 0 && time->ns > 0)
    {
      g_autofree char *rate = ph_count_text ((double) time->flops / (double) time->ns * 1e9),
                      *rate_text = g_strdup_printf (_ ("%s a second"), rate);
      ph_inspector_add_row (section, _ ("Speed"), rate_text);
    }
}

static void
add_cost (PhInspector *self, const PhNode *node)
{
  gint64 flops = ph_node_flops (node), constants = 0, results = 0;
  GtkListBox *section = ph_inspector_add_section (self, _ ("Cost"));

  for (guint i = 0; i < node->inputs->len; i++)
    {
      const PhValue *value = node->inputs->pdata[i];
      if (value && value->tensor)
        constants += (gint64) ph_tensor_bytes (value->tensor);
    }
  for (guint i = 0; i < node->outputs->len && results >= 0; i++)
    {
      const PhValue *value = node->outputs->pdata[i];
      gint64 bytes = value->type ? ph_type_bytes (value->type) : -1;
      results = bytes < 0 ? -1 : results + bytes;
    }
  g_autofree char *count = flops < 0 ? g_strdup (_ ("unknown")) : ph_count_text ((double) flops);
  g_autofree char *out = ph_bytes_text (results), *in = ph_bytes_text (constants);
  ph_inspector_add_row (section, _ ("Operations"), count);
  ph_inspector_add_row (section, _ ("Results"), out);
  if (constants)
    ph_inspector_add_row (section, _ ("Weights"), in);
  add_time (self, section, node);
}

/* Adds the node's origins back to the file, each with the reason of the rule that made it. A click goes to that position. */
static void
add_origins (PhInspector *self, PhId id)
{
  PhModel *model = ph_document_get_model (self->document);
  PhHistory *history = ph_document_get_history (self->document);
  g_autoptr (GArray) chain = ph_origin_chain (history, model, id);

  if (!chain || chain->len == 0)
    return;
  GtkListBox *section = ph_inspector_add_section (self, _ ("Where It Comes From"));
  const PhNode *node = ph_model_find_node (model, id);
  if (node && node->where)
    {
      g_autofree char *where = ph_where_to_string (node->where, TRUE);
      ph_inspector_add_row (section, _ ("File"), where);
    }
  for (guint i = 0; i < MIN (chain->len, 60); i++)
    {
      const PhOrigin *origin = &g_array_index (chain, PhOrigin, i);
      g_autofree char *name = g_strdup_printf ("%s", origin->label);
      if (origin->step == 0)
        {
          ph_inspector_add_line (section, name, _ ("in the file"), "goto 0", (int) MIN (origin->depth, 6));
          continue;
        }
      const PhStep *step = &g_array_index (history->steps, PhStep, origin->step - 1);
      gboolean last = (guint) origin->rewrite >= step->n_rewrites;
      g_autofree char *line = last ? g_strdup_printf ("goto %d", origin->step)
                                   : g_strdup_printf ("goto %d.%d", origin->step, origin->rewrite);
      g_autofree char *text = g_strdup_printf ("%s · %s", origin->pass, origin->rule);
      ph_inspector_add_line (section, name, text, line, (int) MIN (origin->depth, 6));
      if (origin->why && *origin->why)
        {
          GtkWidget *row = gtk_list_box_row_new (), *label = gtk_label_new (origin->why);
          gtk_label_set_wrap (GTK_LABEL (label), TRUE);
          gtk_label_set_xalign (GTK_LABEL (label), 0);
          gtk_widget_set_margin_start (label, 10 * (int) MIN (origin->depth, 6));
          gtk_widget_add_css_class (label, "why");
          gtk_widget_add_css_class (label, "caption");
          gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), label);
          gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), FALSE);
          gtk_list_box_append (section, row);
          ph_access_name_row (label);
        }
    }
}

static gboolean
is_made (PhInspector *self, PhId id)
{
  g_autoptr (GArray) chain = ph_origin_chain (ph_document_get_history (self->document), ph_document_get_model (self->document),
                                              id);

  return chain && chain->len > 0 && g_array_index (chain, PhOrigin, 0).step > 0;
}

static void
add_others (GtkListBox *section, PhDiff *diff, const char *name, const GArray *ids)
{
  for (guint i = 0; ids && i < MIN (ids->len, 20); i++)
    {
      const PhNodeChange *other = g_hash_table_lookup (diff->by_id, GUINT_TO_POINTER (g_array_index (ids, PhId, i)));
      g_autofree char *text = g_strdup_printf ("n%u %s", other->id, other->label);
      ph_inspector_add_link (section, i == 0 ? name : "", text, PH_LINK_NODE, other->id);
    }
}

/* Shows the changes marked in the picture: changed fields, the nodes it replaced, or those that replaced it. */
static void
add_changes (PhInspector *self, PhId id)
{
  PhDiff *diff = ph_document_get_diff (self->document);
  const PhNodeChange *change = diff ? g_hash_table_lookup (diff->by_id, GUINT_TO_POINTER (id)) : NULL;
  const guint n = change ? (change->fields ? change->fields->len : 0) + (change->fused_from ? change->fused_from->len : 0)
                               + (change->fused_into ? change->fused_into->len : 0)
                         : 0;

  if (n == 0)
    return;
  GtkListBox *section = ph_inspector_add_section (self, ph_document_has_since (self->document) ? _ ("Changed Since Then")
                                                                                               : _ ("Changed by This Step"));
  add_others (section, diff, _ ("Came for"), change->fused_from);
  add_others (section, diff, _ ("Now"), change->fused_into);
  for (guint i = 0; change->fields && i < change->fields->len; i++)
    {
      const PhFieldChange *field = &g_array_index (change->fields, PhFieldChange, i);
      g_autofree char *text = g_strdup_printf ("%s\n→ %s", field->before ? field->before : _ ("none"),
                                               field->after ? field->after : _ ("none"));
      ph_inspector_add_row (section, field->field, text);
    }
}

static void
add_gradients (PhInspector *self, const PhNode *node)
{
  PhModel *model = ph_document_get_model (self->document);
  GtkListBox *section = NULL;

  if (node->role == PH_ROLE_BACKWARD && node->partner)
    {
      PhNode *forward = ph_model_find_node (model, node->partner);
      section = ph_inspector_add_section (self, _ ("Differentiates"));
      g_autofree char *text = forward ? node_text (forward) : g_strdup_printf ("n%u", node->partner);
      ph_inspector_add_link (section, "", text, PH_LINK_NODE, node->partner);
      return;
    }
  for (guint i = 1; i < model->nodes->len; i++)
    {
      const PhNode *other = model->nodes->pdata[i];
      if (!other || other->role != PH_ROLE_BACKWARD || other->partner != node->id)
        continue;
      if (!section)
        section = ph_inspector_add_section (self, _ ("Differentiated By"));
      g_autofree char *text = node_text (other);
      ph_inspector_add_link (section, "", text, PH_LINK_NODE, other->id);
    }
}

void
ph_inspector_fill_node (PhInspector *self, PhNode *node)
{
  g_autofree char *badge = g_strdup_printf ("n%u", node->id);
  const PhForeignOp *foreign = node->op ? NULL : ph_dialect_find_foreign (node->domain, node->op_type);

  gtk_label_set_text (self->title, node->op_type);
  gtk_label_set_text (self->badge, badge);
  if (*node->name)
    gtk_widget_add_css_class (GTK_WIDGET (ph_inspector_add_text (self, node->name, "monospace")), "caption");
  if (node->op && node->op->doc)
    ph_inspector_add_text (self, node->op->doc, "dim-label");
  else if (foreign && foreign->doc)
    ph_inspector_add_text (self, foreign->doc, "dim-label");
  else if (ph_node_is_fused (node))
    ph_inspector_add_text (self, _ ("A fused operator: one kernel that computes its body."), "dim-label");
  else if (ph_node_function (node))
    ph_inspector_add_text (self, _ ("A call of a function of the model: go inside to see what it computes."), "dim-label");
  else if (!node->op)
    ph_inspector_add_text (self,
                           _ ("An operator that is not declared here: it can be drawn, compared and queried, but not executed "
                              "or differentiated."),
                           "dim-label");
  add_changes (self, node->id);
  /* For a node made by a rule the reason is most interesting; for one of the file there is little to say. */
  gboolean made = is_made (self, node->id);
  if (made)
    add_origins (self, node->id);
  add_gradients (self, node);
  add_attributes (self, node);
  add_values (self, node, &node->inputs->array, node->op ? node->op->inputs : NULL, _ ("Inputs"));
  add_values (self, node, &node->outputs->array, node->op ? node->op->outputs : NULL, _ ("Outputs"));
  if (node->graphs && node->graphs->len)
    {
      GtkListBox *section = ph_inspector_add_section (self, _ ("Bodies"));
      for (guint i = 0; i < node->graphs->len; i++)
        {
          const PhGraph *graph = node->graphs->pdata[i];
          g_autofree char *text = g_strdup_printf (ngettext ("%u node", "%u nodes", graph->n_nodes), graph->n_nodes);
          ph_inspector_add_row (section, graph->attr ? graph->attr : graph->name, text);
        }
    }
  add_cost (self, node);
  if (node->op)
    add_operator (self, node->op);
  if (!made)
    add_origins (self, node->id);
}

void
ph_inspector_fill_removed (PhInspector *self, PhId id)
{
  g_autofree char *badge = g_strdup_printf ("n%u", id);
  g_autoptr (GArray) chain = ph_origin_chain (ph_document_get_history (self->document), ph_document_get_model (self->document),
                                              id);
  PhHistory *history = ph_document_get_history (self->document);
  g_autofree char *text = NULL;
  PhPosition at;

  if (ph_history_find_removal (history, id, &at) && ph_position_compare (at, history->position) < 0)
    {
      const PhStep *step = &g_array_index (history->steps, PhStep, at.step);

      text = g_strdup_printf (_ ("Not in the graph any more: step %u, %s, removed it (%s)."), at.step + 1, step->pass,
                              g_array_index (history->rewrites, PhRewrite, step->first_rewrite + at.rewrite).rule);
    }
  else
    text = g_strdup (_ ("Not in the graph yet: a later step makes it."));

  gtk_label_set_text (self->badge, badge);
  gtk_label_set_text (self->title, chain && chain->len ? g_array_index (chain, PhOrigin, 0).label : badge);
  ph_inspector_add_text (self, text, "dim-label");
  add_changes (self, id);
  add_origins (self, id);
}
