import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { gatewaySlugs } from '../../../server/payments/gateways/gateway-kinds.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const read = async (slug: string) => (await world.admin.get(`/v2/gateways/${slug}`)).body.data
const put = (slug: string, data: object, headers?: Record<string, string>) =>
  world.admin.put(`/v2/gateways/${slug}`, { data }, headers)

/** The settings and secrets that each gateway needs. */
const complete: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  adyen: { merchant_account: 'RiversideShop', username: 'ws@Company.RiversideShop', password: 'adyen-pw' },
  authorize_net: { login: 'riverside', password: 'authorize-key' },
  braintree: { merchant_id: 'riverside', public_key: 'public', private_key: 'braintree-key' },
  card_connect: { merchant_id: '496160873888', username: 'riverside', password: 'card-pw' },
  cyber_source: { login: 'riverside', password: 'soap-key' },
  elastic_path_payments_stripe: { stripe_account: 'acct_1032D82eZvKYlo2C' },
  manual: {},
  paypal_express_checkout: { payer_id: 'QYR5Z8XDVJNXQ' },
  stripe: { login: 'sk_test_stripe' },
  stripe_connect: { stripe_account: 'acct_1032D82eZvKYlo2C' },
  stripe_payment_intents: { login: 'sk_test_intents' },
}

test('every store has all gateways, disabled', async () => {
  const { status, body } = await world.other.get('/v2/gateways')
  expect(status).toBe(200)
  expect(body.data.map(({ slug }: { slug: string }) => slug)).toEqual(Object.keys(complete))
  expect(body.data[6]).toEqual({
    ...{ type: 'gateway', id: expect.any(String), slug: 'manual', name: 'Manual', enabled: false },
    ...{ shoppers_may_pay: false },
    meta: { secrets: [] },
  })
  for (const { enabled, test } of body.data) expect([enabled, test ?? false]).toEqual([false, false])
})

test('a path may end in a slash, as some clients write it', async () => {
  expect((await world.admin.get('/v2/gateways/')).body.data).toHaveLength(11)
})

test('an unknown gateway is not found', async () => {
  expect((await world.admin.get('/v2/gateways/bitcoin')).status).toBe(404)
  expect((await put('bitcoin', { enabled: true })).status).toBe(404)
})

test('only the merchant can read and change gateways', async () => {
  for (const path of ['/v2/gateways', '/v2/gateways/manual']) {
    expect((await world.shopper.get(path)).status).toBe(403)
    expect((await world.nobody.get(path)).status).toBe(401)
  }
  expect((await world.shopper.put('/v2/gateways/manual', { data: { enabled: true } })).status).toBe(403)
})

describe.each(gatewaySlugs)('%s', (slug) => {
  const settings = complete[slug] ?? {}

  test('can be enabled with its settings, and only the response to them shows the secrets', async () => {
    const { status, body } = await put(slug, { type: 'gateway', enabled: true, ...settings })
    expect([status, body.data.enabled]).toEqual([200, true])
    expect(body.data).toMatchObject(settings)
    const { secrets } = body.data.meta
    const shown = await read(slug)
    for (const [name, value] of Object.entries(settings)) {
      expect(shown[name]).toBe(secrets.includes(name) ? undefined : value)
    }
    const list = (await world.admin.get('/v2/gateways')).body.data
    expect(list.find((one: { slug: string }) => one.slug === slug)).toEqual(shown)
  })

  test('keeps its settings when only `enabled` is sent', async () => {
    const before = await read(slug)
    expect((await put(slug, { enabled: false })).body.data).toEqual({ ...before, enabled: false })
    expect((await put(slug, { enabled: true })).body.data).toEqual(before)
  })

  test('cannot be enabled without what it needs', async () => {
    for (const name of Object.keys(settings)) {
      const { status, body } = await put(slug, { enabled: true, [name]: null })
      expect([status, body.errors[0].source]).toEqual([400, `data.${name}`])
      expect((await read(slug)).enabled).toBe(true)
    }
  })
})

