/* commands-render.c: render: pictures as files.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "core/console/call-arguments.h"
#include "core/console/call-places.h"
#include "core/console/call-work.h"
#include "core/console/command-code.h"
#include "core/console/command-words.h"
#include "core/console/reply-table.h"
#include "core/draw/export.h"
#include "core/draw/page.h"
#include "core/draw/paint.h"
#include "core/scene/value-labels.h"

typedef struct
{
  char *path, *title;
  gboolean page;
  PhSnapshot *snapshot;
  PhRenderOptions options; /* without the fields that work sets                  */
  PhArrangement arrangement;
  gboolean coloured; /* with a legend                                         */
  PhColorMode color;
  PhMeasure *given;   /* (nullable) of @color, if not from the model           */
  GHashTable *values; /* (nullable) of the last evaluation                     */
} Render;

static void
render_free (gpointer data)
{
  Render *render = data;

  g_clear_pointer (&render->snapshot, ph_snapshot_free);
  g_clear_pointer (&render->values, g_hash_table_unref);
  g_clear_pointer (&render->given, ph_measure_unref);
  ph_arrangement_clear (&render->arrangement);
  g_free (render->path);
  g_free (render->title);
  g_free (render);
}

/* Takes the view's settings as defaults. */
static void
take_view (PhCall *call, Render *render)
{
  PhViewState *view = ph_document_get_view (call->document);

  ph_arrangement_copy (&render->arrangement, ph_view_state_get_arrangement (view));
  render->options.edge_width = ph_view_state_is_on (view, PH_VIEW_EDGES);
  render->options.hide_legend = !ph_view_state_is_on (view, PH_VIEW_LEGEND);
  render->options.scene.engine = ph_view_state_get (view, PH_VIEW_LAYOUT);
  render->options.scene.across = ph_view_state_get (view, PH_VIEW_DIRECTION) == 1;
  if (ph_view_state_is_on (view, PH_VIEW_VALUES) && ph_document_get_values (call->document) != NULL)
    render->values = g_hash_table_ref (ph_document_get_values (call->document));
  render->color = ph_view_state_get (view, PH_VIEW_COLOR);
  render->coloured = render->color != PH_COLOR_FAMILY || ph_view_state_is_on (view, PH_VIEW_LEGEND);
  if (ph_color_mode_is_given (render->color))
    render->given = ph_view_state_dup_measure (view);
}

static gboolean
is_picture (const char *path)
{
  return g_str_has_suffix (path, ".svg") || g_str_has_suffix (path, ".png") || g_str_has_suffix (path, ".pdf")
         || g_str_has_suffix (path, ".dot");
}

static gboolean
find_positions (PhCall *call, Render *render, gboolean diff, GError **error)
{
  PhRenderOptions *options = &render->options;
  PhHistory *history = ph_document_get_history (call->document);

  options->to = ph_document_get_position (call->document);
  options->from = diff ? ph_document_get_since (call->document) : options->to;
  if (render->page && call->argc == 1)
    {
      options->from = (PhPosition) { 0, 0 };
      options->to = (PhPosition) { history->steps->len, 0 };
    }
  if (call->argc == 2)
    {
      if (!ph_call_find_position (call, call->argv[1], &options->to, error))
        return FALSE;
      options->from = options->to;
    }
  return call->argc < 3
         || (ph_call_find_position (call, call->argv[1], &options->from, error)
             && ph_call_find_position (call, call->argv[2], &options->to, error));
}

static gboolean
render_begin (PhCall *call, GError **error)
{
  gboolean diff = ph_call_take_flag (call, "--diff"), values = ph_call_take_flag (call, "--values");
  PhViewState *view = ph_document_get_view (call->document);
  const char *path;
  g_autofree char *by = NULL;
  PhColorMode color = PH_COLOR_FAMILY;
  Render *render;

  if (!ph_call_take_option (call, "--color", &by, error) || !ph_call_need_open (call, error)
      || !ph_call_need_args (call, 1, 3, error))
    return FALSE;
  path = call->argv[0];
  if (by != NULL && (!ph_color_mode_find (by, &color) || ph_color_mode_is_given (color)))
    return ph_call_usage (call, error, "--color is one of kind, role, device, cost and memory, not '%s'", by);
  if (!is_picture (path) && !g_str_has_suffix (path, ".html"))
    return ph_call_usage (call, error, "'%s' does not end with .svg, .png, .pdf, .dot or .html", path);
  if (!is_picture (path) && (diff || values || by != NULL))
    return ph_call_usage (call, error, "a page has its changes in it: --diff, --values and --color are for pictures");
  if (values && ph_document_get_values (call->document) == NULL)
    return ph_call_usage (call, error, "nothing was computed here: `eval --all` does");
  render = g_new0 (Render, 1);
  ph_call_set_data (call, render, render_free);
  render->path = ph_expand_home (path);
  render->page = !is_picture (path);
  take_view (call, render);
  if (values && render->values == NULL)
    render->values = g_hash_table_ref (ph_document_get_values (call->document));
  if (by != NULL)
    {
      render->color = color;
      render->coloured = TRUE;
      render->options.hide_legend = FALSE;
      g_clear_pointer (&render->given, ph_measure_unref);
    }
  /* Only an explicit `view diff on` counts, not `auto`. */
  diff |= g_str_equal (ph_view_state_word (view, PH_VIEW_DIFF), "on");
  if (!find_positions (call, render, diff, error))
    return FALSE;
  render->snapshot = ph_snapshot_new (call->document);
  render->title = g_path_get_basename (ph_document_get_path (call->document) != NULL ? ph_document_get_path (call->document)
                                                                                     : "model");
  render->options.inside = ph_document_get_inside (call->document);
  return TRUE;
}

