/* step-verdict.c: what the comparison of a step found, as an icon, a line, and a card with all of it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "views/step-verdict.h"

#include <glib/gi18n.h>

#include "views/access-names.h"

typedef struct { const char *icon, *style; } Look;

static const Look *
look_of (const PhProof *proof)
{
  static const Look looks[] = {
    [PH_VERDICT_NONE] = { "dialog-question-symbolic", "dim-label" },
    [PH_VERDICT_PROVED] = { "emblem-ok-symbolic", "success" },
    [PH_VERDICT_SAME] = { "emblem-ok-symbolic", "success" },
    [PH_VERDICT_CLOSE] = { "ph-approximately-symbolic", "success" },
    [PH_VERDICT_DIFFERENT] = { "dialog-warning-symbolic", "error" },
    [PH_VERDICT_NOTHING] = { "dialog-question-symbolic", "dim-label" },
  };

  return &looks[proof->verdict];
}

const char *
ph_verdict_icon (const PhProof *proof)
{
  return look_of (proof)->icon;
}

void
ph_verdict_style (GtkWidget *widget, const PhProof *proof)
{
  static const char *const styles[] = { "dim-label", "success", "error" };

  const char *style = proof ? look_of (proof)->style : NULL;

  /* A class that comes or goes has the widget laid out anew. */
  for (guint i = 0; i < G_N_ELEMENTS (styles); i++)
    if (g_strcmp0 (styles[i], style) != 0 && gtk_widget_has_css_class (widget, styles[i]))
      gtk_widget_remove_css_class (widget, styles[i]);
  if (style && !gtk_widget_has_css_class (widget, style))
    gtk_widget_add_css_class (widget, style);
}

char *
ph_verdict_text (const PhProof *proof)
{
  switch (proof->verdict)
    {
    case PH_VERDICT_PROVED:
      return g_strdup (_("Proved"));
    case PH_VERDICT_SAME:
      return g_strdup (_("The same on all that was tried"));
    case PH_VERDICT_CLOSE:
      return g_strdup (_("Equal but for rounding"));
    case PH_VERDICT_NOTHING:
      return g_strdup (_("Nothing is shown"));
    case PH_VERDICT_DIFFERENT:
      return g_strdup (_("The results differ"));
    default:
      return g_strdup (_("Not compared"));
    }
}

const char *
ph_exactness_text (PhExactness exactness)
{
  static const char *const texts[] = { N_("Bit-exact"), N_("Exact but for −0, NaN and infinities"), N_("Rounding may differ"), N_("Lossy by design") };

  return _(texts[exactness]);
}

/* --- the card ------------------------------------------------------------------------------------------------------ */

/* A line of the console, and what is selected when it went well: a node, or the node that makes a value. */
typedef struct { PhConsole *console; char *line; PhId node; char *value; } Way;

