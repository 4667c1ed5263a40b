import { identity } from './en-identity.ts'
import { orders } from './en-orders.ts'
import { products } from './en-products.ts'
import { stock } from './en-stock.ts'

/** The texts of the screens that are more than declarations, in English. */
export const screens = { identity, orders, products, stock }

export type ScreenWords = typeof screens
