/* pickle.c: an interpreter for Python's pickles that only builds data: a class or function is its name, and a call records the callee with
 * its arguments. Supports the opcodes of protocols 2 to 4 (Python's pickletools).
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "core/io/torch/archive.h"

typedef struct
{
  PhSource *source;
  const char *member;
  const guint8 *data;
  gsize size, at;
  PhPickles *pickles;
  GPtrArray *stack;
  GHashTable *memo;
  GError **error;
} Machine;

static void
pickle_free (gpointer data)
{
  PhPickle *pickle = data;

  g_clear_pointer (&pickle->items, g_ptr_array_unref);
  g_free (pickle->text);
  g_free (pickle);
}

void
ph_pickle_free (PhPickles *pickles)
{
  g_ptr_array_unref (pickles->all);
  g_free (pickles);
}

static PhPickle *
new_pickle (Machine *m, PhPickleKind kind)
{
  PhPickle *pickle = g_new0 (PhPickle, 1);

  pickle->kind = kind;
  if (kind == PH_PICKLE_TUPLE || kind == PH_PICKLE_LIST || kind == PH_PICKLE_DICT || kind == PH_PICKLE_CALL
      || kind == PH_PICKLE_STORAGE)
    pickle->items = g_ptr_array_new ();
  g_ptr_array_add (m->pickles->all, pickle);
  return pickle;
}

static gboolean
fail (Machine *m, const char *what)
{
  if (m->error != NULL && *m->error == NULL)
    ph_source_fail (m->source, m->error, PH_ERROR_INVALID, NULL, "%s: %s at byte %" G_GSIZE_FORMAT, m->member, what, m->at);
  return FALSE;
}

static PhPickle *
push (Machine *m, PhPickle *pickle)
{
  g_ptr_array_add (m->stack, pickle);
  return pickle;
}

static PhPickle *
pop (Machine *m)
{
  if (m->stack->len == 0)
    {
      fail (m, "it takes more from its stack than is there");
      return NULL;
    }
  return g_ptr_array_steal_index (m->stack, m->stack->len - 1);
}

static gboolean
take (Machine *m, gsize n, const guint8 **bytes)
{
  if (m->size - m->at < n)
    return fail (m, "it ends in the middle");
  *bytes = m->data + m->at;
  m->at += n;
  return TRUE;
}

static guint64
number (const guint8 *bytes, gsize n)
{
  guint64 value = 0;

  for (gsize i = n; i-- > 0;)
    value = value << 8 | bytes[i];
  return value;
}

static gboolean
take_number (Machine *m, gsize n, guint64 *value)
{
  const guint8 *bytes;

  if (!take (m, n, &bytes))
    return FALSE;
  *value = number (bytes, n);
  return TRUE;
}

static gboolean
push_int (Machine *m, gint64 value)
{
  push (m, new_pickle (m, PH_PICKLE_INT))->i = value;
  return TRUE;
}

static gboolean
push_text (Machine *m, gsize prefix)
{
  guint64 n;
  const guint8 *bytes;

  if (!take_number (m, prefix, &n) || !take (m, n, &bytes))
    return FALSE;
  push (m, new_pickle (m, PH_PICKLE_STRING))->text = g_utf8_make_valid ((const char *) bytes, (gssize) n);
  return TRUE;
}

static char *
take_line (Machine *m)
{
  const guint8 *start = m->data + m->at, *end = memchr (start, '\n', m->size - m->at);

  if (end == NULL)
    {
      fail (m, "it ends in the middle");
      return NULL;
    }
  m->at += (gsize) (end - start) + 1;
  return g_utf8_make_valid ((const char *) start, end - start);
}

/* Moves the items above the last mark to @into. */
static gboolean
take_marked (Machine *m, PhPickle *into)
{
  guint mark = m->stack->len;

  while (mark > 0 && ((PhPickle *) m->stack->pdata[mark - 1])->kind != PH_PICKLE_MARK)
    mark--;
  if (mark == 0)
    return fail (m, "it has no mark where one must be");
  if (into->items == NULL)
    into->items = g_ptr_array_new ();
  for (guint i = mark; i < m->stack->len; i++)
    g_ptr_array_add (into->items, m->stack->pdata[i]);
  g_ptr_array_set_size (m->stack, (int) mark - 1);
  return TRUE;
}

static PhPickle *
below_mark (Machine *m)
{
  for (guint i = m->stack->len; i-- > 1;)
    if (((PhPickle *) m->stack->pdata[i])->kind == PH_PICKLE_MARK)
      return m->stack->pdata[i - 1];
  return NULL;
}

