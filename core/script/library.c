/* library.c: words that are written in the language itself.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/script/script-execute.h"
#include "core/script/script-words.h"

/* clang-format off */
/* One def per word, with the same name. They call each other, and words, but see no variable of the program. */
static const char library[] =
  "def add(a, b):\n    return a + b\n"
  "def allclose(a, b, rtol=1e-05, atol=1e-08):\n    return all(abs(a - b) <= atol + rtol * abs(b))\n"
  "def amax(x, axis=None, keepdims=False):\n    return max(x, axis=axis, keepdims=keepdims)\n"
  "def amin(x, axis=None, keepdims=False):\n    return min(x, axis=axis, keepdims=keepdims)\n"
  "def append(x, values):\n    return concatenate([ravel(x), ravel(array(values))])\n"
  "def argsort(x, axis=-1):\n    return TopK(x, [x.shape[axis]], axis=axis, largest=0)[1]\n"
  "def array_equal(a, b):\n    return all(a == b) if a.shape == b.shape else False\n"
  "def count(x, value):\n"
  "    n = 0\n    for item in x:\n        n += 1 if item == value else 0\n    return n\n"
  "def count_nonzero(x, axis=None):\n    return sum(x != 0, axis)\n"
  "def cumprod(x, axis=None):\n"
  "    if axis is None:\n        x = ravel(x)\n        axis = 0\n"
  "    return CumProd(x, axis)\n"
  "def diag(x):\n"
  "    if x.ndim == 1:\n        return where(eye(x.shape[0], dtype=bool), x, 0)\n"
  "    n = arange(min(x.shape[0], x.shape[1]))\n"
  "    return x[n, n]\n"
  "def diff(x):\n    return x[..., 1:] - x[..., :-1]\n"
  "def divide(a, b):\n    return a / b\n"
  "def divmod(a, b):\n    return a // b, a % b\n"
  "def empty(shape, dtype=float32):\n    return zeros(shape, dtype=dtype)\n"
  "def expm1(x):\n"
  "    u = exp(x)\n"
  "    return where(abs(x) > 0.5, u - 1, where(u == 1, x, (u - 1) * x / log(where(u == 1, 2, u))))\n"
  "def eye(n, m=None, k=0, dtype=float32):\n"
  "    return astype(arange(n)[:, None] + k == arange(n if m is None else m)[None, :], dtype)\n"
  "def flip(x, axis=None):\n"
  "    for a in range(x.ndim) if axis is None else [axis]:\n"
  "        x = Gather(x, arange(x.shape[a] - 1, -1, -1), axis=a)\n"
  "    return x\n"
  "def floor_divide(a, b):\n    return a // b\n"
  "def full_like(x, value):\n    return full(x.shape, value, dtype=x.dtype)\n"
  "def greater_equal(a, b):\n    return a >= b\n"
  "def hstack(arrays):\n    return concatenate(arrays, axis=0 if arrays[0].ndim == 1 else 1)\n"
  "def index(x, value):\n"
  "    place = -1\n    for i in range(len(x) - 1, -1, -1):\n        if x[i] == value:\n            place = i\n"
  "    assert place >= 0, 'the value is not in the list'\n    return place\n"
  "def inner(a, b):\n    return a @ b.T\n"
  "def isfinite(x):\n    return ~(isnan(x) | isinf(x))\n"
  "def less_equal(a, b):\n    return a <= b\n"
  "def linspace(start, stop, num=50):\n    return start + arange(num) * ((stop - start) / max(num - 1, 1))\n"
  "def log10(x):\n    return astype(log(astype(x, float64)) / 2.302585092994046, float32)\n"
  "def log1p(x):\n"
  "    u = 1 + x\n"
  "    return where(u == 1, x, log(u) * x / where(u == 1, 1, u - 1))\n"
  "def log2(x):\n    return astype(log(astype(x, float64)) / 0.6931471805599453, float32)\n"
  "def logical_and(a, b):\n    return astype(a, bool) & astype(b, bool)\n"
  "def logical_not(a):\n    return ~astype(a, bool)\n"
  "def logical_or(a, b):\n    return astype(a, bool) | astype(b, bool)\n"
  "def logical_xor(a, b):\n    return astype(a, bool) ^ astype(b, bool)\n"
  "def median(x, axis=None):\n"
  "    if axis is None:\n        x = ravel(x)\n        axis = 0\n"
  "    s = sort(x, axis)\n"
  "    n = x.shape[axis]\n"
  "    return (take(s, (n - 1) // 2, axis) + take(s, n // 2, axis)) / 2\n"
  "def mod(a, b, fmod=0):\n    return Mod(a, b, fmod=1) if fmod else a % b\n"
  "def multiply(a, b):\n    return a * b\n"
  "def norm(x, axis=None, keepdims=False):\n    return sqrt(sum(x * x, axis, keepdims))\n"
  "def not_equal(a, b):\n    return a != b\n"
  "def outer(a, b):\n    return ravel(a)[:, None] * ravel(b)[None, :]\n"
  "def pow(a, b):\n    return a ** b\n"
  "def power(a, b):\n    return a ** b\n"
  "def repeat(x, repeats, axis=None):\n"
  "    if axis is None:\n        x = ravel(x)\n        axis = 0\n"
  "    return Gather(x, arange(x.shape[axis] * repeats) // repeats, axis=axis)\n"
  "def roll(x, shift, axis=None):\n"
  "    if axis is None:\n        return reshape(Gather(ravel(x), (arange(x.size) - shift) % x.size), x.shape)\n"
  "    n = x.shape[axis]\n"
  "    return Gather(x, (arange(n) - shift) % n, axis=axis)\n"
  "def sort(x, axis=-1):\n    return TopK(x, [x.shape[axis]], axis=axis, largest=0)[0]\n"
  "def square(x):\n    return x * x\n"
  "def std(x, axis=None, keepdims=False, ddof=0):\n    return sqrt(var(x, axis, keepdims, ddof))\n"
  "def subtract(a, b):\n    return a - b\n"
  "def swapaxes(x, a, b):\n"
  "    a = a % x.ndim\n    b = b % x.ndim\n"
  "    return transpose(x, perm=[b if i == a else a if i == b else i for i in range(x.ndim)])\n"
  "def take(x, indices, axis=None):\n    return Gather(ravel(x) if axis is None else x, indices, axis=0 if axis is None else axis)\n"
  "def tile(x, reps):\n"
  "    x = array(x)\n    reps = ravel(array(reps))\n    n = len(reps) - x.ndim\n"
  "    if n > 0:\n        x = reshape(x, [1] * n + list(x.shape))\n"
  "    return Tile(x, concatenate([ones(-n, dtype=int64), reps]) if n < 0 else reps)\n"
  "def trace(x):\n    return sum(diag(x))\n"
  "def tril(x, k=0):\n    return Trilu(x, k, upper=0)\n"
  "def triu(x, k=0):\n    return Trilu(x, k, upper=1)\n"
  "def trunc(x):\n    return where(x < 0, ceil(x), floor(x))\n"
  "def var(x, axis=None, keepdims=False, ddof=0):\n"
  "    d = x - mean(x, axis, True)\n"
  "    if ddof == 0:\n        return mean(d * d, axis, keepdims)\n"
  "    return sum(d * d, axis, keepdims) / ((x.size if axis is None else x.shape[axis]) - ddof)\n"
  "def vstack(arrays):\n    return concatenate([reshape(a, (1, -1)) if a.ndim == 1 else a for a in arrays], axis=0)\n";
