/* bytecode-sample.c: a small program of StableHLO, assembled in each version of MLIR's bytecode.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "tests/unit/bytecode-sample.h"

/* ── an assembler ── */

static void
put_byte (GByteArray *out, guint8 byte)
{
  g_byte_array_append (out, &byte, 1);
}

/* As many zeros at the low end as bytes follow. */
static void
put (GByteArray *out, guint64 number)
{
  guint n = 0;

  while (n < 8 && number >> (7 * (n + 1)) != 0)
    n++;
  if (n == 8)
    put_byte (out, 0);
  else
    number = (number << 1 | 1) << n;
  for (guint i = 0; i < (n == 8 ? 8 : n + 1); i++)
    put_byte (out, (guint8) (number >> (8 * i)));
}

static void
put_all (GByteArray *out, const GByteArray *from)
{
  g_byte_array_append (out, from->data, from->len);
}

static void
put_section (GByteArray *out, guint8 id, GByteArray *content)
{
  put_byte (out, id);
  put (out, content->len);
  put_all (out, content);
  g_byte_array_unref (content);
}

enum
{
  S_BUILTIN,
  S_VHLO,
  S_MODULE,
  S_FUNC,
  S_CONSTANT,
  S_ADD,
  S_REDUCE,
  S_RETURN,
  S_FILE,
  S_ARG_ATTRS,
  S_FUNCTION_TYPE,
  S_RES_ATTRS,
  S_SYM_NAME,
  S_SYM_VISIBILITY,
  S_VALUE,
  S_DIMENSIONS,
  S_SHARDING,
  S_MAIN,
  S_PUBLIC,
  S_SDY,
  S_AXIS,
  N_STRINGS
};

static const char *const strings[N_STRINGS]
    = { "builtin",   "vhlo",       "module",       "func_v1",       "constant_v1", "add_v1",   "reduce_v1",
        "return_v1", "net.py",     "arg_attrs",    "function_type", "res_attrs",   "sym_name", "sym_visibility",
        "value",     "dimensions", "sdy.sharding", "main",          "public",      "sdy",      "x" };

enum
{
  T_F32,
  T_I64,
  T_MATRIX,
  T_SCALAR,
  T_VECTOR,
  T_INDICES,
  T_FUNCTION,
  N_TYPES
};

/* The attributes of the dialect builtin come first. */
enum
{
  A_FILE,
  A_PLACE,
  A_UNKNOWN,
  A_FIRST_NAME, /* the strings from S_ARG_ATTRS to S_SHARDING */
  A_OF_FUNC = A_FIRST_NAME + S_SHARDING - S_ARG_ATTRS + 1,
  A_OF_CONSTANT,
  A_OF_ZERO,
  A_OF_REDUCE,
  A_OF_ADD,
  A_EMPTY, /* those of VHLO from here on */
  A_FUNCTION,
  A_MAIN,
  A_PUBLIC,
  A_VALUE,
  A_ZERO,
  A_DIMENSIONS,
  A_MESH_AXIS, /* those of Shardy from here on */
  A_MESH,
  A_AXIS,
  A_CLOSED,
  A_OPEN,
  A_SHARDING,
  N_ATTRS
};

static void
encode_type (GByteArray *out, guint index)
{
  static const struct
  {
    guint rank, element;
    gint64 dims[2];
  } tensors[] = { [T_MATRIX] = { 2, T_F32, { 2, 3 } },
                  [T_SCALAR] = { 0, T_F32, { 0 } },
                  [T_VECTOR] = { 1, T_F32, { 2 } },
                  [T_INDICES] = { 1, T_I64, { 1 } } };

  if (index <= T_I64)
    put (out, index == T_F32 ? 4 : 14);
  else if (index == T_FUNCTION)
    for (guint i = 0; i < 5; i++)
      put (out, ((guint[]) { 8, 1, T_MATRIX, 1, T_VECTOR })[i]);
  else
    {
      put (out, 20);
      put (out, tensors[index].rank);
      for (guint i = 0; i < tensors[index].rank; i++)
        put (out, (guint64) tensors[index].dims[i] << 1);
      put (out, tensors[index].element);
    }
}

