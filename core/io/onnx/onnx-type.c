/* onnx-type.c: ONNX's TypeProto and Peephole's types.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/io/onnx/proto.h"

#include <string.h>

#include "core/io/onnx/onnx-tensor.h"
#include "core/io/wire.h"

/* Reads TypeProto.Opaque { 1: domain, 2: name }, which the onnx.proto without ML operators leaves out. Returns NULL if it is not opaque, or
 * has a domain. */
char *
ph_type_proto_opaque (const Onnx__TypeProto *proto)
{
  const ProtobufCMessageUnknownField *field = ph_proto_unknown (&proto->base, PH_TYPE_OPAQUE);
  gsize header = 0;
  PhSpan opaque;

  if (field == NULL || field->wire_type != PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED || proto->base.n_unknown_fields > 1)
    return NULL;
  while (header < field->len && (field->data[header] & 0x80) != 0) /* the length */
    header++;
  if (header++ >= field->len)
    return NULL;
  opaque = (PhSpan) { field->data + header, field->len - header };
  return ph_wire_is_message (opaque, 2) && ph_wire_message (opaque, 1).size == 0 ? ph_wire_string (opaque, 2) : NULL;
}

void
ph_type_proto_set_opaque (PhArena *arena, Onnx__TypeProto *proto, const char *name)
{
  g_autoptr (GByteArray) opaque = g_byte_array_new ();

  ph_wire_put_bytes (opaque, 2, name, strlen (name));
  ph_proto_append_bytes (arena, &proto->base, PH_TYPE_OPAQUE, opaque->data, opaque->len);
}

static PhDim
dim_from_proto (const Onnx__TensorShapeProto__Dimension *dim)
{
  if (dim->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE && dim->dim_value >= 0)
    return PH_DIM (dim->dim_value);
  if (dim->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM && dim->dim_param != NULL
      && dim->dim_param[0] != '\0')
    return ph_dim_symbol (dim->dim_param);
  return PH_DIM_UNKNOWN;
}

static const PhType *
tensor_type (gint64 dtype, const Onnx__TensorShapeProto *shape)
{
  PhDim dims[PH_MAX_RANK];

  if (dtype <= PH_UNDEFINED || dtype >= PH_N_DTYPES)
    return NULL;
  if (shape == NULL || shape->n_dim > PH_MAX_RANK)
    return ph_type_unranked ((PhDType) dtype);
  for (gsize i = 0; i < shape->n_dim; i++)
    dims[i] = dim_from_proto (shape->dim[i]);
  return ph_type_tensor ((PhDType) dtype, shape->n_dim, dims);
}

const PhType *
ph_type_from_proto (const Onnx__TypeProto *proto)
{
  const PhType *item;

  if (proto == NULL)
    return NULL;
  switch (proto->value_case)
    {
    case ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE: return tensor_type (proto->tensor_type->elem_type, proto->tensor_type->shape);
    case ONNX__TYPE_PROTO__VALUE_SEQUENCE_TYPE:
      item = ph_type_from_proto (proto->sequence_type->elem_type);
      return item != NULL ? ph_type_sequence (PH_KIND_SEQUENCE, item) : NULL;
    case ONNX__TYPE_PROTO__VALUE_OPTIONAL_TYPE:
      item = ph_type_from_proto (proto->optional_type->elem_type);
      return item != NULL ? ph_type_sequence (PH_KIND_OPTIONAL, item) : NULL;
    case ONNX__TYPE_PROTO__VALUE_MAP_TYPE:
    case ONNX__TYPE_PROTO__VALUE_SPARSE_TENSOR_TYPE:
    case ONNX__TYPE_PROTO__VALUE__NOT_SET:
    default:
      {
        g_autofree char *name = ph_type_proto_opaque (proto);

        return ph_type_opaque (name);
      }
    }
}