static void
reply_written (PhCall *call, const Render *render, const PhRenderFacts *facts)
{
  ph_json_set (call->reply->json, "file", render->path);
  ph_json_set (call->reply->json, "drawn_by", ph_layout_engine_name (facts->drawn_by));
  json_object_set_double_member (call->reply->json, "ms", round (facts->ms * 10) / 10);
  json_object_set_int_member (call->reply->json, "crossings", (gint64) facts->crossings.n);
  if (facts->crossings.step > 1)
    json_object_set_boolean_member (call->reply->json, "crossings_estimated", TRUE);
  json_object_set_int_member (call->reply->json, "over", facts->over);
  ph_reply_say (call->reply, "wrote %s\n", render->path);
}

/* Takes the layout of large models and of blocks from the model, the rest from the view. */
static void
fill_scene (Render *render, PhModel *model)
{
  const PhSceneOptions asked = render->options.scene;

  render->options.scene = ph_render_scene_options (model);
  render->options.scene.engine = asked.engine;
  render->options.scene.across = asked.across;
  ph_arrangement_fill (&render->arrangement, ph_render_is_grouped (model), &render->options.scene);
}

static gboolean
render_work (PhCall *call, GError **error)
{
  Render *render = call->data;
  PhRenderOptions *options = &render->options;
  PhHistory *history = ph_snapshot_get_history (render->snapshot);
  const gboolean alone = render->arrangement.compact && !render->page && ph_position_compare (options->from, options->to) == 0;
  g_autoptr (PhMeasure) measure = g_steal_pointer (&render->given);
  g_autoptr (PhModel) model = NULL;
  g_autoptr (GHashTable) labels = render->values != NULL ? ph_value_labels_new (render->values) : NULL;
  PhRenderFacts facts;

  ph_call_progress (call, "drawing", -1);
  if (measure == NULL && render->coloured && !render->page)
    {
      measure = ph_measure_new_of_model (ph_snapshot_at (render->snapshot, options->to), render->color);
      ph_snapshot_done (render->snapshot);
    }
  model = ph_snapshot_take (render->snapshot, alone ? options->to : history->position);
  fill_scene (render, model);
  if (render->page)
    {
      const PhPageOptions page = { model, history, options->inside, options->from, options->to, options->scene, render->title };

      if (!ph_page_save (&page, render->path, &facts, call->cancellable, error))
        return FALSE;
      reply_written (call, render, &facts);
      return TRUE;
    }
  if (labels != NULL)
    ph_value_labels_add_nodes (labels, model->graph);
  options->values = labels;
  options->measure = measure;
  if (!ph_render_file (model, alone ? NULL : history, options, &facts, render->path, call->cancellable, error))
    return FALSE;
  reply_written (call, render, &facts);
  return TRUE;
}

/* clang-format off */
static const PhCommand rows[] = {
  { "render", "FILE [STEP [STEP]] [--diff] [--values] [--color COLOR]", N_ ("Draw the current position, or a diff: .svg, .png, .pdf or .dot; or the whole history: .html"),
    "`render a.svg` draws what is here, `render a.svg --diff` what the current step changed, `render a.svg 0 3` what changed between two "
    "positions. --values: on each edge the value that `eval --all` found, a number or the least and the largest. --color kind, role, device, cost "
    "or memory: what the colours say, with a legend. `render a.html` writes the whole history as one page to be stepped in a browser, "
    "`render a.html 2 5` the steps between two positions.",
    N_ ("E_xport…"), "<Control><Shift>e", NULL, PH_CODE (render_begin, render_work) },
};
/* clang-format on */
const PhCommandGroup ph_commands_render = { rows, G_N_ELEMENTS (rows) };
