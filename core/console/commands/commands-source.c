/* commands-source.c: the source lines of a node.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/console/call-arguments.h"
#include "core/console/call-places.h"
#include "core/console/command-code.h"
#include "core/console/reply-table.h"
#include "core/document/own-text.h"

static gboolean
source (PhCall *call, GError **error)
{
  g_autofree char *file = NULL, *text = NULL, *base = NULL;
  g_auto (GStrv) lines = NULL;
  JsonArray *rows;
  PhNode *node;
  double around = 3;
  guint line, n;

  if (!ph_call_take_number (call, "--lines", &around, error) || !ph_call_need_open (call, error)
      || !ph_call_need_args (call, 0, 1, error))
    return FALSE;
  if (!(around >= 0 && around <= 1000))
    return ph_call_usage (call, error, "--lines is a number from 0 to 1000, not %g", around);
  node = call->argc > 0 ? ph_call_find_node (call, call->argv[0], error)
                        : ph_model_find_node (ph_document_get_model (call->document), ph_document_get_selection (call->document));
  if (node == NULL)
    return call->argc > 0 ? FALSE : ph_call_usage (call, error, "nothing is selected: click a node, or name one");
  file = ph_own_text_find (call->document, node, &line);
  if (file == NULL)
    return ph_node_fail (node, error, PH_ERROR_USAGE,
                         "comes from no line of the file that is open: `node` says where it comes from, if that is known");
  if ((text = ph_own_text_read (call->document, file, error)) == NULL)
    return FALSE;
  lines = g_strsplit (text, "\n", -1);
  n = g_strv_length (lines);
  base = g_path_get_basename (file);
  ph_json_set (call->reply->json, "file", file);
  json_object_set_int_member (call->reply->json, "line", line);
  rows = ph_reply_array (call->reply, "lines");
  ph_reply_say (call->reply, "%s\n", base);
  for (guint i = line > (guint) around ? line - (guint) around : 1; i <= MIN (n, line + (guint) around); i++)
    {
      const gsize length = strlen (lines[i - 1]);

      g_strchomp (lines[i - 1]);
      if (i == n && *lines[i - 1] == '\0')
        break;
      json_array_add_string_element (rows, lines[i - 1]);
      ph_reply_say (call->reply, "%s %5u  %.*s%s\n", i == line ? "->" : "  ", i, 400, lines[i - 1], length > 400 ? " ..." : "");
    }
  return TRUE;
}

static const PhCommand rows[] = {
  { "lines", "[NODE] [--lines N]", "The lines of the file that a node comes from",
    "The file's own text around the line that the node was read from, N lines before and behind it (3). What a pass made has the line of what it "
    "replaced. The window shows the whole file in the pane Source.",
    NULL, NULL, NULL, PH_CODE (source) },
};
const PhCommandGroup ph_commands_source = { rows, G_N_ELEMENTS (rows) };
