import { hasRight, isSeller, rightMissing } from '../carts/index.ts'
import { Problem } from '../kernel/errors.ts'
import { caseless } from '../kernel/storage/expressions.ts'
import type { Work } from '../kernel/work/context.ts'
import type { NewItem } from './new-lines.ts'

type CustomItem = Extract<NewItem, { readonly kind: 'custom_item' }>

/**
 * Returns a check that refuses (403) custom items of shoppers: all of them, if the store leaves custom items to
 * sellers, and otherwise those with the SKU of a product. The merchant would send the product, at the shopper's price.
 */
export async function customItemCheck(
  work: Work,
  items: readonly NewItem[],
): Promise<(item: CustomItem) => void> {
  const custom = items.filter((item) => item.kind === 'custom_item')
  if (isSeller(work) || !custom.length) return () => {}
  const isOpen = await hasRight(work, 'shoppers_add_custom_items')
  const taken = await skusOfProducts(work, custom.flatMap(spellingsOf))
  return (item) => {
    if (!isOpen) throw rightMissing('shoppers_add_custom_items', item.source)
    if (!spellingsOf(item).some((sku) => taken.has(sku))) return
    const source = `${item.source}.sku`
    const detail = `${source} is the SKU of a product. Add the product itself, with the type cart_item.`
    throw new Problem('forbidden', detail, { source, meta: { sku: item.values.sku } })
  }
}

/** The SKU as it was sent, and as it looks: a reader does not see invisible characters, or which width others have. */
const spellingsOf = ({ values: { sku } }: CustomItem): readonly string[] => [
  sku.trim(),
  sku
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .trim(),
]

/** Those of the texts that are SKUs of products, in capitals or small letters. */
async function skusOfProducts({ store }: Work, texts: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await store.read(
    `SELECT sku FROM unnest($2::text[]) entered (sku) WHERE EXISTS (SELECT FROM products p
       WHERE p.store_id = $1 AND ${caseless('p.sku')} = ${caseless('entered.sku')})`,
    [...new Set(texts)].filter(Boolean),
  )
  return new Set(rows.map(([sku]) => sku as string))
}