static gboolean
push_tuple (Machine *m, guint n)
{
  PhPickle *tuple = new_pickle (m, PH_PICKLE_TUPLE);

  if (m->stack->len < n)
    return fail (m, "it takes more from its stack than is there");
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (tuple->items, m->stack->pdata[m->stack->len - n + i]);
  g_ptr_array_set_size (m->stack, (int) (m->stack->len - n));
  push (m, tuple);
  return TRUE;
}

static gboolean
push_global (Machine *m, const char *module, const char *name)
{
  push (m, new_pickle (m, PH_PICKLE_GLOBAL))->text = g_strdup_printf ("%s.%s", module, name);
  return TRUE;
}

static gboolean
memoize (Machine *m, guint64 key)
{
  if (m->stack->len == 0)
    return fail (m, "it remembers what is not there");
  g_hash_table_insert (m->memo, GSIZE_TO_POINTER (key), m->stack->pdata[m->stack->len - 1]);
  return TRUE;
}

static gboolean
recall (Machine *m, guint64 key)
{
  PhPickle *pickle = g_hash_table_lookup (m->memo, GSIZE_TO_POINTER (key));

  return pickle != NULL ? push (m, pickle) != NULL : fail (m, "it recalls what it has not remembered");
}

static gboolean
call (Machine *m, gboolean new)
{
  PhPickle *args = pop (m), *callee = pop (m), *result;

  if (args == NULL || callee == NULL)
    return FALSE;
  result = push (m, new_pickle (m, new ? PH_PICKLE_OBJECT : PH_PICKLE_CALL));
  if (new)
    result->class = callee;
  else
    {
      /* An ordered dictionary is a dictionary. */
      if (callee->kind == PH_PICKLE_GLOBAL && g_str_equal (callee->text, "collections.OrderedDict"))
        result->kind = PH_PICKLE_DICT;
      else
        {
          g_ptr_array_add (result->items, callee);
          g_ptr_array_add (result->items, args);
        }
    }
  return TRUE;
}

static gboolean
build (Machine *m)
{
  PhPickle *state = pop (m);

  if (state == NULL || m->stack->len == 0)
    return fail (m, "it builds what is not there");
  ((PhPickle *) m->stack->pdata[m->stack->len - 1])->state = state;
  return TRUE;
}

static gboolean
add_items (Machine *m, guint n)
{
  PhPickle *into = m->stack->len > n ? m->stack->pdata[m->stack->len - n - 1] : NULL;

  if (into == NULL)
    return fail (m, "it adds to what is not there");
  if (into->items == NULL)
    into->items = g_ptr_array_new ();
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (into->items, m->stack->pdata[m->stack->len - n + i]);
  g_ptr_array_set_size (m->stack, (int) (m->stack->len - n));
  return TRUE;
}

/* Pushes an integer of @n bytes, little-endian, in two's complement. */
static gboolean
push_long (Machine *m, guint64 n)
{
  const guint8 *bytes;

  if (!take (m, n, &bytes))
    return FALSE;
  if (n > 8)
    return push_int (m, G_MAXINT64);
  return push_int (m,
                   (gint64) (n > 0 && n < 8 && (bytes[n - 1] & 0x80) != 0 ? number (bytes, n) | ~G_GUINT64_CONSTANT (0) << (8 * n)
                                                                          : number (bytes, n)));
}

static gboolean
push_double (Machine *m)
{
  const guint8 *bytes;
  union
  {
    guint64 i;
    double f;
  } bits = { 0 };

  if (!take (m, 8, &bytes))
    return FALSE;
  for (guint i = 0; i < 8; i++)
    bits.i = bits.i << 8 | bytes[i];
  push (m, new_pickle (m, PH_PICKLE_FLOAT))->f = bits.f;
  return TRUE;
}

/* Pushes a class whose module and name are on the stack. */
static gboolean
push_named_global (Machine *m)
{
  const PhPickle *name = pop (m), *module = pop (m);

  if (module == NULL || name == NULL || module->kind != PH_PICKLE_STRING || name->kind != PH_PICKLE_STRING)
    return fail (m, "it names a class by something that is not text");
  return push_global (m, module->text, name->text);
}

