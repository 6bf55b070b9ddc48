/* bytecode-ops.c: the operations of MLIR's binary form, written as text in the generic form.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/mlir/bytecode-text.h"

/* What an operation has. */
enum
{
  HAS_ATTRS = 1 << 0,
  HAS_RESULTS = 1 << 1,
  HAS_OPERANDS = 1 << 2,
  HAS_SUCCESSORS = 1 << 3,
  HAS_REGIONS = 1 << 4,
  HAS_USE_ORDERS = 1 << 5,
  HAS_PROPERTIES = 1 << 6
};

/* How a value is called: "%arg0", "%3", "%3#1". */
typedef struct
{
  guint number; /* from 1; 0: it has no name yet                   */
  guint result; /* from 1, of an operation of several results; or 0 */
  gboolean is_argument;
} Name;

typedef struct
{
  PhMlirCode *code;
  GString *out;
  GArray *values; /* (element-type Name) of the regions around                    */
  guint base;     /* where those of the isolated region begin                     */
  guint last_value, last_argument, last_block, n_ops, depth;
} Writer;

typedef struct
{
  guint next, end;   /* in Writer.values: those that the region defines          */
  guint first_block; /* the number of its first block in the text                */
  guint n_blocks;
  gboolean of_function;
} Region;

#define CHANNEL_END ", type = 0>" /* the type follows, where it is said */

static void
write_attr (Writer *self, gboolean vhlo, const char *name, const char *value, guint *n)
{
  if (vhlo && ph_mlir_vhlo_is_default (name, value))
    return;
  ph_mlir_code_spend (self->code, strlen (name) + strlen (value) + 8);
  if (vhlo && g_str_equal (name, "channel_id"))
    g_string_append_printf (self->out, "%schannel_handle = #stablehlo.channel_handle<handle = %.*s" CHANNEL_END,
                            (*n)++ > 0 ? ", " : "", (int) strcspn (value, " "), value);
  else if (vhlo && g_str_equal (name, "channel_type") && g_str_has_suffix (self->out->str, CHANNEL_END))
    {
      g_string_truncate (self->out, self->out->len - strlen ("0>"));
      g_string_append_printf (self->out, "%.*s>", (int) strcspn (value, " "), value);
    }
  else if (g_str_equal (value, "unit"))
    g_string_append_printf (self->out, "%s%s", (*n)++ > 0 ? ", " : "", name);
  else
    g_string_append_printf (self->out, "%s%s = %s", (*n)++ > 0 ? ", " : "", name, value);
}

/* What is stored here as a dictionary is written out one by one: of VHLO's operations what StableHLO leaves out is left out. */
static void
write_dictionary (Writer *self, guint64 index, gboolean vhlo, guint *n)
{
  PhMlirCode *code = self->code;
  const char *whole = ph_mlir_attr_text (code, index);
  const PhMlirEntry *entry;
  PhMlirBytes bytes;
  guint count;

  if (code->error != NULL)
    return;
  entry = &g_array_index (code->attrs, PhMlirEntry, index);
  bytes = ph_mlir_bytes (code, entry->span);
  if (!entry->custom || !g_str_equal (code->dialects->pdata[entry->dialect], "builtin") || ph_mlir_take_number (&bytes) != 1)
    {
      const gsize length = strlen (whole); /* text: "{a = 1}" */

      if (length > 2 && whole[0] == '{' && ph_mlir_code_spend (code, length))
        g_string_append_printf (self->out, "%s%.*s", (*n)++ > 0 ? ", " : "", (int) MIN (length - 2, G_MAXINT), whole + 1);
      return;
    }
  count = ph_mlir_take_count (&bytes);
  for (guint i = 0; i < count && code->error == NULL; i++)
    {
      const char *name = ph_mlir_take_attr (&bytes), *value = ph_mlir_take_attr (&bytes);
      g_autoptr (GString) key = g_string_new (NULL);

      ph_mlir_write_key (key, name);
      write_attr (self, vhlo, key->str, value, n);
    }
}

