/* hunt-report.c: the result of a hunt as a single self-contained file with pictures, model and inputs.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/console/hunt-report.h"

#include <glib/gstdio.h>

#include "config.h"
#include "core/draw/export.h"
#include "core/draw/page.h"
#include "core/io/io.h"
#include "core/number.h"
#include "core/opset/opset.h"
#include "core/replace.h"

/* Most elements of a tensor or constant that are listed. */
#define ELEMENTS 24
/* Bytes of a file that is put inside. */
#define MOST_INSIDE (8 * 1024 * 1024)

static const char style[]
    = ":root{color-scheme:light dark;--line:#8884;--bad:#c01c28;--good:#26a269}"
      "@media(prefers-color-scheme:dark){:root{--bad:#ff7b63;--good:#8ff0a4}}"
      "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
      "h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}"
      "code,pre,textarea{font-family:ui-monospace,monospace;font-size:.85rem}"
      "pre,textarea{border:1px solid var(--line);border-radius:8px;padding:.75rem;overflow:auto;white-space:pre-wrap}"
      "textarea{width:100%;box-sizing:border-box;height:20rem;background:transparent;color:inherit}"
      "table{border-collapse:collapse}td,th{border-bottom:1px solid var(--line);padding:.25rem .75rem .25rem 0;text-align:left;vertical-align:top}td{overflow-wrap:anywhere}"
      ".verdict{border:2px solid var(--bad);border-radius:12px;padding:1rem 1.25rem}.bad{color:var(--bad)}.good{color:var(--good)}"
      "figure{margin:1rem 0;border:1px solid var(--line);border-radius:8px;padding:.5rem;background:#fff;overflow:auto}"
      "iframe{width:100%;height:32rem;border:1px solid var(--line);border-radius:8px}"
      "figure img{max-width:100%;display:block;margin:auto}figcaption{color:#444;text-align:center;font-size:.85rem}"
      ".two{display:grid;grid-template-columns:1fr 1fr;gap:1rem}@media(max-width:40rem){.two{grid-template-columns:1fr}}";

static void
add_row (GString *out, const char *name, const char *value)
{
  if (value == NULL || *value == '\0')
    return;
  g_string_append (out, "<tr><th>");
  ph_page_append_text (out, name);
  g_string_append (out, "</th><td>");
  ph_page_append_text (out, value);
  g_string_append (out, "</td></tr>\n");
}

/* ── pictures ── */

static void
add_picture (GString *out, PhModel *model, PhHistory *history, PhPosition from, PhPosition to, const char *folder,
             const char *caption, GCancellable *cancellable)
{
  g_autofree char *path = g_build_filename (folder, "picture.svg", NULL), *svg = NULL, *inside = NULL;
  g_autoptr (PhModel) copy = ph_model_clone (model);
  const PhRenderOptions options = { .scene = ph_render_scene_options (copy), .from = from, .to = to };
  gsize length;

  if (!ph_render_file (copy, history, &options, NULL, path, cancellable, NULL)
      || !g_file_get_contents (path, &svg, &length, NULL))
    return;
  g_unlink (path);
  inside = g_base64_encode ((const guchar *) svg, length);
  g_string_append_printf (out,
                          "<figure><img alt=\"%s\" src=\"data:image/svg+xml;base64,%s\"><figcaption>%s</figcaption></figure>\n",
                          caption, inside, caption);
}

/* Adds the picture as a page to be stepped through, rewrite by rewrite. */
static void
add_page (GString *out, const PhReduced *reduced, GCancellable *cancellable)
{
  g_autoptr (PhModel) copy = ph_model_clone (reduced->fault->after);
  const PhPageOptions options = { .model = copy,
                                  .history = reduced->fault->history,
                                  .scene = ph_render_scene_options (copy),
                                  .to = { reduced->fault->history->steps->len, 0 },
                                  .title = "The reduced model" };
  g_autofree char *page = ph_page_print (&options, NULL, cancellable, NULL);

  if (page == NULL)
    return;
  g_string_append (out, "<iframe title=\"The reduced model, step by step\" srcdoc=\"");
  ph_page_append_text (out, page);
  g_string_append (out, "\"></iframe>\n");
}

