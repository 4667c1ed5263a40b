import { expect } from 'vitest'
import {
  afterAnswers,
  type GatewayAnswer,
  type GatewayPayment,
} from '../../../server/payments/rules/gateway-payment.ts'
import { storedValuesOf } from '../../../server/payments/transactions/settle.ts'
import type { Any } from '../../support/requests.ts'
import type { World } from '../../support/world.ts'

const none = { reference: undefined, detailedStatus: undefined, failure: undefined, excess: undefined }
const names = Object.keys(
  storedValuesOf({
    transaction: {
      type: 'refund',
      status: 'complete',
      amount: 1,
      refundedAmount: 1,
      failedRefundAmount: 1,
      receivedAs: 'purchase',
    },
    ...{ reference: '', detailedStatus: '', excess: { total: 0, open: 0 } },
    failure: { code: '', reason: '', isForMerchant: true },
  }),
)

/** The transactions of an order are what their events come to. */
export async function mustBeWhatEventsSay(world: World, orderId: string): Promise<void> {
  // In one statement: jobs may settle meanwhile.
  const { rows } = await world.sql(
    `SELECT t.id, t.doc, t.hidden, array(SELECT e.answer FROM transaction_events e
       WHERE e.store_id = $1 AND e.transaction_id = t.id AND e.answer IS NOT NULL ORDER BY e.place) AS answers
     FROM order_transactions t WHERE t.store_id = $1 AND t.order_id = $2`,
    [world.storeId, orderId],
  )
  for (const { id, doc, hidden, answers } of rows) {
    const [begun, ...later] = answers as [GatewayPayment, ...GatewayAnswer[]]
    const values: Any = storedValuesOf(afterAnswers({ ...none, ...begun }, later))
    const row = { ...hidden, ...doc }
    expect([id, ...names.map((name) => [name, row[name]])]).toEqual([
      id,
      ...names.map((name) => [name, values[name]]),
    ])
  }
}