/* A dictionary of @n pairs, each the string that names it, and an attribute. */
static void
encode_pairs (GByteArray *out, guint n, const guint (*pairs)[2])
{
  put (out, 1);
  put (out, n);
  for (guint i = 0; i < n; i++)
    {
      put (out, A_FIRST_NAME + pairs[i][0] - S_ARG_ATTRS);
      put (out, pairs[i][1]);
    }
}

static const guint of_func[][2] = { { S_ARG_ATTRS, A_EMPTY },
                                    { S_FUNCTION_TYPE, A_FUNCTION },
                                    { S_RES_ATTRS, A_EMPTY },
                                    { S_SYM_NAME, A_MAIN },
                                    { S_SYM_VISIBILITY, A_PUBLIC } };
static const guint of_constant[][2] = { { S_VALUE, A_VALUE } }, of_zero[][2] = { { S_VALUE, A_ZERO } },
                   of_reduce[][2] = { { S_DIMENSIONS, A_DIMENSIONS } }, of_add[][2] = { { S_SHARDING, A_SHARDING } };

static void
encode_tensor (GByteArray *out, guint type, gconstpointer data, guint size)
{
  put (out, 15);
  put (out, type);
  put (out, size);
  g_byte_array_append (out, data, size);
}

/* A mesh of one axis, whose devices are in order. */
static void
put_mesh (GByteArray *out)
{
  put (out, 2);
  put (out, 1);
  put (out, A_MESH_AXIS);
  put (out, 0);
}

static void
encode_attr (GByteArray *out, guint index)
{
  static const float values[] = { 1, 2, 3, 4, 5, 6 }, zero = 0;
  static const gint64 dimension = 1;
  guint numbers[4] = { 0 }, n = 2;

  switch (index)
    {
    case A_FILE: memcpy (numbers, (guint[]) { 2, S_FILE }, 2 * sizeof (guint)); break;
    case A_PLACE:
      memcpy (numbers, (guint[]) { 11, A_FILE, 300, 5 }, 4 * sizeof (guint));
      n = 4;
      break;
    case A_UNKNOWN:
      memcpy (numbers, (guint[]) { 15 }, sizeof (guint));
      n = 1;
      break;
    case A_OF_FUNC: encode_pairs (out, 5, of_func); return;
    case A_OF_CONSTANT: encode_pairs (out, 1, of_constant); return;
    case A_OF_ZERO: encode_pairs (out, 1, of_zero); return;
    case A_OF_REDUCE: encode_pairs (out, 1, of_reduce); return;
    case A_OF_ADD: encode_pairs (out, 1, of_add); return;
    case A_MESH_AXIS:
      put (out, 1);
      put (out, S_AXIS);
      put (out, 2 << 1);
      return;
    case A_MESH: put_mesh (out); return;
    case A_AXIS:
      put (out, 4);
      put (out, S_AXIS);
      put (out, 0); /* all of the axis */
      return;
    case A_CLOSED:
    case A_OPEN:
      put (out, 5);
      put (out, index == A_CLOSED);
      if (index == A_CLOSED)
        put (out, A_AXIS);
      put_byte (out, index == A_CLOSED);
      put (out, 0); /* no priority */
      return;
    case A_SHARDING:
      for (guint i = 0; i < 6; i++)
        put (out, ((guint[]) { 6, A_MESH, 2, A_CLOSED, A_OPEN, 0 })[i]);
      return;
    case A_EMPTY: memcpy (numbers, (guint[]) { 1, 0 }, 2 * sizeof (guint)); break;
    case A_FUNCTION: memcpy (numbers, (guint[]) { 17, T_FUNCTION }, 2 * sizeof (guint)); break;
    case A_MAIN: memcpy (numbers, (guint[]) { 14, S_MAIN }, 2 * sizeof (guint)); break;
    case A_PUBLIC: memcpy (numbers, (guint[]) { 14, S_PUBLIC }, 2 * sizeof (guint)); break;
    case A_VALUE: encode_tensor (out, T_MATRIX, values, sizeof values); return;
    case A_ZERO: encode_tensor (out, T_SCALAR, &zero, sizeof zero); return;
    case A_DIMENSIONS: encode_tensor (out, T_INDICES, &dimension, sizeof dimension); return;
    default: memcpy (numbers, (guint[]) { 2, S_ARG_ATTRS + index - A_FIRST_NAME }, 2 * sizeof (guint)); break;
    }
  for (guint i = 0; i < n; i++)
    put (out, numbers[i]);
}