/* clang-format on */

/* Returns a scope with the library's functions, name -> PhScriptValue. */
static PhScriptScope *
read_library (PhScriptMachine *machine, GError **error)
{
  PhScriptText *text = ph_script_parse (library, "library", error);
  PhScriptScope *scope = text != NULL ? ph_script_scope_new (NULL) : NULL;
  PhScriptFrame frame = { .outer = machine->frame, .text = text, .scope = scope };
  gboolean ok = TRUE;

  if (scope == NULL)
    return NULL;
  machine->frame = &frame;
  for (guint i = 0; ok && i < text->module->n_body; i++)
    ok = ph_script_simple (machine, text->module->body[i], error);
  machine->frame = frame.outer;
  ph_script_text_free (text);
  if (ok)
    return scope;
  g_hash_table_remove_all (scope->variables);
  ph_script_scope_unref (scope);
  return NULL;
}

PhScriptValue *
ph_script_word_defined (PhScriptMachine *machine, PhScriptArgs *args, GError **error)
{
  PhScript *script = machine->script;
  const PhPy *call_of_word = machine->call_of_word;
  PhScriptFrame *frame_of_word = machine->frame_of_word;
  PhScriptValue *function, *result = NULL;

  /* Errors in it, and values made by it, are reported at the call. */
  if (call_of_word == NULL)
    {
      machine->call_of_word = args->at;
      machine->frame_of_word = machine->frame;
    }
  if (script->library != NULL || (script->library = read_library (machine, error)) != NULL)
    {
      function = g_hash_table_lookup (script->library->variables, args->name);
      result = ph_script_call_function (machine, function->function, args, error);
    }
  machine->call_of_word = call_of_word;
  machine->frame_of_word = frame_of_word;
  return result;
}
