import { missingField, Problem } from '../errors.ts'
import { type Envelope, schemaAt, valueIn, withValues } from '../shape/envelope.ts'
import {
  type Changes,
  describe,
  type Field,
  type Fields,
  isShown,
  type JsonSchema,
  type New,
  nullable,
} from '../shape/fields.ts'
import type { AddedFields } from '../shape/model.ts'
import { completeValue, normalize } from '../shape/values.ts'
import { type Check, checkAll, checker, refuseWith422 } from './checker.ts'

/** The schemas of request bodies, and the values that the server reads from them. */

/** The shape of a body: `{"data": {"type": …, …}}` with the schemas of the fields. */
export interface BodyShape {
  readonly type: string
  readonly alsoType?: readonly string[]
  readonly typeOptional?: boolean
  readonly fields: Fields
  /** Where the fields are; at the top by default. */
  readonly envelope?: Pick<Envelope, 'fields' | 'type'>
  /** The status of a refusal for a field, if the public contract uses another than 400. */
  readonly refusedWith?: 422
  /** Unknown attributes are refused. */
  readonly closed?: boolean
  /** The fields that a store has added: faults in their values are refused with 422. */
  readonly added?: AddedFields
}

/** The fields that a client may set, by their names in requests. */
export const writable = (fields: Fields): [name: string, field: Field][] =>
  Object.entries(fields)
    .filter(([, { options }]) => !options.readOnly)
    .map(([name, field]) => [field.options.inputName ?? name, field])

/**
 * The JSON Schema of `data` in a create or an update. Unknown members are ignored; a closed shape refuses unknown
 * attributes.
 */
export function dataSchema(
  { type, alsoType = [], typeOptional, fields, envelope, closed = false, added }: BodyShape,
  update: boolean,
): JsonSchema {
  const accepted = writable(fields)
  const needed = accepted.filter(([, { options }]) => (update ? options.requiredOnUpdate : options.required))
  const types = [type, ...alsoType]
  const scalars = new Set(namesTakingScalars(added))
  const schemaOf = (name: string, field: Field) => {
    const schema = inputSchema(field, update)
    return scalars.has(name) ? acceptScalars(schema) : schema
  }
  return schemaAt(
    envelope,
    types.length === 1 ? { const: type } : { enum: types },
    // In a list of mixed types, `type` is one of the fields.
    {
      ...(closed && onlyShown(fields)),
      ...Object.fromEntries(accepted.map(([name, field]) => [name, schemaOf(name, field)])),
    },
    { typeRequired: !typeOptional, required: needed.map(([name]) => name), closed },
  )
}

/** Members that responses show and clients cannot set: a client may send them back, and the server ignores them. */
function onlyShown(fields: Fields): Readonly<Record<string, JsonSchema>> {
  const names = Object.keys(fields).filter((name) => {
    const options = fields[name]?.options ?? {}
    return options.readOnly && isShown(options)
  })
  return Object.fromEntries(
    ['created_at', 'updated_at', ...names].map((name) => [
      name,
      { readOnly: true, description: 'Read-only: it may be sent back and is ignored.' },
    ]),
  )
}

/** An update keeps the members that it does not contain, so required members are only checked after the merge. */
function inputSchema(field: Field, update: boolean): JsonSchema {
  const schema = describe(field)
  if (!update) return schema
  const body = withoutDefaults(schema)
  if (field.members) {
    const { required: _, ...partial } = body
    const members = Object.entries(field.members).map(([name, member]) => [name, inputSchema(member, true)])
    return { ...partial, properties: Object.fromEntries(members) }
  }
  if (!field.each) return body
  const { maxProperties: _, ...open } = body
  return { ...open, additionalProperties: nullable(inputSchema(field.each, true)) }
}

/** Drops defaults: a client that fills in the defaults of an update would overwrite stored values. */
function withoutDefaults(schema: JsonSchema): JsonSchema {
  const { default: _, ...others } = schema
  const inside = (one: unknown): unknown => (isObject(one) ? withoutDefaults(one) : one)
  const changed = Object.entries(others).map(([word, one]) => {
    if (word === 'properties' || word === 'patternProperties')
      return [
        word,
        Object.fromEntries(Object.entries(one as object).map(([name, member]) => [name, inside(member)])),
      ]
    if (word === 'items' || word === 'additionalProperties') return [word, inside(one)]
    return [word, Array.isArray(one) && /^(all|any|one)Of$/.test(word) ? one.map(inside) : one]
  })
  return Object.fromEntries(changed)
}

