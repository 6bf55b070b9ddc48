/* attr.c: an attribute of a node. Immutable and reference-counted.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/graph/attr.h"

#include <string.h>

#include "core/intern.h"

static PhAttr *
attr_new (const char *name, PhAttrKind kind)
{
  PhAttr *attr = g_new0 (PhAttr, 1);

  g_atomic_ref_count_init (&attr->ref_count);
  attr->name = ph_intern (name);
  attr->kind = kind;
  return attr;
}

PhAttr *
ph_attr_new_int (const char *name, gint64 value)
{
  PhAttr *attr = attr_new (name, PH_ATTR_INT);

  attr->i = value;
  return attr;
}

PhAttr *
ph_attr_new_float (const char *name, float value)
{
  PhAttr *attr = attr_new (name, PH_ATTR_FLOAT);

  attr->f = value;
  return attr;
}

/* Empty bytes of a file may have NULL for data, which nobody who reads a text expects. (transfer full) */
static GBytes *
ref_text (GBytes *bytes)
{
  return g_bytes_get_size (bytes) == 0 ? g_bytes_new_static ("", 0) : g_bytes_ref (bytes);
}

PhAttr *
ph_attr_new_string (const char *name, const char *value)
{
  PhAttr *attr = attr_new (name, PH_ATTR_STRING);

  attr->s = g_bytes_new_take (g_strdup (value), strlen (value));
  return attr;
}

PhAttr *
ph_attr_new_bytes (const char *name, PhAttrKind kind, GBytes *bytes)
{
  PhAttr *attr;

  g_return_val_if_fail (kind == PH_ATTR_STRING || kind == PH_ATTR_OPAQUE, NULL);

  attr = attr_new (name, kind);
  attr->s = ref_text (bytes);
  return attr;
}

PhAttr *
ph_attr_new_ref (const char *name, const char *ref, PhAttrKind kind)
{
  PhAttr *attr = attr_new (name, PH_ATTR_REF);

  attr->ref = ph_intern (ref);
  attr->i = kind;
  return attr;
}

PhAttr *
ph_attr_named (PhAttr *attr, const char *name)
{
  if (g_str_equal (attr->name, name))
    return ph_attr_ref (attr);
  switch (attr->kind)
    {
    case PH_ATTR_INT: return ph_attr_new_int (name, attr->i);
    case PH_ATTR_FLOAT: return ph_attr_new_float (name, attr->f);
    case PH_ATTR_STRING:
    case PH_ATTR_OPAQUE: return ph_attr_new_bytes (name, attr->kind, attr->s);
    case PH_ATTR_INTS: return ph_attr_new_ints (name, attr->ints, attr->n);
    case PH_ATTR_FLOATS: return ph_attr_new_floats (name, attr->floats, attr->n);
    case PH_ATTR_STRINGS: return ph_attr_new_strings (name, attr->strings, attr->n);
    case PH_ATTR_TENSOR: return ph_attr_new_tensor (name, attr->tensor);
    case PH_ATTR_TENSORS: return ph_attr_new_tensors (name, attr->tensors, attr->n);
    case PH_ATTR_REF: return ph_attr_new_ref (name, attr->ref, (PhAttrKind) attr->i);
    case PH_ATTR_GRAPH:
    case PH_ATTR_GRAPHS:
    default: g_return_val_if_reached (NULL);
    }
}

PhAttr *
ph_attr_new_ints (const char *name, const gint64 *values, gsize n)
{
  PhAttr *attr = attr_new (name, PH_ATTR_INTS);

  attr->n = n;
  attr->ints = g_memdup2 (values, n * sizeof *values);
  return attr;
}

PhAttr *
ph_attr_new_floats (const char *name, const float *values, gsize n)
{
  PhAttr *attr = attr_new (name, PH_ATTR_FLOATS);

  attr->n = n;
  attr->floats = g_memdup2 (values, n * sizeof *values);
  return attr;
}

PhAttr *
ph_attr_new_strings (const char *name, GBytes *const *values, gsize n)
{
  PhAttr *attr = attr_new (name, PH_ATTR_STRINGS);

  attr->n = n;
  attr->strings = g_new (GBytes *, n);
  for (gsize i = 0; i < n; i++)
    attr->strings[i] = ref_text (values[i]);
  return attr;
}

