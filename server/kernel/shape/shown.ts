/**
 * Fields of what only responses contain. They have no limits, since nobody sends them, and a response always has them
 * unless they are `optional`.
 */

import {
  describe,
  type Field,
  type FieldOptions,
  type Fields,
  field,
  type JsonSchema,
  nullable,
  type ShownValues,
} from './fields.ts'
import { listOf, object } from './schemas.ts'

/** A field whose values have this type, whatever requests may contain. */
type ShownField<T> = Field<T, unknown, unknown>

const always = { required: true } as const

/** A value with a schema of its own. */
const as = <T>(schema: JsonSchema): Field<T> => field(schema, always)

/** An object with these members. */
const group = <const M extends Fields>(members: M): Field<ShownValues<M>> =>
  as(
    object(
      Object.fromEntries(Object.entries(members).map(([name, member]) => [name, describe(member)])),
      Object.keys(members).filter((name) => members[name]?.options.required),
    ),
  )

/** The words of `fields.ts`, for values that only responses contain. */
export const shown = {
  as,
  text: as<string>({ type: 'string' }),
  integer: as<number>({ type: 'integer' }),
  number: as<number>({ type: 'number' }),
  flag: as<boolean>({ type: 'boolean' }),
  uuid: as<string>({ type: 'string', format: 'uuid' }),
  time: as<string>({ type: 'string', format: 'date-time' }),
  uri: as<string>({ type: 'string', format: 'uri' }),
  /** Any object. */
  object: as<object>({ type: 'object', additionalProperties: true }),
  /** One of these words. */
  constant: <const T extends readonly string[]>(...words: T): Field<T[number]> =>
    as(words.length === 1 ? { const: words[0] } : { enum: words }),
  group,
  /** An object that has members beside these. */
  openGroup: <const M extends Fields>(members: M): Field<ShownValues<M>> =>
    as({ ...group(members).schema, additionalProperties: true }),
  list: <T>(of: ShownField<T>): Field<readonly NonNullable<T>[]> => as(listOf(describe(of))),
  /** One, or a list. */
  oneOrMany: <T>(of: ShownField<T>): Field<T | readonly NonNullable<T>[]> =>
    as({ anyOf: [describe(of), listOf(describe(of))] }),
  /** An object with free keys. */
  map: <T>(of: ShownField<T>): Field<Readonly<Record<string, NonNullable<T>>>> =>
    as({ type: 'object', additionalProperties: describe(of) }),
}

/** The field, which a response may leave out. */
export const optional = <T>({ schema, options }: ShownField<T>): Field<T | undefined> =>
  field(schema, { ...options, required: false })

/** The field, which a response always has. */
export const required = <T, G, C>({
  schema,
  options,
  ...inside
}: Field<T, G, C>): Field<Exclude<T, undefined>, Exclude<G, undefined>, C> =>
  field(schema, { ...options, ...always }, inside)

/** The field, or null. */
export const orNull = <T>({ schema, options }: ShownField<T>): Field<T | null> =>
  field(nullable(schema), options)

/** The field, with a sentence for the reader of the API document. */
export const about = <F extends Field>(text: string, field: F): F => ({
  ...field,
  options: { ...field.options, about: text },
})

/** A member of a resource that the server writes, such as `relationships`. */
export const readOnly = <T>({ schema }: ShownField<T>, options: FieldOptions): Field<T | undefined> =>
  field(schema, { ...options, readOnly: true })

/** A link: an object with a type and an id. */
export const linkTo = <const T extends readonly string[]>(...types: T) =>
  group({ id: shown.uuid, type: shown.constant(...types) })

export const relationshipTo = <T>(data: ShownField<T>) => group({ data })

/** A relationship with a list of its own: its `data` is always empty. */
export const emptyRelationship = <const N extends readonly string[]>(...names: N) =>
  group({
    data: as<readonly []>({ type: 'array', items: { type: 'object', properties: {} }, maxItems: 0 }),
    links: as<Readonly<Record<N[number], string>>>(
      object(Object.fromEntries(names.map((name) => [name, shown.text.schema]))),
    ),
  })

/** What a response shows of a field. */
export type ShownValue<F extends Field> = NonNullable<F['value']>
