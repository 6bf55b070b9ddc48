/* convert-reasons.c: why operators of other systems have no equal in ONNX.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "passes/convert.h"

#include <string.h>

static const char devices[] = "ONNX has no operators that exchange data between devices",
                  generator[] = "ONNX has no generator of random bits with a state",
                  outside[] = "it calls a function that is not in the file",
                  python[] = "it is an expression of Python whose value is not in the file",
                  kernel[] = "ONNX has no operators for loops over memory",
                  memory[] = "ONNX has no operators for memory that is reserved by hand",
                  tuple[] = "ONNX has no tuples, and something other than an item of it is used",
                  effect[] = "ONNX has no operators with effects", function[] = "ONNX has no functions as values",
                  reference[] = "ONNX has no references to values that change",
                  check[] = "it compares results in a test: `check FILE` runs it";

/* The first row that fits counts: "domain.name", or the name in any domain. */
static const struct
{
  const char *pattern, *reason;
} rows[] = {
  /* clang-format off */
  { "all?gather*", devices }, { "all?reduce*", devices }, { "all?to?all", devices }, { "ragged?all?to?all", devices },
  { "reduce?scatter", devices }, { "collective?*", devices }, { "partition?id", devices }, { "replica?id", devices },
  { "send*", devices }, { "recv*", devices }, { "hlo.domain", devices }, { "interpreter.*", devices },
  { "infeed", "ONNX reads nothing but its inputs" }, { "outfeed", effect }, { "after?all", effect }, { "create_token", effect },
  { "rng*", generator }, { "stochastic?convert", generator }, { "random_*", generator },
  { "hlo.async?*", "ONNX has no operators that run beside others" }, { "set?dimension?size", "ONNX's types do not bound a size that is open" },
  { "jax.*jit", "the file does not hold the program that it runs" }, { "jax.*call*", "the file does not hold the program that it runs" },
  { "tflite.VAR_HANDLE", effect }, { "tflite.ASSIGN_VARIABLE", effect },
  { "jax.literal", "its elements were left out of the file" },
  { "torch.call_module", "the file does not hold the module's class and weights: save the program of torch.export.export (…) instead, which does" },
  { "relax.call_dps_packed", outside }, { "relax.call*packed", outside }, { "relax.call_builtin_with_ctx", outside }, { "relax.emit*", python },
  { "relax.const", python }, { "relax.expression", python }, { "relax.Call", python }, { "relax.prim_value", "ONNX has no numbers outside of tensors" },
  { "relax.memory.*", memory }, { "relax.builtin.*", memory }, { "relax.*closure", function }, { "relax.print", effect }, { "relax.assert_op", effect },
  { "relax.call", function }, { "relay.call", function }, { "relay.fn", function }, { "relax.function", function },
  { "relay.operator", function }, { "relay.global", function }, { "relay.variable", function }, { "relay.ref*", reference },
  { "relay.match", "ONNX has no types with several constructors" }, { "relay.constructor", "ONNX has no types with several constructors" },
  { "rela?.tuple*", tuple }, { "mindspore.MakeTuple", tuple }, { "mindspore.TupleGetItem", tuple },
  { "tir.*", kernel }, { "check.*", check }, { "tf.Print*", effect }, { "tf.Save*", effect }, { "tf.Restore*", "ONNX reads no files" },
  /* clang-format on */
};

const char *
ph_convert_reason (const PhNode *node)
{
  g_autofree char *name = g_strdup_printf ("%s.%s", node->domain, node->op_type);

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (g_pattern_match_simple (rows[i].pattern, strchr (rows[i].pattern, '.') != NULL ? name : node->op_type))
      return rows[i].reason;
  return "convert-to-onnx has no rule for it";
}
