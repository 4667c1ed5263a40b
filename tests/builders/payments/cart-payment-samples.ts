import type { ModuleSamples } from '../../support/module-samples.ts'
import { filledCart, guestBody } from '../orders/buying.ts'

/** Their success needs Stripe: outside-calls.test.ts and cart-payments.test.ts have a double of it. */
export const cartPaymentSamples: ModuleSamples = {
  paths: {
    'create-cart-payment': async (client) => `${await filledCart(client)}/payments`,
    'update-cart-payment': async (client) => `${await filledCart(client)}/payments/pi_sample`,
    'confirm-order': async (client) => {
      const { body } = await client.post(`${await filledCart(client)}/checkout`, guestBody())
      return `/v2/orders/${body.data.id}/confirm`
    },
  },
}
