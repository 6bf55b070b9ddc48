/* verdict-card.c: the complete verdict on a step in a popover, with links to the differences.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <adwaita.h>
#include <glib/gi18n.h>
#include <math.h>

#include "core/scene/short-type.h"
#include "views/access-names.h"
#include "views/step-verdict.h"

/* --- links ----------------------------------------------------------------------------------------------------------- */

/* A line of the console, and the item to show once it has run. The document may change meanwhile, so nodes and values are looked up
 * afterwards. */
typedef struct
{
  PhConsole *console;
  char *line;
  char *value;       /* (nullable) the name of one to show            */
  PhId node;         /* one to select                                 */
  gboolean searches; /* the line finds the rewrite to blame           */
} Way;

static Way *
way_new (PhConsole *console, char *line)
{
  Way *way = g_new0 (Way, 1);

  way->console = g_object_ref (console);
  way->line = line;
  return way;
}

static Way *
way_copy (const Way *way)
{
  Way *copy = g_memdup2 (way, sizeof *way);

  g_object_ref (copy->console);
  copy->line = g_strdup (way->line);
  copy->value = g_strdup (way->value);
  return copy;
}

static void
way_free (Way *way)
{
  g_object_unref (way->console);
  g_free (way->line);
  g_free (way->value);
  g_free (way);
}

static void way_go (const Way *way);

static void
go_to_found (const Way *way, const PhReply *reply)
{
  if (!json_object_get_boolean_member_with_default (reply->json, "found", FALSE))
    return;
  const char *node = json_object_get_string_member (reply->json, "node");
  const PhPosition at = { (guint) json_object_get_int_member (reply->json, "step") - 1,
                          (guint) json_object_get_int_member (reply->json, "rewrite") - 1 };
  g_autofree char *position = ph_position_to_string (at);
  Way *next = way_new (way->console, g_strconcat ("goto ", position, NULL));

  next->node = (PhId) g_ascii_strtoull (node + 1, NULL, 10);
  way_go (next);
  way_free (next);
}

static void
on_gone (GObject *console, GAsyncResult *result, gpointer data)
{
  Way *way = data;
  PhDocument *document = ph_console_get_document (PH_CONSOLE (console));
  PhModel *model = ph_document_get_model (document);
  g_autoptr (PhReply) reply = ph_console_run_finish (PH_CONSOLE (console), result, NULL);

  if (reply && reply->ok && model)
    {
      const PhValue *value = way->value ? ph_model_find_value_named (model, way->value) : NULL;
      if (value)
        ph_document_show_value (document, value->id);
      else if (way->node != PH_NO_ID && ph_model_find_node (model, way->node))
        ph_document_set_selection (document, way->node);
      else if (way->searches)
        go_to_found (way, reply);
    }
  way_free (way);
}

static void
way_go (const Way *way)
{
  ph_console_run_async (way->console, way->line, on_gone, way_copy (way));
}

/* Copies the data first, because the line may rebuild the card and free this widget. */
static void
leave_by (GtkWidget *widget)
{
  Way *way = way_copy (g_object_get_data (G_OBJECT (widget), "way"));
  GtkWidget *popover = gtk_widget_get_ancestor (widget, GTK_TYPE_POPOVER);

  if (popover)
    gtk_popover_popdown (GTK_POPOVER (popover));
  way_go (way);
  way_free (way);
}

static void
set_way (GtkWidget *widget, Way *way)
{
  g_object_set_data_full (G_OBJECT (widget), "way", way, (GDestroyNotify) way_free);
}

static GtkWidget *
add_button (GtkWidget *buttons, const char *label, Way *way)
{
  GtkWidget *button = gtk_button_new_with_mnemonic (label);

  set_way (button, way);
  g_signal_connect (button, "clicked", G_CALLBACK (leave_by), NULL);
  gtk_box_append (GTK_BOX (buttons), button);
  return button;
}

/* --- rows ---------------------------------------------------------------------------------------------------------- */

static GtkWidget *
label_new (const char *text, int width)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_max_width_chars (GTK_LABEL (label), width);
  return label;
}

static void
add_row (GtkGrid *grid, int *row, const char *name, const char *text)
{
  GtkWidget *left = gtk_label_new (name), *right = label_new (text, 44);

  gtk_widget_add_css_class (left, "dim-label");
  gtk_label_set_xalign (GTK_LABEL (left), 1);
  gtk_widget_set_valign (left, GTK_ALIGN_BASELINE);
  gtk_label_set_selectable (GTK_LABEL (right), TRUE);
  gtk_widget_set_can_focus (right, FALSE);
  gtk_widget_set_valign (right, GTK_ALIGN_BASELINE);
  gtk_grid_attach (grid, left, 0, *row, 1, 1);
  gtk_grid_attach (grid, right, 1, (*row)++, 1, 1);
}

