import type { Row } from '../../kernel/shape/model.ts'
import { type Columns, columns, json } from '../../kernel/storage/columns.ts'
import { inEdition } from '../../kernel/storage/editions.ts'
import type { SizedRows } from '../../kernel/storage/sized-parts.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import type { Item, Selection } from '../../prices/index.ts'
import { publishedItem } from '../sources/published-item.ts'
import type { PublishedFacts } from '../sources/published-product.ts'
import type { Locales } from '../view/languages.ts'
import type { View } from '../view/view.ts'
import type { ShownProduct } from './shown-fields.ts'

/** The stored row of a published product: all that shoppers see except prices. */
export interface PublishedRow {
  readonly id: string
  readonly doc: {
    readonly attributes: ShownProduct['attributes']
    readonly meta: ShownProduct['meta']
    readonly relationships: ShownProduct['relationships']
  }
  readonly facts: Omit<PublishedFacts, 'locales'> & {
    readonly locales?: Locales
    readonly published_at: string
  }
}

export interface Option {
  readonly id: string
  readonly quantity: number
  readonly min?: number | null | undefined
  readonly max?: number | null | undefined
}

export interface PublishedComponent {
  readonly options: readonly Option[]
  readonly min?: number | null | undefined
  readonly max?: number | null | undefined
}

export type PublishedComponents = Readonly<Record<string, PublishedComponent>>

const stored: Columns<PublishedRow> = columns({
  id: 'id',
  doc: ['doc', json<PublishedRow['doc']>],
  facts: ['hidden', json<PublishedRow['facts']>],
})

/** Parses a row of a list. */
export const publishedRowOf = ({ id, text, hidden }: Row): PublishedRow => ({
  id,
  doc: JSON.parse(text) as PublishedRow['doc'],
  facts: hidden as unknown as PublishedRow['facts'],
})

/** A published product as an item to price. */
export interface ShopItem extends Item {
  readonly row: PublishedRow
}

/** Makes a row an item to price. A bundle has the shopper's selection, or the default selection. */
export function shopItem(row: PublishedRow, selected?: Selection): ShopItem {
  const { id, doc, facts } = row
  return { ...publishedItem({ id, attributes: doc.attributes, meta: doc.meta, facts }, selected), row }
}

/** What of a published product may be long. */
export const sizedPublished = ({
  published: { catalogId, edition },
}: Pick<View, 'published'>): SizedRows => ({
  table: 'published_products',
  columns: ['doc', 'hidden'],
  where: `catalog_id = $3 AND ${inEdition('$4::int')}`,
  values: [catalogId, edition],
})

/** Finds the parents among these products. */
export async function parentsAmong(
  { store }: Pick<Ctx, 'store'>,
  { published: { catalogId, edition } }: Pick<View, 'published'>,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (!ids.length) return new Set()
  const rows = await store.run(
    `SELECT id FROM published_products
     WHERE store_id = $1 AND catalog_id = $2 AND ${inEdition('$3::int')} AND id = ANY($4::uuid[])
       AND product_type = 'parent'`,
    catalogId,
    edition,
    [...new Set(ids)],
  )
  return new Set(rows.map(([id]) => id as string))
}

/** Finds the children of these parents among these products, and returns the parent of each. */
export async function findParents(
  { store }: Pick<Ctx, 'store'>,
  { published: { catalogId, edition } }: Pick<View, 'published'>,
  ids: readonly string[],
  parentIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (!ids.length) return new Map()
  const rows = await store.run(
    `SELECT id, parent_id FROM published_products
     WHERE store_id = $1 AND catalog_id = $2 AND ${inEdition('$3::int')} AND id = ANY($4::uuid[])
       AND parent_id = ANY($5::uuid[])`,
    catalogId,
    edition,
    ids,
    parentIds,
  )
  return new Map(rows as [string, string][])
}

/** The options of a bundle. */
export const optionsOf = ({ doc }: PublishedRow): readonly Option[] =>
  Object.values<PublishedComponent>(doc.attributes.components ?? {}).flatMap(({ options }) => options)

type RowsByKey = ReadonlyMap<string, PublishedRow>
type Find = (
  work: Pick<Ctx, 'store'>,
  of: Pick<View, 'published'>,
  keys: readonly string[],
) => Promise<RowsByKey>

const findBy =
  (key: string): Find =>
  async ({ store }, { published: { catalogId, edition } }, keys) => {
    if (!keys.length) return new Map()
    const rows = await store.run(
      `SELECT ${stored.sql} FROM published_products
       WHERE store_id = $1 AND catalog_id = $2 AND ${inEdition('$3::int')} AND ${key}`,
      catalogId,
      edition,
      [...new Set(keys)],
    )
    return new Map(rows.map(stored.read).map((row) => [row.id, row]))
  }

export const findPublishedRows = findBy('id = ANY($4::uuid[])')

/** Finds published products by their SKUs, and returns them by id. */
export const findPublishedRowsBySku = findBy('sku = ANY($4::text[])')
