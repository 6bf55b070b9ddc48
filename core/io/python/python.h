/* python.h: the part of Python that compilers print, as a tree. Nothing of it is ever run. Private to the readers of such text.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/io/source.h"

G_BEGIN_DECLS

#define PH_PY_MAX_DEPTH 200 /* of brackets and blocks in each other; a chain a + b + ... may have 5 times as many links */

/* clang-format off */
typedef enum
{
  /* Expressions. */
  PH_PY_NAME,          /* text                                                                                     */
  PH_PY_INT,           /* i; text as it is written                                                                 */
  PH_PY_FLOAT,         /* f; text as it is written                                                                 */
  PH_PY_STRING,        /* text: what it stands for (without what follows a zero byte); i: 1 where a part is f"..." */
  PH_PY_CONSTANT,      /* text: None, True, False, ...                                                             */
  PH_PY_ATTRIBUTE,     /* items[0] . text                                                                          */
  PH_PY_SUBSCRIPT,     /* items[0] [ items[1] ]                                                                    */
  PH_PY_SLICE,         /* items[0] : items[1] : items[2], each nullable                                            */
  PH_PY_CALL,          /* items[0] is called with items[1], ...                                                    */
  PH_PY_KEYWORD,       /* text = items[0]; "**" for a mapping                                                      */
  PH_PY_STARRED,       /* * items[0]                                                                               */
  PH_PY_TUPLE, PH_PY_LIST, PH_PY_SET,
  PH_PY_DICT,          /* items: key, value, key, value; a key is NULL for **value                                 */
  PH_PY_UNARY,         /* text items[0]: - + ~ not await                                                           */
  PH_PY_BINARY,        /* items[0] text items[1]: arithmetic, comparisons, and, or                                 */
  PH_PY_IF_ELSE,       /* items[0] if items[1] else items[2]                                                       */
  PH_PY_NAMED,         /* items[0] := items[1]                                                                     */
  PH_PY_LAMBDA,        /* parameters; orelse[0] is what it returns                                                 */
  PH_PY_COMPREHENSION, /* text: the brackets; items[0], then for each part target, sequence or NULL, condition     */
  PH_PY_PARAMETER,     /* text; items[0] annotation, items[1] default, both nullable; i: 1 for *text, 2 for **text */
  /* Statements. */
  PH_PY_EXPRESSION,    /* items[0]                                                                                 */
  PH_PY_ASSIGN,        /* targets and, last, what they are set to                                                  */
  PH_PY_ANNOTATED,     /* items[0] : items[1] = items[2] (nullable)                                                */
  PH_PY_AUGMENTED,     /* items[0] text items[1], text without the =                                               */
  PH_PY_DEF,           /* text; items: parameters; returns; decorators; body                                       */
  PH_PY_CLASS,         /* text; items: bases; decorators; body                                                     */
  PH_PY_WITH,          /* items: context, target (nullable), context, ...; body                                    */
  PH_PY_FOR,           /* items[0] in items[1]; body; orelse                                                       */
  PH_PY_WHILE,         /* items[0]; body; orelse                                                                   */
  PH_PY_IF,            /* items[0]; body; orelse                                                                   */
  PH_PY_RETURN,        /* items[0] (nullable)                                                                      */
  PH_PY_ASSERT, PH_PY_DELETE, PH_PY_RAISE,   /* items                                                              */
  PH_PY_PASS, PH_PY_BREAK, PH_PY_CONTINUE,
  PH_PY_IMPORT, PH_PY_GLOBAL,   /* text: the whole line, also nonlocal's                                             */
  PH_PY_TRY,           /* body; orelse: what follows it                                                            */
} PhPyKind;
/* clang-format on */

typedef struct _PhPy PhPy;
struct _PhPy
{
  PhPyKind kind;
  guint line, column, depth;
  const char *text;
  gint64 i;
  double f;
  guint n, n_body, n_orelse, n_decorators;
  PhPy **items, **body, **orelse, **decorators;
  PhPy *returns;       /* (nullable) of a DEF                                                              */
  const char *comment; /* (nullable) of a statement: what stands above it and behind it, without "#"       */
};

/* Owns all of the tree. */
typedef struct
{
  PhSource *source;
  const char *file; /* (nullable) in messages: of an archive's member                                   */
  PhPy **body;
  guint n_body;
  GPtrArray *chunks;
  gsize left;
  char *free;
} PhPyModule;

/* @text begins at line @line of the source. What is indented as a whole is read as if it were not. */
PhPyModule *ph_py_parse (PhSource *source, const char *text, gsize size, guint line, const char *file, GError **error);
void ph_py_free (PhPyModule *module);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PhPyModule, ph_py_free)

gpointer ph_py_alloc (PhPyModule *module, gsize size); /* zero-filled; lives as long as the tree */
const char *ph_py_strndup (PhPyModule *module, const char *text, gsize size);

/* As Python's ast.unparse() would, on one line. (transfer full) @py: (nullable) */
char *ph_py_to_string (const PhPy *py);
/* "R.nn.conv2d" of names joined by points; NULL of anything else. (transfer full) */
char *ph_py_dotted (const PhPy *py);
gboolean ph_py_is_name (const PhPy *py, const char *text);
gboolean ph_py_is_none (const PhPy *py);                        /* also NULL                          */
const PhPy *ph_py_keyword (const PhPy *call, const char *name); /* (nullable) its value               */
/* Argument @index, or the keyword @name. (nullable) */
const PhPy *ph_py_argument (const PhPy *call, guint index, const char *name);
gboolean ph_py_int (const PhPy *py, gint64 *value);   /* also -3                            */
gboolean ph_py_float (const PhPy *py, double *value); /* also an integer, -3.0, float('inf'), inf */

G_END_DECLS