static gboolean
step (Machine *m, guint8 op)
{
  guint64 n;
  const guint8 *bytes;
  PhPickle *a, *b;

  switch (op)
    {
    case 0x80: return take (m, 1, &bytes);
    case 0x95: return take (m, 8, &bytes);
    case '}': return push (m, new_pickle (m, PH_PICKLE_DICT)) != NULL;
    case ']':
    case 0x8f: return push (m, new_pickle (m, PH_PICKLE_LIST)) != NULL;
    case ')': return push (m, new_pickle (m, PH_PICKLE_TUPLE)) != NULL;
    case '(': return push (m, new_pickle (m, PH_PICKLE_MARK)) != NULL;
    case 'N': return push (m, new_pickle (m, PH_PICKLE_NONE)) != NULL;
    case 0x88:
    case 0x89: push (m, new_pickle (m, PH_PICKLE_BOOL))->i = op == 0x88; return TRUE;
    case 'J': return take_number (m, 4, &n) && push_int (m, (gint32) n);
    case 'K': return take_number (m, 1, &n) && push_int (m, (gint64) n);
    case 'M': return take_number (m, 2, &n) && push_int (m, (gint64) n);
    case 0x8a: return take_number (m, 1, &n) && push_long (m, n);
    case 'G': return push_double (m);
    case 'X':
    case 'T':
    case 'B': return push_text (m, 4);
    case 0x8c:
    case 'U':
    case 'C': return push_text (m, 1);
    case 0x8d:
    case 0x8e: return push_text (m, 8);
    case 'c':
      {
        g_autofree char *module = take_line (m), *name = module != NULL ? take_line (m) : NULL;

        return name != NULL && push_global (m, module, name);
      }
    case 0x93: return push_named_global (m);
    case 'q': return take_number (m, 1, &n) && memoize (m, n);
    case 'r': return take_number (m, 4, &n) && memoize (m, n);
    case 0x94: return memoize (m, g_hash_table_size (m->memo));
    case 'h': return take_number (m, 1, &n) && recall (m, n);
    case 'j': return take_number (m, 4, &n) && recall (m, n);
    case 't':
    case 'l':
    case 'd':
    case 0x90:
      a = new_pickle (m, op == 't' ? PH_PICKLE_TUPLE : op == 'd' ? PH_PICKLE_DICT : PH_PICKLE_LIST);
      if (op == 0x90)
        return (a = below_mark (m)) != NULL ? take_marked (m, a) : fail (m, "it adds to what is not there");
      return take_marked (m, a) && push (m, a) != NULL;
    case 0x85:
    case 0x86:
    case 0x87: return push_tuple (m, op - 0x84u);
    case 's': return add_items (m, 2);
    case 'a': return add_items (m, 1);
    case 'u':
    case 'e': return (a = below_mark (m)) != NULL ? take_marked (m, a) : fail (m, "it adds to what is not there");
    case 'R': return call (m, FALSE);
    case 0x81: return call (m, TRUE);
    case 'b': return build (m);
    case 'Q':
      if ((a = pop (m)) == NULL)
        return FALSE;
      b = push (m, new_pickle (m, PH_PICKLE_STORAGE));
      g_ptr_array_add (b->items, a);
      return TRUE;
    case '0': return pop (m) != NULL;
    case '2':
      return m->stack->len > 0 ? push (m, m->stack->pdata[m->stack->len - 1]) != NULL : fail (m, "it doubles what is not there");
    default:
      {
        g_autofree char *what = g_strdup_printf ("an opcode 0x%02x that PyTorch's pickles do not use", op);

        m->at--;
        return fail (m, what);
      }
    }
}

PhPickles *
ph_pickle_read (PhSource *source, const char *member, GBytes *bytes, GError **error)
{
  g_autoptr (PhPickles) pickles = g_new0 (PhPickles, 1);
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();
  g_autoptr (GHashTable) memo = g_hash_table_new (NULL, NULL);
  g_autoptr (GError) reason = NULL;
  Machine machine = { source, member, NULL, 0, 0, pickles, stack, memo, &reason }, *m = &machine;

  pickles->all = g_ptr_array_new_with_free_func (pickle_free);
  m->data = g_bytes_get_data (bytes, &m->size);
  for (;;)
    {
      guint64 op;

      if (!take_number (m, 1, &op))
        break;
      if (op == '.')
        {
          if ((pickles->root = pop (m)) != NULL)
            return g_steal_pointer (&pickles);
          break;
        }
      if (!step (m, (guint8) op))
        break;
    }
  g_propagate_error (error, g_steal_pointer (&reason));
  return NULL;
}

