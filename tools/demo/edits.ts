import type { Merchant } from './merchant.ts'
import { daysLater, later, type PastClock } from './past-clock.ts'
import { type Colleague, signIn } from './people.ts'
import type { ShopPlan } from './plan.ts'
import type { PlannedProduct } from './products.ts'

/** What colleagues have changed by hand in the last weeks, so that the history of products names them. */
export async function editProducts(
  merchant: Merchant,
  clock: PastClock,
  { ends }: ShopPlan,
  products: readonly PlannedProduct[],
  [editor, marketer]: readonly [Colleague, Colleague],
  store: string,
): Promise<void> {
  const some = products.filter((_, i) => i % 5 === 0).slice(0, 12)
  const edits = [
    [
      editor,
      daysLater(ends, -20),
      ({ name }: PlannedProduct) => ({ description: `The ${name}, now from our own workshop.` }),
    ],
    [
      marketer,
      daysLater(ends, -3),
      ({ department }: PlannedProduct) => ({ tags: [department.toLowerCase(), 'favourite'] }),
    ],
  ] as const
  for (const [colleague, at, changesOf] of edits) {
    const token = await clock.at(at, () => signIn(merchant, store, colleague))
    for (const [i, product] of some.entries()) {
      const id = merchant.idOf(`product ${product.sku}`)
      const data = { type: 'product', id, attributes: changesOf(product) }
      await clock.at(later(at, 1 + i), () => merchant.as(token).do('PUT', `/pcm/products/${id}`, data))
    }
  }
}
