/* wire.h: protobuf's wire format, read in place and written: for messages of which only some fields are of interest.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  const guint8 *data;
  gsize size;
} PhSpan;

/* One field of a message. Of a number @number is the varint, or the 4 or 8 bytes as they are; of all else @span is what it holds. */
typedef struct
{
  guint id;
  guint type;
  guint64 number;
  PhSpan span;
} PhWireField;
enum
{
  PH_WIRE_VARINT = 0,
  PH_WIRE_FIXED64 = 1,
  PH_WIRE_BYTES = 2,
  PH_WIRE_FIXED32 = 5
};

/* The number at @at of @message, and @at behind it. FALSE: it does not end there. */
gboolean ph_wire_varint (PhSpan message, gsize *at, guint64 *value);
/* The field at @at of @message, and @at behind it. FALSE: the end, or it is damaged there (then *@at < message.size). */
gboolean ph_wire_next (PhSpan message, gsize *at, PhWireField *field);
/* All of it is fields, and none of its numbers is over @last. */
gboolean ph_wire_is_message (PhSpan message, guint last);
/* The last field @id. FALSE: there is none. */
gboolean ph_wire_find (PhSpan message, guint id, PhWireField *field);
PhSpan ph_wire_message (PhSpan message, guint id); /* of size 0 when there is none */
guint64 ph_wire_number (PhSpan message, guint id, guint64 fallback);
/* (transfer full); "" when there is none. Text ends at a NUL. */
char *ph_wire_string (PhSpan message, guint id);
char *ph_span_to_string (PhSpan span);
gboolean ph_span_is (PhSpan span, const char *text);
/* Numbers of the repeated field @id, packed or not; of @type (PH_WIRE_VARINT, ...). (element-type guint64) (transfer full) */
GArray *ph_wire_numbers (PhSpan message, guint id, guint type);
float ph_float_of_bits (guint64 bits);
double ph_double_of_bits (guint64 bits);

/* clang-format off */
#define PH_WIRE_FOREACH(field_, message_) \
  for (PhWireField field_ = { 0 }, *field_##_once = &field_; field_##_once != NULL; field_##_once = NULL) \
    for (gsize field_##_at = 0; ph_wire_next (message_, &field_##_at, &field_);)
/* clang-format on */

void ph_wire_put_varint (GByteArray *out, guint64 value);
void ph_wire_put_number (GByteArray *out, guint id, guint64 value);
void ph_wire_put_bytes (GByteArray *out, guint id, gconstpointer data, gsize size);
void ph_wire_put_fixed (GByteArray *out, guint id, guint64 bits, gboolean wide);

/* A message's fields in protobuf's text format. */
typedef struct _PhTextMessage PhTextMessage;
typedef enum
{
  PH_TEXT_INT,
  PH_TEXT_FLOAT,
  PH_TEXT_DOUBLE,
  PH_TEXT_BOOL,
  PH_TEXT_STRING,
  PH_TEXT_ENUM,
  PH_TEXT_MESSAGE
} PhTextKind;
typedef struct
{
  const char *name;
  guint id;
  PhTextKind kind;
  const PhTextMessage *message;
} PhTextField;
struct _PhTextMessage
{
  PhTextField fields[48]; /* up to the first without a name                                              */
  guint line;             /* the number of a field for the line on which the message begins; 0: it has none */
};

/* The same message on the wire. Fields that @message does not have are passed over. @number_of: of an enumeration's word, -1: unknown.
 * NULL with @error (domain G_MARKUP_ERROR is not used: PH_ERROR_FILE) and the place where @text is at fault. (transfer full) */
GByteArray *ph_wire_from_text (const char *text, gsize size, const PhTextMessage *message, gint64 (*number_of) (const char *word),
                               guint *line, guint *column, const char **why);

G_END_DECLS