static Way *
way_copy (const Way *way)
{
  Way *copy = g_new (Way, 1);

  *copy = (Way) { g_object_ref (way->console), g_strdup (way->line), way->node, g_strdup (way->value) };
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

static void
way_closed (gpointer data, GClosure *closure)
{
  way_free (data);
}

static void
on_way_done (GObject *console, GAsyncResult *result, gpointer data)
{
  Way *way = data;
  PhDocument *document = ph_console_get_document (way->console);
  g_autoptr (PhReply) reply = ph_console_run_finish (PH_CONSOLE (console), result, NULL);

  if (reply && reply->ok && ph_document_is_open (document))
    {
      PhValue *value = way->value ? ph_model_find_value_named (ph_document_get_model (document), way->value) : NULL;
      PhId node = value && value->producer ? value->producer->id : way->node;

      if (node != PH_NO_ID)
        ph_document_set_selection (document, node);
    }
  way_free (way);
}

/* The line may drop the proof, and with it the row and the card that the button is in: nothing of them is touched after it. */
static void
on_way (GtkButton *button, const Way *way)
{
  Way *own = way_copy (way);

  gtk_popover_popdown (GTK_POPOVER (gtk_widget_get_ancestor (GTK_WIDGET (button), GTK_TYPE_POPOVER)));
  ph_console_run_async (own->console, own->line, NULL, on_way_done, own);
}

/* A button that runs a line of the console, and selects afterwards. @line: (transfer full). */
static GtkWidget *
way_new (PhConsole *console, const char *label, PhId node, const char *value, char *line)
{
  GtkWidget *button = gtk_button_new_with_mnemonic (label);
  Way *way = g_new (Way, 1);

  *way = (Way) { g_object_ref (console), line, node, g_strdup (value) };
  g_signal_connect_data (button, "clicked", G_CALLBACK (on_way), way, way_closed, 0);
  return button;
}

static void
add_row (GtkGrid *grid, int *row, const char *name, const char *text)
{
  GtkWidget *left = gtk_label_new (name), *right = gtk_label_new (text);

  gtk_widget_add_css_class (left, "dim-label");
  gtk_label_set_xalign (GTK_LABEL (left), 1);
  gtk_widget_set_valign (left, GTK_ALIGN_BASELINE);
  gtk_label_set_xalign (GTK_LABEL (right), 0);
  gtk_label_set_wrap (GTK_LABEL (right), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (right), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_max_width_chars (GTK_LABEL (right), 44);
  gtk_label_set_selectable (GTK_LABEL (right), TRUE);
  gtk_widget_set_can_focus (right, FALSE);
  gtk_widget_set_valign (right, GTK_ALIGN_BASELINE);
  gtk_grid_attach (grid, left, 0, *row, 1, 1);
  gtk_grid_attach (grid, right, 1, (*row)++, 1, 1);
}

static GtkWidget *
heading_new (const PhProof *proof)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *icon = g_object_new (GTK_TYPE_IMAGE, "icon-name", ph_verdict_icon (proof), "accessible-role", GTK_ACCESSIBLE_ROLE_PRESENTATION, NULL);
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
  g_autofree char *error = g_strdup_printf (_("%.2g of the largest, in double"), proof->max_scaled_error);

  add_row (grid, row, _("It rests on"), proof->sentence);
  add_row (grid, row, _("Promise"), ph_exactness_text (proof->exactness));
  if (proof->inputs && *proof->inputs)
    add_row (grid, row, _("Inputs"), proof->inputs);
  if (proof->max_scaled_error > 0)
    add_row (grid, row, _("Largest difference"), error);
  for (guint i = 0; proof->outputs && i < MIN (proof->outputs->len, 4) && proof->outputs->len > 1; i++)
    {
      const PhProofOutput *output = &g_array_index (proof->outputs, PhProofOutput, i);
      g_autofree char *text = g_strdup_printf ("%s  %.3g", output->name, output->max_scaled_error);
      add_row (grid, row, "", text);
    }
}

/* "[1, 3]", or "9" where the dimensions are not known. */
static char *
element_text (const PhValue *value, gsize element)
{
  g_autoptr (GString) text = g_string_new (NULL);
  const PhType *type = value ? value->type : NULL;

  if (!type || !type->has_rank || type->rank == 0 || !ph_type_is_static (type))
    return g_strdup_printf ("%" G_GSIZE_FORMAT, element);
  for (guint i = type->rank; i-- > 0;)
    {
      const gsize size = (gsize) MAX (type->dims[i].size, 1);
      g_autofree char *index = g_strdup_printf ("%s%" G_GSIZE_FORMAT, i ? ", " : "", element % size);

      g_string_prepend (text, index);
      element /= size;
    }
  g_string_prepend_c (text, '[');
  g_string_append_c (text, ']');
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* The output that shows it, with its size; then the value at the border of the rewrite where the two part. */
static void
add_what_differs (GtkGrid *grid, int *row, PhDocument *document, const PhProof *proof)
{
  PhModel *model = ph_document_get_model (document);
  const char *what = proof->value ? proof->value : proof->output;
  PhValue *output = proof->output ? ph_model_find_value_named (model, proof->output) : NULL;

  if (proof->output)
    {
      g_autofree char *type = output && output->type ? ph_type_to_string (output->type) : g_strdup ("");
      g_autofree char *text = g_strdup_printf ("%s  %s", proof->output, type);
      add_row (grid, row, _("Output"), text);
    }
  if (what)
    {
      g_autofree char *element = element_text (ph_model_find_value_named (model, what), proof->element);
      g_autofree char *text = g_strdup_printf (_("%s, element %s"), what, element);
      add_row (grid, row, _("First to differ"), text);
    }
  if (proof->expected && proof->actual)
    {
      g_autofree char *text = g_strdup_printf (_("%s before, %s now"), proof->expected, proof->actual);
      add_row (grid, row, _("Its value"), text);
    }
  if (proof->shown_by)
    {
      g_autofree char *seed = g_strdup_printf ("%" G_GUINT64_FORMAT, proof->seed);
      g_autofree char *text = g_strdup_printf (_("%s inputs, seed %s"), proof->shown_by, seed);
      add_row (grid, row, _("Shown by"), text);
    }
}

/* The rewrite to blame, the ways to it and to the inputs that show it. */
static void
add_ways (GtkBox *box, GtkGrid *grid, int *row, PhConsole *console, guint step, const PhProof *proof)
{
  PhHistory *history = ph_document_get_history (ph_console_get_document (console));
  const PhRewrite *blame = proof->blamed ? ph_history_rewrite_at (history, proof->blame) : NULL;
  GtkWidget *buttons = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);

  gtk_widget_set_halign (buttons, GTK_ALIGN_END);
  if (blame)
    {
      g_autofree char *text = g_strdup_printf ("%s, %u.%u (n%u)\n%s", blame->rule, proof->blame.step + 1, proof->blame.rewrite + 1, blame->node,
                                               blame->why ? blame->why : "");
      add_row (grid, row, _("To blame"), text);
      g_autofree char *position = ph_position_to_string (proof->blame);
      GtkWidget *go = way_new (console, _("_Go There"), blame->node, NULL, g_strdup_printf ("goto %s", position));
      gtk_widget_add_css_class (go, "suggested-action");
      gtk_box_append (GTK_BOX (buttons), go);
    }
  else
    gtk_box_append (GTK_BOX (buttons), way_new (console, _("Find the _Culprit"), PH_NO_ID, NULL, g_strdup_printf ("bisect %u %u", step, step + 1)));
  if (proof->feeds)
    gtk_box_prepend (GTK_BOX (buttons), way_new (console, _("_Feed These Inputs"), PH_NO_ID, NULL, g_strdup_printf ("verify %u %u --adopt", step, step + 1)));
  if (proof->value || proof->output)
    gtk_box_prepend (GTK_BOX (buttons), way_new (console, _("_Show the Value"), PH_NO_ID, proof->value ? proof->value : proof->output,
                                                 g_strdup_printf ("goto %u", step + 1)));
  gtk_box_append (box, buttons);
}

gboolean
ph_verdict_popover_fill (GtkPopover *popover, PhConsole *console, guint step)
{
  const PhProof *proof = ph_document_get_proof (ph_console_get_document (console), step);
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
  gtk_box_append (GTK_BOX (box), grid);
  if (proof->problem)
    add_row (GTK_GRID (grid), &row, _("Why"), proof->problem);
  if (proof->verdict == PH_VERDICT_DIFFERENT)
    add_what_differs (GTK_GRID (grid), &row, ph_console_get_document (console), proof);
  add_what_was_tried (GTK_GRID (grid), &row, proof);
  if (proof->verdict == PH_VERDICT_DIFFERENT)
    add_ways (GTK_BOX (box), GTK_GRID (grid), &row, console, step, proof);
  g_autofree char *name = ph_verdict_text (proof);
  ph_access_set_name (GTK_WIDGET (popover), "%s", name);
  gtk_popover_set_child (popover, box);
  return TRUE;
}

GtkWidget *
ph_verdict_popover_new (PhConsole *console, guint step)
{
  g_autoptr (GtkWidget) popover = g_object_ref_sink (g_object_new (GTK_TYPE_POPOVER, "accessible-role", GTK_ACCESSIBLE_ROLE_DIALOG, NULL));

  if (!ph_verdict_popover_fill (GTK_POPOVER (popover), console, step))
    return NULL;
  g_object_force_floating (G_OBJECT (popover));
  return g_steal_pointer (&popover);
}