static void
add_pictures (GString *out, const PhReduced *reduced, const char *folder, GCancellable *cancellable)
{
  const PhPosition start = { 0, 0 };

  g_string_append (out, "<h2>The reduced model</h2>\n");
  if (reduced->fault->after == NULL || reduced->fault->history == NULL)
    {
      g_string_append (out, "<div class=two>");
      add_picture (out, reduced->model, NULL, start, start, folder, "before the pass", cancellable);
      if (reduced->fault->after != NULL)
        add_picture (out, reduced->fault->after, NULL, start, start, folder, "after the pass", cancellable);
      g_string_append (out, "</div>\n");
      return;
    }

  const PhPosition end = { reduced->fault->history->steps->len, 0 };

  add_picture (out, reduced->fault->after, reduced->fault->history, start, end, folder,
               "what the pass changed: added, removed, changed", cancellable);
  add_page (out, reduced, cancellable);
}

/* ── files inside ── */

static void
add_file (GString *out, GBytes *bytes, const char *name)
{
  g_autofree char *inside = NULL;
  gsize size;
  gconstpointer data = g_bytes_get_data (bytes, &size);

  if (size > MOST_INSIDE)
    return;
  inside = g_base64_encode (data, size);
  g_string_append_printf (
      out, "<a download=\"%s\" href=\"data:application/octet-stream;base64,%s\">%s</a> (%" G_GSIZE_FORMAT " bytes) ", name,
      inside, name, size);
}

static GBytes *
bytes_of_model (PhModel *model)
{
  g_autoptr (PhModel) file = ph_model_at_opset (model, 0, &(int) { 0 }, NULL, NULL);

  return ph_onnx_write (file != NULL ? file : model, NULL);
}

static void
add_tensor_file (GString *out, PhTensor *tensor, const char *name, guint k, const char *folder)
{
  g_autofree char *file = g_strdup_printf ("input_%u.pb", k), *path = g_build_filename (folder, file, NULL), *data = NULL;
  g_autoptr (GBytes) bytes = NULL;
  gsize length;

  if (!ph_tensor_save (tensor, name, path, NULL) || !g_file_get_contents (path, &data, &length, NULL))
    return;
  g_unlink (path);
  bytes = g_bytes_new_take (g_steal_pointer (&data), length);
  add_file (out, bytes, file);
}

static void
add_inputs (GString *out, const PhReduced *reduced, const char *folder)
{
  guint k = 0;

  g_string_append (out, "<h2>Inputs that show it</h2>\n<table>\n");
  for (guint i = 0; i < reduced->model->graph->inputs->len; i++)
    {
      const PhValue *input = reduced->model->graph->inputs->pdata[i];
      PhTensor *tensor = g_hash_table_lookup (reduced->fault->witness, input->name);
      g_autofree char *text = tensor != NULL ? ph_tensor_to_string (tensor, ELEMENTS) : NULL,
                      *type = ph_type_to_string (input->type);

      if (tensor == NULL)
        continue;
      g_string_append (out, "<tr><th><code>");
      ph_page_append_text (out, input->name);
      g_string_append (out, "</code></th><td>");
      ph_page_append_text (out, type);
      g_string_append (out, "</td><td><code>");
      ph_page_append_text (out, text);
      g_string_append (out, "</code></td><td>");
      add_tensor_file (out, tensor, input->name, k++, folder);
      g_string_append (out, "</td></tr>\n");
    }
  g_string_append (out, "</table>\n<p>");
  {
    g_autoptr (GBytes) before = bytes_of_model (reduced->model),
                       after = reduced->fault->after != NULL ? bytes_of_model (reduced->fault->after) : NULL;

    if (before != NULL)
      add_file (out, before, "reduced.onnx");
    if (after != NULL)
      add_file (out, after, "after.onnx");
  }
  g_string_append (out, "</p>\n");
}

/* ── the text of an issue ── */

static char *
repeat_command (const PhHunt *hunt)
{
  g_autofree char *file = hunt->file != NULL ? g_shell_quote (hunt->file) : NULL;
  g_autofree char *load = file != NULL ? g_strdup_printf (" -c \"load-pass %s\"", file) : g_strdup ("");

  return g_strdup_printf ("peep reduced.onnx%s -c \"%s --verify\"", load, hunt->command);
}

static const char *
what_happens (PhFaultKind kind)
{
  static const char *const sentences[] = { "", "The results differ after the pass.", "What the pass makes cannot be computed.",
                                           "The pass writes no valid model.", "The pass fails." };

  return sentences[kind];
}

