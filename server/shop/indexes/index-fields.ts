import { setImmediate } from 'node:timers/promises'
import type { Bind } from '../../kernel/storage/binds.ts'
import type { Store } from '../../kernel/storage/store.ts'
import { bindShop, type EditionShop } from '../matching/field-values.ts'
import { rowsSql } from '../matching/search-sql.ts'
import { groupSql, type IndexedShop, newRowsSql, type Piece, pieceOf } from './index-pieces.ts'
import { PositionSet } from './position-set.ts'
import { numbersIn, numbersOfId } from './product-ids.ts'

/** The values of a field among the matches. */
export interface FacetCounts {
  readonly values: number
  readonly min: number | null
  readonly max: number | null
  readonly sum: number | null
  /** How many products have a number. */
  readonly numbers: number
  /** The most frequent values. */
  readonly top: readonly (readonly [value: string, n: number])[]
}

interface FieldValue {
  readonly id: string
  readonly value: string
  readonly number: number | null
}

/** The values of a field. */
export interface FieldColumn extends Piece {
  /** In their order. */
  readonly values: readonly FieldValue[]
  /** The first value of each position, as its place in `values` plus one; 0 for none. */
  readonly first: Uint16Array
  /** Further values: pairs of a position and a place plus one. */
  readonly further: Uint32Array
}

/** Of a field with more values nothing is kept. */
export const valuesMax = 65_534

/** Nor if products have more values on average. */
const furtherMax = 4

export const bytesOfColumn = (_: string, { values, first, further }: FieldColumn): number =>
  values.reduce((sum, { value }) => sum + 100 + value.length, first.byteLength + further.byteLength)

/** Reads the column of a field, or what it lacks. Undefined if the field has too many values. */
export async function readColumn(
  store: Store,
  indexed: IndexedShop,
  field: string,
  before?: FieldColumn,
): Promise<FieldColumn | undefined> {
  const { shop, index } = indexed
  const values = await readValues(store, shop, field)
  const rows = (bind: Bind) =>
    `SELECT p.id, unnest(p.value_ids) AS value_id FROM ${rowsSql}${newRowsSql(index, before, bind)}`
  return completeColumn(store, indexed, { values, rows, before })
}

interface ColumnSource {
  readonly values: readonly FieldValue[]
  /** The SQL of rows that have the `id` of a product, and the `value_id` of a value that it has. */
  readonly rows: (bind: Bind) => string
  readonly before?: FieldColumn | undefined
}

/** Undefined if there are too many values. */
export async function completeColumn(
  store: Store,
  { shop, index }: IndexedShop,
  { values, rows, before }: ColumnSource,
): Promise<FieldColumn | undefined> {
  if (values.length > valuesMax) return undefined
  const size = index.times.length
  const { first, further } = before
    ? recoded(before, values, size)
    : { first: new Uint16Array(size), further: [] }
  const binds = bindShop(shop)
  const text = `SELECT string_agg(uuid_send(u.id) || int4send(k.place::int), ''::bytea) FROM (${rows(binds.bind)}) u
    JOIN unnest(${binds.bind(values.map(({ id }) => id))}::bigint[]) WITH ORDINALITY k (id, place) ON k.id = u.value_id
    GROUP BY ${groupSql('u.id')}`
  const groups = await store.page({ text, values: binds.values, once: true, long: true })
  for (const [i, [hex]] of groups.entries()) {
    const more: number[] = []
    const numbers = numbersIn(hex as string)
    index.ids.forEachIn(numbers, numbersOfId + 1, (position, rest) => {
      const place = numbers[rest] as number
      if (first[position]) more.push(position, place)
      else first[position] = place
    })
    further.push(Uint32Array.from(more))
    if (i % 4 === 3) await setImmediate()
  }
  const column = { ...pieceOf(index), values, first, further: concat(further) }
  return column.further.length > 2 * furtherMax * size ? undefined : column
}

function concat(parts: readonly Uint32Array[]): Uint32Array {
  const all = new Uint32Array(parts.reduce((sum, { length }) => sum + length, 0))
  let end = 0
  for (const part of parts) {
    all.set(part, end)
    end += part.length
  }
  return all
}

