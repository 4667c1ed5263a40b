import { missingField } from '../errors.ts'
import { describe, type Fields, type JsonSchema, type Values } from '../shape/fields.ts'
import { complete, normalize, ownValue } from '../shape/values.ts'
import { checker } from './checker.ts'
import { Faults } from './faults.ts'
import { isObject, writable } from './input.ts'

/** One kind of object that a request may send. */
interface SentKind {
  readonly about: string
  readonly fields: Fields
  /** For the API document: keywords of a JSON Schema for fields that depend on each other. The action checks them. */
  readonly rules?: JsonSchema
}

export type Kinds = Readonly<Record<string, SentKind>>

/** What `data` of a request may be: an object whose kind chooses its fields, or a list of such objects. */
interface Declaration<K extends Kinds> {
  /** The name of its schema in the API document. It begins the names of the kinds' schemas. */
  readonly name: string
  /** The member that says which kind an object is: `type` by default. */
  readonly by?: string
  /** How many objects one request may send. If it is 1, `data` is never a list. */
  readonly most: number
  readonly of: K
}

/** One object of a request. `source` is where it is in the body: `data`, or `data.3` in a list. */
export type SentItem<K extends Kinds = Kinds> = {
  readonly [N in keyof K]: {
    readonly kind: N
    readonly values: Values<K[N]['fields']>
    readonly source: string
  }
}[keyof K]

/** A declared body with kinds. */
export interface KindsBody<K extends Kinds = Kinds> extends Required<Declaration<K>> {
  /** The schema of an object, by its kind. */
  readonly schemas: Readonly<Record<string, JsonSchema>>
  /** Reads a body. Throws a Problem that lists the first faults of all its objects. */
  read(body: unknown): readonly SentItem<K>[]
}

/** Declares the kinds of objects that an action takes, one object or a list of them in one request. */
export function kinds<const K extends Kinds>(declaration: Declaration<K>): KindsBody<K> {
  const { name, by = 'type', most, of } = declaration
  const all = Object.entries(of)
  const wrong = (what: string) => new Error(`The kinds ${name} ${what}`)
  if (!all.length) throw wrong('are empty: name at least one kind')
  if (!Number.isInteger(most) || most < 1) throw wrong(`need a limit of 1 or more, not ${most}`)
  for (const [kind, { fields }] of all) {
    if (by in fields)
      throw wrong(`use the field \`${by}\` for the kind, so ${kind} cannot declare a field of that name`)
  }
  const schemas = Object.fromEntries(all.map(([kind, one]) => [kind, kindSchema(by, kind, one)]))
  const declared = { name, by, most, of, schemas }
  return { ...declared, read: readerOf(declared) }
}

function kindSchema(by: string, kind: string, { about, fields }: SentKind): JsonSchema {
  const accepted = writable(fields)
  return {
    description: about,
    type: 'object',
    required: [by, ...accepted.filter(([, { options }]) => options.required).map(([name]) => name)],
    properties: {
      [by]: { const: kind },
      ...Object.fromEntries(accepted.map(([name, field]) => [name, describe(field)])),
    },
  }
}

function readerOf<K extends Kinds>({
  by,
  most,
  of,
  schemas,
}: Omit<KindsBody<K>, 'read'>): KindsBody<K>['read'] {
  const checkData = checker(
    most === 1 ? { type: 'object' } : { type: ['object', 'array'], minItems: 1, maxItems: most },
    'data',
  )
  const checkKind = checker(
    { type: 'object', required: [by], properties: { [by]: { enum: Object.keys(of) } } },
    'data',
  )
  const checks = new Map(Object.entries(schemas).map(([kind, schema]) => [kind, checker(schema, 'data')]))
  const accepted = new Map(
    Object.entries(of).map(([kind, { fields }]) => [
      kind,
      Object.entries(fields).filter(([, { options }]) => !options.readOnly),
    ]),
  )

  const readItem = (value: unknown, source: string) => {
    checkKind(value, source)
    const object = value as Readonly<Record<string, unknown>>
    const kind = object[by] as string
    checks.get(kind)?.(object, source)
    const values: Record<string, unknown> = {}
    for (const [name, field] of accepted.get(kind) ?? [])
      values[name] = normalize(field, ownValue(object, field.options.inputName ?? name))
    return { kind, values: complete((of[kind] as SentKind).fields, values), source }
  }

  return (body) => {
    const data = isObject(body) ? body.data : undefined
    if (data === undefined) throw missingField('data')
    checkData(data)
    if (!Array.isArray(data)) return [readItem(data, 'data')] as unknown as readonly SentItem<K>[]
    const faults = new Faults()
    const items = data.map((value, i) =>
      faults.isFull ? undefined : faults.check(() => readItem(value, `data.${i}`)),
    )
    faults.refuse()
    return items as unknown as readonly SentItem<K>[]
  }
}