static char *
issue_text (const PhHunt *hunt)
{
  GString *out = g_string_new (NULL);
  const PhReduced *reduced = hunt->reduced;
  g_autofree char *command = repeat_command (hunt),
                  *text = reduced != NULL ? ph_onnx_text_print (reduced->model, ELEMENTS) : NULL;

  g_string_append_printf (out, "## %s%s%s: %s\n\n%s", hunt->pass, hunt->rule != NULL ? ", " : "",
                          hunt->rule != NULL ? hunt->rule : "", ph_fault_kind_name (hunt->kind), what_happens (hunt->kind));
  if (hunt->why != NULL)
    g_string_append_printf (out, " The rewrite says: \"%s\"", hunt->why);
  if (hunt->optimizer != NULL)
    g_string_append_printf (out, " It needs these of the program's own passes: %s.", hunt->optimizer);
  g_string_append (out, "\n\n");
  if (reduced != NULL && reduced->fault->expected != NULL)
    {
      g_string_append_printf (
          out, "- output `%s` %s: expected `%s`, got `%s`\n- largest absolute error: ", reduced->fault->output,
          reduced->fault->place != NULL ? reduced->fault->place : "", reduced->fault->expected, reduced->fault->actual);
      ph_number_append (out, "%g", reduced->fault->max_error);
      g_string_append_c (out, '\n');
    }
  else if (reduced != NULL && reduced->fault->message != NULL)
    g_string_append_printf (out, "```\n%s\n```\n", reduced->fault->message);
  g_string_append_printf (out, "\nTo repeat it (the model and its inputs are attached):\n\n    %s\n", command);
  if (text != NULL)
    g_string_append_printf (out, "\nThe reduced model, %u node%s:\n\n```\n%s```\n", reduced->n_nodes,
                            reduced->n_nodes == 1 ? "" : "s", text);
  g_string_append_printf (out, "\nFound with Peephole %s.\n", PACKAGE_VERSION);
  return g_string_free (out, FALSE);
}

static void
add_steps (GString *out, const PhHunt *hunt)
{
  g_string_append (
      out, "<h2>Passes, in order</h2>\n<table><tr><th>pass</th><th>rewrites</th><th>differ alone</th><th>verdict</th></tr>\n");
  for (guint i = 0; i < hunt->steps->len; i++)
    {
      const PhHuntStep *step = hunt->steps->pdata[i];
      const gboolean bad = step->fault != PH_FAULT_NONE;

      g_string_append (out, "<tr><td>");
      ph_page_append_text (out, step->name);
      g_string_append_printf (out, "</td><td>%u</td><td>%u</td><td class=%s>%s</td></tr>\n", step->n_rewrites, step->n_different,
                              bad ? "bad" : "good", bad ? ph_fault_kind_name (step->fault) : ph_verdict_name (step->verdict));
    }
  g_string_append (out, "</table>\n");
}

static void
add_versions (GString *out, const PhHunt *hunt)
{
  g_autofree char *opset = hunt->reduced != NULL ? g_strdup_printf ("%d", ph_model_file_opset (hunt->reduced->model)) : NULL;
  g_autofree char *seconds = ph_number_to_string ("%.1f", hunt->seconds),
                  *runs = g_strdup_printf ("%u runs of passes, %s seconds", hunt->n_runs, seconds);
  g_autofree char *again = hunt->n_repeated > 0 ? g_strdup_printf ("%u of %u times", hunt->n_agreeing, hunt->n_repeated) : NULL;

  g_string_append (out, "<h2>Versions and effort</h2>\n<table>\n");
  add_row (out, "Peephole", PACKAGE_VERSION);
  add_row (out, "opset of the model", opset);
  add_row (out, "hunt", runs);
  add_row (out, "shown again", again);
  g_string_append (out, "</table>\n");
}

