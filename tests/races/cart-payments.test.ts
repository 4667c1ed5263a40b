import { describe, expect, test } from 'vitest'
import { filledCart, guestBody } from '../builders/orders/buying.ts'
import { isLong } from '../support/long.ts'
import type { Reply } from '../support/world.ts'
import { openArena } from './arena.ts'
import { useArena } from './race.ts'

useArena()

const rounds = Array.from({ length: isLong ? 3 : 1 }, (_, i) => i)
const begin = { data: { gateway: 'stripe_payment_intents', method: 'purchase' } }

describe.each(['onRequest', 'onEffect'] as const)('%s', (moment) => {
  test.each(rounds)('an intent that is created during a checkout pays nothing (held, %i)', async () => {
    const { double, world, sides } = await openArena()
    const cart = await filledCart(world.shopper)
    const [here, there] = sides
    let checkout: Reply | undefined
    double[moment] = async (call, owner) => {
      if (call !== 'create' || !cart.endsWith(owner)) return
      checkout = await there.shopper.post(`${cart}/checkout`, guestBody())
    }
    const payment = await here.shopper.post(`${cart}/payments`, begin)
    double[moment] = () => {}
    const order = checkout?.body.data
    expect([checkout?.status, order.payment_intent_id]).toEqual([201, undefined])
    expect([payment.status, payment.body.errors?.[0].meta]).toEqual([409, { order_id: order.id }])
    expect(JSON.stringify(payment.body)).not.toContain('_secret_')
    // A retry of the checkout gets the same order.
    const again = await there.shopper.post(`${cart}/checkout`, guestBody())
    expect([again.status, again.body.data.id]).toEqual([201, order.id])
    expect((await world.shopper.get(cart)).body.data.payment_intent_id).toBe(undefined)
    // A shopper who comes back later begins another purchase.
    const later = await here.shopper.post(`${cart}/payments`, begin)
    const second = await there.shopper.post(`${cart}/checkout`, guestBody())
    expect([later.status, second.body.data.payment_intent_id]).toEqual([
      201,
      later.body.data.payment_intent_id,
    ])
    expect(second.body.data.id).not.toBe(order.id)
  })
})
