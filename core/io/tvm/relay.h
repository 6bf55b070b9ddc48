/* relay.h: the text of Relay, TVM's older language, as a sketch. After TVM's parser of it (python/tvm/relay/grammar in TVM 0.6 to 0.16).
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/io/sketch.h"

G_BEGIN_DECLS

#define PH_RELAY          "relay"
#define PH_RELAY_FUNCTION "relay.func" /* calls of the module's own functions */

typedef struct
{
  PhSource *source;
  const char *p, *begin, *end;
  PhTextLine line;
  guint depth;
  PhSketch *sketch;
  GError *error; /* (nullable) owned; the first one stays */
} PhRelay;

/* Where expressions are: @names: interned name in the text -> name of a value. */
typedef struct
{
  PhRelay *r;
  PhSketchGraph *graph;
  GHashTable *names;
} PhRelayScope;

/* relay-text.c: words. What is looked for may have spaces and comments before it. */
gpointer ph_relay_fail (PhRelay *r, const char *wanted); /* NULL */
void ph_relay_skip (PhRelay *r);
gboolean ph_relay_is_word (char c);
gboolean ph_relay_looks (PhRelay *r, const char *text);
gboolean ph_relay_take (PhRelay *r, const char *text);
gboolean ph_relay_expect (PhRelay *r, const char *text);
/* What is written up to one of @stops outside of brackets, on one line. (transfer full) */
char *ph_relay_raw (PhRelay *r, const char *stops);
char *ph_relay_word (PhRelay *r); /* (transfer full) */
/* %x, %%x, @f: (transfer full), without the sign. */
char *ph_relay_name (PhRelay *r);

/* relay-expression.c */
/* [A, B] (%x: type, ...) -> type { ... }: its inputs and its output. FALSE: failed. */
gboolean ph_relay_function (PhRelayScope *scope);
/* let %x = ...; %0 = ...; and the value of the last of them, up to @close. NULL: failed, or there was nothing. */
const char *ph_relay_body (PhRelayScope *scope, char close);

G_END_DECLS
