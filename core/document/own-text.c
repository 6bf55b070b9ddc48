/* own-text.c: the text of the open file, and the lines from which nodes came.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/document/own-text.h"

#include <string.h>

#define MAX_BYTES (8 << 20)

/* Returns the location in the text of the open file or program. (nullable) */
static const PhWhere *
own_place (PhDocument *document, const PhWhere *where)
{
  const char *program = ph_document_get_program (document, NULL);

  while (where != NULL && (program != NULL ? strcmp (where->file, program) != 0 : !where->own))
    where = where->outer;
  return where;
}

/* Returns the path of the file of @where, which has the path that the reader used or only a name. */
static char *
file_of (PhDocument *document, const PhWhere *where)
{
  const char *path = ph_document_get_path (document);
  g_autofree char *name = NULL, *own = NULL, *inside = NULL;

  where = own_place (document, where);
  if (where != NULL && where->line > 0 && ph_document_get_program (document, NULL) != NULL)
    return g_strdup (where->file);
  if (path == NULL || where == NULL || where->line == 0)
    return NULL;
  name = g_path_get_basename (where->file);
  own = g_path_get_basename (path);
  if (strcmp (name, own) == 0 && !g_file_test (path, G_FILE_TEST_IS_DIR))
    return g_strdup (path);
  inside = g_build_filename (path, name, NULL); /* files outside the folder of dumps are not read */
  return g_file_test (inside, G_FILE_TEST_IS_REGULAR) ? g_steal_pointer (&inside) : NULL;
}

static guint
line_of (PhDocument *document, const PhWhere *where)
{
  where = own_place (document, where);
  return where != NULL ? where->line : 0;
}

char *
ph_own_text_find (PhDocument *document, const PhNode *node, guint *line)
{
  *line = line_of (document, node->where);
  return file_of (document, node->where);
}

char *
ph_own_text_read (PhDocument *document, const char *file, GError **error)
{
  const char *program_text = NULL, *program = ph_document_get_program (document, &program_text);
  g_autofree char *text = NULL;
  g_autoptr (GError) reason = NULL;
  gsize size;

  /* the text as compiled, even if the file changed since */
  if (program != NULL && strcmp (program, file) == 0)
    return g_strdup (program_text);
  if (!g_file_get_contents (file, &text, &size, &reason))
    g_set_error (error, PH_ERROR, PH_ERROR_FILE, "%s: %s", file, reason->message);
  else if (memchr (text, 0, size) != NULL || !g_utf8_validate (text, (gssize) size, NULL))
    g_set_error (error, PH_ERROR, PH_ERROR_UNSUPPORTED, "%s is not a text: `print` shows the model as one", file);
  else if (size > MAX_BYTES)
    g_set_error (error, PH_ERROR, PH_ERROR_UNSUPPORTED, "%s is too long to be shown: %" G_GSIZE_FORMAT " MB", file, size >> 20);
  else
    return g_steal_pointer (&text);
  return NULL;
}

PhNode *
ph_own_text_node (PhDocument *document, const char *file, guint line)
{
  PhModel *model = ph_document_get_model (document);
  g_autoptr (GPtrArray) nodes = model != NULL ? ph_model_nodes (model) : g_ptr_array_new ();
  const PhWhere *known = NULL;
  gboolean same = FALSE;
  PhNode *nearest = NULL;

  for (guint i = 0; i < nodes->len; i++)
    {
      PhNode *node = nodes->pdata[i];
      const guint at = line_of (document, node->where);

      if (at == 0 || at > line || (nearest != NULL && at <= line_of (document, nearest->where)))
        continue;
      if (known == NULL || known->file != node->where->file)
        {
          g_autofree char *of = file_of (document, node->where);

          same = g_strcmp0 (of, file) == 0;
          known = node->where;
        }
      if (same)
        nearest = node;
    }
  return nearest;
}
