import { isSeller } from '../../kernel/auth/principal.ts'
import { Problem } from '../../kernel/errors.ts'
import { caseless } from '../../kernel/storage/expressions.ts'
import type { Work } from '../../kernel/work/context.ts'
import { hasRight, rightMissing } from '../contents/shopper-rights.ts'

/** A custom item that is about to be in the cart: a new one, or one of another cart. */
interface CustomItem {
  readonly sku: string
  /** The members of the request that name the item and its SKU. */
  readonly source: string
  readonly skuSource: string
  /** Of an item of another cart. */
  readonly id?: string | undefined
}

/** Says why a caller cannot have a custom item; undefined if they can. */
export type RefuseCustomItem = (item: CustomItem) => Problem | undefined

/**
 * Returns a check that refuses (403) custom items to shoppers: all of them, if the store leaves custom items to
 * sellers, and otherwise those with the SKU of a product. The merchant would send the product, at the shopper's price.
 */
export async function customItemCheck(work: Work, skus: readonly string[]): Promise<RefuseCustomItem> {
  if (isSeller(work.who) || !skus.length) return () => undefined
  const isOpen = await hasRight(work, 'shoppers_add_custom_items')
  const taken = await skusOfProducts(work, skus.flatMap(spellingsOf))
  return ({ sku, source, skuSource, id }) => {
    const meta = { ...(id !== undefined && { id }), ...(sku !== '' && { sku }) }
    if (!isOpen) return rightMissing('shoppers_add_custom_items', source, meta)
    if (!spellingsOf(sku).some((one) => taken.has(one))) return undefined
    const detail = `The SKU ${sku} of the custom item is that of a product. Add the product itself, with the type cart_item.`
    return new Problem('forbidden', detail, { source: skuSource, meta })
  }
}

/** The SKU as it was sent, and as it looks: a reader does not see invisible characters, or which width others have. */
const spellingsOf = (sku: string): readonly string[] => [
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
