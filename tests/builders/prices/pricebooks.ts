import { expect } from 'vitest'
import type { Client } from '../../support/client.ts'

let counter = 0
export const fresh = (name: string): string => `${name} ${++counter}`

/** Makes what price books are made of. */
export function merchant(client: () => Client) {
  async function created(path: string, type: string, attributes: object) {
    const { status, body } = await client().post(path, { data: { type, attributes } })
    expect([status, body.errors]).toEqual([201, undefined])
    return body.data
  }
  const newBook = (attributes: object = {}) =>
    created('/pcm/pricebooks', 'pricebook', { name: fresh('Book'), ...attributes })
  const newPrice = (book: string, attributes: object = {}) =>
    created(`/pcm/pricebooks/${book}/prices`, 'product-price', {
      ...{ sku: fresh('sku'), currencies: { USD: { amount: 100 } } },
      ...attributes,
    })
  const newModifier = (book: string, attributes: object = {}) =>
    created(`/pcm/pricebooks/${book}/modifiers`, 'price-modifier', {
      ...{ name: fresh('Modifier'), modifier_type: 'price_increment', currencies: { USD: { amount: 5 } } },
      ...attributes,
    })
  return { newBook, newPrice, newModifier }
}
