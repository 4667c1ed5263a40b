import type { BodyShape } from '../body/input.ts'
import { type Envelope, flatten, isAttribute, place } from '../shape/envelope.ts'
import type { Field, Fields, Values } from '../shape/fields.ts'
import { type AddedFields, type Model, ownOrderOf, type Row, type Whole } from '../shape/model.ts'
import { ownValue } from '../shape/values.ts'
import { stateColumns } from './added-fields.ts'
import { completeText } from './complete-text.ts'
import type { Tuple } from './database.ts'

/** The columns of a row of a list. */
export const listColumns = (resource: Model, alias: string): string =>
  rowColumns(resource, alias, hiddenInLists(resource, alias))

/** The same columns, with values of at most `charsMax` characters. A row with a longer one `isCut`. */
export const cutColumns = (resource: Model, alias: string, charsMax: number): string =>
  rowColumns(resource, alias, hiddenInLists(resource, alias), (value) => cutText(value, charsMax))

function hiddenInLists({ fields, shownHidden }: Model, alias: string): string | undefined {
  if (!shownHidden) return undefined
  const others = Object.entries(fields).flatMap(([name, { options }]) =>
    options.hidden && options.stored !== false && !shownHidden.includes(name) ? name : [],
  )
  return `(${alias}hidden::jsonb - '{${others}}'::text[])::text`
}

/**
 * A value as text of at most `charsMax` characters. PostgreSQL knows the size of a column that is not compressed: to
 * count its characters takes longer than to read it.
 */
export function cutText(value: string, charsMax: number): string {
  const cut = `left((${value})::text, ${charsMax})`
  if (!/^[\w.]+$/.test(value)) return cut
  const isShort = `pg_column_compression(${value}) IS NULL AND pg_column_size(${value}) < ${charsMax}`
  return `CASE WHEN ${isShort} THEN ${value}::text ELSE ${cut} END`
}

/** Whether `cutColumns` may have cut a value of the row. */
export function isCut(resource: Model, tuple: Tuple, at: number, charsMax: number): boolean {
  const isLong = (value: string | null | undefined) => value != null && value.length >= charsMax
  const hidden = tuple[scopeIn(resource, at)[1] + (resource.addedUnder ? 1 : 0)]
  return isLong(tuple[at + 4]) || (resource.shownWith && isLong(tuple[at + 5])) || isLong(hidden)
}

/** The columns of a row: every statement that reads rows returns these, in this order. */
export const rowColumns = (
  resource: Model,
  alias = '',
  hidden = `${alias}hidden`,
  cut: (value: string) => string = (value) => value,
): string =>
  // Reads hidden values only if responses are built from them.
  [
    ...shownColumns(resource, alias, cut),
    ...stateColumns(resource, alias),
    ...(showsHidden(resource) ? [cut(hidden)] : []),
  ].join(', ')

/** The same columns without what the writer has: the hidden values, and the state of the added fields. */
export const writtenColumns = (resource: Model): string =>
  [...shownColumns(resource), ...(resource.addedUnder ? ['NULL'] : [])].join(', ')

function shownColumns(
  resource: Model,
  alias = '',
  cut: (value: string) => string = (value) => value,
): readonly string[] {
  const own = ownOrderOf(resource)
  const row = alias || `${resource.table.split(' ').at(-1)}.`
  return [
    `${alias}id`,
    `${alias}version`,
    // AT TIME ZONE makes the text independent of the session's settings.
    `${alias}created_at AT TIME ZONE 'UTC'`,
    `${alias}updated_at AT TIME ZONE 'UTC'`,
    cut(resource.shownAs?.(row) ?? `${alias}doc`),
    ...(resource.shownWith ? [cut(resource.shownWith.sql(row))] : []),
    ...(own ? [alias + own] : []),
    ...resource.scopeColumns.map((column) => `${alias}${column}`),
  ]
}

const showsHidden = ({ meta, links, also }: Model) => Boolean(meta || links || also)

/**
 * The same columns with the hidden values, and with what a thing holds. One that was last written before there was a
 * column `inside` holds it among the hidden values.
 */
export const wholeColumns = (resource: Model): string =>
  [
    rowColumns(resource),
    ...(showsHidden(resource) ? [] : ['hidden']),
    ...(resource.inside ? ['coalesce(inside, hidden)'] : []),
  ].join(', ')

// '2026-01-02 03:04:05.67' -> '2026-01-02T03:04:05.670Z': PostgreSQL drops trailing zeros.
const toIsoTime = (text: string) =>
  `${text.slice(0, 10)}T${text.slice(11, 19)}.${text.slice(20).padEnd(3, '0')}Z`

const noScope: readonly string[] = []

/** The position of the columns after the document. */
const behindDoc = ({ shownWith }: Model, at: number): number => at + (shownWith ? 6 : 5)

/** The positions of the scope's columns. */
function scopeIn(resource: Model, at: number): [from: number, to: number] {
  const from = behindDoc(resource, at) + (ownOrderOf(resource) === undefined ? 0 : 1)
  return [from, from + resource.scopeColumns.length]
}

/** The state of the added fields, from the columns of a row. */
export const stateIn = (resource: Model, tuple: Tuple, at = 0): string | null | undefined =>
  tuple[scopeIn(resource, at)[1]]