gboolean
ph_type_proto_plain (const Onnx__TypeProto *proto)
{
  const Onnx__TensorShapeProto *shape;

  if (proto == NULL)
    return TRUE;
  if (proto->denotation != NULL || (proto->base.n_unknown_fields > 0 && ph_type_from_proto (proto) == NULL))
    return FALSE;
  switch (proto->value_case)
    {
    case ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE:
      shape = proto->tensor_type->shape;
      if (proto->tensor_type->elem_type <= PH_UNDEFINED || proto->tensor_type->elem_type >= PH_N_DTYPES)
        return proto->tensor_type->elem_type == 0;
      if (shape == NULL)
        return TRUE;
      for (gsize i = 0; i < shape->n_dim; i++)
        if (shape->dim[i]->denotation != NULL)
          return FALSE;
      return shape->n_dim <= PH_MAX_RANK;
    case ONNX__TYPE_PROTO__VALUE_SEQUENCE_TYPE:
      return ph_type_from_proto (proto) != NULL && ph_type_proto_plain (proto->sequence_type->elem_type);
    case ONNX__TYPE_PROTO__VALUE_OPTIONAL_TYPE:
      return ph_type_from_proto (proto) != NULL && ph_type_proto_plain (proto->optional_type->elem_type);
    case ONNX__TYPE_PROTO__VALUE__NOT_SET: return TRUE;
    case ONNX__TYPE_PROTO__VALUE_MAP_TYPE:
    case ONNX__TYPE_PROTO__VALUE_SPARSE_TENSOR_TYPE:
    default: return FALSE;
    }
}

static Onnx__TypeProto *
type_to_proto (PhArena *arena, const PhType *type)
{
  Onnx__TypeProto *proto = ph_proto_new (arena, Onnx__TypeProto, onnx__type_proto);

  if (type->kind == PH_KIND_SEQUENCE)
    {
      proto->value_case = ONNX__TYPE_PROTO__VALUE_SEQUENCE_TYPE;
      proto->sequence_type = ph_proto_new (arena, Onnx__TypeProto__Sequence, onnx__type_proto__sequence);
      proto->sequence_type->elem_type = type_to_proto (arena, type->item);
    }
  else if (type->kind == PH_KIND_OPTIONAL)
    {
      proto->value_case = ONNX__TYPE_PROTO__VALUE_OPTIONAL_TYPE;
      proto->optional_type = ph_proto_new (arena, Onnx__TypeProto__Optional, onnx__type_proto__optional);
      proto->optional_type->elem_type = type_to_proto (arena, type->item);
    }
  else if (type->kind == PH_KIND_OPAQUE)
    ph_type_proto_set_opaque (arena, proto, type->name);
  else
    {
      Onnx__TypeProto__Tensor *tensor = ph_proto_new (arena, Onnx__TypeProto__Tensor, onnx__type_proto__tensor);

      proto->value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
      proto->tensor_type = tensor;
      tensor->has_elem_type = TRUE;
      tensor->elem_type = type->dtype;
      if (type->has_rank)
        {
          tensor->shape = ph_proto_new (arena, Onnx__TensorShapeProto, onnx__tensor_shape_proto);
          tensor->shape->n_dim = type->rank;
          tensor->shape->dim = ph_arena_alloc (arena, type->rank * sizeof (gpointer));
          for (guint i = 0; i < type->rank; i++)
            {
              Onnx__TensorShapeProto__Dimension *dim = ph_proto_new (arena, Onnx__TensorShapeProto__Dimension,
                                                                     onnx__tensor_shape_proto__dimension);

              tensor->shape->dim[i] = dim;
              if (type->dims[i].size >= 0)
                {
                  dim->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
                  dim->dim_value = type->dims[i].size;
                }
              else if (type->dims[i].symbol != NULL)
                {
                  dim->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
                  dim->dim_param = (char *) type->dims[i].symbol;
                }
            }
        }
    }
  return proto;
}

/* Copies denotations from @old into the fresh @proto. */
static void
copy_denotations (Onnx__TypeProto *proto, const Onnx__TypeProto *old)
{
  proto->denotation = old->denotation;
  if (proto->value_case != old->value_case)
    return;
  if (proto->value_case == ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE)
    {
      Onnx__TensorShapeProto *to = proto->tensor_type->shape, *from = old->tensor_type->shape;

      for (gsize i = 0; to != NULL && from != NULL && to->n_dim == from->n_dim && i < to->n_dim; i++)
        to->dim[i]->denotation = from->dim[i]->denotation;
    }
  else if (proto->value_case == ONNX__TYPE_PROTO__VALUE_SEQUENCE_TYPE && old->sequence_type->elem_type != NULL)
    copy_denotations (proto->sequence_type->elem_type, old->sequence_type->elem_type);
  else if (proto->value_case == ONNX__TYPE_PROTO__VALUE_OPTIONAL_TYPE && old->optional_type->elem_type != NULL)
    copy_denotations (proto->optional_type->elem_type, old->optional_type->elem_type);
}

Onnx__TypeProto *
ph_type_overlay (PhArena *arena, Onnx__TypeProto *proto, const PhType *type)
{
  Onnx__TypeProto *fresh;

  if (type == NULL)
    return proto;
  fresh = type_to_proto (arena, type);
  if (proto != NULL)
    copy_denotations (fresh, proto);
  return fresh;
}