static void
add_verdict (GString *out, const PhHunt *hunt)
{
  const PhFault *fault = hunt->reduced != NULL ? hunt->reduced->fault : NULL;
  g_autofree char *size = hunt->reduced != NULL ? g_strdup_printf ("%u node%s, after %u tr%s", hunt->reduced->n_nodes,
                                                                   hunt->reduced->n_nodes == 1 ? "" : "s", hunt->reduced->n_tests,
                                                                   hunt->reduced->n_tests == 1 ? "y" : "ies")
                                                : NULL;
  g_autofree char *error = fault != NULL && fault->max_error > 0 ? ph_number_to_string ("%g", fault->max_error) : NULL;
  g_autofree char *where = fault != NULL && fault->output != NULL
                               ? g_strdup_printf ("%s %s", fault->output, fault->place != NULL ? fault->place : "")
                               : NULL;
  g_autoptr (GString) nodes = g_string_new (NULL), others = g_string_new (NULL);

  for (guint i = 0; hunt->others != NULL && i < MIN (hunt->others->len, 12); i++)
    g_string_append_printf (others, "%s%s", i > 0 ? "; " : "", (char *) hunt->others->pdata[i]);
  for (guint i = 0; hunt->nodes != NULL && i < MIN (hunt->nodes->len, 12); i++)
    g_string_append_printf (nodes, "%s%s", i > 0 ? ", " : "", (char *) hunt->nodes->pdata[i]);
  g_string_append_printf (out, "<div class=verdict><h1><span class=bad>%s</span>: ", ph_fault_kind_name (hunt->kind));
  ph_page_append_text (out, hunt->pass);
  g_string_append_printf (out, "</h1>\n<p>%s</p>\n<table>\n", what_happens (hunt->kind));
  add_row (out, "rule", hunt->rule);
  add_row (out, "what it says", hunt->why);
  add_row (out, "of the program's own passes", hunt->optimizer);
  add_row (out, "rewrite", hunt->rewrite);
  add_row (out, "nodes", nodes->str);
  add_row (out, "differ as well", others->len > 0 ? others->str : NULL);
  add_row (out, "reduced to", size);
  add_row (out, "differs at", where);
  add_row (out, "expected", fault != NULL ? fault->expected : NULL);
  add_row (out, "got", fault != NULL ? fault->actual : NULL);
  add_row (out, "largest error", error);
  add_row (out, "note", hunt->note);
  g_string_append (out, "</table></div>\n");
  if (fault != NULL && fault->message != NULL)
    {
      g_string_append (out, "<h2>What was said</h2>\n<pre>");
      ph_page_append_text (out, fault->message);
      g_string_append (out, "</pre>\n");
    }
}

gboolean
ph_hunt_report_write (const PhHunt *hunt, const char *path, GCancellable *cancellable, GError **error)
{
  g_autofree char *folder = g_dir_make_tmp ("peephole-report-XXXXXX", error), *command = repeat_command (hunt), *issue = NULL,
                  *text = NULL;
  g_autoptr (GString) out = g_string_new (
      "<!DOCTYPE html>\n<html lang=en><head><meta charset=utf-8><meta name=viewport content=\"width=device-width\">\n<title>");
  g_autoptr (GError) own = NULL;

  if (folder == NULL)
    return FALSE;
  ph_page_append_text (out, hunt->pass);
  g_string_append_printf (out, ": %s</title>\n<style>%s</style></head>\n<body>\n", ph_fault_kind_name (hunt->kind), style);
  add_verdict (out, hunt);
  if (hunt->reduced != NULL)
    {
      add_pictures (out, hunt->reduced, folder, cancellable);
      text = ph_onnx_text_print (hunt->reduced->model, ELEMENTS);
      g_string_append (out, "<pre>");
      ph_page_append_text (out, text);
      g_string_append (out, "</pre>\n");
      add_inputs (out, hunt->reduced, folder);
    }
  g_string_append (out, "<h2>To repeat it</h2>\n<pre>");
  ph_page_append_text (out, command);
  g_string_append (out, "</pre>\n");
  add_steps (out, hunt);
  add_versions (out, hunt);
  g_string_append (out, "<h2>Text of an issue</h2>\n<textarea readonly aria-label=\"Text of an issue, in Markdown\">");
  issue = issue_text (hunt);
  ph_page_append_text (out, issue);
  g_string_append (out, "</textarea>\n</body></html>\n");
  g_rmdir (folder);
  if (!ph_replace_contents (path, out->str, out->len, &own))
    {
      g_set_error (error, PH_ERROR, PH_ERROR_FILE, "%s: cannot be written: %s", path, own->message);
      return FALSE;
    }
  return TRUE;
}
