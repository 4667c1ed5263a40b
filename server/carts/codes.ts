import type { EnteredCode } from '../discounts/index.ts'
import { foldCode } from '../promotion-codes/index.ts'
import type { CartShop } from './cart-shop.ts'
import type { Contents } from './contents.ts'

/** The codes of a cart in the order in which they were entered, once for each promotion that they are for. */
export const enteredIn = ({ codes }: Contents, shop: CartShop): readonly EnteredCode[] =>
  codes.flatMap(({ code, folded, isRepeated }) =>
    codesNamed(folded, shop).map((one) => ({ ...one, code, isRepeated })),
  )

/** What a code is a code for: one or more promotions, or none. */
export const codesNamed = (folded: string, { codes }: CartShop): readonly EnteredCode[] =>
  codes.filter(({ code }) => foldCode(code) === folded)
