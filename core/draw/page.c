/* page.c: the document around the picture: styles, controls, script.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "config.h"
#include "core/draw/export.h"
#include "core/draw/page-private.h"
#include "core/replace.h"
#include "core/scene/scene.h"
#include "ph-page.h"

#define ICON(path)                                                       \
  "<svg width=\"16\" height=\"16\" aria-hidden=\"true\"><path d=\"" path \
  "\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"2\" stroke-linecap=\"round\" stroke-linejoin=\"round\"/></svg>"

void
ph_page_append_text (GString *out, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1), *escaped = NULL;

  for (char *at = valid; *at != '\0'; at++)
    if (((guchar) *at < ' ' && *at != '\n' && *at != '\t') || *at == 0x7f)
      *at = ' ';
  escaped = g_markup_escape_text (valid, -1);
  g_string_append (out, escaped);
}

/* ── colours ── */

static void
add_color (GString *out, const char *name, PhColor color)
{
  g_string_append_printf (out, "--%s:#%02x%02x%02x", name, (guint) lround (color.red * 255), (guint) lround (color.green * 255),
                          (guint) lround (color.blue * 255));
  if (color.alpha < 1)
    g_string_append_printf (out, "%02x", (guint) lround (color.alpha * 255));
  g_string_append_c (out, ';');
}

static void
add_theme (GString *out, PhTheme theme)
{
  add_color (out, "bg", ph_theme_background (theme));
  add_color (out, "fg", ph_theme_text (theme));
  add_color (out, "accent", ph_theme_accent (theme));
  add_color (out, "added", ph_theme_change (theme, PH_CHANGE_ADDED));
  add_color (out, "removed", ph_theme_change (theme, PH_CHANGE_REMOVED));
  add_color (out, "changed", ph_theme_change (theme, PH_CHANGE_CHANGED));
  add_color (out, "activation", ph_family_color (PH_FAMILY_ACTIVATION, theme));
  for (PhFamily family = 0; family < PH_N_FAMILIES; family++)
    {
      g_autofree char *name = g_strdup_printf ("f%d", family);

      add_color (out, name, ph_family_color (family, theme));
    }
  g_string_append_printf (out, "--card:%s;--bar:%s;color-scheme:%s", theme == PH_THEME_DARK ? "#303034" : "#fff",
                          theme == PH_THEME_DARK ? "#2a2a2e" : "#ebebed", theme == PH_THEME_DARK ? "dark" : "light");
}

