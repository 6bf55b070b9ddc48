/* dialect.h: sets of operators that models use, by their domain.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  const char *domain;        /* "" for ONNX's own                                    */
  const char *title;         /* "ONNX", for people                                   */
  int         newest;        /* the version at which its operators are declared      */
} PhDialect;

extern const PhDialect ph_dialect_onnx;

G_END_DECLS
