/* node.c: queries of a node: its inputs and outputs, name and attributes, and errors about it.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/graph/graph-private.h"

#include <string.h>

PhValue *
ph_node_input (const PhNode *node, guint i)
{
  return i < node->inputs->len ? g_ptr_array_index (node->inputs, i) : NULL;
}

PhValue *
ph_node_output (const PhNode *node, guint i)
{
  return i < node->outputs->len ? g_ptr_array_index (node->outputs, i) : NULL;
}

PhGraph *
ph_node_graph (const PhNode *node, const char *attr)
{
  for (guint i = 0; node->graphs != NULL && i < node->graphs->len; i++)
    {
      PhGraph *graph = g_ptr_array_index (node->graphs, i);
      if (strcmp (graph->attr, attr) == 0)
        return graph;
    }
  return NULL;
}

gboolean
ph_node_is (const PhNode *node, const PhOp *op)
{
  return node->op == op && op != NULL;
}

gboolean
ph_node_is_tied (const PhNode *node)
{
  return node->control != NULL || node->followers != NULL;
}

gboolean
ph_node_is_own (const PhNode *node)
{
  return strcmp (node->domain, PH_OWN_DOMAIN) == 0;
}

/* Returns TRUE if @node is equivalent to one run of its body. This is only known of fused nodes: other operators may use their body in any
 * way. */
gboolean
ph_node_is_fused (const PhNode *node)
{
  return node->op == NULL && node->graphs != NULL && node->graphs->len == 1
         && (ph_node_is_own (node) || (strcmp (node->op_type, "fusion") == 0 && strcmp (node->domain, "hlo") == 0))
         && strcmp (((PhGraph *) node->graphs->pdata[0])->attr, "body") == 0;
}

char *
ph_node_label (const PhNode *node)
{
  const char *dot = *node->domain != '\0' ? "." : "";

  if (*node->name != '\0')
    return g_strdup_printf ("n%u %s%s%s '%s'", node->id, node->domain, dot, node->op_type, node->name);
  return g_strdup_printf ("n%u %s%s%s", node->id, node->domain, dot, node->op_type);
}

void
ph_node_fail_valist (const PhNode *node, GError **error, PhError code, const char *format, va_list args)
{
  g_autofree char *label = ph_node_label (node), *message = g_strdup_vprintf (format, args);

  g_set_error (error, PH_ERROR, code, "%s: %s", label, message);
}

gboolean
ph_node_fail (const PhNode *node, GError **error, PhError code, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  ph_node_fail_valist (node, error, code, format, args);
  va_end (args);
  return FALSE;
}

char *
ph_node_scope (const PhNode *node)
{
  const char *start = node->name, *end;

  while (*start == '/')
    start++;
  end = strrchr (start, '/');
  return end != NULL ? g_strndup (start, (gsize) (end - start)) : g_strdup ("");
}

char *
ph_node_block (const PhNode *node)
{
  const char *other = node->op == NULL ? ph_node_attr_string (node, PH_BLOCK_ATTR, NULL) : NULL;

  return other != NULL ? g_strdup (other) : ph_node_scope (node);
}

static PhValue *
linked_value (const PhNode *node, GBytes *text)
{
  gsize size;
  const char *from = g_bytes_get_data (text, &size), *end = from != NULL ? g_strstr_len (from, (gssize) size, " from ") : NULL;
  g_autofree char *name = g_strndup (from != NULL ? from : "", end != NULL ? (gsize) (end - from) : size);

  return ph_graph_find_value_named (node->graph, name);
}

GPtrArray *
ph_node_links (const PhNode *node)
{
  const PhAttr *attr = node->op == NULL ? ph_node_attr (node, PH_LINKS_ATTR) : NULL;
  GPtrArray *links = NULL;

  for (guint i = 0; attr != NULL && attr->kind == PH_ATTR_STRINGS && i < attr->n; i++)
    {
      PhValue *value = linked_value (node, attr->strings[i]);

      if (value == NULL)
        continue;
      if (links == NULL)
        links = g_ptr_array_new ();
      g_ptr_array_add (links, value);
    }
  return links;
}

PhAttr *
ph_node_attr (const PhNode *node, const char *name)
{
  for (guint i = 0; i < node->attrs->len; i++)
    {
      PhAttr *attr = g_ptr_array_index (node->attrs, i);
      if (strcmp (attr->name, name) == 0)
        return attr;
    }
  return NULL;
}

gint64
ph_node_attr_int (const PhNode *node, const char *name, gint64 fallback)
{
  const PhAttr *attr = ph_node_attr (node, name);
  return attr != NULL && attr->kind == PH_ATTR_INT ? attr->i : fallback;
}

float
ph_node_attr_float (const PhNode *node, const char *name, float fallback)
{
  const PhAttr *attr = ph_node_attr (node, name);
  return attr != NULL && attr->kind == PH_ATTR_FLOAT ? attr->f : fallback;
}

const char *
ph_node_attr_string (const PhNode *node, const char *name, const char *fallback)
{
  const PhAttr *attr = ph_node_attr (node, name);
  g_autofree char *copy = NULL;
  gsize size;
  const char *bytes;

  if (attr == NULL || attr->kind != PH_ATTR_STRING || attr->s == NULL)
    return fallback;
  bytes = g_bytes_get_data (attr->s, &size);
  copy = g_strndup (bytes != NULL ? bytes : "", size);
  return ph_intern (copy);
}

const gint64 *
ph_node_attr_ints (const PhNode *node, const char *name, gsize *n)
{
  const PhAttr *attr = ph_node_attr (node, name);

  if (attr == NULL || attr->kind != PH_ATTR_INTS)
    {
      *n = 0;
      return NULL;
    }
  *n = attr->n;
  return attr->ints;
}
