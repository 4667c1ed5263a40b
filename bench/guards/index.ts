import { guardsOfCarts } from './carts.ts'
import { guardsOfCheckouts } from './checkouts.ts'
import type { Guard } from './guard.ts'
import { guardsOfPayments } from './payments.ts'
import { guardsOfStockAndCodes } from './stock-and-codes.ts'

export type { Cut, Guard } from './guard.ts'

export const guards: readonly Guard[] = [
  ...guardsOfPayments,
  ...guardsOfCheckouts,
  ...guardsOfCarts,
  ...guardsOfStockAndCodes,
]