async function readValues(store: Store, shop: EditionShop, field: string): Promise<readonly FieldValue[]> {
  const rows = await store.run(
    `SELECT id, value, number FROM published_values
     WHERE store_id = $1 AND catalog_id = $2 AND field = $3 ORDER BY value, number LIMIT ${valuesMax + 1}`,
    shop.catalogId,
    field,
  )
  return rows.map(([id, value, number]) => ({
    id: id as string,
    value: value as string,
    number: number === null ? null : Number(number),
  }))
}

/** A copy for more positions, whose values may be others. */
function recoded(
  { values: old, first, further }: FieldColumn,
  values: readonly FieldValue[],
  size: number,
): { readonly first: Uint16Array; readonly further: Uint32Array[] } {
  const places = new Map(values.map(({ id }, i) => [id, i + 1]))
  const now = Uint16Array.from([0, ...old.map(({ id }) => places.get(id) ?? 0)])
  const grown = new Uint16Array(size)
  for (let position = 0; position < first.length; position++)
    grown[position] = now[first[position] as number] as number
  const isPlace = (i: number) => i % 2 === 1
  return { first: grown, further: [further.map((one, i) => (isPlace(i) ? (now[one] as number) : one))] }
}

/** The positions that have one of these values. */
export function withValues(
  { size, values, first, further }: FieldColumn,
  isOne: (value: FieldValue) => boolean,
): PositionSet {
  const set = PositionSet.empty(size)
  const places = Uint8Array.from([0, ...values.map((value) => (isOne(value) ? 1 : 0))])
  for (let position = 0; position < size; position++) if (places[first[position] as number]) set.add(position)
  for (let i = 0; i < further.length; i += 2)
    if (places[further[i + 1] as number]) set.add(further[i] as number)
  return set
}

/** How many of the positions have each value, by its place. */
function countPlaces({ values, first, further }: FieldColumn, positions: PositionSet): Uint32Array {
  const counts = new Uint32Array(values.length + 1)
  positions.forEach((position) => {
    const place = first[position] ?? 0
    counts[place] = (counts[place] as number) + 1
  })
  for (let i = 0; i < further.length; i += 2) {
    if (!positions.has(further[i] as number)) continue
    const place = further[i + 1] as number
    counts[place] = (counts[place] as number) + 1
  }
  return counts
}

/** The counts of all live products, by the column: it is of one edition. */
const totals = new WeakMap<FieldColumn, Uint32Array>()

/** Where most products match, the others are counted. */
function countMatches(column: FieldColumn, matches: PositionSet, live: PositionSet): Uint32Array {
  const others = live.without(matches)
  if (others.count > matches.count) return countPlaces(column, matches)
  const total = totals.get(column) ?? countPlaces(column, live)
  totals.set(column, total)
  const less = countPlaces(column, others)
  return total.map((n, place) => n - (less[place] as number))
}

/** Counts matches by value. */
export function countValues(
  column: FieldColumn,
  matches: PositionSet,
  live: PositionSet,
  valuesMax: number,
): FacetCounts {
  const { values } = column
  const counts = countMatches(column, matches, live)
  const used = values.flatMap(({ value, number }, i) => {
    const n = counts[i + 1] as number
    return n ? [{ value, number, n }] : []
  })
  const numbers = used.flatMap(({ number, n }) => (number === null ? [] : [{ number, n }]))
  return {
    values: used.length,
    min: numbers.length ? numbers.reduce((min, { number }) => Math.min(min, number), Infinity) : null,
    max: numbers.length ? numbers.reduce((max, { number }) => Math.max(max, number), -Infinity) : null,
    sum: numbers.length ? numbers.reduce((sum, { number, n }) => sum + number * n, 0) : null,
    numbers: numbers.reduce((sum, { n }) => sum + n, 0),
    // Sorting keeps the order of values that as many products have.
    top: used
      .toSorted((one, other) => other.n - one.n)
      .slice(0, valuesMax)
      .map(({ value, n }) => [value, n]),
  }
}