static void
on_row_activated (GtkListBox *list, GtkWidget *row)
{
  leave_by (row);
}

static GtkWidget *
list_new (void)
{
  GtkWidget *list = gtk_list_box_new ();

  gtk_list_box_set_selection_mode (GTK_LIST_BOX (list), GTK_SELECTION_NONE);
  gtk_widget_add_css_class (list, "boxed-list");
  /* Room for the shadow of the list, which a scrolled window would cut. */
  gtk_widget_set_margin_top (list, 2);
  gtk_widget_set_margin_bottom (list, 2);
  gtk_widget_set_margin_start (list, 2);
  gtk_widget_set_margin_end (list, 2);
  g_signal_connect (list, "row-activated", G_CALLBACK (on_row_activated), NULL);
  return list;
}

/* A row that leads somewhere. */
static void
add_link (GtkWidget *list, const char *title, const char *subtitle, Way *way)
{
  GtkWidget *row = g_object_new (ADW_TYPE_ACTION_ROW, "use-markup", FALSE, "title", title, "subtitle", subtitle, "title-lines", 1,
                                 "subtitle-lines", 2, "activatable", TRUE, NULL);
  GtkWidget *arrow = g_object_new (GTK_TYPE_IMAGE, "icon-name", "go-next-symbolic", "accessible-role",
                                   GTK_ACCESSIBLE_ROLE_PRESENTATION, NULL);

  adw_action_row_add_suffix (ADW_ACTION_ROW (row), arrow);
  set_way (row, way);
  ph_access_set_name (row, "%s, %s", title, subtitle);
  gtk_list_box_append (GTK_LIST_BOX (list), row);
}

static Way *
to_value (PhConsole *console, PhPosition at, const char *name)
{
  g_autofree char *position = ph_position_to_string (at);
  Way *way = way_new (console, g_strconcat ("goto ", position, NULL));

  way->value = g_strdup (name);
  return way;
}

static Way *
to_rewrite (PhConsole *console, PhPosition at, const PhRewrite *rewrite)
{
  Way *way = to_value (console, at, NULL);

  way->node = rewrite->node;
  return way;
}

/* --- differences ----------------------------------------------------------------------------------------------------- */

static void
add_output (GtkWidget *list, PhConsole *console, PhPosition at, const PhProofOutput *output)
{
  PhModel *model = ph_document_get_model (ph_console_get_document (console));
  const PhValue *value = model ? ph_model_find_value_named (model, output->name) : NULL;
  g_autofree char *type = value && value->type ? ph_type_to_shown (value->type) : NULL;
  g_autofree char *difference = isfinite (output->max_scaled_error)
                                    ? g_strdup_printf (_ ("largest difference %.3g (%.2g of the largest)"), output->max_abs_error,
                                                       output->max_scaled_error)
                                    : g_strdup_printf (_ ("largest difference %.3g"), output->max_abs_error);
  g_autofree char *title = g_strdup_printf (_ ("Output %s"), output->name);
  g_autofree char *subtitle = type ? g_strdup_printf ("%s · %s", type, difference) : g_strdup (difference);

  add_link (list, title, subtitle, to_value (console, at, output->name));
}

/* Returns a list of the outputs that differ, and the first value at the border of a rewrite. */
static GtkWidget *
values_new (PhConsole *console, const PhProof *proof)
{
  GtkWidget *list = list_new ();

  for (guint i = 0; i < proof->outputs->len; i++)
    if (!g_array_index (proof->outputs, PhProofOutput, i).close)
      add_output (list, console, proof->b, &g_array_index (proof->outputs, PhProofOutput, i));
  const char *first = proof->value ? proof->value : proof->output;
  if (first)
    {
      g_autofree char *title = g_strdup_printf (_ ("First to differ: %s %s"), first, proof->place ? proof->place : "");
      g_autofree char *subtitle = proof->expected && proof->actual
                                      ? g_strdup_printf (_ ("%s before, %s now"), proof->expected, proof->actual)
                                      : g_strdup (proof->first_difference);
      /* A rewrite may have removed the name. */
      add_link (list, g_strchomp (title), subtitle,
                to_value (console, proof->value && proof->blamed ? proof->blame : proof->b, first));
    }
  ph_access_set_name (list, "%s", _ ("Values that differ"));
  return list;
}

