import { randomUUID } from 'node:crypto'
import type { PaymentMethod } from '../../../server/orders/index.ts'
import type { Charge, Outcome } from '../../../server/payments/rules/gateway.ts'
import { stripeGateway } from '../../../server/payments/stripe/stripe-gateway.ts'
import type { StripeDouble } from '../../support/stripe-double/index.ts'

/** Charges, receipts and calls as payments send them to the gateway. */

export const gatewayAt = ({ key, url }: StripeDouble, timeoutMs = 2000, retries = 0) =>
  stripeGateway({ key, url, timeoutMs, retries })

export const via = () => ({ key: randomUUID() })

export const charge = (method: PaymentMethod, payment?: string, more: Partial<Charge> = {}): Charge => ({
  ...{
    method,
    amount: 1000,
    currency: 'USD',
    decimalPlaces: 2,
    metadata: { order_id: randomUUID() },
    payment,
  },
  ...more,
})

export const pays = 'pm_card_visa'
export const declines = 'pm_card_chargeDeclined'

export const receipt = ({ reference = '' }: Outcome, refundedAmount = 0) => ({
  reference,
  amount: 1000,
  refundedAmount,
})

export const intentOf = ({ reference = '' }: Outcome, at: StripeDouble) => at.intents.get(reference)
