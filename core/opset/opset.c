/* opset.c: the versions of ONNX's operators, and at which a model can be written.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/opset/opset.h"

#include "core/ops/op.h"
#include "core/opset/upgrade.h"

#include <string.h>

/* An operator as it is from an opset on; without @inputs it is removed. Inputs and outputs are sets of element types separated by spaces;
 * "~" marks optional ones, "+" any number. A letter is an element type, a capital with a digit one of the sets below, "o" an optional, "*"
 * anything. Versions that are equal in all of this share a row. */
typedef struct
{
  const char *op;
  int since;
  const char *inputs, *outputs, *attrs;
} Version;

static const Version versions[] = {
#include "core/opset/opset-a-l.inc"
#include "core/opset/opset-m-z.inc"
};

/* clang-format off */
static const struct { char name[3]; const char *letters; } sets[] = {
  { "F1", "fdh" }, { "F2", "fdhb" }, { "B1", "fdhilIL" }, { "B2", "fdhbilIL" }, { "N1", "fdhcsilCSIL" }, { "N2", "fdhbcsilCSIL" },
  { "A1", "fdhcsilCSIL?tx" }, { "A2", "fdhbcsilCSIL?tx" }, { "A3", "fdhbcsilCSIL?tx8" }, { "A4", "fdhbcsilCSIL?tx84" },
  { "A5", "fdhbcsilCSIL?tx842" },
};

static const char letters[PH_N_DTYPES] = {
  [PH_FLOAT] = 'f', [PH_UINT8] = 'C', [PH_INT8] = 'c', [PH_UINT16] = 'S', [PH_INT16] = 's', [PH_INT32] = 'i', [PH_INT64] = 'l',
  [PH_STRING] = 't', [PH_BOOL] = '?', [PH_FLOAT16] = 'h', [PH_DOUBLE] = 'd', [PH_UINT32] = 'I', [PH_UINT64] = 'L',
  [PH_COMPLEX64] = 'x', [PH_COMPLEX128] = 'x', [PH_BFLOAT16] = 'b', [PH_FLOAT8E4M3FN] = '8', [PH_FLOAT8E4M3FNUZ] = '8',
  [PH_FLOAT8E5M2] = '8', [PH_FLOAT8E5M2FNUZ] = '8', [PH_UINT4] = '4', [PH_INT4] = '4', [PH_FLOAT4E2M1] = '4', [PH_FLOAT8E8M0] = '8',
  [PH_UINT2] = '2', [PH_INT2] = '2',
};
/* clang-format on */

/* Finds the rows of an operator: these are adjacent, oldest first, and operators are sorted by name. */
static const Version *
find_operator (const char *name, gsize *n)
{
  gsize low = 0, high = G_N_ELEMENTS (versions);

  while (low < high)
    {
      gsize middle = (low + high) / 2;

      if (strcmp (versions[middle].op, name) < 0)
        low = middle + 1;
      else
        high = middle;
    }
  for (*n = 0; low + *n < G_N_ELEMENTS (versions) && g_str_equal (versions[low + *n].op, name);)
    (*n)++;
  return *n > 0 ? &versions[low] : NULL;
}

static gboolean lacks (char **why, const char *format, ...) G_GNUC_PRINTF (2, 3);

static gboolean
lacks (char **why, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  if (why != NULL)
    *why = g_strdup_vprintf (format, args);
  va_end (args);
  return FALSE;
}

static gboolean
is_word (const char *words, const char *word)
{
  gsize n = strlen (word);

  for (const char *p = words; (p = strstr (p, word)) != NULL; p += n)
    if ((p == words || p[-1] == ' ') && (p[n] == ' ' || p[n] == '\0'))
      return TRUE;
  return FALSE;
}

static gboolean
set_admits (const char *set, gsize n, const PhType *type)
{
  if (type == NULL || *set == '*')
    return TRUE;
  if (*set == 'o')
    return type->kind == PH_KIND_OPTIONAL;
  if (type->kind != PH_KIND_TENSOR)
    return FALSE;
  for (gsize i = 0; n == 2 && i < G_N_ELEMENTS (sets); i++)
    if (memcmp (set, sets[i].name, 2) == 0)
      return strchr (sets[i].letters, letters[type->dtype]) != NULL;
  return memchr (set, letters[type->dtype], n) != NULL;
}

