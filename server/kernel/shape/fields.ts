/**
 * A field of a resource is a JSON Schema for its value and a few options: whether clients may set it, and whether
 * responses show it. Values, validation, OpenAPI and the samples of the contract suite follow from it.
 */

import { complete } from './values.ts'

export type JsonSchema = { readonly [keyword: string]: unknown }

/** Options of any field. */
export interface FieldOptions {
  /** A create must contain it. On update every field is optional. */
  readonly required?: boolean
  /** Clients set it once: an update may repeat the value, but not change it. */
  readonly immutable?: boolean
  /** Accepts null. */
  readonly nullable?: boolean
  /**
   * Stored beside the document and never shown: hashes, sealed secrets, columns that responses show in another form.
   */
  readonly hidden?: boolean
  /** Only checked: rules see the value while the object is written; rows, changes and responses never contain it. */
  readonly stored?: false
  /** Set by the server; ignored in requests. */
  readonly readOnly?: boolean
  /** The member of `data` that requests use for it, if responses use that name for something else. */
  readonly inputName?: string
  /** The value in a new object if the request does not contain one. */
  readonly default?: unknown
  /**
   * A person writes it, or it says who they are. Where the object outlives the person, it is hidden: see
   * `hidePersonal`.
   */
  readonly personal?: true
  /** One or two sentences for the reader of the API document. */
  readonly about?: string
  /** A value for the API document. */
  readonly example?: unknown
  /** For the API document: keywords that replace those of the schema. A rule checks them: its refusals say more. */
  readonly checkedByRule?: JsonSchema
  /** The type of the resource whose id this is. The contract suite creates such an object. */
  readonly refersTo?: string
  /** Every update must contain it too, because the public contract requires it. */
  readonly requiredOnUpdate?: boolean
}

/** `T` is the type of its value, `G` the type that a create accepts, `C` the type that an update accepts. */
export interface Field<T = unknown, G = T, C = G> {
  readonly schema: JsonSchema
  readonly options: FieldOptions
  /** The fields inside a group. */
  readonly members?: Fields
  /** The field of each element of a list. */
  readonly element?: Field
  /** The field of each value of a map. */
  readonly each?: Field
  /** For a text: the server stores a to z as capitals. */
  readonly upperCase?: boolean
  /** For the compiler only: they are never present at run time. */
  readonly value?: T
  readonly input?: G
  readonly change?: C
}

export type Fields = Readonly<Record<string, Field>>

/** The values of a set of fields, as they are stored. */
export type Values<F extends Fields> = {
  -readonly [K in keyof F]: F[K] extends { readonly value?: infer T } ? T : never
}

/** The values of a set of fields as a response shows them: optional members may be absent, at every level. */
export type ShownValues<F extends Fields> = string extends keyof F
  ? Readonly<Record<string, unknown>>
  : SparseMembers<Values<F>>

type Sparse<T> = T extends readonly []
  ? T
  : T extends readonly (infer E)[]
    ? readonly Sparse<E>[]
    : T extends object
      ? string extends keyof T
        ? { readonly [K in keyof T]: Sparse<T[K]> }
        : SparseMembers<T>
      : T

type SparseMembers<T> = { readonly [K in keyof T as undefined extends T[K] ? never : K]: Sparse<T[K]> } & {
  readonly [K in keyof T as undefined extends T[K] ? K : never]?: Sparse<T[K]>
}

type InputOf<F> = F extends { readonly input?: infer G } ? G : never
type RequiredNames<F extends Fields> = {
  [K in keyof F]: undefined extends InputOf<F[K]> ? never : K
}[keyof F]

/** The values of a new object. Missing values get their defaults, or stay absent. */
export type New<F extends Fields> = { readonly [K in keyof F]?: InputOf<F[K]> } & {
  readonly [K in RequiredNames<F>]: InputOf<F[K]>
}

/** The values that an update changes; `undefined` removes one. */
export type Changes<F extends Fields> = {
  readonly [K in keyof F]?: (F[K] extends { readonly change?: infer C } ? C : never) | undefined
}

type OrNull<O, T> = O extends { readonly nullable: true } ? T | null : T
type Always = { readonly required: true } | { readonly default: string | number | boolean | object }
type Value<O, T> =
  | OrNull<O, T>
  | (O extends { readonly stored: false } ? undefined : O extends Always ? never : undefined)