PhAttr *
ph_attr_new_tensor (const char *name, PhTensor *tensor)
{
  PhAttr *attr = attr_new (name, PH_ATTR_TENSOR);

  attr->tensor = ph_tensor_ref (tensor);
  return attr;
}

PhAttr *
ph_attr_new_tensors (const char *name, PhTensor *const *tensors, gsize n)
{
  PhAttr *attr = attr_new (name, PH_ATTR_TENSORS);

  attr->n = n;
  attr->tensors = g_new (PhTensor *, n);
  for (gsize i = 0; i < n; i++)
    attr->tensors[i] = ph_tensor_ref (tensors[i]);
  return attr;
}

PhAttr *
ph_attr_ref (PhAttr *attr)
{
  g_atomic_ref_count_inc (&attr->ref_count);
  return attr;
}

void
ph_attr_unref (PhAttr *attr)
{
  if (!g_atomic_ref_count_dec (&attr->ref_count))
    return;
  g_clear_pointer (&attr->s, g_bytes_unref);
  g_clear_pointer (&attr->tensor, ph_tensor_unref);
  for (gsize i = 0; i < attr->n && attr->strings != NULL; i++)
    g_bytes_unref (attr->strings[i]);
  for (gsize i = 0; i < attr->n && attr->tensors != NULL; i++)
    ph_tensor_unref (attr->tensors[i]);
  g_free (attr->strings);
  g_free (attr->tensors);
  g_free (attr->ints);
  g_free (attr->floats);
  g_free (attr);
}

char *
ph_attr_dup_string (const PhAttr *attr, gsize i)
{
  gsize n = 0;
  const char *bytes = g_bytes_get_data (attr->strings[i], &n);

  return g_strndup (bytes != NULL ? bytes : "", n);
}

gboolean
ph_attr_equal (const PhAttr *a, const PhAttr *b)
{
  if (a == b)
    return TRUE;
  if (a->name != b->name || a->kind != b->kind || a->n != b->n)
    return FALSE;
  switch (a->kind)
    {
    case PH_ATTR_INT: return a->i == b->i;
    case PH_ATTR_REF: return a->i == b->i && a->ref == b->ref;
    case PH_ATTR_FLOAT: return memcmp (&a->f, &b->f, sizeof a->f) == 0;
    case PH_ATTR_STRING:
    case PH_ATTR_OPAQUE: return g_bytes_equal (a->s, b->s);
    case PH_ATTR_TENSOR: return ph_tensor_equal (a->tensor, b->tensor);
    case PH_ATTR_INTS: return a->n == 0 || memcmp (a->ints, b->ints, a->n * sizeof *a->ints) == 0;
    case PH_ATTR_FLOATS: return a->n == 0 || memcmp (a->floats, b->floats, a->n * sizeof *a->floats) == 0;
    case PH_ATTR_STRINGS:
      for (gsize i = 0; i < a->n; i++)
        if (!g_bytes_equal (a->strings[i], b->strings[i]))
          return FALSE;
      return TRUE;
    case PH_ATTR_TENSORS:
      for (gsize i = 0; i < a->n; i++)
        if (!ph_tensor_equal (a->tensors[i], b->tensors[i]))
          return FALSE;
      return TRUE;
    case PH_ATTR_GRAPH:
    case PH_ATTR_GRAPHS:
    default: return FALSE;
    }
}

