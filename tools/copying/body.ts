import { writable } from '../../server/kernel/body/input.ts'
import type { Resource } from '../../server/kernel/declare/resource.ts'
import { type Envelope, place, valueIn } from '../../server/kernel/shape/envelope.ts'
import type { Field, Fields } from '../../server/kernel/shape/fields.ts'
import type { Json } from './read-answer.ts'

interface Shape extends Pick<Resource, 'type' | 'fields' | 'addedUnder'> {
  /** Where the fields are; at the top by default. */
  readonly envelope?: FieldPlacing
}

type FieldPlacing = Pick<Envelope, 'fields' | 'type'>

const beside = new Set([
  'id',
  'type',
  'links',
  'meta',
  'relationships',
  'attributes',
  'created_at',
  'updated_at',
])

/** The values of an object that a client may set, by their names in requests. */
export function valuesOf({ fields, envelope, addedUnder }: Shape, object: Json): Record<string, Json> {
  const values: Record<string, Json> = {}
  for (const [name, field] of writable(fields)) {
    // Responses have something else under this name, such as whether there is a password.
    if (field.options.inputName !== undefined && Object.hasOwn(fields, name)) continue
    const value = picked(field, valueIn(envelope, object, name))
    if (value !== undefined) values[name] = value
  }
  // Fields that a store has added are known to nobody else.
  if (addedUnder !== undefined) Object.assign(values, othersOf(fields, envelope, object))
  return values
}

function othersOf(fields: Fields, envelope: FieldPlacing | undefined, object: Json): Record<string, Json> {
  const from = envelope?.fields === 'attributes' ? object.attributes : object
  const names = Object.keys(from ?? {}).filter(
    (name) => !Object.hasOwn(fields, name) && !beside.has(name) && from[name] !== null,
  )
  return Object.fromEntries(names.map((name) => [name, from[name]]))
}

/** A value without the members that only answers have. Undefined if nothing of it can be set. */
function picked({ options, members, element, each }: Field, value: Json): Json {
  if (value === undefined || (value === null && !options.nullable)) return undefined
  if (value === null) return value
  if (members && typeof value === 'object') {
    const parts = writable(members).flatMap(([name, member]) => {
      const part = picked(member, value[name])
      return part === undefined ? [] : [[name, part] as const]
    })
    return parts.length ? Object.fromEntries(parts) : undefined
  }
  if (element && Array.isArray(value)) return value.map((one) => picked(element, one))
  if (each && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, picked(each, one)]))
  }
  return value
}

export function bodyOf({ type, envelope }: Shape, values: Record<string, Json>, object: Json): Json {
  const data = place(envelope, values)
  // A list may have objects of several types.
  const own = envelope?.type === 'attributes' ? type : (values.type ?? object.type ?? type)
  return { data: { ...data, type: own } }
}

/** A copy in which each id that has another on the new server is that. */
export function withIds(value: Json, ids: ReadonlyMap<string, string>): Json {
  if (typeof value === 'string') return ids.get(value) ?? value
  if (Array.isArray(value)) return value.map((one) => withIds(one, ids))
  if (value && typeof value === 'object') {
    return Object.fromEntries(
      // A key may be an id too.
      Object.entries(value).map(([name, one]) => [ids.get(name) ?? name, withIds(one, ids)]),
    )
  }
  return value
}