type InputValue<O, T> = OrNull<O, T> | (O extends { readonly required: true } ? never : undefined)
type With<O, T, G = T, C = G> = Field<Value<O, T>, InputValue<O, G>, OrNull<O, C>>

/** A value with its own schema. Its type includes `undefined` unless the value is always present. */
export const field = <T, G = T, C = G>(
  schema: JsonSchema,
  options: FieldOptions,
  inside: FieldParts = {},
): Field<T, G, C> => ({ schema: options.nullable ? nullable(schema) : schema, options, ...inside })

type FieldParts = Pick<Field, 'members' | 'element' | 'each' | 'upperCase'>

export function nullable(schema: JsonSchema): JsonSchema {
  if (schema.type === undefined) return schema
  const widened = { ...schema, type: [...new Set([schema.type, 'null'].flat())] }
  return Array.isArray(schema.enum) ? { ...widened, enum: [...schema.enum, null] } : widened
}

/** Whether answers show it. */
export const isShown = ({ hidden, stored }: FieldOptions): boolean => !hidden && stored !== false

/** A field's schema with the notes for the reader of the API document. */
export function describe({ schema, options }: Field): JsonSchema {
  const { about, example, default: fallback, readOnly, checkedByRule, refersTo } = options
  return {
    ...schema,
    ...(about && { description: about }),
    ...(fallback !== undefined && { default: fallback }),
    ...(example !== undefined && { examples: [example] }),
    ...(checkedByRule && { checkedByRule }),
    ...(refersTo && { refersTo }),
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
  /** Stores a to z as capitals, as in a code. */
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

/** For a form: a part that is a file. */
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

/** A number that a double holds; amounts and counts are integers. */
export function number<const O extends NumberOptions>(options: O): With<O, number> {
  const { min, max }: NumberOptions = options
  const bounds = { ...(min !== undefined && { minimum: min }), ...(max !== undefined && { maximum: max }) }
  return field({ type: 'number', ...bounds }, options)
}

export const flag = <const O extends FieldOptions>(options: O): With<O, boolean> =>
  field({ type: 'boolean' }, options)

interface ListOptions extends FieldOptions {
  readonly minItems?: number
  /** 1000 by default. Infinity is for lists that only responses contain. */
  readonly maxItems?: number
}

/** An ordered list. An update replaces the whole list. */
export function list<T, G, const O extends ListOptions>(
  of: Field<T, G, unknown>,
  options: O,
): With<O, readonly NonNullable<T>[], readonly NonNullable<G>[]> {
  const { minItems, maxItems = 1000 }: ListOptions = options
  const bounds = {
    ...(minItems !== undefined && { minItems }),
    ...(Number.isFinite(maxItems) && { maxItems }),
  }
  const schema = { type: 'array', items: describe(inner(of)), ...bounds }
  return field(schema, options, { element: of })
}

/** Of a key of a map. */
const keyCharsMax = 255

interface MapOptions extends FieldOptions {
  /** 100 by default. Infinity is for maps that only responses contain. */
  readonly maxKeys?: number
}

/**
 * An object with free keys, whose values share one field. An update changes the keys it contains, removes those that
 * are null, and keeps the rest.
 */
export function map<T, G, C, const O extends MapOptions>(
  of: Field<T, G, C>,
  options: O,
): With<O, Entries<NonNullable<T>>, Entries<NonNullable<G>>, Entries<NonNullable<C> | null>> {
  const { maxKeys = 100 }: MapOptions = options
  if (of.options.nullable)
    throw new Error('the values of a map cannot be null: in an update null takes a key away')
  const schema = {
    type: 'object',
    ...(Number.isFinite(maxKeys) && { maxProperties: maxKeys }),
    propertyNames: { type: 'string', minLength: 1, maxLength: keyCharsMax },
    additionalProperties: describe(inner(of)),
  }
  return field(schema, options, { each: of })
}

type Entries<T> = Readonly<Record<string, T>>

/**
 * An object whose members are fields; unknown members are dropped. An update changes the members it contains and keeps
 * the rest.
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

/**
 * A field inside another cannot have storage options of its own: it is stored, shown and changed with the outer one.
 */
function inner(field: Field): Field {
  const { hidden, stored, readOnly, immutable, requiredOnUpdate, inputName } = field.options
  if (hidden || stored === false || readOnly || immutable || requiredOnUpdate || inputName) {
    throw new Error(
      'a nested field cannot be hidden, unstored, read-only, immutable, required on update, or sent under another name',
    )
  }
  return field
}
