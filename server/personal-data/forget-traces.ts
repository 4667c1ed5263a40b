import { isId } from '../kernel/ids.ts'
import { forgetAnswers } from '../kernel/request/stored-answers.ts'
import type { Work } from '../kernel/work/context.ts'
import type { ForgottenOrders } from '../orders/index.ts'
import { forgetPayments } from '../payments/index.ts'
import { forgetDeliveries } from '../telling/index.ts'

/** Forgets what other modules have of orders without buyers, and of other objects that were erased with them. */
export async function forgetTraces(
  work: Work,
  { rows, traces }: ForgottenOrders,
  others: readonly string[] = [],
): Promise<void> {
  const payments = await forgetPayments(
    work,
    rows.map(({ id }) => id),
  )
  const all = [...traces, ...payments, ...others]
  await forgetDeliveries(work, all.filter(isId))
  await forgetAnswers(work.store, work.instance.sealKeys, all)
}
