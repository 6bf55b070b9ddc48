/* hlo.c: modules of HLO: ownership of their parts, element types, shapes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/hlo/hlo.h"

#include <string.h>

PhHlo *
ph_hlo_new (PhSource *source)
{
  PhHlo *hlo = g_new (PhHlo, 1);

  *hlo = (PhHlo) {
    .source = source,
    .modules = g_ptr_array_new (),
    .owned = g_ptr_array_new_with_free_func (g_free),
    .arrays = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref),
    .ptr_arrays = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref),
    .attrs = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_attr_unref),
    .tensors = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_tensor_unref),
    .tables = g_ptr_array_new_with_free_func ((GDestroyNotify) g_hash_table_unref),
    .errors = g_ptr_array_new_with_free_func ((GDestroyNotify) g_error_free),
  };
  return hlo;
}

void
ph_hlo_free (PhHlo *hlo)
{
  g_ptr_array_unref (hlo->modules);
  g_ptr_array_unref (hlo->errors);
  g_ptr_array_unref (hlo->tables);
  g_ptr_array_unref (hlo->tensors);
  g_ptr_array_unref (hlo->attrs);
  g_ptr_array_unref (hlo->ptr_arrays);
  g_ptr_array_unref (hlo->arrays);
  g_ptr_array_unref (hlo->owned);
  g_free (hlo);
}

gpointer
ph_hlo_alloc (PhHlo *hlo, gsize size)
{
  const gsize padded = (size + 15) & ~(gsize) 15;

  if (hlo->room == NULL || (gsize) (hlo->end - hlo->room) < padded)
    {
      const gsize chunk = MAX (padded, 64 * 1024);

      hlo->room = g_malloc0 (chunk);
      hlo->end = hlo->room + chunk;
      g_ptr_array_add (hlo->owned, hlo->room);
    }
  hlo->room += padded;
  return hlo->room - padded;
}

GArray *
ph_hlo_array (PhHlo *hlo, gsize size)
{
  GArray *array = g_array_new (FALSE, TRUE, (guint) size);

  g_ptr_array_add (hlo->arrays, array);
  return array;
}

GPtrArray *
ph_hlo_ptr_array (PhHlo *hlo)
{
  GPtrArray *array = g_ptr_array_new ();

  g_ptr_array_add (hlo->ptr_arrays, array);
  return array;
}

PhHloModule *
ph_hlo_add_module (PhHlo *hlo, const char *name)
{
  PhHloModule *module = ph_hlo_alloc (hlo, sizeof *module);

  module->name = name;
  module->computations = ph_hlo_ptr_array (hlo);
  module->by_name = g_hash_table_new (NULL, NULL);
  g_ptr_array_add (hlo->tables, module->by_name);
  g_ptr_array_add (hlo->modules, module);
  return module;
}

void
ph_hlo_break_module (PhHlo *hlo, PhHloModule *module, GError *error)
{
  g_ptr_array_add (hlo->errors, error);
  module->error = error;
}

gboolean
ph_hlo_note_broken (PhHlo *hlo, gboolean others, GError **error)
{
  guint n = 0;

  for (guint i = 0; i < hlo->modules->len; i++)
    {
      const PhHloModule *module = hlo->modules->pdata[i];

      if (module->error != NULL && !others)
        {
          g_propagate_error (error, g_error_copy (module->error));
          return FALSE;
        }
      n += module->error != NULL;
      if (module->error != NULL && n <= 10)
        ph_source_problem (hlo->source, "Module %u, '%s', was left out: %s", i + 1, module->name, module->error->message);
    }
  if (n > 10)
    ph_source_problem (hlo->source, "%u more modules were left out", n - 10);
  return TRUE;
}

gsize
ph_hlo_count (const PhHlo *hlo)
{
  gsize n = 0;

  for (guint i = 0; i < hlo->modules->len; i++)
    {
      const PhHloModule *module = hlo->modules->pdata[i];

      for (guint j = 0; j < module->computations->len; j++)
        n += ((const PhHloComputation *) module->computations->pdata[j])->instructions->len;
    }
  return n;
}

PhHloComputation *
ph_hlo_add_computation (PhHlo *hlo, PhHloModule *module, const char *name)
{
  PhHloComputation *computation = ph_hlo_alloc (hlo, sizeof *computation);

  computation->name = name;
  computation->instructions = ph_hlo_ptr_array (hlo);
  if (module != NULL)
    {
      g_ptr_array_add (module->computations, computation);
      g_hash_table_insert (module->by_name, (gpointer) name, computation);
    }
  return computation;
}

PhHloInstruction *
ph_hlo_new_instruction (PhHlo *hlo, const char *name)
{
  PhHloInstruction *instruction = ph_hlo_alloc (hlo, sizeof *instruction);

  instruction->name = name;
  instruction->number = -1;
  instruction->operands = ph_hlo_array (hlo, sizeof (char *));
  instruction->attrs = ph_hlo_ptr_array (hlo);
  instruction->calls = ph_hlo_array (hlo, sizeof (PhHloCall));
  instruction->after = ph_hlo_array (hlo, sizeof (char *));
  return instruction;
}

void
ph_hlo_add_attr (PhHlo *hlo, PhHloInstruction *instruction, PhAttr *attr)
{
  g_ptr_array_add (hlo->attrs, attr);
  for (guint i = 0; i < instruction->attrs->len; i++)
    if (((PhAttr *) instruction->attrs->pdata[i])->name == attr->name)
      return;
  g_ptr_array_add (instruction->attrs, attr);
}

void
ph_hlo_add_ints (PhHlo *hlo, PhHloInstruction *instruction, const char *name, const GArray *values)
{
  ph_hlo_add_attr (hlo, instruction, ph_attr_new_ints (name, (const gint64 *) (gpointer) values->data, values->len));
}

const char *
ph_hlo_body_name (const char *opcode, const char *attr, guint index)
{
  g_autofree char *numbered = NULL;

  if (g_str_equal (opcode, "fusion"))
    return ph_intern ("body");
  if (g_str_equal (attr, "body"))
    return ph_intern (g_str_equal (opcode, "while") ? "body" : "to_apply");
  if (g_str_equal (attr, "branch_computations"))
    numbered = g_strdup_printf ("branch_%u", index);
  else if (g_str_equal (attr, "called_computations") || index > 0)
    numbered = g_strdup_printf ("computation_%u", index);
  return ph_intern (numbered != NULL ? numbered : attr);
}

const char *
ph_hlo_scope (const char *op_name)
{
  const char *end = strrchr (op_name, '/');
  g_autofree char *scope = end != NULL && end > op_name ? g_strndup (op_name, (gsize) (end - op_name)) : NULL;

  return scope != NULL ? ph_intern (scope) : NULL;
}

/* ── shapes ─────────────────────────────────────────────────────────────────────────────────────────────────────── */

