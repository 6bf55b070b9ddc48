/* jaxpr.c: JAX's programs in their printed form.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/format.h"
#include "core/io/jaxpr/jaxpr.h"

/* Recognises "{ lambda ; a:f32[8]. let", perhaps after "let f = ". */
static guint
probe (const guint8 *head, gsize size, const char *name)
{
  g_autofree char *text = g_strndup ((const char *) head, size);
  const char *p = text + strspn (text, " \t\r\n");

  if (g_str_has_prefix (p, "let "))
    {
      p = strchr (p, '=');
      p = p != NULL ? p + 1 + strspn (p + 1, " \t\r\n") : text;
    }
  if (*p != '{')
    return 0;
  p += 1 + strspn (p + 1, " \t\r\n");
  return g_str_has_prefix (p, "lambda") && strchr (" ;\n", p[6]) != NULL ? 92 : 0;
}

static PhModel *
read_model (PhSource *source, GError **error)
{
  g_autoptr (GBytes) bytes = ph_source_dup_bytes (source, error);
  gsize size;
  const char *text;

  if (bytes == NULL)
    return NULL;
  text = g_bytes_get_data (bytes, &size);
  return ph_jaxpr_read (source, text != NULL ? text : "", size, error);
}

/* clang-format off */
const PhFormat ph_format_jaxpr = {
  .name = "jaxpr",
  .title = "Program of JAX (jaxpr)",
  .patterns = (const char *const[]){ "*.jaxpr", NULL },
  .mime = "text/x-jaxpr",
  .mime_parent = "text/plain",
  .text = TRUE, .probe = probe,
  .read = read_model,
  .dialect = &ph_dialect_jax,
};
/* clang-format on */
