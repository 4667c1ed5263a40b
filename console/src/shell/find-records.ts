import { send } from '../api/client.ts'
import type { Resource } from '../api/document.ts'
import { pageIn } from '../api/objects.ts'
import { loadFields } from '../api/resources.ts'
import type { Rights } from '../api/rights.ts'
import { termOf } from '../api/terms.ts'
import { nameOf } from '../fields/names.ts'
import { listsNow } from '../screens/areas.ts'

export interface FoundRecord {
  readonly name: string
  readonly kind: string
  readonly path: string
}

/** Where objects are looked for, and the fields that may hold the text. */
const places: Readonly<Record<string, readonly string[]>> = {
  orders: ['email', 'customer.email', 'external_ref'],
  products: ['sku', 'name', 'upc_ean', 'external_ref'],
  customers: ['email', 'name', 'external_ref'],
  accounts: ['name', 'external_ref', 'registration_id'],
  'account-members': ['email', 'name'],
  carts: ['name'],
  pricebooks: ['name', 'external_ref'],
  catalogs: ['name'],
  hierarchies: ['name', 'slug'],
  promotions: ['name', 'code'],
  'rule-promotions': ['name', 'code'],
  files: ['file_name'],
}

const perPlace = 4
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Objects that have the text in their name or are named by it, of all main resources that the caller may read. */
export async function findRecords(
  text: string,
  { may }: Rights,
  signal: AbortSignal,
): Promise<readonly FoundRecord[]> {
  const found = await Promise.all(
    listsNow()
      .filter(({ id, right }) => places[id] && may(right))
      // A list that refuses the text does not hide what the others have found.
      .map((place) => findIn(place, text, signal).catch(() => [])),
  )
  return found.flat()
}

async function findIn(
  resource: Resource,
  text: string,
  signal: AbortSignal,
): Promise<readonly FoundRecord[]> {
  const filter = filterOf(resource, text)
  if (!filter) return []
  const query = new URLSearchParams({ filter, 'page[limit]': String(perPlace) })
  const [{ body }, { shown }] = await Promise.all([
    send({ path: `${resource.path}?${query}`, signal }),
    loadFields(resource),
  ])
  return pageIn(body).rows.map((row) => ({
    name: nameOf(row, shown),
    kind: resource.noun[0],
    path: `${resource.path}/${String(row.id)}`,
  }))
}

/** An id is looked for as such; other texts as a part of a value, where the list can. */
export function filterOf({ id, filter }: Resource, text: string): string {
  if (uuid.test(text)) return filter.id ? termOf('eq', 'id', text.toLowerCase()) : ''
  return (places[id] ?? [])
    .flatMap((field) => {
      const { operators = [] } = filter[field] ?? {}
      if (operators.includes('ilike')) return [termOf('ilike', field, `*${text}*`)]
      if (operators.includes('like')) return asNames(text).map((one) => termOf('like', field, `*${one}*`))
      return operators.includes('eq') ? [termOf('eq', field, text)] : []
    })
    .join('|')
}

/** `like` tells capitals from small letters: a text is also looked for as names are written. */
const asNames = (text: string) => [
  ...new Set([text, text.replace(/(?<![\p{L}\p{N}])\p{Ll}/gu, (letter) => letter.toUpperCase())]),
]
