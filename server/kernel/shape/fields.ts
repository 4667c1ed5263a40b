/**
 * What a field of a resource holds. A field is a JSON Schema for what a client may send, and a few facts about who
 * may set it and who may see it. Values, validation, OpenAPI and the contract suite's samples follow from it.
 */

import { complete } from './values.ts'

export type JsonSchema = { readonly [keyword: string]: unknown }

/** Facts about any field. */
export interface FieldOptions {
  /** Must be sent on create. On update every field is optional. */
  readonly required?: boolean
  /** Set once: an update may repeat the value, never change it. */
  readonly immutable?: boolean
  /** Accepts null. */
  readonly nullable?: boolean
  /** Stored beside the document and never shown: hashes, sealed secrets, columns that are shown in another form. */
  readonly hidden?: boolean
  /** Only checked: rules see it while it is written, and no row, no change and no answer ever holds it. */
  readonly stored?: false
  /** Set by the server; ignored in a request. */
  readonly readOnly?: boolean
  /** The member of `data` it is read from, where a fact about it is shown under that name. */
  readonly inputName?: string
  /** What a new object has in its place when it is not given. */
  readonly default?: unknown
  /** One or two sentences for the reader of the API document. */
  readonly about?: string
  /** A value for the API document. */
  readonly example?: unknown
  /** The resource type whose id this is. The contract suite makes one to point at. */
  readonly refersTo?: string
  /** Sent on every update too, where the public contract asks for it. */
  readonly requiredOnUpdate?: boolean
}

/** `T` is the type of its value, `G` what a new object may be given, `C` what an update may send. */
export interface Field<T = unknown, G = T, C = G> {
  readonly schema: JsonSchema
  readonly options: FieldOptions
  /** Of a group. */
  readonly members?: Fields
  /** Of a list: what each of its elements is. */
  readonly element?: Field
  /** Of a map: what the value of each key is. */
  readonly each?: Field
  /** Of a text: its letters a to z are stored in capitals. */
  readonly upperCase?: boolean
  /** Of a text: a number or a boolean in a request is stored as text. */
  readonly takesScalars?: boolean
  /** These are never present at run time. */
  readonly value?: T
  readonly input?: G
  readonly change?: C
}

export type Fields = Readonly<Record<string, Field>>

/** The values of a set of fields, as they are stored. */
export type Values<F extends Fields> = {
  -readonly [K in keyof F]: F[K] extends { readonly value?: infer T } ? T : never
}

/** The values of a set of fields as an answer shows them: what need not be there may be left out, on each level. */
export type Shown<F extends Fields> = Sparse<Values<F>>

type Sparse<T> = T extends readonly (infer E)[]
  ? readonly Sparse<E>[]
  : T extends object
    ? { readonly [K in keyof T as undefined extends T[K] ? never : K]: Sparse<T[K]> } & {
        readonly [K in keyof T as undefined extends T[K] ? K : never]?: Sparse<T[K]>
      }
    : T

type InputOf<F> = F extends { readonly input?: infer G } ? G : never
type Needed<F extends Fields> = { [K in keyof F]: undefined extends InputOf<F[K]> ? never : K }[keyof F]

/** The values that a new object must and may be given: what is left out has its default, or is not there. */
export type New<F extends Fields> = { readonly [K in keyof F]?: InputOf<F[K]> } & {
  readonly [K in Needed<F>]: InputOf<F[K]>
}

/** The values that an update changes; `undefined` takes one away. */
export type Changes<F extends Fields> = {
  readonly [K in keyof F]?: (F[K] extends { readonly change?: infer C } ? C : never) | undefined
}

type OrNull<O, T> = O extends { readonly nullable: true } ? T | null : T
type Always = { readonly required: true } | { readonly default: string | number | boolean | object }
type Value<O, T> =
  | OrNull<O, T>
  | (O extends { readonly stored: false } ? undefined : O extends Always ? never : undefined)
type Input<O, T> = OrNull<O, T> | (O extends { readonly required: true } ? never : undefined)
type With<O, T, G = T, C = G> = Field<Value<O, T>, Input<O, G>, OrNull<O, C>>

/** A value with a schema of its own; its type includes `undefined` unless it is always there. */
export const field = <T, G = T, C = G>(
  schema: JsonSchema,
  options: FieldOptions,
  inside: Inside = {},
): Field<T, G, C> => ({ schema: options.nullable ? nullable(schema) : schema, options, ...inside })

type Inside = Pick<Field, 'members' | 'element' | 'each' | 'upperCase' | 'takesScalars'>

export function nullable(schema: JsonSchema): JsonSchema {
  if (schema.type === undefined) return schema
  const widened = { ...schema, type: [...new Set([schema.type, 'null'].flat())] }
  return Array.isArray(schema.enum) ? { ...widened, enum: [...schema.enum, null] } : widened
}

/** Whether answers show it. */
export const isShown = ({ hidden, stored }: FieldOptions): boolean => !hidden && stored !== false

/** A field's schema with what its reader is told of it. */
export function describe({ schema, options }: Field): JsonSchema {
  const { about, example, default: fallback, readOnly } = options
  return {
    ...schema,
    ...(about && { description: about }),
    ...(fallback !== undefined && { default: fallback }),
    ...(example !== undefined && { examples: [example] }),
    ...(readOnly && { readOnly }),
    ...(!isShown(options) && { writeOnly: true }),
  }
}

