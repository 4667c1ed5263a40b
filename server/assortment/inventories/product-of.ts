import { Problem } from '../../kernel/errors.ts'
import { type Envelope, pathOf } from '../../kernel/shape/envelope.ts'
import { reference } from '../../kernel/shape/fields.ts'

/** The product of stock, as some clients name it. It is the id of the stock. */
export const productId = reference('product', {
  about:
    'The id of the product, which is also the id of the stock. If sent, it must be equal to the other id.',
})

interface ProductName {
  readonly product_id?: string | undefined
}

/**
 * The product that a body names, in any of its forms; undefined if it names none. It must be that of the path, if that
 * has one.
 */
export function productOf(
  {
    id,
    product_id,
    attributes,
  }: ProductName & { readonly id?: string | undefined; readonly attributes?: ProductName | undefined },
  inPath?: string,
): string | undefined {
  const named = [
    ['data.id', id],
    ['data.product_id', product_id],
    ['data.attributes.product_id', attributes?.product_id],
  ] as const
  const product = inPath ?? named.find(([, value]) => value !== undefined)?.[1]?.toLowerCase()
  for (const [source, value] of named) {
    if (value === undefined || value.toLowerCase() === product) continue
    const detail = `${source} must be the id of the same product, ${product}.`
    throw new Problem('invalid_field', detail, { source })
  }
  return product
}

/** Refuses a body with the product of other stock than that of the path. */
export function mustBeOfStock({ product_id: product }: ProductName, id: string, envelope: Envelope): void {
  if (product === undefined || product.toLowerCase() === id) return
  const source = pathOf(envelope, 'product_id')
  throw new Problem('invalid_field', `${source} must be the id in the path, ${id}.`, { source })
}