export interface Input<F extends Fields> {
  create(body: unknown): New<F>
  /** Contains only the fields of the request. */
  update(body: unknown): Changes<F>
}

/** Reads bodies: checks them, and drops unknown and read-only members. */
export function input<F extends Fields>(shape: BodyShape & { readonly fields: F }): Input<F> {
  const checks = [false, true].map((update) => checksOf(shape, update))
  const accepted = Object.entries(shape.fields).filter(([, { options }]) => !options.readOnly)
  const replace = replacerOf(shape)
  const pick = (body: unknown, update: boolean) => {
    const data = replace(dataOf(body), update)
    checkAll(checks[update ? 1 : 0] ?? [], data)
    const values: Record<string, unknown> = {}
    for (const [name, field] of accepted) {
      const value = normalize(field, valueIn(shape.envelope, data, field.options.inputName ?? name))
      if (value !== undefined) values[name] = value
    }
    return values
  }
  return { create: (body) => pick(body, false) as New<F>, update: (body) => pick(body, true) as Changes<F> }
}

type Data = Readonly<Record<string, unknown>>

/**
 * Prepares a body for the check. Numbers and booleans become text in the fields that accept them. A missing value gets
 * its unusable default, so that the check refuses it.
 */
function replacerOf({ envelope, added }: BodyShape): (data: Data, update: boolean) => Data {
  const texts = namesTakingScalars(added)
  const unusable = (added?.fields ?? []).filter(({ unusableDefault }) => unusableDefault !== undefined)
  if (!texts.length && !unusable.length) return (data) => data
  return (data, update) => {
    const values = new Map<string, unknown>()
    for (const name of texts) {
      const value = valueIn(envelope, data, name)
      if (isExactScalar(value)) values.set(name, String(value))
    }
    for (const { name, unusableDefault } of update ? [] : unusable) {
      if (valueIn(envelope, data, name) === undefined) values.set(name, unusableDefault)
    }
    return values.size ? withValues(envelope, data, Object.fromEntries(values)) : data
  }
}

const namesTakingScalars = (added: AddedFields | undefined): readonly string[] =>
  (added?.fields ?? []).filter(({ takesScalars }) => takesScalars).map(({ name }) => name)

/** A number beyond these bounds has already lost digits, so it is refused. */
const isExactScalar = (value: unknown): boolean =>
  typeof value === 'boolean' || (typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER)

/** Makes the schema of a text accept other scalars too. */
const acceptScalars = (schema: JsonSchema): JsonSchema => ({
  ...schema,
  type: [...new Set([schema.type, 'number', 'boolean'].flat())],
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
})

/** Reads bodies whose `data` is one field: a list, or an object without a type. Or another `member`, beside `data`. */
export function dataReader<T>(field: Field<T>, member = 'data'): (body: unknown) => NonNullable<T> {
  const check = checker(describe(field), member)
  return (body) => {
    const data = isObject(body) ? body[member] : undefined
    if (data === undefined) throw missingField(member)
    check(data)
    return completeValue(field, normalize(field, data)) as NonNullable<T>
  }
}

function checksOf(shape: BodyShape, update: boolean): readonly Check[] {
  const check = (fields: Fields) => checker(dataSchema({ ...shape, fields }, update), 'data')
  const names = new Set(shape.added?.fields.map(({ name }) => name))
  const [added, own] = [true, false].map((is) =>
    Object.fromEntries(Object.entries(shape.fields).filter(([name]) => names.has(name) === is)),
  ) as [Fields, Fields]
  const checkOwn = shape.refusedWith ? refuseWith422(check(own)) : check(own)
  return names.size ? [checkOwn, refuseWith422(check(added))] : [checkOwn]
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function dataOf(body: unknown): Record<string, unknown> {
  if (isObject(body) && isObject(body.data)) return body.data
  throw new Problem('invalid_field', `The field 'data' is required: send a JSON object {"data": {…}}.`, {
    source: 'data',
  })
}
