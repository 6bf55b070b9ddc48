/* commands-render.c: render, layout: pictures as files, and who lays them out.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "core/console/console-private.h"
#include "core/draw/page.h"
#include "core/draw/paint.h"
#include "core/scene/value-labels.h"

/* ── render ── */

typedef struct
{
  char *path, *title;
  gboolean page;
  PhSnapshot *snapshot;
  PhPosition from, to;
  gboolean coloured;
  PhColorMode color;
  PhLayoutEngine engine;
  gboolean across;
  PhId inside;
  GHashTable *values;
} Render;

static void
render_free (gpointer data)
{
  Render *render = data;

  g_clear_pointer (&render->snapshot, ph_snapshot_free);
  g_clear_pointer (&render->values, g_hash_table_unref);
  g_free (render->path);
  g_free (render->title);
  g_free (render);
}

static gboolean
render_begin (PhCall *call, GError **error)
{
  gboolean diff = ph_call_take_flag (call, "--diff"), values = ph_call_take_flag (call, "--values");
  g_autofree char *by = NULL;
  PhColorMode color = PH_COLOR_FAMILY;
  gboolean page;
  Render *render;

  if (!ph_call_take_option (call, "--color", &by, error) || !ph_call_need_open (call, error)
      || !ph_call_need_args (call, 1, 3, error))
    return FALSE;
  page = g_str_has_suffix (call->argv[0], ".html");
  if (by != NULL && (!ph_color_mode_find (by, &color) || ph_color_mode_is_given (color)))
    return ph_call_usage (call, error, "--color is one of kind, role, device, cost and memory, not '%s'", by);
  if (!g_str_has_suffix (call->argv[0], ".svg") && !g_str_has_suffix (call->argv[0], ".png")
      && !g_str_has_suffix (call->argv[0], ".pdf") && !g_str_has_suffix (call->argv[0], ".dot") && !page)
    return ph_call_usage (call, error, "'%s' does not end with .svg, .png, .pdf, .dot or .html", call->argv[0]);
  if (page && (diff || values || by != NULL))
    return ph_call_usage (call, error, "a page has its changes in it: --diff, --values and --color are for pictures");
  if (values && ph_document_get_values (call->document) == NULL)
    return ph_call_usage (call, error, "nothing was computed here: `eval --all` does");
  render = g_new0 (Render, 1);
  ph_call_set_data (call, render, render_free);
  render->values = values ? g_hash_table_ref (ph_document_get_values (call->document)) : NULL;
  render->path = ph_expand_home (call->argv[0]);
  render->to = ph_document_get_position (call->document);
  render->from = diff ? ph_document_get_since (call->document) : render->to;
  if (call->argc == 2 && !ph_call_find_position (call, call->argv[1], &render->to, error))
    return FALSE;
  if (call->argc == 2)
    render->from = render->to;
  render->page = page;
  if (call->argc == 3
      && (!ph_call_find_position (call, call->argv[1], &render->from, error)
          || !ph_call_find_position (call, call->argv[2], &render->to, error)))
    return FALSE;
  render->snapshot = ph_snapshot_new (call->document);
  if (page && call->argc == 1)
    {
      render->from = (PhPosition) { 0, 0 };
      render->to = (PhPosition) { ph_snapshot_get_history (render->snapshot)->steps->len, 0 };
    }
  render->title = g_path_get_basename (ph_document_get_path (call->document) != NULL ? ph_document_get_path (call->document)
                                                                                     : "model");
  render->engine = ph_document_get_layout (call->document);
  render->across = ph_document_get_across (call->document);
  render->inside = ph_document_get_inside (call->document);
  render->coloured = by != NULL;
  render->color = color;
  return TRUE;
}

static void
reply_written (PhCall *call, const Render *render, const PhRenderFacts *facts)
{
  ph_json_set (call->reply->json, "file", render->path);
  ph_json_set (call->reply->json, "drawn_by", ph_layout_engine_name (facts->drawn_by));
  json_object_set_double_member (call->reply->json, "ms", round (facts->ms * 10) / 10);
  json_object_set_int_member (call->reply->json, "crossings", facts->crossings);
  json_object_set_int_member (call->reply->json, "over", facts->over);
  ph_reply_say (call->reply, "wrote %s\n", render->path);
}