static void
add_rewrite (GtkWidget *list, PhConsole *console, PhPosition at, const PhProofDifference *difference)
{
  const PhRewrite *rewrite = ph_history_rewrite_at (ph_document_get_history (ph_console_get_document (console)), at);

  if (!rewrite)
    return;
  g_autofree char *node = rewrite->node != PH_NO_ID ? g_strdup_printf (" · n%u", rewrite->node) : g_strdup ("");
  g_autofree char *title = g_strdup_printf ("%u.%u  %s%s", at.step + 1, at.rewrite + 1, rewrite->rule, node);
  const char *place = difference && difference->place ? difference->place : ""; /* none in a scalar */
  g_autofree char *values = difference && difference->value && difference->expected && difference->actual
                                ? g_strdup_printf (_ ("%s%s%s: %s before, %s now"), difference->value, *place ? " " : "", place,
                                                   difference->expected, difference->actual)
                                : g_strdup (rewrite->why ? rewrite->why : "");
  add_link (list, title, values, to_rewrite (console, at, rewrite));
}

/* (nullable) */
static GtkWidget *
rewrites_new (PhConsole *console, const PhProof *proof)
{
  if (proof->differences->len == 0 && !proof->blamed)
    return NULL;
  const guint n = MAX (proof->n_different, 1);
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6), *list = list_new (), *scroller = gtk_scrolled_window_new ();
  g_autofree char *text = g_strdup_printf (
      ngettext ("%u of %u rewrite changes the results", "%u of %u rewrites change the results", n), n,
      MAX (proof->n_rewrites, n));
  GtkWidget *heading = label_new (text, 44);

  gtk_widget_add_css_class (heading, "heading");
  for (guint i = 0; i < proof->differences->len; i++)
    {
      const PhProofDifference *difference = &g_array_index (proof->differences, PhProofDifference, i);
      add_rewrite (list, console, difference->at, difference);
    }
  if (proof->differences->len == 0)
    add_rewrite (list, console, proof->blame, NULL);
  gtk_accessible_update_relation (GTK_ACCESSIBLE (list), GTK_ACCESSIBLE_RELATION_LABELLED_BY, heading, NULL, -1);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_propagate_natural_height (GTK_SCROLLED_WINDOW (scroller), TRUE);
  gtk_scrolled_window_set_max_content_height (GTK_SCROLLED_WINDOW (scroller), 200);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), list);
  gtk_box_append (GTK_BOX (box), heading);
  gtk_box_append (GTK_BOX (box), scroller);
  return box;
}

static void
hunt_from (GtkWidget *button)
{
  GtkRoot *root = gtk_widget_get_root (button);

  gtk_popover_popdown (GTK_POPOVER (gtk_widget_get_ancestor (button, GTK_TYPE_POPOVER)));
  gtk_widget_activate_action (GTK_WIDGET (root), "command.hunt", NULL);
}

static GtkWidget *
buttons_new (PhConsole *console, guint step, const PhProof *proof)
{
  GtkWidget *buttons = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  const PhRewrite *blame = proof->blamed
                               ? ph_history_rewrite_at (ph_document_get_history (ph_console_get_document (console)), proof->blame)
                               : NULL;
  Way *culprit;

  gtk_widget_set_halign (buttons, GTK_ALIGN_END);
  GtkWidget *hunt = gtk_button_new_with_mnemonic (_ ("_Hunt"));
  gtk_widget_set_tooltip_text (hunt, _ ("Find the rule that is wrong and the smallest model that shows it, with a report"));
  g_signal_connect (hunt, "clicked", G_CALLBACK (hunt_from), NULL);
  gtk_box_append (GTK_BOX (buttons), hunt);
  if (proof->feeds)
    add_button (buttons, _ ("Feed These _Inputs"), way_new (console, g_strdup_printf ("verify %u %u --adopt", step, step + 1)));
  if (blame)
    culprit = to_rewrite (console, proof->blame, blame);
  else
    {
      culprit = way_new (console, g_strdup_printf ("bisect %u %u", step, step + 1));
      culprit->searches = TRUE;
    }
  gtk_widget_add_css_class (add_button (buttons, _ ("_Find the Culprit"), culprit), "suggested-action");
  return buttons;
}

/* --- the card ------------------------------------------------------------------------------------------------------ */

static GtkWidget *
heading_new (const PhProof *proof)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *icon = g_object_new (GTK_TYPE_IMAGE, "icon-name", ph_verdict_icon (proof), "accessible-role",
                                  GTK_ACCESSIBLE_ROLE_PRESENTATION, NULL);
  g_autofree char *text = ph_verdict_text (proof);
  GtkWidget *label = gtk_label_new (text);

  ph_verdict_style (icon, proof);
  gtk_widget_add_css_class (label, "heading");
  gtk_box_append (GTK_BOX (box), icon);
  gtk_box_append (GTK_BOX (box), label);
  return box;
}

