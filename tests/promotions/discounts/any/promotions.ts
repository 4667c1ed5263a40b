import fc from 'fast-check'
import type { Promotion } from '../../../../server/promotions/discounts/promotion.ts'
import { fromRule } from '../../../../server/promotions/discounts/rules/from-rule.ts'
import { fromStandard } from '../../../../server/promotions/discounts/standard/from-standard.ts'
import type { DiscountCart, EnteredCode } from '../../../../server/promotions/index.ts'
import type { AnyDocument } from '../oracle/cart.ts'
import { anyCart } from './carts.ts'
import { anyRule } from './rules.ts'
import { anyStandard } from './standard.ts'

/** Any carts with any promotions of both kinds, and the codes that were entered. */

export interface Case {
  readonly cart: DiscountCart
  readonly documents: readonly AnyDocument[]
  readonly codes: readonly EnteredCode[]
}

const limits = fc.record(
  {
    usesLeft: fc.nat(6),
    users: fc.constantFrom(['ada'], ['ada@EXAMPLE.com'], ['bob', 'ada'], ['bob']),
    perShopper: fc.record({ usesLeft: fc.nat(2), includesGuests: fc.boolean() }),
    isForNewShopper: fc.boolean(),
    isRepeated: fc.boolean(),
  },
  { requiredKeys: [] },
)
const plain = fc.record(
  { usesLeft: fc.integer({ min: 1, max: 8 }), isRepeated: fc.boolean() },
  { requiredKeys: [] },
)
const code = fc
  .tuple(
    fc.constantFrom('SAVE', 'More', 'gift'),
    fc.constantFrom('checkout' as const, 'application' as const),
    fc.oneof({ arbitrary: plain, weight: 6 }, limits),
  )
  .map(([code, consumes, limits]) => ({ code, consumes, ...limits }))
const codes = fc.oneof(
  { arbitrary: fc.array(code, { minLength: 1, maxLength: 1 }), weight: 8 },
  fc.array(code, { maxLength: 3 }),
)

const document = fc.oneof(
  anyStandard.map((one) => ({ kind: 'standard', document: one }) as const),
  anyRule.map((one) => ({ kind: 'rule', document: one }) as const),
)

/** Some are of the same age. */
const anyDocument = fc.record({ document, age: fc.nat(8), codes })

export const anyCase: fc.Arbitrary<Case> = fc
  .record({ cart: anyCart, all: fc.array(anyDocument, { minLength: 1, maxLength: 5, size: 'max' }) })
  .map(({ cart, all }) => {
    const documents = all.map(({ document: { kind, document }, age }, i) => {
      const name = `${kind} ${i}`
      return {
        kind,
        document: { id: name, name, ...document },
        createdAt: new Date(age * 1000),
      } as AnyDocument
    })
    return {
      cart,
      documents,
      codes: documents.flatMap(({ document: { id, automatic } }, i) =>
        automatic ? [] : (all[i]?.codes ?? []).map((entered) => ({ ...entered, promotionId: id })),
      ),
    }
  })

export const compile = (one: AnyDocument): Promotion =>
  one.kind === 'standard' ? fromStandard(one.document, one.createdAt) : fromRule(one.document, one.createdAt)
