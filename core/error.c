/* error.c: the one error domain of the library.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/error.h"

#include <gio/gio.h>

G_DEFINE_QUARK (ph - error - quark, ph_error)

const char *
ph_error_code_name (const GError *error)
{
  static const char *const names[] = {
    [PH_ERROR_FAILED] = "failed",
    [PH_ERROR_FILE] = "file",
    [PH_ERROR_INVALID] = "invalid",
    [PH_ERROR_TYPE] = "type",
    [PH_ERROR_ELEMENT_TYPE] = "type",
    [PH_ERROR_LIMIT] = "limit",
    [PH_ERROR_UNSUPPORTED] = "unsupported",
    [PH_ERROR_NOT_CONVERGED] = "not-converged",
    [PH_ERROR_BAD_RULE] = "bad-rule",
    [PH_ERROR_NOT_FOUND] = "not-found",
    [PH_ERROR_USAGE] = "usage",
    [PH_ERROR_PARSE] = "parse",
    [PH_ERROR_LAYOUT] = "layout",
    [PH_ERROR_CANCELLED] = "cancelled",
    [PH_ERROR_CRASHED] = "crashed",
    [PH_ERROR_BAD_MODEL] = "bad-model",
  };

  if (error->domain == PH_ERROR && error->code >= 0 && error->code < (int) G_N_ELEMENTS (names))
    return names[error->code];
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return "cancelled";
  if (error->domain == G_IO_ERROR || error->domain == G_FILE_ERROR)
    return "file";
  return "failed";
}