/* A group of one dialect in the section of sizes, whose content goes into @content. */
static void
put_group (GByteArray *sizes, GByteArray *content, guint dialect, guint from, guint to, void (*encode) (GByteArray *, guint))
{
  put (sizes, dialect);
  put (sizes, to - from);
  for (guint i = from; i < to; i++)
    {
      g_autoptr (GByteArray) entry = g_byte_array_new ();

      encode (entry, i);
      put (sizes, entry->len << 1 | 1);
      put_all (content, entry);
    }
}

/* ── the operations ── */

enum
{
  O_MODULE,
  O_FUNC,
  O_CONSTANT,
  O_ADD,
  O_REDUCE,
  O_RETURN,
  N_OPS
};

typedef struct
{
  guint version;
  GByteArray *properties; /* each with its size before it */
  guint n_properties;
} Assembler;

/* The beginning of an operation, up to its operands. @n_attrs: those in @pairs, which the dictionary @dictionary holds, too. */
static void
put_op (Assembler *self, GByteArray *out, guint op, guint place, guint n_attrs, const guint (*pairs)[2], guint dictionary,
        int result, guint n_operands, const guint *operands, gboolean regions)
{
  const gboolean native = self->version >= 5, spread = op == O_ADD && place == A_PLACE; /* with an attribute of another dialect */

  put (out, op);
  put_byte (out,
            (guint8) ((n_attrs > 0) << (native ? 6 : 0) | spread | (result >= 0) << 1 | (n_operands > 0) << 2 | regions << 4));
  put (out, place);
  if (spread)
    put (out, A_OF_ADD);
  if (n_attrs > 0 && !native)
    put (out, dictionary);
  else if (n_attrs > 0)
    {
      g_autoptr (GByteArray) content = g_byte_array_new ();

      for (guint i = 0; i < n_attrs; i++)
        put (content, pairs[i][1]);
      put (self->properties, content->len);
      put_all (self->properties, content);
      put (out, self->n_properties++);
    }
  if (result >= 0)
    {
      put (out, 1);
      put (out, (guint64) result);
    }
  if (n_operands > 0)
    put (out, n_operands);
  for (guint i = 0; i < n_operands; i++)
    put (out, operands[i]);
}

static void
put_arguments (const Assembler *self, GByteArray *out, guint n, guint type)
{
  put (out, n);
  for (guint i = 0; i < n; i++)
    {
      put (out, self->version >= 4 ? type << 1 : type);
      if (self->version < 4)
        put (out, A_UNKNOWN);
    }
  if (self->version >= 3)
    put_byte (out, 0);
}

/* A region that sees nothing from outside is a section of its own since version 2. */
static void
put_isolated (const Assembler *self, GByteArray *out, GByteArray *region)
{
  put (out, 1 << 1 | 1);
  if (self->version >= 2)
    put_section (out, 4, region);
  else
    {
      put_all (out, region);
      g_byte_array_unref (region);
    }
}