static void
add_resource (GString *out, const char *path)
{
  g_autoptr (GBytes) bytes = g_resource_lookup_data (ph_page_get_resource (), path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
  gsize size = 0;
  const char *text = bytes != NULL ? g_bytes_get_data (bytes, &size) : NULL;

  if (text != NULL)
    g_string_append_len (out, text, (gssize) size);
}

static void
add_styles (GString *out)
{
  g_string_append (out, "<style>:root{");
  add_theme (out, PH_THEME_LIGHT);
  g_string_append (out, "}\n@media(prefers-color-scheme:dark){:root:not([data-theme=light]){");
  add_theme (out, PH_THEME_DARK);
  g_string_append (out, "}}\n:root[data-theme=dark]{");
  add_theme (out, PH_THEME_DARK);
  g_string_append (out, "}\n");
  for (PhFamily family = 0; family < PH_N_FAMILIES; family++)
    g_string_append_printf (out, ".f%d{--f:var(--f%d)}", family, family);
  g_string_append_c (out, '\n');
  add_resource (out, "/org/peephole/page/page.css");
  g_string_append (out, "</style>\n");
}

static void
add_button (GString *out, const char *id, const char *label, const char *title, const char *more)
{
  g_string_append_printf (out, "<button id=\"%s\" class=\"tool\" type=\"button\" title=\"%s\" aria-label=\"%s\"%s>%s</button>\n",
                          id, title, title, more, label);
}

static void
add_controls (GString *out, const char *title, const char *position)
{
  g_string_append (out, "<header>\n");
  add_button (out, "list", ICON ("M2 4h12M2 8h12M2 12h12"), "Steps", "");
  g_string_append (out, "<div><h1>");
  ph_page_append_text (out, title);
  g_string_append (out, "</h1><div id=\"where\" role=\"status\">");
  ph_page_append_text (out, position);
  g_string_append (
      out,
      "</div></div>\n<span id=\"found\" class=\"tool\" role=\"status\"></span><input id=\"find\" class=\"tool\" type=\"search\" "
      "placeholder=\"Search\" aria-label=\"Search in the picture\">\n");
  add_button (out, "diff", ICON ("M5 2v6M2 5h6M8 12h6"), "Changes (c)", " aria-pressed=\"true\"");
  add_button (out, "fit", ICON ("M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4"), "Fit the picture (f)", "");
  add_button (out, "theme", ICON ("M13 9.5A5.5 5.5 0 1 1 6.5 3 4.5 4.5 0 0 0 13 9.5z"), "Light or dark (t)", "");
  g_string_append (out, "</header>\n");
}

static void
add_footer (GString *out)
{
  g_string_append (out, "<footer>\n");
  add_button (out, "first", ICON ("M3 2v12M13 2.5 7 8l6 5.5"), "First position (Home)", "");
  add_button (out, "back", ICON ("M10.5 2.5 5 8l5.5 5.5"), "A step back (Left)", "");
  add_button (out, "next", ICON ("M5.5 2.5 11 8l-5.5 5.5"), "A step on (Right)", "");
  add_button (out, "end", ICON ("M13 2v12M3 2.5 9 8l-6 5.5"), "Last position (End)", "");
  g_string_append (out, "<input id=\"slider\" type=\"range\" step=\"1\" aria-label=\"Position in the history\">\n</footer>\n");
}

char *
ph_page_print (const PhPageOptions *options, PhRenderFacts *facts, GCancellable *cancellable, GError **error)
{
  PhHistory *history = options->history;
  const int first = history != NULL ? ph_scene_time (history, options->from) : 0,
            last = history != NULL ? ph_scene_time (history, options->to) : 0;
  g_autofree char *at = ph_position_to_string (options->to), *position = NULL;
  g_autoptr (PhScene) scene = NULL;
  g_autoptr (GString) ends = g_string_new ("{");
  GString *out;

  if (first > last)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_USAGE, "a page goes from an earlier position to a later one");
      return NULL;
    }
  scene = ph_scene_new_of (ph_record_new (options->model, history, options->inside, cancellable), &options->scene, cancellable,
                           error);
  if (scene == NULL)
    return NULL;
  if (facts != NULL)
    {
      facts->drawn_by = ph_scene_drawn_by (scene, &facts->ms);
      ph_scene_count_faults (scene, last, &facts->crossings, &facts->over);
    }
  position = g_strdup_printf ("position %s of %u", at, history != NULL ? history->steps->len : 0);
  out = g_string_new (
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
      "<meta name=\"generator\" content=\"Peephole " PACKAGE_VERSION "\"><title>");
  ph_page_append_text (out, options->title);
  g_string_append (out, "</title>\n");
  add_styles (out);
  g_string_append (out, "</head>\n<body>\n");
  add_controls (out, options->title, position);
  g_string_append (out, "<nav id=\"side\" aria-label=\"Steps\"><div id=\"steps\"><ol>\n");
  ph_page_add_steps (out, history, first, last);
  g_string_append (out, "</ol></div><div id=\"rewrites\" class=\"tool\"></div></nav>\n<main id=\"stage\">");
  ph_page_add_picture (out, scene, first, last, ends);
  g_string_append_c (ends, '}');
  g_string_append (out, "</main>\n<aside id=\"inspector\" class=\"tool\" aria-label=\"What is chosen\"></aside>\n");
  add_footer (out);
  g_string_append (out, "<script type=\"application/json\" id=\"data\">");
  ph_page_add_facts (out, options, scene, first, last, ends->str);
  g_string_append (out, "</script>\n<script>");
  add_resource (out, "/org/peephole/page/page.js");
  g_string_append (out, "</script>\n</body></html>\n");
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    {
      g_string_free (out, TRUE);
      return NULL;
    }
  return g_string_free (out, FALSE);
}

gboolean
ph_page_save (const PhPageOptions *options, const char *path, PhRenderFacts *facts, GCancellable *cancellable, GError **error)
{
  g_autofree char *text = ph_page_print (options, facts, cancellable, error);
  g_autoptr (GError) own = NULL;

  if (text == NULL)
    return FALSE;
  if (ph_replace_contents (path, text, strlen (text), &own))
    return TRUE;
  {
    g_autofree char *name = g_filename_display_name (path);

    g_set_error (error, PH_ERROR, PH_ERROR_FILE, "%s: cannot be written: %s. What was there before is untouched", name,
                 own->message);
  }
  return FALSE;
}