/* Returns the names of the properties of @op in the order in which they are stored, "?" behind those that may be missing; NULL: unknown. */
static const char *
native_names (const char *op)
{
  /* clang-format off */
  static const struct { const char *op, *names; } layouts[] = {
    { "builtin.module", "sym_name? sym_visibility?" },
    { "func.call", "callee" },
    { "func.func", "arg_attrs? function_type no_inline? res_attrs? sym_name sym_visibility?" },
    { "sdy.manual_computation", "in_shardings manual_axes out_shardings" },
    { "sdy.mesh", "mesh sym_name" },
    { "sdy.reshard", "sharding" },
    { "sdy.sharding_constraint", "sharding" },
  };
  /* clang-format on */

  for (gsize i = 0; i < G_N_ELEMENTS (layouts); i++)
    if (g_str_equal (layouts[i].op, op))
      return layouts[i].names;
  return g_str_has_prefix (op, "vhlo.") ? ph_mlir_vhlo_properties (op) : NULL;
}

/* Says that the properties of @op cannot be read, which those of an operation that is computed have to be. */
static void
note_unread (PhMlirCode *code, PhMlirOpName *op)
{
  static const char *const computed[] = { "stablehlo.", "chlo.", "mhlo." };

  for (guint i = 0; i < G_N_ELEMENTS (computed); i++)
    if (g_str_has_prefix (op->name, computed[i]) && code->error == NULL)
      ph_source_fail (
          code->source, &code->error, PH_ERROR_UNSUPPORTED, NULL,
          "the attributes of %s are stored in an order that only the program that wrote them knows: write the file as a "
          "portable artifact (stablehlo-translate --serialize, jax.export) or as text",
          op->name);
  if (!op->is_unread)
    ph_source_problem (code->source,
                       "The attributes of %s are stored in an order that only its own program knows: they are missing", op->name);
  op->is_unread = TRUE;
}

/* Writes properties that are stored without their names. */
static void
write_native (Writer *self, PhMlirOpName *op, PhSpan span, guint *n)
{
  PhMlirBytes bytes = ph_mlir_bytes (self->code, span);
  const char *names = native_names (op->name);
  g_auto (GStrv) each = g_strsplit (names != NULL ? names : "", " ", -1);

  if (names == NULL)
    note_unread (self->code, op);
  for (guint i = 0; each[i] != NULL && bytes.p < bytes.end && self->code->error == NULL; i++)
    {
      const gsize length = strcspn (each[i], "?");
      const gboolean optional = each[i][length] == '?';
      const guint64 index = ph_mlir_take_number (&bytes);

      each[i][length] = '\0';
      if (!optional || (index & 1) != 0)
        write_attr (self, g_str_has_prefix (op->name, "vhlo."), each[i],
                    ph_mlir_attr_text (self->code, optional ? index >> 1 : index), n);
    }
}

static void
write_name (Writer *self, const Name *name)
{
  g_string_append_printf (self->out, "%%%s%u", name->is_argument ? "arg" : "", name->number - 1);
  if (name->result > 0)
    g_string_append_printf (self->out, "#%u", name->result - 1);
}

/* Returns the next @n values that the region defines; NULL: it has no more. */
static Name *
take_values (Writer *self, Region *region, guint n)
{
  if (n > region->end - region->next)
    {
      ph_mlir_code_fail (self->code, "a region defines more values than it says");
      return NULL;
    }
  region->next += n;
  return &g_array_index (self->values, Name, region->next - n);
}

static void
define_argument (Writer *self, Region *region)
{
  Name *value = take_values (self, region, 1);

  if (value == NULL)
    return;
  if (value->number == 0)
    *value = (Name) { .number = ++self->last_argument, .is_argument = TRUE };
  write_name (self, value);
}