/** The document with the members that other rows hold: before its fields, or beside them. */
function withMembers(
  { envelope, shownWith }: Model,
  text: string,
  members: string | null | undefined,
): string {
  if (!members) return text
  const beside = Object.keys(shownWith?.fields ?? {}).some((name) => !isAttribute(envelope, name))
  if (envelope.fields === 'attributes' && beside) return `${text.slice(0, -1)},${members}}`
  // Only the type precedes the attributes, and a type has no braces, so the first brace opens them.
  const at = envelope.fields === 'attributes' ? text.indexOf('{', 1) + 1 : 1
  return `${text.slice(0, at)}${members}${text[at] === '}' ? '' : ','}${text.slice(at)}`
}

/** What a request knows of a row that it has written. */
interface OwnWrite<C> {
  readonly written?: boolean
  readonly inside?: C | undefined
}

class StoredRow<F extends Fields, C> implements Whole<F, C> {
  readonly id: string
  readonly version: number
  readonly createdAt: string
  readonly updatedAt: string
  readonly text: string
  readonly scope: readonly string[]
  readonly place: string | undefined
  readonly written: boolean
  readonly added: AddedFields | undefined
  readonly #envelope: Envelope
  readonly #hidden: string | undefined
  readonly #insideText: string | undefined
  #inside: C | undefined
  #hiddenValues: Values<F> | undefined

  constructor(
    resource: Model<F, C>,
    tuple: Tuple,
    at: number,
    { written = false, inside }: OwnWrite<C> = {},
  ) {
    const { envelope } = resource
    const [scopeAt, scopeEnd] = scopeIn(resource, at)
    this.id = tuple[at] as string
    this.version = Number(tuple[at + 1])
    this.createdAt = toIsoTime(tuple[at + 2] as string)
    this.updatedAt = toIsoTime(tuple[at + 3] as string)
    const text = completeText(resource, tuple[at + 4] as string)
    const placeAt = behindDoc(resource, at)
    this.text = withMembers(resource, text, placeAt > at + 5 ? tuple[at + 5] : undefined)
    this.added = resource.added
    this.place = scopeAt > placeAt ? (tuple[placeAt] as string) : undefined
    this.scope = scopeEnd === scopeAt ? noScope : (tuple.slice(scopeAt, scopeEnd) as string[])
    this.written = written
    this.#envelope = envelope
    const hiddenAt = scopeEnd + (resource.addedUnder ? 1 : 0)
    this.#hidden = tuple[hiddenAt] ?? undefined
    this.#insideText = (resource.inside && tuple[hiddenAt + 1]) ?? undefined
    this.#inside = inside
  }

  get doc(): Values<F> {
    return flatten(this.#envelope, JSON.parse(this.text)) as Values<F>
  }

  /** Some, or none, where the statement did not read all: see `Row` and `Whole`. */
  get hidden(): Values<F> {
    this.#hiddenValues ??= JSON.parse(this.#hidden ?? '{}') as Values<F>
    return this.#hiddenValues
  }

  /** Only the statements that read whole rows have the column: see `wholeColumns`. */
  get inside(): C {
    this.#inside ??= this.#insideText === undefined ? undefined : (JSON.parse(this.#insideText) as C)
    return this.#inside as C
  }
}

/** A row from the columns of a statement, which begin at `at`. */
export const toRow = <F extends Fields>(resource: Model<F>, tuple: Tuple, at = 0): Row<F> =>
  new StoredRow(resource, tuple, at)

/** A row that this request has written, from the columns of `writtenColumns` and what it wrote beside the document. */
export const writtenRow = <F extends Fields, C>(
  resource: Model<F, C>,
  tuple: Tuple,
  hidden: string | null,
  inside: C | undefined,
): Whole<F, C> => new StoredRow<F, C>(resource, [...tuple, hidden], 0, { written: true, inside })

/** The texts of a row: those of `split`, and what a thing holds. */
export function textsOf<F extends Fields, C>(
  resource: Model<F, C>,
  values: Values<F>,
  inside: C | undefined,
): readonly [doc: string, hidden: string | null, ...inside: string[]] {
  if (!resource.inside) return split(resource, values)
  if (inside === undefined) throw new Error(`a ${resource.type} is written with what it holds`)
  return [...split(resource, { ...values, ...resource.inside.shows(inside) }), JSON.stringify(inside)]
}

/** The shown values and the hidden values. Values that are only checked are in neither. */
export function split(
  { fields, envelope }: Pick<BodyShape, 'fields' | 'envelope'>,
  values: Readonly<Record<string, unknown>>,
): [doc: string, hidden: string | null] {
  const doc: Record<string, unknown> = {}
  let hidden: Record<string, unknown> | undefined
  for (const name of Object.keys(fields)) {
    const value = ownValue(values, name)
    if (value === undefined) continue
    const { options } = fields[name] as Field
    if (options.stored === false) continue
    if (!options.hidden) doc[name] = value
    else {
      hidden ??= {}
      hidden[name] = value
    }
  }
  return [JSON.stringify(place(envelope, doc)), hidden ? JSON.stringify(hidden) : null]
}