interface TextOptions extends FieldOptions {
  /** Characters, not bytes. */
  readonly min?: number
  readonly max?: number
  readonly pattern?: RegExp
  readonly format?: 'email' | 'uri' | 'uuid' | 'date-time'
  /** Letters a to z are stored in capitals, as in a code. */
  readonly upperCase?: boolean
}

/** A string. Without `max` it holds at most 65,535 characters, as the widest field of the public contract. */
export function text<const O extends TextOptions>(options: O): With<O, string> {
  const { min, max = 65_535, pattern, format, upperCase = false }: TextOptions = options
  const schema = {
    type: 'string',
    ...(min !== undefined && { minLength: min }),
    maxLength: max,
    ...(pattern && { pattern: pattern.source }),
    ...(format && { format }),
  }
  return field(schema, options, { upperCase })
}

/** Of a form: a part that is a file. */
export const filePart = <const O extends FieldOptions>(options: O): With<O, string> =>
  field({ type: 'string', format: 'binary' }, options)

/** The id of another object. */
export const reference = <const O extends FieldOptions>(to: string, options: O): With<O, string> =>
  field({ type: 'string', format: 'uuid' }, { ...options, refersTo: to })

/** One of a few words. */
export const choice = <const T extends string, const O extends FieldOptions>(
  values: readonly T[],
  options: O,
): With<O, T> => field({ type: 'string', enum: values }, options)

interface NumberOptions extends FieldOptions {
  readonly min?: number
  readonly max?: number
}

/** A whole number that a double holds exactly. */
export function integer<const O extends NumberOptions>(options: O): With<O, number> {
  const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER }: NumberOptions = options
  return field({ type: 'integer', minimum: min, maximum: max }, options)
}

/** A number that a double holds; money and counts are integers. */
export function number<const O extends NumberOptions>(options: O): With<O, number> {
  const { min, max }: NumberOptions = options
  const bounds = { ...(min !== undefined && { minimum: min }), ...(max !== undefined && { maximum: max }) }
  return field({ type: 'number', ...bounds }, options)
}

export const flag = <const O extends FieldOptions>(options: O): With<O, boolean> =>
  field({ type: 'boolean' }, options)

interface ListOptions extends FieldOptions {
  /** 1000 where it is left out. Infinity is for what only answers show. */
  readonly maxItems?: number
}

/** Values in an order. An update replaces all of them. */
export function list<T, G, const O extends ListOptions>(
  of: Field<T, G, unknown>,
  options: O,
): With<O, readonly NonNullable<T>[], readonly NonNullable<G>[]> {
  const { maxItems = 1000 }: ListOptions = options
  const bounds = Number.isFinite(maxItems) ? { maxItems } : {}
  const schema = { type: 'array', items: describe(inner(of)), ...bounds }
  return field(schema, options, { element: of })
}

interface MapOptions extends FieldOptions {
  /** 100 where it is left out. Infinity is for what only answers show. */
  readonly maxKeys?: number
  /** In characters. */
  readonly maxKeyLength?: number
}

/**
 * An object of free keys, each with a value of the same field. In an update the keys that are sent change, null takes
 * one away, and the rest keep their values.
 */
export function map<T, G, C, const O extends MapOptions>(
  of: Field<T, G, C>,
  options: O,
): With<O, Entries<NonNullable<T>>, Entries<NonNullable<G>>, Entries<NonNullable<C> | null>> {
  const { maxKeys = 100, maxKeyLength = 255 }: MapOptions = options
  if (of.options.nullable)
    throw new Error('the values of a map cannot be null: in an update null takes a key away')
  const schema = {
    type: 'object',
    ...(Number.isFinite(maxKeys) && { maxProperties: maxKeys }),
    propertyNames: { type: 'string', minLength: 1, maxLength: maxKeyLength },
    additionalProperties: describe(inner(of)),
  }
  return field(schema, options, { each: of })
}

type Entries<T> = Readonly<Record<string, T>>

/**
 * An object whose members are fields; what is no member is dropped. In an update the members that are sent change, and
 * the rest keep their values.
 */
export function group<const M extends Fields, const O extends FieldOptions>(
  members: M,
  options: O,
): With<O, Values<M>, New<M>, Changes<M>> {
  const named = Object.entries(members)
  const required = named.flatMap(([name, member]) => (inner(member).options.required ? [name] : []))
  const properties = Object.fromEntries(named.map(([name, member]) => [name, describe(member)]))
  const schema = { type: 'object', ...(required.length && { required }), properties }
  const fallback =
    options.default === undefined ? {} : { default: complete(members, options.default as object) }
  return field(schema, { ...options, ...fallback }, { members })
}

/** What is inside another field is stored, shown and changed with it. */
function inner(field: Field): Field {
  const { hidden, stored, readOnly, immutable, requiredOnUpdate, inputName } = field.options
  if (hidden || stored === false || readOnly || immutable || requiredOnUpdate || inputName) {
    throw new Error(
      'a field inside another cannot be hidden, unstored, read-only, immutable or sent as another',
    )
  }
  return field
}

/** A structured member that the server writes, such as `relationships`. */
export const readOnlyObject = <T = unknown>(
  schema: JsonSchema,
  options: FieldOptions = {},
): Field<T | undefined> => field({ type: 'object', ...schema }, { ...options, readOnly: true })