/* "%3:2 = "; what was used before it is defined has a name of its own. */
static void
define_results (Writer *self, Region *region, guint n)
{
  Name *values = n > 0 ? take_values (self, region, n) : NULL;
  gboolean named = FALSE;

  if (values == NULL)
    return;
  for (guint i = 0; i < n; i++)
    named = named || values[i].number != 0;
  if (!named)
    self->last_value++;
  for (guint i = 0; i < n; i++)
    {
      if (!named)
        values[i] = (Name) { .number = self->last_value, .result = n > 1 ? i + 1 : 0 };
      else if (values[i].number == 0)
        values[i].number = ++self->last_value;
      if (named)
        {
          g_string_append (self->out, i > 0 ? ", " : "");
          write_name (self, &values[i]);
        }
    }
  if (!named)
    g_string_append_printf (self->out, "%%%u", values->number - 1);
  if (!named && n > 1)
    g_string_append_printf (self->out, ":%u", n);
  g_string_append (self->out, " = ");
}

static void
use (Writer *self, guint64 index)
{
  Name *value;

  if (index >= self->values->len - self->base)
    {
      ph_mlir_code_fail (self->code, "value %" G_GUINT64_FORMAT " is used, of %u", index, self->values->len - self->base);
      return;
    }
  value = &g_array_index (self->values, Name, self->base + index);
  if (value->number == 0) /* it is defined further below */
    value->number = ++self->last_value;
  write_name (self, value);
}

/* Passes the orders in which the uses of @n values are kept, which say nothing that is shown. */
static void
skip_use_orders (PhMlirBytes *bytes, guint n)
{
  const guint count = n > 1 ? ph_mlir_take_count (bytes) : 1;

  for (guint i = 0; i < count && bytes->code->error == NULL; i++)
    {
      guint64 numbers;

      if (n > 1)
        ph_mlir_take_number (bytes);
      numbers = ph_mlir_take_number (bytes) >> 1;
      for (guint64 k = 0; k < numbers && bytes->code->error == NULL; k++)
        ph_mlir_take_number (bytes);
    }
}

static void write_region (Writer *self, PhMlirBytes *bytes, gboolean of_function);

static void
write_regions (Writer *self, PhMlirBytes *bytes, gboolean of_function)
{
  const guint64 number = ph_mlir_take_number (bytes);
  const gboolean isolated = number & 1;
  const guint base = self->base, n_values = self->values->len, last_value = self->last_value, last_argument = self->last_argument;
  PhMlirBytes inner, *from = bytes;
  guint id;

  if (isolated && self->code->version >= 2)
    {
      inner = ph_mlir_bytes (self->code, ph_mlir_take_section (bytes, &id));
      from = &inner;
    }
  if (isolated)
    {
      self->base = n_values;
      self->last_value = self->last_argument = 0;
    }
  g_string_append (self->out, number >> 1 > 0 ? " (" : "");
  for (guint64 i = 0; i < number >> 1 && self->code->error == NULL; i++)
    {
      g_string_append (self->out, i > 0 ? ", " : "");
      write_region (self, from, of_function);
    }
  g_string_append (self->out, number >> 1 > 0 ? ")" : "");
  self->base = base;
  if (isolated)
    {
      self->last_value = last_value;
      self->last_argument = last_argument;
    }
}

static void
write_location (Writer *self, guint64 index)
{
  const char *text = ph_mlir_attr_text (self->code, index);

  if (*text == '#')
    g_string_append_printf (self->out, " loc(%s)", text);
  else if (g_str_has_prefix (text, "loc("))
    g_string_append_printf (self->out, " %s", text);
}

static void
write_types (Writer *self, const GArray *types)
{
  g_string_append_c (self->out, '(');
  for (guint i = 0; i < types->len && ph_mlir_code_spend (self->code, strlen (g_array_index (types, const char *, i))); i++)
    g_string_append_printf (self->out, "%s%s", i > 0 ? ", " : "", g_array_index (types, const char *, i));
  g_string_append_c (self->out, ')');
}