/* @values: (element-type PhValue) (nullable elements). */
static gboolean
has_arguments (const char *formal, const GPtrArray *values, const char *what, const char *since, char **why)
{
  const char *token = formal;
  gboolean variadic = FALSE;

  for (guint i = 0; i < values->len || (*token != '\0' && !variadic); i++)
    {
      const PhValue *value = i < values->len ? values->pdata[i] : NULL;
      gsize n = strcspn (token, " ~+");
      gboolean optional = token[n] == '~';

      variadic = token[n] == '+';
      if (*token == '\0' && value == NULL)
        continue;
      if (*token == '\0')
        return lacks (why, "it has no %s %u%s", what, i, since);
      if (value == NULL && i >= values->len && !optional && !variadic)
        return lacks (why, "it needs its %s %u%s", what, i, since);
      if (value == NULL && !optional && !variadic && g_str_equal (what, "input"))
        return lacks (why, "it needs its %s %u%s", what, i, since);
      if (value != NULL && !set_admits (token, n, value->type))
        return lacks (why, "its %s %u cannot be %s%s", what, i,
                      value->type->kind == PH_KIND_TENSOR ? ph_dtype_name (value->type->dtype) : "a sequence", since);
      if (!variadic)
        {
          token += strcspn (token, " ");
          token += strspn (token, " ");
        }
    }
  return TRUE;
}

gboolean
ph_opset_has (const PhNode *node, int opset, char **why)
{
  gsize n;
  const Version *rows = *node->domain == '\0' && !ph_node_is_fused (node) ? find_operator (node->op_type, &n) : NULL, *row = NULL,
                *next = NULL;
  g_autofree char *since = NULL;

  if (rows == NULL)
    return TRUE;
  for (gsize i = 0; i < n && next == NULL; i++)
    if (rows[i].since <= opset)
      row = &rows[i];
    else
      next = &rows[i];
  if (row == NULL)
    return lacks (why, "ONNX has no %s before %d", node->op_type, rows[0].since);
  if (row->inputs == NULL)
    return lacks (why, "ONNX has no %s after %d", node->op_type, row->since - 1);
  since = g_strdup_printf (" at opset %d", opset);
  for (guint i = 0; i < node->attrs->len; i++)
    {
      const PhAttr *attr = node->attrs->pdata[i];

      if (!is_word (row->attrs, attr->name))
        return lacks (why, "it has no %s%s", attr->name, since);
    }
  return has_arguments (row->inputs, &node->inputs->array, "input", since, why)
         && has_arguments (row->outputs, &node->outputs->array, "output", since, why);
}

gboolean
ph_opset_reaches (const PhNode *node, int opset, char **why)
{
  gsize n;
  const Version *rows = *node->domain == '\0' && !ph_node_is_fused (node) ? find_operator (node->op_type, &n) : NULL;

  if (rows == NULL)
    return TRUE;
  if (rows[0].since > opset)
    return lacks (why, "ONNX has no %s before %d", node->op_type, rows[0].since);
  for (gsize i = 0; i < n && rows[i].since <= opset; i++)
    {
      const PhValue *first = ph_node_input (node, 0), *result = ph_node_output (node, 0);

      if (rows[i].inputs != NULL
          && (first == NULL || *rows[i].inputs == '\0'
              || set_admits (rows[i].inputs, strcspn (rows[i].inputs, " ~+"), first->type))
          && (result == NULL || *rows[i].outputs == '\0'
              || set_admits (rows[i].outputs, strcspn (rows[i].outputs, " ~+"), result->type)))
        return TRUE;
    }
  return lacks (why, "it does not take this element type up to opset %d", opset);
}

/* ── the model as a file ── */

PhModel *
ph_model_at_opset (PhModel *model, int wanted, int *opset, char **why, GError **error)
{
  const int own = ph_model_file_opset (model), form = ph_model_opset (model, "");
  g_autoptr (PhModel) upgraded = NULL;
  PhModel *from = model;

  *opset = wanted > 0 ? wanted : own;
  if (why != NULL)
    *why = NULL;
  if (wanted > PH_OPSET_LAST)
    {
      g_set_error (error, PH_ERROR, PH_ERROR_USAGE, "opset %d is not known: the newest is %d", wanted, PH_OPSET_LAST);
      return NULL;
    }
  /* The opset is that of the file, and no pass has changed the forms of its operators. */
  if (form == 0 || (*opset == form && form != PH_OPSET_NEWEST))
    return NULL;
  if (form < PH_OPSET_NEWEST)
    {
      upgraded = from = ph_model_clone (model);
      if (!ph_model_upgrade (upgraded, NULL, NULL, error))
        return NULL;
    }
  for (;;)
    {
      g_autoptr (GError) local = NULL;
      int needed = 0;
      g_autofree char *most = NULL;
      PhModel *lowered = ph_model_lowered (from, *opset, &needed, &most, &local);

      if (lowered != NULL)
        return lowered;
      if (wanted > 0 || needed <= *opset || needed > PH_OPSET_LAST)
        {
          /* An entry of the table from the same file is no more reliable than the file. */
          if (wanted > 0)
            {
              g_propagate_error (error, g_steal_pointer (&local));
              return NULL;
            }
          *opset = MAX (form, own);
          return NULL;
        }
      if (why != NULL)
        {
          g_free (*why);
          *why = g_steal_pointer (&most);
        }
      *opset = needed;
    }
}
