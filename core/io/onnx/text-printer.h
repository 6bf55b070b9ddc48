/* text-printer.h: what the printers of ONNX's text syntax share.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "core/io/onnx/text-lexer.h"

G_BEGIN_DECLS

typedef struct
{
  GString *out;
  GHashTable *tensors;       /* (nullable) TensorProto -> PhTensor                       */
  gsize max_elements;        /* of longer constants only their number and hash are written */
  guint indent;              /* in steps of two blanks                                   */
  GCancellable *cancellable; /* (nullable) cancelled: the rest is left out               */
} PhTextPrinter;

/* text-data.c */
void ph_text_new_line (PhTextPrinter *printer);
void ph_text_print_string (PhTextPrinter *printer, const char *text, gsize length); /* in quotes                  */
void ph_text_print_name (PhTextPrinter *printer, const char *name);                 /* in quotes where it must be */
gboolean ph_text_print_type (PhTextPrinter *printer, const Onnx__TypeProto *type);  /* FALSE: unknown, no text    */
/* The shortest of @least to @most digits that reads back as the same number. */
void ph_text_print_double (PhTextPrinter *printer, double value, guint least, guint most, gboolean as_float);
void ph_text_print_elements (PhTextPrinter *printer, const Onnx__TensorProto *tensor);
void ph_text_print_tensor_type (PhTextPrinter *printer, const Onnx__TensorProto *tensor);
void ph_text_print_tensor (PhTextPrinter *printer, const Onnx__TensorProto *tensor); /* type and elements          */

G_END_DECLS