static GByteArray *
put_function (Assembler *self)
{
  GByteArray *out = g_byte_array_new ();

  put (out, 1); /* block, of six values */
  put (out, 5);
  put (out, 5 << 1 | 1);
  put_arguments (self, out, 1, T_MATRIX);
  put_op (self, out, O_CONSTANT, A_UNKNOWN, 1, of_constant, A_OF_CONSTANT, T_MATRIX, 0, NULL, FALSE);
  put_op (self, out, O_CONSTANT, A_UNKNOWN, 1, of_zero, A_OF_ZERO, T_SCALAR, 0, NULL, FALSE);
  put_op (self, out, O_ADD, A_PLACE, 0, NULL, 0, T_MATRIX, 2, (guint[]) { 0, 1 }, FALSE);
  put_op (self, out, O_REDUCE, A_UNKNOWN, 1, of_reduce, A_OF_REDUCE, T_VECTOR, 2, (guint[]) { 3, 2 }, TRUE);
  put (out, 1 << 1);
  put (out, 1);
  put (out, 3);
  put (out, 2 << 1 | 1);
  put_arguments (self, out, 2, T_SCALAR);
  put_op (self, out, O_ADD, A_UNKNOWN, 0, NULL, 0, T_SCALAR, 2, (guint[]) { 5, 6 }, FALSE);
  put_op (self, out, O_RETURN, A_UNKNOWN, 0, NULL, 0, -1, 1, (guint[]) { 7 }, FALSE);
  put_op (self, out, O_RETURN, A_UNKNOWN, 0, NULL, 0, -1, 1, (guint[]) { 4 }, FALSE);
  return out;
}

static GByteArray *
put_module (Assembler *self)
{
  GByteArray *out = g_byte_array_new (), *region = g_byte_array_new ();

  put (out, 1 << 1);
  put_op (self, out, O_MODULE, A_UNKNOWN, 0, NULL, 0, -1, 0, NULL, TRUE);
  put (region, 1);
  put (region, 0);
  put (region, 1 << 1);
  put_op (self, region, O_FUNC, A_UNKNOWN, 5, of_func, A_OF_FUNC, -1, 0, NULL, TRUE);
  put_isolated (self, region, put_function (self));
  put_isolated (self, out, region);
  return out;
}

static GByteArray *
put_strings (void)
{
  GByteArray *out = g_byte_array_new ();

  put (out, N_STRINGS);
  for (guint i = N_STRINGS; i-- > 0;)
    put (out, strlen (strings[i]) + 1);
  for (guint i = 0; i < N_STRINGS; i++)
    g_byte_array_append (out, (const guint8 *) strings[i], (guint) strlen (strings[i]) + 1);
  return out;
}

static GByteArray *
put_dialects (guint version)
{
  GByteArray *out = g_byte_array_new ();

  put (out, 3);
  put (out, version >= 1 ? S_BUILTIN << 1 : S_BUILTIN);
  put (out, version >= 1 ? S_VHLO << 1 | 1 : S_VHLO);
  if (version >= 1)
    {
      GByteArray *stored = g_byte_array_new ();

      put (stored, 1);
      put_section (out, 7, stored);
    }
  put (out, version >= 1 ? S_SDY << 1 : S_SDY);
  if (version >= 4)
    put (out, N_OPS);
  for (guint dialect = 0; dialect < 2; dialect++)
    {
      put (out, dialect);
      put (out, dialect == 0 ? 1 : N_OPS - 1);
      for (guint op = dialect; op < (dialect == 0 ? 1 : N_OPS); op++)
        put (out, version >= 5 ? (S_MODULE + op) << 1 | 1 : S_MODULE + op);
    }
  return out;
}

GBytes *
bytecode_assemble (guint version)
{
  GByteArray *out = g_byte_array_new (), *sizes = g_byte_array_new (), *content = g_byte_array_new (), *ops;
  g_autoptr (GByteArray) stored = g_byte_array_new ();
  Assembler self = { .version = version, .properties = stored };

  g_byte_array_append (out, (const guint8 *) "ML\xefR", 4);
  put (out, version);
  g_byte_array_append (out, (const guint8 *) "Peephole", 9);
  put_section (out, 0, put_strings ());
  put_section (out, 1, put_dialects (version));
  put (sizes, N_ATTRS);
  put (sizes, N_TYPES);
  put_group (sizes, content, 0, 0, A_EMPTY, encode_attr);
  put_group (sizes, content, 1, A_EMPTY, A_MESH_AXIS, encode_attr);
  put_group (sizes, content, 2, A_MESH_AXIS, N_ATTRS, encode_attr);
  put_group (sizes, content, 1, 0, N_TYPES, encode_type);
  put_section (out, 2, content);
  put_section (out, 3, sizes);
  ops = put_module (&self);
  put_section (out, 4, ops);
  if (version >= 5)
    {
      GByteArray *properties = g_byte_array_new ();

      put (properties, self.n_properties);
      put_all (properties, self.properties);
      put_section (out, 8, properties);
    }
  return g_byte_array_free_to_bytes (out);
}