guint
ph_attr_hash (const PhAttr *attr)
{
  guint hash = g_direct_hash (attr->name) * 31 + attr->kind;
  guint32 bits;

  switch (attr->kind)
    {
    case PH_ATTR_INT: return hash * 31 + g_int64_hash (&attr->i);
    case PH_ATTR_REF: return hash * 31 + g_direct_hash (attr->ref);
    case PH_ATTR_FLOAT: memcpy (&bits, &attr->f, sizeof bits); return hash * 31 + bits;
    case PH_ATTR_STRING:
    case PH_ATTR_OPAQUE: return hash * 31 + g_bytes_hash (attr->s);
    case PH_ATTR_TENSOR: return hash * 31 + ph_tensor_hash (attr->tensor);
    case PH_ATTR_INTS:
      for (gsize i = 0; i < attr->n; i++)
        hash = hash * 31 + g_int64_hash (&attr->ints[i]);
      return hash;
    case PH_ATTR_FLOATS:
      for (gsize i = 0; i < attr->n; i++)
        {
          memcpy (&bits, &attr->floats[i], sizeof bits);
          hash = hash * 31 + bits;
        }
      return hash;
    case PH_ATTR_STRINGS:
      for (gsize i = 0; i < attr->n; i++)
        hash = hash * 31 + g_bytes_hash (attr->strings[i]);
      return hash;
    case PH_ATTR_TENSORS:
      for (gsize i = 0; i < attr->n; i++)
        hash = hash * 31 + ph_tensor_hash (attr->tensors[i]);
      return hash;
    case PH_ATTR_GRAPH:
    case PH_ATTR_GRAPHS:
    default: return hash;
    }
}

static void
append_float (GString *out, float value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE], format[] = "%.0g";

  for (int digits = 1; digits <= 9; digits++)
    {
      format[2] = '0' + digits;
      g_ascii_formatd (text, sizeof text, format, value);
      if ((float) g_ascii_strtod (text, NULL) == value)
        break;
    }
  g_string_append (out, text);
  if (strspn (text, "-0123456789") == strlen (text)) /* so that it reads as a float, not as an int */
    g_string_append (out, ".0");
}

static void
append_string (GString *out, GBytes *bytes)
{
  gsize n;
  const char *data = g_bytes_get_data (bytes, &n);
  g_autofree char *text = g_strndup (data, MIN (n, 64));
  g_autofree char *escaped = NULL;

  if (!g_utf8_validate (text, -1, NULL) && n <= 64)
    {
      g_string_append_printf (out, "<%" G_GSIZE_FORMAT " bytes>", n);
      return;
    }
  escaped = g_strescape (text, NULL);
  g_string_append_printf (out, "\"%s%s\"", escaped, n > 64 ? "..." : "");
}

#define MAX_ITEMS 16

char *
ph_attr_value_to_string (const PhAttr *attr)
{
  GString *out = g_string_new (NULL);
  g_autofree char *tensor = NULL;

  switch (attr->kind)
    {
    case PH_ATTR_INT: g_string_append_printf (out, "%" G_GINT64_FORMAT, attr->i); break;
    case PH_ATTR_FLOAT: append_float (out, attr->f); break;
    case PH_ATTR_STRING: append_string (out, attr->s); break;
    case PH_ATTR_TENSOR:
      tensor = ph_tensor_to_string (attr->tensor, MAX_ITEMS);
      g_string_append (out, tensor);
      break;
    case PH_ATTR_INTS:
    case PH_ATTR_FLOATS:
    case PH_ATTR_STRINGS:
    case PH_ATTR_TENSORS:
      g_string_append_c (out, '[');
      for (gsize i = 0; i < attr->n; i++)
        {
          if (i > 0)
            g_string_append (out, ", ");
          if (i == MAX_ITEMS)
            {
              g_string_append (out, "...");
              break;
            }
          if (attr->kind == PH_ATTR_INTS)
            g_string_append_printf (out, "%" G_GINT64_FORMAT, attr->ints[i]);
          else if (attr->kind == PH_ATTR_FLOATS)
            append_float (out, attr->floats[i]);
          else if (attr->kind == PH_ATTR_STRINGS)
            append_string (out, attr->strings[i]);
          else
            {
              g_autofree char *item = ph_tensor_to_string (attr->tensors[i], 4);

              g_string_append (out, item);
            }
        }
      g_string_append_c (out, ']');
      break;
    case PH_ATTR_REF: g_string_append_printf (out, "@%s", attr->ref); break;
    case PH_ATTR_OPAQUE: g_string_append_printf (out, "<%" G_GSIZE_FORMAT " bytes>", g_bytes_get_size (attr->s)); break;
    case PH_ATTR_GRAPH:
    case PH_ATTR_GRAPHS:
    default: g_string_append (out, "<graph>"); break;
    }
  return g_string_free (out, FALSE);
}
