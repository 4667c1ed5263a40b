import type { EnteredCode } from '../../promotions/index.ts'
import type { Contents } from '../contents/contents.ts'
import type { CartShop } from './cart-shop.ts'

/** Codes are the same in capitals and small letters, and with white space at their ends. */
export const isSameCode = (one: string, other: string): boolean => folded(one) === folded(other)

const folded = (code: string): string => code.trim().toLowerCase()

/** The codes of a cart in the order in which they were entered, once for each promotion that they are for. */
export const enteredIn = ({ codes }: Contents, shop: CartShop): readonly EnteredCode[] =>
  codes.flatMap(({ code, isRepeated }) => codesNamed(code, shop).map((one) => ({ ...one, code, isRepeated })))

/** What a code is a code for: one or more promotions, or none. */
export const codesNamed = (code: string, { codes }: CartShop): readonly EnteredCode[] =>
  codes.filter((one) => isSameCode(one.code, code))
