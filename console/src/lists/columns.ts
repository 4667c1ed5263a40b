import type { FieldFacts } from '../api/document.ts'
import { type Item, isItem } from '../api/objects.ts'
import { lastName, namingField } from '../fields/names.ts'

const usualMax = 7

/** What people look for in a list, the first first, by the ends of the paths. */
const wanted: readonly RegExp[] = [
  /(^|\.)sku$/,
  /customer\.name$|(^|\.)title$/,
  /(^|\.)email$/,
  /(^|\.)(status|state|job_type)$/,
  /(^|\.)(with_tax|amount|currencies|unit_price)$/,
  /^(payment|shipping)$/,
  /(^|\.)(available|allocated|total|quantity|uses)$/,
]

/** What is long, or tells little. */
const unwanted =
  /_address\.|(^|\.)(description|external_ref|owner|slug|updated_by|created_by|commodity_type|store_id|origin_id|origin_type|snapshot_date|stock_id|base_product\.data\.id)$|^contact\.|_secs$|intent/

/** How much a column tells of the objects of a list: lower is better. */
function rankOf({ path, kind, refers }: FieldFacts): number {
  if (unwanted.test(path)) return wanted.length + 7
  const at = wanted.findIndex((one) => one.test(path))
  if (at >= 0) return at
  if (refers !== undefined) return wanted.length
  if (kind === 'money') return wanted.length + 6
  return wanted.length + (kind === 'choice' ? 1 : kind === 'time' ? 3 : kind === 'boolean' ? 4 : 2)
}

const structures = ['json', 'map', 'objects', 'references']

/** The columns of a list that nobody has chosen: the name, what people look for, and when it was made. */
export function usualColumns(shown: readonly FieldFacts[]): readonly string[] {
  const first = namingField(shown)
  const created = ['created_at', 'at', 'updated_at']
    .map((name) => shown.find(({ path }) => lastName(path) === name)?.path)
    .find((path) => path !== undefined)
  // Two forms of an object have the same values in different places. Lists have those of `attributes`.
  const isTwin = (path: string) => shown.some((one) => one.path === `attributes.${path}`)
  const isColumn = ({ path, kind }: FieldFacts) =>
    !structures.includes(kind) &&
    !isTwin(path) &&
    path !== first &&
    path !== 'id' &&
    !/(^|\.)(type|created_at|updated_at|at)$|client_parameters\.|explanation/.test(path)
  const others = shown
    .filter(isColumn)
    .toSorted((one, other) => rankOf(one) - rankOf(other))
    .map(({ path }) => path)
  return [first, ...others.slice(0, usualMax - 2), ...(created ? [created] : [])]
}

/** How many fields beside its name a row has on a narrow screen, where it is a card. */
const cardMax = 3

/** The columns of a card: the name, what comes next, and what it costs. */
export function cardColumns(columns: readonly string[], shown: readonly FieldFacts[]): ReadonlySet<string> {
  const [first = '', ...others] = columns
  const isAmount = (path: string) => {
    const kind = shown.find((one) => one.path === path)?.kind
    return kind === 'money' || kind === 'amounts'
  }
  const amount = others.find(isAmount)
  const some = others.filter((path) => path !== amount).slice(0, amount === undefined ? cardMax : cardMax - 1)
  return new Set([first, ...some, ...(amount === undefined ? [] : [amount])])
}

/** All paths that may be a column: those of the document, and those of the rows that it does not know. */
export function possibleColumns(shown: readonly FieldFacts[], rows: readonly Item[]): readonly string[] {
  const known = shown.map(({ path }) => path)
  const [first] = rows
  const unknown = isItem(first)
    ? Object.keys(first).filter((name) => !known.some((path) => path === name || path.startsWith(`${name}.`)))
    : []
  return [...known, ...unknown.filter((name) => !['type', 'links'].includes(name))]
}

/** The field to sort a column by, if the API can. */
export const sortFieldOf = (path: string, sort: readonly string[]): string | undefined =>
  sort.find((field) => field === path || field === lastName(path))
