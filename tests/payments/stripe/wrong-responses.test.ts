import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Gateway } from '../../../server/payments/rules/gateway.ts'
import { stripeGateway } from '../../../server/payments/stripe/stripe-gateway.ts'
import { StripeDouble } from '../../support/stripe-double/index.ts'
import { charge, gatewayAt, pays, receipt, via } from './charges.ts'

/** Responses that are not ones of Stripe: something between has answered. */

let double: StripeDouble
let gateway: Gateway
beforeAll(async () => {
  double = await StripeDouble.open()
  gateway = gatewayAt(double)
})
afterAll(() => double.close())

const wrong: Readonly<Record<string, string>> = {
  ...{ 'no JSON': '<html>', nothing: '', 'a number': '5', 'a text': '"pi_1"', null: 'null' },
  ...{ 'a list': '[]', 'an empty object': '{}' },
  'another intent': '{"id": "pi_other", "status": "succeeded", "amount_received": 1000}',
  'no status': '{"id": "pi_other", "status": {}}',
  'a long body': `{"id": "${'x'.repeat(5_000_000)}"}`,
}
for (const [what, body] of Object.entries(wrong)) {
  test(`a wrong response says nothing about the payment: ${what}`, async () => {
    const { reference = '' } = await gateway.purchase(charge('purchase', pays), via())
    double.faults = [{ at: 'read', is: 'response replaced', body, times: 1 }]
    await expect(gateway.read(receipt({ reference, reports: [] }))).rejects.toThrow()
    expect((await gateway.read(receipt({ reference, reports: [] }))).reports).toEqual([
      { is: 'paid', amount: 1000 },
    ])
  })
}

const amounts = [
  { amount_received: -5 },
  { amount_received: 0 },
  { amount_received: 10.5 },
  { amount_received: '1000' },
  { amount_received: null },
  { latest_charge: { amount_refunded: -1 } },
  { latest_charge: { amount_refunded: 0.5 } },
  { latest_charge: { amount_refunded: '500' } },
  { latest_charge: { amount_refunded: 1001 } },
]
for (const more of amounts) {
  test(`a wrong response says nothing about the payment: ${JSON.stringify(more)}`, async () => {
    const { reference = '' } = await gateway.purchase(charge('purchase', pays), via())
    const body = JSON.stringify({ id: reference, status: 'succeeded', amount_received: 1000, ...more })
    double.faults = [{ at: 'read', is: 'response replaced', body, times: 1 }]
    await expect(gateway.read(receipt({ reference, reports: [] }))).rejects.toThrow('wrong amounts')
  })
}

test('a wrong response makes a payment repeat its request, which charges once', async () => {
  const [of, key] = [charge('purchase', pays), via()]
  double.faults = [{ at: 'create', is: 'response replaced', body: '{}', times: 1 }]
  await expect(gateway.purchase(of, key)).rejects.toThrow('no payment intent')
  expect((await gateway.purchase(of, key)).reports).toEqual([{ is: 'paid', amount: 1000 }])
  expect(double.effectsOf(of.metadata.order_id as string)).toEqual(['confirm'])
})

test('a wrong response ends in time, however slowly it arrives', async () => {
  const dripping = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const timer = setInterval(() => response.write(' '), 50)
    response.on('close', () => clearInterval(timer))
  })
  await new Promise<void>((done) => dripping.listen(0, '127.0.0.1', done))
  const { port } = dripping.address() as AddressInfo
  const slow = stripeGateway({ key: 'sk', url: `http://127.0.0.1:${port}`, timeoutMs: 300, retries: 0 })
  const beganMs = performance.now()
  await expect(slow.read(receipt({ reference: 'pi_1', reports: [] }))).rejects.toThrow()
  expect(performance.now() - beganMs).toBeLessThan(3_000)
  dripping.closeAllConnections()
  dripping.close()
})

test('a wrong response gives texts that can be stored', async () => {
  const error = { code: 5, message: `No\0 such thing: ${'x'.repeat(2_000)}` }
  double.faults = [
    { at: 'create', is: 'response replaced', body: JSON.stringify({ error }), status: 400, times: 1 },
  ]
  const { failure } = await gateway.purchase(charge('purchase', pays), via())
  expect([failure?.code, failure?.reason.slice(0, 15), failure?.reason.length]).toEqual([
    ...['StripeInvalidRequestError', 'No such thing: ', 1_000],
  ])
})
