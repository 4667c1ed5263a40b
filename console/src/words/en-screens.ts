import { bulkChanges } from './en-bulk-changes.ts'
import { customApis } from './en-custom-apis.ts'
import { identity } from './en-identity.ts'
import { orders } from './en-orders.ts'
import { products } from './en-products.ts'
import { stock } from './en-stock.ts'
import { walk } from './en-walk.ts'

/** The texts of the screens that are more than declarations, in English. */
export const screens = { bulkChanges, customApis, identity, orders, products, stock, walk }

export type ScreenWords = typeof screens
