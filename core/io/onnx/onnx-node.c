/* onnx-node.c: reads one NodeProto: its attributes, and the fields that Peephole keeps without interpreting them.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/onnx/onnx-import.h"
#include "core/io/onnx/onnx-tensor.h"

static PhAttrKind
kind_of (const Onnx__AttributeProto *proto)
{
  if (proto->ref_attr_name != NULL && proto->ref_attr_name[0] != '\0')
    return PH_ATTR_REF;
  if (proto->has_type && proto->type != ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__UNDEFINED)
    switch ((int) proto->type)
      {
      case PH_ATTR_FLOAT:
      case PH_ATTR_INT:
      case PH_ATTR_STRING:
      case PH_ATTR_TENSOR:
      case PH_ATTR_GRAPH:
      case PH_ATTR_FLOATS:
      case PH_ATTR_INTS:
      case PH_ATTR_STRINGS:
      case PH_ATTR_TENSORS: return (PhAttrKind) proto->type;
      default: return PH_ATTR_OPAQUE;
      }
  /* Files of the first format version have no type. */
  return proto->has_f           ? PH_ATTR_FLOAT
         : proto->has_i         ? PH_ATTR_INT
         : proto->has_s         ? PH_ATTR_STRING
         : proto->t != NULL     ? PH_ATTR_TENSOR
         : proto->n_floats > 0  ? PH_ATTR_FLOATS
         : proto->n_ints > 0    ? PH_ATTR_INTS
         : proto->n_strings > 0 ? PH_ATTR_STRINGS
         : proto->n_tensors > 0 ? PH_ATTR_TENSORS
                                : PH_ATTR_OPAQUE;
}

static GBytes *
to_bytes (const ProtobufCBinaryData *data)
{
  return g_bytes_new (data->data, data->len);
}

PhAttr *
ph_attr_from_proto (PhOnnxSource *source, PhArena *arena, Onnx__AttributeProto *proto, GError **error)
{
  const char *name = proto->name != NULL && proto->name[0] != '\0' && g_utf8_validate (proto->name, -1, NULL)
                         ? ph_intern (proto->name)
                         : "";
  PhAttrKind kind = kind_of (proto);
  g_autoptr (GBytes) bytes = NULL;
  g_autofree char *what = NULL;

  if (name[0] == '\0')
    {
      ph_source_fail (source->base, error, PH_ERROR_INVALID, proto, "an attribute has no name");
      return NULL;
    }
  switch (kind)
    {
    case PH_ATTR_FLOAT: return ph_attr_new_float (name, proto->f);
    case PH_ATTR_INT: return ph_attr_new_int (name, proto->i);
    case PH_ATTR_STRING: bytes = to_bytes (&proto->s); return ph_attr_new_bytes (name, PH_ATTR_STRING, bytes);
    case PH_ATTR_FLOATS: return ph_attr_new_floats (name, proto->floats, proto->n_floats);
    case PH_ATTR_INTS: return ph_attr_new_ints (name, proto->ints, proto->n_ints);
    case PH_ATTR_STRINGS:
      {
        g_autoptr (GPtrArray) strings = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);

        for (gsize i = 0; i < proto->n_strings; i++)
          g_ptr_array_add (strings, to_bytes (&proto->strings[i]));
        return ph_attr_new_strings (name, (GBytes *const *) strings->pdata, strings->len);
      }
    case PH_ATTR_TENSOR:
      {
        g_autoptr (PhTensor) tensor = NULL;

        what = g_strdup_printf ("attribute '%s'", name);
        if (proto->t == NULL)
          {
            ph_source_fail (source->base, error, PH_ERROR_INVALID, proto, "%s is a tensor and has none", what);
            return NULL;
          }
        tensor = ph_tensor_from_proto (source, proto->t, what, error);
        return tensor != NULL ? ph_attr_new_tensor (name, tensor) : NULL;
      }
    case PH_ATTR_TENSORS:
      {
        g_autoptr (GPtrArray) tensors = g_ptr_array_new_with_free_func ((GDestroyNotify) ph_tensor_unref);

        what = g_strdup_printf ("attribute '%s'", name);
        for (gsize i = 0; i < proto->n_tensors; i++)
          {
            PhTensor *tensor = ph_tensor_from_proto (source, proto->tensors[i], what, error);

            if (tensor == NULL)
              return NULL;
            g_ptr_array_add (tensors, tensor);
          }
        return ph_attr_new_tensors (name, (PhTensor *const *) tensors->pdata, tensors->len);
      }
    case PH_ATTR_REF:
      if (!g_utf8_validate (proto->ref_attr_name, -1, NULL))
        {
          ph_source_fail (source->base, error, PH_ERROR_INVALID, proto, "attribute '%s' refers to one whose name is not text",
                          name);
          return NULL;
        }
      return ph_attr_new_ref (name, proto->ref_attr_name, proto->has_type ? (PhAttrKind) proto->type : 0);
    case PH_ATTR_GRAPH:
    case PH_ATTR_GRAPHS:
    case PH_ATTR_OPAQUE:
    default:
      /* Large data may have been cut out of the unpacked copy: put it back first. */
      if (!ph_proto_restore (source, arena, &proto->base, error))
        return NULL;
      bytes = ph_proto_to_bytes (&proto->base);
      return ph_attr_new_bytes (name, PH_ATTR_OPAQUE, bytes);
    }
}