const PhPickle *
ph_pickle_get (const PhPickle *dict, const char *key)
{
  if (dict != NULL && dict->kind == PH_PICKLE_OBJECT)
    dict = dict->state;
  if (dict == NULL || dict->kind != PH_PICKLE_DICT)
    return NULL;
  for (guint i = 0; i + 1 < dict->items->len; i += 2)
    {
      const PhPickle *each = dict->items->pdata[i];

      if (each->kind == PH_PICKLE_STRING && g_str_equal (each->text, key))
        return dict->items->pdata[i + 1];
    }
  return NULL;
}

/* ── tensors ── */

static PhDType
storage_dtype (const char *name)
{
  /* clang-format off */
  static const struct { const char *name; PhDType dtype; } names[] = {
    { "FloatStorage", PH_FLOAT }, { "DoubleStorage", PH_DOUBLE }, { "HalfStorage", PH_FLOAT16 }, { "BFloat16Storage", PH_BFLOAT16 }, { "LongStorage", PH_INT64 },
    { "IntStorage", PH_INT32 }, { "ShortStorage", PH_INT16 }, { "CharStorage", PH_INT8 }, { "ByteStorage", PH_UINT8 }, { "BoolStorage", PH_BOOL },
    { "ComplexFloatStorage", PH_COMPLEX64 }, { "ComplexDoubleStorage", PH_COMPLEX128 }, { "QInt8Storage", PH_INT8 }, { "QUInt8Storage", PH_UINT8 }, { "QInt32Storage", PH_INT32 },
  };
  /* clang-format on */
  const char *bare = strrchr (name, '.') != NULL ? strrchr (name, '.') + 1 : name;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (names[i].name, bare))
      return names[i].dtype;
  return PH_UNDEFINED;
}

static const PhPickle *
item (const PhPickle *list, guint i, PhPickleKind kind)
{
  const PhPickle *found = list != NULL && list->items != NULL && i < list->items->len ? list->items->pdata[i] : NULL;

  return found != NULL && found->kind == kind ? found : NULL;
}

PhTensor *
ph_pickle_tensor (const PhPickle *pickle, PhZip *zip, const char *prefix, const char *folder, GError **error)
{
  const PhPickle *callee = pickle != NULL && pickle->kind == PH_PICKLE_CALL ? item (pickle, 0, PH_PICKLE_GLOBAL) : NULL;
  const PhPickle *args = callee != NULL ? item (pickle, 1, PH_PICKLE_TUPLE) : NULL, *storage, *key, *type, *sizes, *strides,
                 *offset;
  gint64 dims[PH_MAX_RANK], steps[PH_MAX_RANK];
  g_autofree char *name = NULL;
  PhDType dtype;

  if (args != NULL && g_str_has_prefix (callee->text, "torch._utils._rebuild_parameter"))
    return ph_pickle_tensor (args->items->len > 0 && args->items->pdata[0] != pickle ? args->items->pdata[0] : NULL, zip, prefix,
                             folder, error);
  if (args == NULL
      || (!g_str_has_prefix (callee->text, "torch._utils._rebuild_tensor")
          && !g_str_equal (callee->text, "torch._utils._rebuild_qtensor")))
    return NULL;
  storage = item (args, 0, PH_PICKLE_STORAGE);
  offset = item (args, 1, PH_PICKLE_INT);
  sizes = item (args, 2, PH_PICKLE_TUPLE);
  strides = item (args, 3, PH_PICKLE_TUPLE);
  storage = storage != NULL ? item (storage, 0, PH_PICKLE_TUPLE) : NULL;
  type = item (storage, 1, PH_PICKLE_GLOBAL);
  key = item (storage, 2, PH_PICKLE_STRING);
  if (offset == NULL || sizes == NULL || strides == NULL || type == NULL || key == NULL || offset->i < 0
      || sizes->items->len > PH_MAX_RANK || sizes->items->len != strides->items->len
      || (dtype = storage_dtype (type->text)) == PH_UNDEFINED)
    return NULL;
  for (guint i = sizes->items->len; i-- > 0;)
    {
      const PhPickle *n = item (sizes, i, PH_PICKLE_INT), *s = item (strides, i, PH_PICKLE_INT);

      if (n == NULL || s == NULL)
        {
          ph_source_fail (zip->source, error, PH_ERROR_INVALID, NULL, "%s: a tensor's size or stride is not a number", prefix);
          return NULL;
        }
      dims[i] = n->i;
      steps[i] = s->i;
    }
  name = g_strdup_printf ("%s/%s/%s", prefix, folder, key->text);
  return ph_zip_tensor (zip, name, dtype, sizes->items->len, dims, steps, offset->i, error);
}
