/* relay.c: TVM's older text, Relay. The function main, or the first one, is the main graph.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/format.h"
#include "core/io/tvm/relay.h"

static guint
probe (const guint8 *head, gsize size, const char *name)
{
  g_autofree char *text = g_strndup ((const char *) head, size);

  if (memchr (head, 0, size) != NULL)
    return 0;
  if (strstr (text, "#[version = \"0.0.") != NULL)
    return 95;
  if (name != NULL && (g_str_has_suffix (name, ".rly") || g_str_has_suffix (name, ".relay")))
    return 90;
  return strstr (text, "def @main") != NULL || strstr (text, "fn (%") != NULL ? 75 : 0;
}

static gboolean
top (PhRelay *r, PhRelayScope *main, gboolean *has_main)
{
  ph_relay_skip (r);
  if (r->end - r->p >= 2 && r->p[0] == '#' && r->p[1] == '[')
    {
      r->p += 2;
      g_free (ph_relay_raw (r, "]"));
      return ph_relay_expect (r, "]");
    }
  if (ph_relay_take (r, "Program:") || (r->end - r->p >= 2 && memcmp (r->p, "%s", 2) == 0 && (r->p += 2) != NULL))
    return TRUE;
  if (ph_relay_take (r, "extern") || ph_relay_looks (r, "type"))
    {
      ph_relay_take (r, "type");
      g_free (ph_relay_word (r));
      if (ph_relay_take (r, "["))
        {
          g_free (ph_relay_raw (r, "]"));
          ph_relay_expect (r, "]");
        }
      if (ph_relay_take (r, "{"))
        {
          g_free (ph_relay_raw (r, "}"));
          return ph_relay_expect (r, "}");
        }
      ph_relay_take (r, "=");
      ph_relay_take (r, ";");
      return r->error == NULL;
    }
  if (ph_relay_take (r, "def"))
    {
      g_autofree char *name = NULL;
      PhRelayScope scope;
      gboolean ok;

      ph_relay_skip (r);
      name = ph_relay_name (r);
      scope = (PhRelayScope) { r,
                               !*has_main && g_str_equal (name, "main")
                                   ? r->sketch->main
                                   : ph_sketch_add_function (r->sketch, PH_RELAY_FUNCTION, name),
                               g_hash_table_new (NULL, NULL) };
      *has_main = *has_main || scope.graph == r->sketch->main;
      ok = ph_relay_function (&scope);
      g_hash_table_unref (scope.names);
      return ok;
    }
  {
    const char *value = ph_relay_body (main, '\0');

    if (value != NULL)
      ph_sketch_add_output (main->graph, value);
    return value != NULL;
  }
}

static PhModel *
read_model (PhSource *source, GError **error)
{
  g_autoptr (GBytes) bytes = ph_source_dup_bytes (source, error);
  g_autoptr (PhSketch) sketch = NULL;
  g_autoptr (GHashTable) names = g_hash_table_new (NULL, NULL);
  g_autofree char *copy = NULL;
  PhRelay r = { .source = source };
  PhRelayScope main = { &r, NULL, names };
  gboolean has_main = FALSE;
  gsize size;
  const char *text = bytes != NULL ? g_bytes_get_data (bytes, &size) : NULL;

  if (text == NULL)
    return NULL;
  copy = g_strndup (text, size);
  if (strstr (copy, "%%") != NULL) /* a template, as in TVM's tests */
    {
      g_autoptr (GString) filled = g_string_new (copy);

      g_string_replace (filled, "%%", "%", 0);
      g_string_replace (filled, "%s (", "match (", 0);
      g_free (copy);
      copy = g_strdup (filled->str);
    }
  r.p = r.begin = copy;
  r.end = copy + strlen (copy);
  r.sketch = sketch = ph_sketch_new (source);
  main.graph = sketch->main;
  for (ph_relay_skip (&r); r.p < r.end && r.error == NULL; ph_relay_skip (&r))
    if (!top (&r, &main, &has_main) && r.error == NULL)
      ph_relay_fail (&r, "a definition or an expression");
  if (r.error != NULL)
    {
      g_propagate_error (error, r.error);
      return NULL;
    }
  return ph_sketch_finish (sketch, PH_RELAY, error);
}

/* clang-format off */
const PhFormat ph_format_relay = {
  .name = "relay", .title = "TVM Relay text", .patterns = (const char *const[]) { "*.rly", "*.relay", NULL },
  .mime = "text/x-relay", .mime_parent = "text/plain", .text = TRUE, .probe = probe, .read = read_model, .dialect = &ph_dialect_relay,
};
/* clang-format on */