/* Writes what stands between the results and the types: the attributes, the operands, the successors, the regions. */
static void
write_body (Writer *self, PhMlirBytes *bytes, Region *region, PhMlirOpName *op, const char *name, guint mask, guint64 attrs,
            guint64 properties, guint n_results)
{
  const gboolean vhlo = g_str_has_prefix (op->name, "vhlo.");
  guint count, n = 0;

  g_string_append_printf (self->out, "\"%s\" (", name);
  count = mask & HAS_OPERANDS ? ph_mlir_take_count (bytes) : 0;
  for (guint i = 0; i < count && self->code->error == NULL; i++)
    {
      g_string_append (self->out, i > 0 ? ", " : "");
      use (self, ph_mlir_take_number (bytes));
    }
  g_string_append_c (self->out, ')');
  count = mask & HAS_SUCCESSORS ? ph_mlir_take_count (bytes) : 0;
  for (guint i = 0; i < count && self->code->error == NULL; i++)
    {
      const guint64 block = ph_mlir_take_number (bytes);

      if (block >= region->n_blocks)
        ph_mlir_code_fail (self->code, "block %" G_GUINT64_FORMAT " is named, of %u", block, region->n_blocks);
      g_string_append_printf (self->out, "%s^b%" G_GUINT64_FORMAT "%s", i > 0 ? ", " : " [", region->first_block + block,
                              i + 1 == count ? "]" : "");
    }
  if (mask & HAS_USE_ORDERS)
    skip_use_orders (bytes, n_results);
  g_string_append (self->out, " <{");
  if (mask & HAS_ATTRS)
    write_dictionary (self, attrs, vhlo, &n);
  if (mask & HAS_PROPERTIES && !op->native)
    write_dictionary (self, properties, vhlo, &n);
  else if (mask & HAS_PROPERTIES && properties < self->code->properties->len)
    write_native (self, op, g_array_index (self->code->properties, PhSpan, properties), &n);
  g_string_append (self->out, "}>");
  if (mask & HAS_REGIONS)
    write_regions (self, bytes, g_str_has_suffix (name, "func.func"));
}

/* A cast between a type of VHLO and what it stands for in StableHLO is none here: its result is its operand. */
static gboolean
pass_cast (Writer *self, PhMlirBytes *bytes, Region *region, const char *op, guint mask)
{
  const PhMlirBytes before = *bytes;
  Name *value;
  guint64 index;

  if (!g_str_equal (op, "builtin.unrealized_conversion_cast") || (mask & ~(guint) HAS_USE_ORDERS) != (HAS_RESULTS | HAS_OPERANDS)
      || region->next >= region->end)
    return FALSE;
  value = &g_array_index (self->values, Name, region->next);
  if (ph_mlir_take_count (bytes) == 1 && ph_mlir_take_type (bytes) != NULL && ph_mlir_take_count (bytes) == 1)
    {
      index = ph_mlir_take_number (bytes);
      if (index < self->values->len - self->base && g_array_index (self->values, Name, self->base + index).number > 0
          && value->number == 0)
        {
          *value = g_array_index (self->values, Name, self->base + index);
          region->next++;
          if (mask & HAS_USE_ORDERS)
            skip_use_orders (bytes, 1);
          return TRUE;
        }
    }
  *bytes = before;
  return FALSE;
}

static void
write_op (Writer *self, PhMlirBytes *bytes, Region *region)
{
  PhMlirCode *code = self->code;
  const guint64 index = ph_mlir_take_number (bytes);
  const guint mask = ph_mlir_take_byte (bytes);
  const guint64 location = ph_mlir_take_number (bytes);
  const guint64 attrs = mask & HAS_ATTRS ? ph_mlir_take_number (bytes) : 0;
  const guint64 properties = mask & HAS_PROPERTIES ? ph_mlir_take_number (bytes) : 0;
  g_autoptr (GArray) results = g_array_new (FALSE, FALSE, sizeof (const char *));
  g_autofree char *name = NULL;
  PhMlirOpName *op;

  if (index >= code->names->len)
    {
      ph_mlir_code_fail (code, "operation %" G_GUINT64_FORMAT " is named, of %u", index, code->names->len);
      return;
    }
  if (++self->n_ops % 1024 == 0 && code->error == NULL
      && g_cancellable_set_error_if_cancelled (code->source->cancellable, &code->error))
    return;
  op = &g_array_index (code->names, PhMlirOpName, index);
  if (pass_cast (self, bytes, region, op->name, mask))
    return;
  name = g_str_has_prefix (op->name, "vhlo.") ? ph_mlir_vhlo_op (op->name, region->of_function) : g_strdup (op->name);
  if (g_str_has_prefix (name, "vhlo.") && !op->is_newer)
    {
      ph_source_problem (code->source, "%s is of a newer version of StableHLO than what is known: it stays as it is", name);
      op->is_newer = TRUE;
    }
  if (mask & HAS_RESULTS)
    {
      const guint n = ph_mlir_take_count (bytes);

      for (guint i = 0; i < n && code->error == NULL; i++)
        {
          const char *type = ph_mlir_take_type (bytes);

          g_array_append_val (results, type);
        }
      define_results (self, region, n);
    }
  write_body (self, bytes, region, op, name, mask, attrs, properties, results->len);
  g_string_append (self->out, " : () -> ");
  write_types (self, results);
  write_location (self, location);
  g_string_append_c (self->out, '\n');
}