test('null removes a secret of a disabled gateway, and an empty text keeps it', async () => {
  await put('stripe', { enabled: false, login: 'sk_test_1' })
  expect((await put('stripe', { login: '' })).body.data.meta.secrets).toEqual(['login'])
  expect((await put('stripe', { login: null })).body.data.meta.secrets).toEqual([])
  const { status, body } = await put('stripe', { enabled: true, login: '' })
  expect([status, body.errors[0].detail]).toEqual([
    400,
    'data.login is required: Stripe cannot be enabled without it.',
  ])
})

test('a body that a configuration tool sends is accepted', async () => {
  const sent = {
    slug: 'braintree',
    test: false,
    merchant_id: '',
    private_key: '',
    public_key: '',
    environment: '',
  }
  expect((await put('braintree', { ...sent, enabled: false })).status).toBe(200)
  expect((await put('manual', { slug: 'manual', enabled: true, test: false })).status).toBe(200)
})

test('a name or slug in the body changes nothing', async () => {
  const { status, body } = await put('manual', { name: 'Mine', slug: 'other', enabled: true })
  expect([status, body.data.name, body.data.slug]).toEqual([200, 'Manual', 'manual'])
})

test('a wrong value is refused, and the answer names the field', async () => {
  const bodies: [slug: string, body: object, source: string][] = [
    ['manual', { enabled: 'yes' }, 'data.enabled'],
    ['manual', { enabled: null }, 'data.enabled'],
    ['braintree', { environment: 'moon' }, 'data.environment'],
    ['adyen', { password: 5 }, 'data.password'],
    ['adyen', { username: 'x'.repeat(4097) }, 'data.username'],
    ['adyen', { test: 'true' }, 'data.test'],
    ['adyen', { type: 'gate' }, 'data.type'],
    ['manual', { shoppers_may_pay: 'yes' }, 'data.shoppers_may_pay'],
  ]
  for (const [slug, body, source] of bodies) {
    const reply = await put(slug, body)
    expect([reply.status, reply.body.errors[0].source], JSON.stringify(body)).toEqual([400, source])
  }
})

const texts = Object.values(complete).flatMap((settings) => Object.keys(settings))

test.each([...new Set([...texts, 'webhook_secret'])])(
  'control characters in `%s` are refused',
  async (name) => {
    for (const character of ['\n', '\r\n', '\t', '\u007f', '\u0085']) {
      const { status, body } = await put('stripe', { [name]: `abc${character}x` })
      expect([status, body.errors[0].source]).toEqual([400, `data.${name}`])
      expect(body.errors[0].detail).toContain('must not contain control characters')
      const isSecret = ['login', 'password', 'private_key', 'webhook_secret'].includes(name)
      expect(body.errors[0].detail.includes('abc')).toBe(!isSecret)
    }
  },
)

test('a change with a stale entity tag is refused', async () => {
  const stale = (await world.admin.get('/v2/gateways/manual')).headers.get('etag') ?? ''
  await put('manual', { enabled: false })
  await put('manual', { enabled: true })
  expect((await put('manual', { enabled: false }, { 'If-Match': stale })).status).toBe(412)
})

test('secrets are neither in the rows nor in the feed', async () => {
  await put('stripe', { enabled: true, login: 'sk_test_in_no_row' })
  for (const rows of [
    (await world.sql(`SELECT to_json(g)::text FROM gateways g WHERE store_id = $1`, [world.storeId])).rows,
    (
      await world.feed(`SELECT to_json(c)::text FROM changes c WHERE store_id = $1 AND type = 'gateway'`, [
        world.storeId,
      ])
    ).rows,
  ]) {
    expect(rows.length).toBeGreaterThan(10)
    expect(JSON.stringify(rows)).not.toContain('sk_test_in_no_row')
  }
})

test('two changes at once are both kept', async () => {
  await put('card_connect', { enabled: false, merchant_id: null, username: null, password: null })
  const parts = [{ merchant_id: 'm' }, { username: 'u' }, { password: 'p' }, { test: true }]
  const replies = await Promise.all(parts.map((part) => put('card_connect', part)))
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  const { merchant_id, username, test, meta } = await read('card_connect')
  expect([merchant_id, username, test, meta.secrets]).toEqual(['m', 'u', true, ['password']])
})
