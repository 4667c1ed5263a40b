/**
 * What a field of a resource holds. A field is a JSON Schema for what a client may send, and a few facts about who
 * may set it and who may see it. Values, validation, OpenAPI and the contract suite's samples follow from it.
 */

export type JsonSchema = { readonly [keyword: string]: unknown }

/** Facts about any field. */
export interface FieldOptions {
  /** Must be sent on create. On update every field is optional. */
  readonly required?: boolean
  /** Set once: an update may repeat the value, never change it. */
  readonly immutable?: boolean
  /** Accepts null. */
  readonly nullable?: boolean
  /** Stored beside the document and never shown: secrets, hashes, columns that are shown in another form. */
  readonly hidden?: boolean
  /** Set by the server; ignored in a request. */
  readonly readOnly?: boolean
  /** What a create without the field stores. */
  readonly default?: unknown
  /** One or two sentences for the reader of the API document. */
  readonly about?: string
  /** A value for the API document, and the sample the contract suite sends. */
  readonly example?: unknown
  /** The resource type whose id this is. The contract suite makes one to point at. */
  readonly refersTo?: string
  /** Sent on every update too, where the public contract asks for it. */
  readonly requiredOnUpdate?: boolean
}

export interface Field<T = unknown> {
  readonly schema: JsonSchema
  readonly options: FieldOptions
  /** The type of the value; never present at run time. */
  readonly value?: T
}

export type Fields = Readonly<Record<string, Field>>

/** The values of a set of fields. */
export type Values<F extends Fields> = { -readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never }

type Always = { readonly required: true } | { readonly default: string | number | boolean | object }
type Value<O, T> = O extends { nullable: true }
  ? T | null | (O extends Always ? never : undefined)
  : T | (O extends Always ? never : undefined)

function field<T>(schema: JsonSchema, options: FieldOptions): Field<T> {
  return { schema: options.nullable ? nullable(schema) : schema, options }
}

function nullable(schema: JsonSchema): JsonSchema {
  const widened = { ...schema, type: [schema.type, 'null'].flat() }
  return Array.isArray(schema.enum) ? { ...widened, enum: [...schema.enum, null] } : widened
}

interface TextOptions extends FieldOptions {
  /** Characters, not bytes. */
  readonly min?: number
  readonly max?: number
  readonly pattern?: RegExp
  readonly format?: 'email' | 'uri' | 'uuid' | 'date-time'
}

/** A string. Without `max` it holds at most 65,535 characters, as the widest field of the public contract. */
export function text<const O extends TextOptions>(options: O): Field<Value<O, string>> {
  const { min, max = 65_535, pattern, format } = options as TextOptions
  return field(
    {
      type: 'string',
      ...(min !== undefined && { minLength: min }),
      maxLength: max,
      ...(pattern && { pattern: pattern.source }),
      ...(format && { format }),
    },
    options,
  )
}

/** The id of another object. */
export function reference<const O extends FieldOptions>(to: string, options: O): Field<Value<O, string>> {
  return field({ type: 'string', format: 'uuid' }, { ...options, refersTo: to })
}

/** One of a few words. */
export function choice<const T extends string, const O extends FieldOptions>(
  values: readonly T[],
  options: O,
): Field<Value<O, T>> {
  return field({ type: 'string', enum: values }, options)
}

interface NumberOptions extends FieldOptions {
  readonly min?: number
  readonly max?: number
}

/** A whole number that a double holds exactly. */
export function integer<const O extends NumberOptions>(options: O): Field<Value<O, number>> {
  const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = options as NumberOptions
  return field({ type: 'integer', minimum: min, maximum: max }, options)
}

export function flag<const O extends FieldOptions>(options: O): Field<Value<O, boolean>> {
  return field({ type: 'boolean' }, options)
}

interface ListOptions extends FieldOptions {
  readonly maxItems?: number
}

export function list<T, const O extends ListOptions>(
  of: Field<T>,
  options: O,
): Field<Value<O, readonly NonNullable<T>[]>> {
  return field(
    { type: 'array', items: of.schema, maxItems: (options as ListOptions).maxItems ?? 1000 },
    options,
  )
}

/** A structured value with a schema of its own. */
export function object<T, const O extends FieldOptions>(schema: JsonSchema, options: O): Field<Value<O, T>> {
  return field({ type: 'object', ...schema }, options)
}