static void
put_wide (GByteArray *out, guint32 number, guint width)
{
  for (guint i = 0; i < width; i++)
    put_byte (out, (guint8) (number >> (8 * i)));
}

/* A vector of bytes in a flatbuffer, and the zero that ends a string. */
static void
put_vector (GByteArray *out, gconstpointer data, gsize size)
{
  put_wide (out, (guint32) size, 4);
  g_byte_array_append (out, data, (guint) size);
  do
    put_byte (out, 0);
  while (out->len % 4 != 0);
}

/* What jax.export would make of it: a flatbuffer with the table Exported, of which each file has these five fields. */
GBytes *
bytecode_assemble_export (void)
{
  enum
  {
    TABLE = 40,
    N_FIELDS = 15
  };
  static const guint16 places[N_FIELDS] = { [0] = 4, [1] = 8, [9] = 12, [13] = 16, [14] = 6 };
  g_autoptr (GBytes) module = bytecode_assemble (6);
  GByteArray *out = g_byte_array_new (), *rest = g_byte_array_new ();
  guint32 at[3];

  for (guint i = 0; i < 3; i++)
    {
      at[i] = TABLE + 20 + rest->len - (TABLE + 8 + 4 * i);
      put_vector (rest,
                  i == 0   ? "main"
                  : i == 1 ? ""
                           : g_bytes_get_data (module, NULL),
                  i == 0   ? 4
                  : i == 1 ? 0
                           : g_bytes_get_size (module));
    }
  put_wide (out, TABLE, 4);
  put_wide (out, 4 + 2 * N_FIELDS, 2);
  put_wide (out, 20, 2);
  for (guint i = 0; i < N_FIELDS; i++)
    put_wide (out, places[i], 2);
  while (out->len < TABLE)
    put_byte (out, 0);
  put_wide (out, TABLE - 4, 4);
  put_wide (out, 4, 2); /* the versions of the form, and of the convention of calls */
  put_wide (out, 9, 2);
  for (guint i = 0; i < 3; i++)
    put_wide (out, at[i], 4);
  put_all (out, rest);
  g_byte_array_unref (rest);
  return g_byte_array_free_to_bytes (out);
}

GBytes *
bytecode_assemble_long (guint depth)
{
  enum
  {
    N_REFERENCES = 2000
  };
  GByteArray *out = g_byte_array_new (), *names = g_byte_array_new (), *dialects = g_byte_array_new (),
             *ops = g_byte_array_new ();
  GByteArray *sizes = g_byte_array_new (), *content = g_byte_array_new ();

  g_byte_array_append (out, (const guint8 *) "ML\xefR\1", 6); /* version 0, of nobody */
  put (names, 2);
  put (names, 7);
  put (names, 8);
  g_byte_array_append (names, (const guint8 *) "builtin\0module", 15);
  put_section (out, 0, names);
  for (guint i = 0; i < 4; i++) /* one dialect, and one operation of it */
    put (dialects, ((guint[]) { 1, 0, 0, 1 })[i]);
  put (dialects, 1);
  put_section (out, 1, dialects);
  put (sizes, depth + 1);
  put (sizes, 0);
  put (sizes, 0);
  put (sizes, depth + 1);
  for (guint i = 0; i <= depth; i++)
    {
      g_autoptr (GByteArray) entry = g_byte_array_new ();

      put (entry, i == 0 ? 2 : 0); /* a string, and lists of what comes before */
      put (entry, i == 0 ? 0 : N_REFERENCES);
      for (guint k = 0; i > 0 && k < N_REFERENCES; k++)
        put (entry, i - 1);
      put (sizes, entry->len << 1 | 1);
      put_all (content, entry);
    }
  put_section (out, 2, content);
  put_section (out, 3, sizes);
  put (ops, 1 << 1);
  put (ops, 0);
  put_byte (ops, 1); /* it has attributes */
  put (ops, 0);
  put (ops, depth);
  put_section (out, 4, ops);
  return g_byte_array_free_to_bytes (out);
}