/* "^b1(%v1: tensor<4xf32>):", and what follows it. */
static void
write_block (Writer *self, PhMlirBytes *bytes, Region *region, guint number, gboolean labelled)
{
  PhMlirCode *code = self->code;
  const guint64 head = ph_mlir_take_number (bytes);

  if (labelled)
    g_string_append_printf (self->out, "^b%u", number);
  if (head & 1)
    {
      const guint n = ph_mlir_take_count (bytes);

      for (guint i = 0; i < n && code->error == NULL; i++)
        {
          guint64 type = ph_mlir_take_number (bytes);
          gboolean located = TRUE;

          if (code->version >= 4)
            {
              located = type & 1;
              type >>= 1;
            }
          g_string_append (self->out, i > 0 ? ", " : "(");
          define_argument (self, region);
          g_string_append_printf (self->out, ": %s", ph_mlir_type_text (code, type));
          if (located)
            write_location (self, ph_mlir_take_number (bytes));
        }
      g_string_append_c (self->out, ')');
      if (code->version >= 3 && ph_mlir_take_byte (bytes) != 0)
        skip_use_orders (bytes, n);
    }
  if (labelled)
    g_string_append (self->out, ":\n");
  for (guint64 i = 0; i < head >> 1 && code->error == NULL; i++)
    write_op (self, bytes, region);
}

static void
write_region (Writer *self, PhMlirBytes *bytes, gboolean of_function)
{
  const guint n_blocks = ph_mlir_take_count (bytes), n_values = self->values->len;
  Region region = { .n_blocks = n_blocks, .first_block = self->last_block + 1, .of_function = of_function, .next = n_values };

  g_string_append (self->out, "{\n");
  if (n_blocks > 0 && self->depth >= PH_MLIR_MAX_DEPTH)
    ph_mlir_code_fail (self->code, "its regions are nested too deeply");
  else if (n_blocks > 0)
    {
      self->depth++;
      region.end = n_values + ph_mlir_take_count (bytes);
      if (region.end > self->code->file.size) /* each value takes a byte at least */
        {
          ph_mlir_code_fail (self->code, "a region says that it has %u values, which the file has no room for",
                             region.end - n_values);
          return;
        }
      g_array_set_size (self->values, region.end);
      self->last_block += n_blocks;
      for (guint i = 0; i < n_blocks && self->code->error == NULL; i++)
        write_block (self, bytes, &region, region.first_block + i, TRUE);
      g_array_set_size (self->values, n_values);
      self->depth--;
    }
  g_string_append_c (self->out, '}');
}

void
ph_mlir_write_ops (PhMlirCode *code, PhSpan section, GString *out)
{
  g_autoptr (GArray) values = g_array_new (FALSE, TRUE, sizeof (Name));
  Writer self = { .code = code, .out = out, .values = values };
  PhMlirBytes bytes = ph_mlir_bytes (code, section);
  Region region = { .n_blocks = 1 };

  write_block (&self, &bytes, &region, 0, FALSE);
}