/* Sets @stub to a tensor's name and documentation, which PhTensor does not keep. Returns FALSE if it has neither. */
static gboolean
tensor_stub (const Onnx__TensorProto *tensor, Onnx__TensorProto *stub)
{
  gboolean unknown = tensor->base.n_unknown_fields > 0
                     && !(tensor->base.n_unknown_fields == 1 && tensor->base.unknown_fields[0].tag == PH_TENSOR_SLICE);

  if ((tensor->name == NULL || tensor->name[0] == '\0') && tensor->doc_string == NULL && !unknown)
    return FALSE;
  onnx__tensor_proto__init (stub);
  stub->name = tensor->name != NULL && tensor->name[0] != '\0' ? tensor->name : NULL;
  stub->doc_string = tensor->doc_string;
  if (unknown && ph_proto_unknown (&tensor->base, PH_TENSOR_SLICE) == NULL)
    {
      stub->base.n_unknown_fields = tensor->base.n_unknown_fields;
      stub->base.unknown_fields = tensor->base.unknown_fields;
    }
  return TRUE;
}

GBytes *
ph_import_node_extra (PhImport *import, const Onnx__NodeProto *proto)
{
  Onnx__NodeProto copy = ONNX__NODE_PROTO__INIT;
  g_autofree Onnx__AttributeProto *attrs = NULL;
  g_autofree Onnx__AttributeProto **pointers = NULL;
  g_autofree Onnx__TensorProto *tensors = NULL;
  g_autofree ProtobufCMessageUnknownField *unknown = NULL;
  guint n_unknown = 0;

  if (proto->n_attribute == 0 && proto->doc_string == NULL && proto->base.n_unknown_fields == 0)
    return NULL;
  unknown = g_new (ProtobufCMessageUnknownField, proto->base.n_unknown_fields + 1);
  for (guint i = 0; i < proto->base.n_unknown_fields; i++)
    if (!ph_import_is_tag (import, &proto->base.unknown_fields[i]))
      unknown[n_unknown++] = proto->base.unknown_fields[i];
  for (gsize i = 0; i < proto->n_attribute; i++)
    {
      const Onnx__AttributeProto *attr = proto->attribute[i];
      Onnx__TensorProto stub;
      gboolean has_stub = attr->t != NULL && tensor_stub (attr->t, &stub);

      if (attr->doc_string == NULL && attr->base.n_unknown_fields == 0 && !has_stub)
        continue;
      if (attrs == NULL)
        {
          attrs = g_new (Onnx__AttributeProto, proto->n_attribute);
          pointers = g_new (Onnx__AttributeProto *, proto->n_attribute);
          tensors = g_new (Onnx__TensorProto, proto->n_attribute);
        }
      onnx__attribute_proto__init (&attrs[copy.n_attribute]);
      attrs[copy.n_attribute].name = attr->name;
      attrs[copy.n_attribute].doc_string = attr->doc_string;
      attrs[copy.n_attribute].base.n_unknown_fields = attr->base.n_unknown_fields;
      attrs[copy.n_attribute].base.unknown_fields = attr->base.unknown_fields;
      if (has_stub)
        {
          tensors[copy.n_attribute] = stub;
          attrs[copy.n_attribute].t = &tensors[copy.n_attribute];
        }
      pointers[copy.n_attribute] = &attrs[copy.n_attribute];
      copy.n_attribute++;
    }
  if (copy.n_attribute == 0 && proto->doc_string == NULL && n_unknown == 0)
    return NULL;
  copy.attribute = pointers;
  copy.doc_string = proto->doc_string;
  copy.base.n_unknown_fields = n_unknown;
  copy.base.unknown_fields = unknown;
  return ph_proto_to_bytes (&copy.base);
}
