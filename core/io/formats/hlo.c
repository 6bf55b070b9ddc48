/* hlo.c: the text of XLA's HLO.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/choose.h"
#include "core/io/format.h"
#include "core/io/hlo/hlo.h"
#include "core/io/hlo/proto.h"

/* Returns the text after leading comments. */
static const char *
first_line (const char *text)
{
  for (;;)
    {
      text += strspn (text, " \t\r\n");
      if (strncmp (text, "//", 2) != 0 && *text != '#')
        return text;
      text += strcspn (text, "\n");
    }
}

/* "%add (x: f32[]) -> f32[] {", "add {", "%y = f32[] add(f32[] %x, f32[] %x)" */
static gboolean
is_computation (const char *line)
{
  const char *p = line + (*line == '%'), *next;
  const gsize name = strspn (p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-");

  next = p + name + strspn (p + name, " ");
  if (name == 0)
    return FALSE;
  if (*next == '{')
    return strstr (next, "parameter(") != NULL || strstr (next, "ROOT ") != NULL;
  if (*next == '=')
    return strstr (next, "[") != NULL && strstr (next, "(") != NULL && *line == '%' && strchr (next, '"') == NULL;
  return *next == '(' && strstr (next, ") -> ") != NULL && strstr (next, "{") != NULL && strstr (next, "[") != NULL;
}

static guint
probe (const guint8 *head, gsize size, const char *name)
{
  g_autofree char *text = g_strndup ((const char *) head, size);
  const char *first = first_line (text);

  if (strlen (text) < size)
    return 0;
  if (g_str_has_prefix (first, "HloModule "))
    return 90;
  if (g_str_has_suffix (name, ".hlo"))
    return 85;
  return g_str_has_prefix (first, "ENTRY ") || is_computation (first) ? 70 : 0;
}

/* Leaves the module that was asked for, or all. */
static gboolean
choose_module (PhHlo *hlo, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  guint chosen;

  for (guint i = 0; i < hlo->modules->len; i++)
    g_ptr_array_add (names, (gpointer) ((const PhHloModule *) hlo->modules->pdata[i])->name);
  if (!ph_source_choose (hlo->source, names, "module", &chosen, error))
    return FALSE;
  if (chosen != G_MAXUINT)
    {
      hlo->modules->pdata[0] = hlo->modules->pdata[chosen];
      g_ptr_array_set_size (hlo->modules, 1);
    }
  else if (hlo->source->parts != NULL)
    {
      g_autofree char *list = ph_source_list_parts (hlo->source);

      ph_source_problem (hlo->source, "The file holds %u modules, each a box here; open %s/NAME opens one of them alone: %s",
                         hlo->modules->len, hlo->source->path, list);
    }
  return TRUE;
}

static PhModel *
read_model (PhSource *source, GError **error)
{
  g_autoptr (PhHlo) hlo = ph_hlo_new (source);
  g_autoptr (GBytes) bytes = ph_source_dup_bytes (source, error);
  gsize size;
  const char *text;

  if (bytes == NULL)
    return NULL;
  text = g_bytes_get_data (bytes, &size);
  if (size > 0 && *text == '#') /* comments, after which a module in protobuf's text format may follow */
    {
      g_autofree char *copy = g_strndup (text, size);

      if (ph_hlo_is_proto_text (copy))
        return ph_hlo_read_proto (hlo, (const guint8 *) text, size, error) ? ph_hlo_build (hlo, error) : NULL;
    }
  return ph_hlo_parse (hlo, text != NULL ? text : "", size, error) && choose_module (hlo, error) ? ph_hlo_build (hlo, error)
                                                                                                 : NULL;
}

/* clang-format off */
const PhFormat ph_format_hlo = {
  .name = "hlo",
  .title = "HLO text of XLA",
  .patterns = (const char *const[]){ "*.hlo", NULL },
  .mime = "text/x-hlo",
  .mime_parent = "text/plain",
  .text = TRUE, .probe = probe,
  .read = read_model,
  .write = ph_hlo_save,
  .parts = TRUE, .dialect = &ph_dialect_hlo,
};
/* clang-format on */
