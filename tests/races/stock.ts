import assert from 'node:assert/strict'
import { order } from '../builders/orders/buying.ts'
import type { Arena } from './arena.ts'

export const mug = (quantity = 1) => ({ type: 'cart_item', sku: 'MUG', quantity })

const pathOf = ({ ids }: Arena, sku: string) => `/v2/inventories/${ids[sku]}`

/** Nobody counts the product any more. */
export const uncount = (arena: Arena, sku: string) => arena.world.admin.delete(pathOf(arena, sku))

/** So much of the product is in stock, and nothing allocated, whatever was before. */
export async function inStock(arena: Arena, sku: string, quantity: number): Promise<void> {
  await uncount(arena, sku)
  const { status } = await arena.world.admin.post(pathOf(arena, sku), { data: { type: 'stock', quantity } })
  assert.equal(status, 201)
}

/** What is available and what is allocated of the product. */
export async function stockOf(arena: Arena, sku: string): Promise<readonly [number, number]> {
  const { data } = (await arena.world.admin.get(pathOf(arena, sku))).body
  return [data.available, data.allocated]
}

/** Two orders of one mug each, of which so many are in stock. */
export async function ordersOfMugs(arena: Arena, quantity: number) {
  const { shopper } = arena.world
  await inStock(arena, 'MUG', quantity)
  const orders = [await order(shopper, mug()), await order(shopper, mug())]
  return { one: orders[0].id as string, other: orders[1].id as string }
}