static gboolean
render_work (PhCall *call, GError **error)
{
  Render *render = call->data;
  PhHistory *history = ph_snapshot_get_history (render->snapshot);
  g_autoptr (PhMeasure) measure = NULL;
  g_autoptr (PhModel) model = NULL;
  g_autoptr (GHashTable) labels = render->values != NULL ? ph_value_labels_new (render->values) : NULL;
  PhRenderFacts facts;

  ph_call_progress (call, "drawing", -1);
  if (render->coloured)
    {
      measure = ph_measure_new_of_model (ph_snapshot_at (render->snapshot, render->to), render->color);
      ph_snapshot_done (render->snapshot);
    }
  model = ph_snapshot_take (render->snapshot, history->position);
  if (render->page)
    {
      const PhPageOptions page = { model,      history,        render->inside, render->from,
                                   render->to, render->engine, render->across, render->title };

      if (!ph_page_save (&page, render->path, &facts, call->cancellable, error))
        return FALSE;
      reply_written (call, render, &facts);
      return TRUE;
    }
  if (labels != NULL)
    ph_value_labels_add_nodes (labels, model->graph);
  if (!ph_render_file (model, history, render->inside, render->from, render->to, measure, labels, render->engine, render->across,
                       &facts, render->path, call->cancellable, error))
    return FALSE;
  reply_written (call, render, &facts);
  return TRUE;
}

/* ── layout ── */

static gboolean
layout_begin (PhCall *call, GError **error)
{
  PhLayoutEngine engine = ph_document_get_layout (call->document);
  JsonArray *engines = ph_reply_array (call->reply, "engines");
  gboolean across = ph_document_get_across (call->document);

  if (!ph_call_need_args (call, 0, 2, error))
    return FALSE;
  for (guint i = 0; i < call->argc; i++)
    if (strcmp (call->argv[i], "right") == 0 || strcmp (call->argv[i], "down") == 0)
      across = strcmp (call->argv[i], "right") == 0;
    else if (!ph_layout_engine_find (call->argv[i], &engine))
      return ph_call_usage (
          call, error,
          "'%s' lays out no pictures: say best, dot, layered, neato, fdp, sfdp, circo, twopi or osage; and down or right",
          call->argv[i]);
  ph_document_set_layout (call->document, engine);
  ph_document_set_across (call->document, across);
  for (PhLayoutEngine each = PH_LAYOUT_BEST; each < PH_N_LAYOUT_ENGINES; each++)
    json_array_add_string_element (engines, ph_layout_engine_name (each));
  ph_json_set (call->reply->json, "layout", ph_layout_engine_name (engine));
  ph_json_set (call->reply->json, "direction", across ? "right" : "down");
  ph_reply_say (call->reply, "pictures are laid out by %s%s\n",
                engine == PH_LAYOUT_BEST      ? "dot, or by the layered engine where that does better"
                : engine == PH_LAYOUT_LAYERED ? "the layered engine"
                                              : ph_layout_engine_name (engine),
                across ? ", from left to right" : "");
  return TRUE;
}

/* clang-format off */
static const PhCommand rows[] = {
  { "render", "FILE [STEP [STEP]] [--diff] [--values] [--color COLOR]", N_ ("Draw the present position, or a diff: .svg, .png, .pdf or .dot; or the whole history: .html"),
    "`render a.svg` draws what is here, `render a.svg --diff` what the present step changed, `render a.svg 0 3` what changed between two "
    "positions. --values: on each edge the value that `eval --all` found, a number or the least and the largest. --color kind, role, device, cost "
    "or memory: what the colours say, with a legend. `render a.html` writes the whole history as one page to be stepped in a browser, "
    "`render a.html 2 5` the steps between two positions.",
    N_ ("E_xport…"), "<Control><Shift>e", NULL, PH_CODE (render_begin, render_work) },
  { "layout", "[ENGINE] [DIRECTION]", N_ ("Show or choose who lays out the picture"),
    "best: Graphviz's dot where its picture is not clearly worse than that of the layered engine and there in time; dot or layered: always "
    "that one; neato, fdp, sfdp, circo, twopi, osage: Graphviz's other engines. What Graphviz cannot lay out the layered engine does. "
    "down: from top to bottom; right: from left to right. "
    "`render` draws with it, and its --json reply says who drew, in what time, and how many lines cross or run over boxes.",
    NULL, NULL, NULL, PH_CODE (layout_begin) },
};
/* clang-format on */
const PhCommandGroup ph_commands_render = { rows, G_N_ELEMENTS (rows) };
