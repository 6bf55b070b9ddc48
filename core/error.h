/* error.h: the one error domain of the library.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define PH_ERROR (ph_error_quark ())

/* Every message names the file and place, or the node and operator, and says what to do. */
/* clang-format off */
typedef enum
{
  PH_ERROR_FAILED,          /* anything without a better code                                     */
  PH_ERROR_FILE,            /* unreadable, truncated, or not in a format that Peephole knows      */
  PH_ERROR_INVALID,         /* the model breaks a rule of ONNX: a cycle, a duplicate name, ...    */
  PH_ERROR_TYPE,            /* element types or shapes do not fit                                 */
  PH_ERROR_ELEMENT_TYPE,    /* an operator that does not take elements of this type               */
  PH_ERROR_LIMIT,           /* more memory, turns or depth than is allowed here, or no kernel: it says nothing of the model */
  PH_ERROR_UNSUPPORTED,     /* valid, but cannot be executed, differentiated or converted here    */
  PH_ERROR_NOT_CONVERGED,   /* a rule that keeps firing                                           */
  PH_ERROR_BAD_RULE,        /* a rule that changes a type or breaks the graph                     */
  PH_ERROR_NOT_FOUND,       /* no node, value, pass, command of that name                         */
  PH_ERROR_USAGE,           /* wrong arguments of a command                                       */
  PH_ERROR_PARSE,           /* text that does not parse; the message carries line:column          */
  PH_ERROR_LAYOUT,          /* the layout helper failed, crashed or ran out of time               */
  PH_ERROR_CANCELLED,
  PH_ERROR_CRASHED,         /* a pass of another program died, refused or took too long           */
  PH_ERROR_BAD_MODEL,       /* a pass of another program wrote no valid model                     */
} PhError;
/* clang-format on */

GQuark ph_error_quark (void);

/* The code as scripts see it: "file", "invalid", "not-found", ... Also maps G_IO_ERROR and friends. */
const char *ph_error_code_name (const GError *error);

G_END_DECLS