PhDType
ph_hlo_dtype (const char *element)
{
  static const struct
  {
    const char *name;
    PhDType dtype;
  } names[] = {
    { "pred", PH_BOOL },
    { "s2", PH_INT2 },
    { "s4", PH_INT4 },
    { "s8", PH_INT8 },
    { "s16", PH_INT16 },
    { "s32", PH_INT32 },
    { "s64", PH_INT64 },
    { "u2", PH_UINT2 },
    { "u4", PH_UINT4 },
    { "u8", PH_UINT8 },
    { "u16", PH_UINT16 },
    { "u32", PH_UINT32 },
    { "u64", PH_UINT64 },
    { "f16", PH_FLOAT16 },
    { "bf16", PH_BFLOAT16 },
    { "f32", PH_FLOAT },
    { "f64", PH_DOUBLE },
    { "c64", PH_COMPLEX64 },
    { "c128", PH_COMPLEX128 },
    { "f8e4m3fn", PH_FLOAT8E4M3FN },
    { "f8e4m3fnuz", PH_FLOAT8E4M3FNUZ },
    { "f8e5m2", PH_FLOAT8E5M2 },
    { "f8e5m2fnuz", PH_FLOAT8E5M2FNUZ },
    { "f4e2m1fn", PH_FLOAT4E2M1 },
    { "f8e8m0fnu", PH_FLOAT8E8M0 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (names[i].name, element))
      return names[i].dtype;
  return PH_UNDEFINED;
}

/* Returns TRUE for the default layout, such as "2,1,0" for three dimensions. */
static gboolean
is_plain_layout (const char *layout, guint rank)
{
  for (guint i = rank; i-- > 0;)
    {
      char *end;

      if (!g_ascii_isdigit (*layout) || strtoul (layout, &end, 10) != i)
        return FALSE;
      layout = end + (i > 0 && *end == ',');
    }
  return *layout == '\0';
}

PhHloShape *
ph_hlo_array_shape (PhHlo *hlo, const char *element, const gint64 *dims, const gboolean *dynamic, guint rank, const char *layout)
{
  PhHloShape *shape = ph_hlo_alloc (hlo, sizeof *shape);
  const PhDType dtype = ph_hlo_dtype (element);
  gboolean open = FALSE;
  PhDim known[PH_MAX_RANK];

  shape->n_leaves = 1;
  for (guint i = 0; i < rank; i++)
    {
      known[i] = dynamic[i] ? PH_DIM_UNKNOWN : PH_DIM (dims[i]);
      open = open || dynamic[i];
    }
  if (dtype != PH_UNDEFINED)
    shape->type = ph_type_tensor (dtype, rank, known);
  if (layout != NULL && !is_plain_layout (layout, rank))
    shape->layout = ph_intern (layout);
  if (dtype == PH_UNDEFINED || open)
    {
      g_autoptr (GString) text = g_string_new (element);

      g_string_append_c (text, '[');
      for (guint i = 0; i < rank; i++)
        {
          g_string_append (text, i > 0 ? "," : "");
          if (dims[i] < 0)
            g_string_append_c (text, '?');
          else
            g_string_append_printf (text, "%s%" G_GINT64_FORMAT, dynamic[i] ? "<=" : "", dims[i]);
        }
      g_string_append_c (text, ']');
      shape->text = ph_intern (text->str);
    }
  return shape;
}

PhHloShape *
ph_hlo_tuple_shape (PhHlo *hlo, PhHloShape *const *items, guint n)
{
  PhHloShape *shape = ph_hlo_alloc (hlo, sizeof *shape);

  shape->tuple = TRUE;
  shape->n_items = n;
  shape->items = ph_hlo_alloc (hlo, n * sizeof *items + 1);
  for (guint i = 0; i < n; i++)
    {
      shape->items[i] = items[i];
      shape->n_leaves += items[i]->n_leaves;
    }
  return shape;
}

const PhHloShape *
ph_hlo_implied_shape (PhHloModule *module, const PhHloInstruction *instruction, const PhHloShape *operand)
{
  const PhHloCall *call = instruction->calls->len == 1 ? &g_array_index (instruction->calls, PhHloCall, 0) : NULL;
  const PhHloComputation *computation = call == NULL           ? NULL
                                        : call->inside != NULL ? call->inside
                                                               : g_hash_table_lookup (module->by_name, call->name);

  if (g_str_equal (instruction->opcode, "while"))
    return operand;
  return computation != NULL && computation->root != NULL
                 && (g_str_equal (instruction->opcode, "call") || g_str_equal (instruction->opcode, "fusion"))
             ? computation->root->shape
             : NULL;
}