static void
add_what_was_tried (GtkGrid *grid, int *row, const PhProof *proof)
{
  g_autofree char *error = g_strdup_printf (_ ("%.2g of the largest, in double"), proof->max_scaled_error);

  add_row (grid, row, _ ("It rests on"), proof->sentence);
  add_row (grid, row, _ ("Promise"), ph_exactness_text (proof->exactness));
  if (proof->inputs && *proof->inputs)
    add_row (grid, row, _ ("Inputs"), proof->inputs);
  if (proof->max_scaled_error > 0 && isfinite (proof->max_scaled_error))
    add_row (grid, row, _ ("Largest difference"), error);
  for (guint i = 0; proof->verdict != PH_VERDICT_DIFFERENT && i < MIN (proof->outputs->len, 4) && proof->outputs->len > 1; i++)
    {
      const PhProofOutput *output = &g_array_index (proof->outputs, PhProofOutput, i);
      g_autofree char *text = g_strdup_printf ("%s  %.3g", output->name, output->max_scaled_error);
      add_row (grid, row, "", text);
    }
  if (proof->shown_by)
    {
      g_autofree char *seed = g_strdup_printf ("%" G_GUINT64_FORMAT, proof->seed);
      g_autofree char *text = g_strdup_printf (_ ("%s inputs, seed %s"), proof->shown_by, seed);
      add_row (grid, row, _ ("Shown by"), text);
    }
}

/* The step is gone, or has other inputs now. */
static void
leave_what_is_gone (GtkWidget *card, PhDocument *document)
{
  GtkWidget *popover = gtk_widget_get_ancestor (card, GTK_TYPE_POPOVER);

  if (popover && !ph_document_get_proof (document, GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (card), "step"))))
    gtk_popover_popdown (GTK_POPOVER (popover));
}

static void
add_child (GtkWidget *box, GtkWidget *child)
{
  if (child)
    gtk_box_append (GTK_BOX (box), child);
}

gboolean
ph_verdict_popover_fill (GtkPopover *popover, PhConsole *console, guint step)
{
  static const char *const signals[] = { "opened", "history-changed", "feeds-changed" };
  PhDocument *document = ph_console_get_document (console);
  const PhProof *proof = ph_document_get_proof (document, step);
  int row = 0;

  if (!proof)
    return FALSE;
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12), *grid = gtk_grid_new ();
  gtk_grid_set_column_spacing (GTK_GRID (grid), 12);
  gtk_grid_set_row_spacing (GTK_GRID (grid), 4);
  gtk_widget_set_margin_top (box, 8);
  gtk_widget_set_margin_bottom (box, 8);
  gtk_widget_set_margin_start (box, 8);
  gtk_widget_set_margin_end (box, 8);
  gtk_box_append (GTK_BOX (box), heading_new (proof));
  if (proof->verdict == PH_VERDICT_DIFFERENT)
    {
      gtk_box_append (GTK_BOX (box), values_new (console, proof));
      add_child (box, rewrites_new (console, proof));
    }
  gtk_box_append (GTK_BOX (box), grid);
  if (proof->problem)
    add_row (GTK_GRID (grid), &row, _ ("Why"), proof->problem);
  add_what_was_tried (GTK_GRID (grid), &row, proof);
  if (proof->verdict == PH_VERDICT_DIFFERENT)
    gtk_box_append (GTK_BOX (box), buttons_new (console, step, proof));
  g_autofree char *name = ph_verdict_text (proof);
  ph_access_set_name (GTK_WIDGET (popover), "%s", name);
  gtk_popover_set_child (popover, box);
  g_object_set_data (G_OBJECT (box), "step", GUINT_TO_POINTER (step));
  for (guint i = 0; i < G_N_ELEMENTS (signals); i++)
    g_signal_connect_object (document, signals[i], G_CALLBACK (leave_what_is_gone), box, G_CONNECT_SWAPPED);
  return TRUE;
}

GtkWidget *
ph_verdict_popover_new (PhConsole *console, guint step)
{
  g_autoptr (GtkWidget) popover = g_object_ref_sink (
      g_object_new (GTK_TYPE_POPOVER, "accessible-role", GTK_ACCESSIBLE_ROLE_DIALOG, NULL));

  if (!ph_verdict_popover_fill (GTK_POPOVER (popover), console, step))
    return NULL;
  g_object_force_floating (G_OBJECT (popover));
  return g_steal_pointer (&popover);
}
