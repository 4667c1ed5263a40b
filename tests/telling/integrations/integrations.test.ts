import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openConfiguration } from '../../../server/telling/integrations/configuration.ts'
import { integrations, pauseIntegration } from '../../../server/telling/integrations/integrations.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const path = '/v2/integrations'
const hook = { url: 'https://shop.example.com/hooks', secret_key: 's3cret' }
const queue = {
  url: 'https://sqs.eu-west-1.amazonaws.com/1/orders',
  aws_access_key_id: 'AKIAEXAMPLE4NORTH',
  aws_secret_access_key: 'a-long-secret-with-an-end-HK4o',
  region: 'eu-west-1',
}
const broker = { addresses: ['stomp+ssl://broker.example.com:61614'], destination: '/queue/orders' }

const webhook = (more: object = {}) => ({
  data: {
    ...{ type: 'integration', name: 'Warehouse', integration_type: 'webhook' },
    ...{ observes: ['order.paid'], configuration: hook },
    ...more,
  },
})
const created = async (more: object = {}) => {
  const { status, body } = await world.admin.post(path, webhook(more))
  expect([status, body.errors]).toEqual([201, undefined])
  return body.data
}
const refusal = async (more: object) => {
  const { status, body } = await world.admin.post(path, webhook(more))
  return [status, body.errors?.[0]?.source, body.errors?.[0]?.detail]
}

beforeEach(async () => {
  for (const { id } of (await world.admin.get(path)).body.data) await world.admin.delete(`${path}/${id}`)
})

describe('an integration', () => {
  test('is shown as it was sent, with its links and times', async () => {
    const data = await created({ description: 'Tells the warehouse', enabled: false })
    expect(data).toMatchObject({
      ...{ type: 'integration', name: 'Warehouse', description: 'Tells the warehouse', enabled: false },
      ...{ integration_type: 'webhook', observes: ['order.paid'], configuration: hook },
      links: { self: expect.stringMatching(new RegExp(`/v2/integrations/${data.id}$`)) },
      meta: { timestamps: { created_at: expect.any(String), updated_at: expect.any(String) } },
    })
    expect((await world.admin.get(`${path}/${data.id}`)).body.data).toEqual(data)
    expect((await world.admin.get(path)).body.data).toEqual([data])
  })

  test('is enabled unless the request says otherwise', async () => {
    expect((await created()).enabled).toBe(true)
  })

  test('is deleted with a 200 and no body', async () => {
    const { id } = await created()
    const { status, body } = await world.admin.delete(`${path}/${id}`)
    expect([status, body]).toEqual([200, undefined])
    expect((await world.admin.get(`${path}/${id}`)).status).toBe(404)
  })

  test('can be one of at most 100 of its store', async () => {
    for (let n = 0; n < 100; n++) await created()
    expect(await refusal({})).toEqual([422, undefined, 'A store can have at most 100 integrations.'])
  })

  test('is for the merchant only', async () => {
    expect((await world.shopper.get(path)).status).toBe(403)
    expect((await world.nobody.get(path)).status).toBe(401)
  })
})

describe('the events that an integration observes', () => {
  test('are at least one', async () => {
    const [status, source, detail] = await refusal({ observes: [] })
    expect([status, source]).toEqual([422, 'data.observes'])
    expect(detail).toMatch(/^data\.observes must have at least one key of an event/)
    const { id } = await created()
    const update = { data: { type: 'integration', observes: [] } }
    expect((await world.admin.put(`${path}/${id}`, update)).status).toBe(422)
  })

  test('are stored once', async () => {
    const twice = ['order.paid', 'order.created', 'order.paid', 'order.paid', 'order.paid', 'order.paid']
    expect((await created({ observes: twice })).observes).toEqual(['order.paid', 'order.created'])
  })

  test('may be sent back when their custom API is gone, but not be added', async () => {
    const apis = '/v2/settings/extensions/custom-apis'
    const values = { type: 'custom_api', name: 'Gone', slug: 'gone', api_type: 'gone_ext' }
    const api = (await world.admin.post(apis, { data: values })).body.data
    const { id, ...data } = await created({ observes: ['gone_ext.created', 'order.paid'] })
    expect((await world.admin.delete(`${apis}/${api.id}`)).status).toBe(204)
    const whole = await world.admin.put(`${path}/${id}`, { data: { ...data, name: 'Renamed' } })
    expect([whole.status, whole.body.data?.observes]).toEqual([200, ['gone_ext.created', 'order.paid']])
    const more = {
      data: { type: 'integration', observes: ['order.paid', 'gone_ext.created', 'gone_ext.updated'] },
    }
    const refused = await world.admin.put(`${path}/${id}`, more)
    expect([refused.status, refused.body.errors?.[0].source]).toEqual([422, 'data.observes.2'])
  })

  test('are at most five', async () => {
    const keys = ['created', 'updated', 'paid', 'fulfilled', 'cancelled'].map((verb) => `order.${verb}`)
    expect((await created({ observes: keys })).observes).toEqual(keys)
    expect(await refusal({ observes: [...keys, 'order.refunded'] })).toEqual([
      422,
      'data.observes',
      'You have reached the integration event limit of 5',
    ])
  })

  test('are those that a store has', async () => {
    const [status, source, detail] = await refusal({ observes: ['order.paid', 'order.eaten'] })
    expect([status, source]).toEqual([422, 'data.observes.1'])
    expect(detail).toMatch(
      /^data\.observes\.1 is not an event of this store\. Accepted are account\.created, .*<api_type>\.deleted/,
    )
  })

  test('are none of subscriptions, which a message says', async () => {
    const [status, source, detail] = await refusal({ observes: ['subscription.created'] })
    expect([status, source]).toEqual([422, 'data.observes.0'])
    expect(detail).toMatch(/^Sutler has no subscriptions/)
  })

  test('can be those of a custom API while it exists, and stay when it is gone', async () => {
    const key = 'wishlist_ext.created'
    expect((await refusal({ observes: [key] }))[0]).toBe(422)
    const apis = '/v2/settings/extensions/custom-apis'
    const values = { type: 'custom_api', name: 'Wishlists', slug: 'wishlists', api_type: 'wishlist_ext' }
    const api = (await world.admin.post(apis, { data: values })).body.data
    const { id } = await created({ observes: [key] })
    expect((await world.other.post(path, webhook({ observes: [key] }))).status).toBe(422)
    await world.admin.delete(`${apis}/${api.id}`)
    const { status, body } = await world.admin.put(`${path}/${id}`, {
      data: { type: 'integration', name: 'W' },
    })
    expect([status, body.data.observes]).toEqual([200, [key]])
  })
})

describe('the configuration', () => {
  test.each([
    [
      'webhook',
      {},
      'data.configuration.url',
      'data.configuration.url is required: data.integration_type is webhook.',
    ],
    [
      'webhook',
      { url: '/hooks' },
      'data.configuration.url',
      'data.configuration.url must be an absolute URL that begins with https:// or http://.',
    ],
    [
      'webhook',
      { url: 'ftp://x.example.com' },
      'data.configuration.url',
      'data.configuration.url must be an absolute URL that begins with https:// or http://.',
    ],
    [
      'webhook',
      { url: 'https://me:pw@x.example.com' },
      'data.configuration.url',
      expect.stringContaining('must have no user'),
    ],
    ['webhook', { ...hook, secret_key: 'a\nb' }, 'data.configuration.secret_key', expect.any(String)],
    ['webhook', { ...hook, signing: 'sometimes' }, 'data.configuration.signing', expect.any(String)],
    [
      'webhook',
      { ...hook, signing_secret: 'whsec_short' },
      'data.configuration.signing_secret',
      expect.any(String),
    ],
    [
      'webhook',
      { ...hook, signing: 'standard', signing_secret: `whsec_${'A'.repeat(33)}` },
      'data.configuration.signing_secret',
      'data.configuration.signing_secret must be whsec_ followed by 24 to 64 bytes in base64.',
    ],
    [
      'aws_sqs',
      { ...queue, region: undefined },
      'data.configuration.region',
      'data.configuration.region is required: data.integration_type is aws_sqs.',
    ],
    ['aws-sqs', { url: queue.url }, 'data.configuration.aws_access_key_id', expect.any(String)],
    [
      'stomp',
      { destination: '/queue/a' },
      'data.configuration.addresses',
      'data.configuration.addresses or data.configuration.url is required: data.integration_type is stomp.',
    ],
    ['stomp', { ...broker, addresses: ['broker'] }, 'data.configuration.addresses.0', expect.any(String)],
  ])('of a %s with %j is refused', async (integration_type, configuration, source, detail) => {
    expect(await refusal({ integration_type, configuration })).toEqual([422, source, detail])
  })

  test('shows the end of the keys of a queue, and keeps them when a client sends that back', async () => {
    const data = await created({ integration_type: 'aws-sqs', configuration: queue })
    expect(data.integration_type).toBe('aws-sqs')
    expect(data.configuration).toEqual({
      ...queue,
      aws_access_key_id: '*************ORTH',
      aws_secret_access_key: '**************************HK4o',
    })
    const { configuration } = data
    await world.admin.put(`${path}/${data.id}`, {
      data: { type: 'integration', configuration: { ...configuration, region: 'us-east-1' } },
    })
    const row = await world.work.store.findWhole(integrations, data.id, [])
    const stored = openConfiguration(world.work.instance.sealKeys, row?.hidden ?? {})
    expect(stored).toEqual({ ...queue, region: 'us-east-1' })
  })

  test('keeps what an update does not contain, and null removes a setting', async () => {
    const { id } = await created()
    const put = async (configuration: object) =>
      (await world.admin.put(`${path}/${id}`, { data: { type: 'integration', configuration } })).body.data
    expect((await put({ url: 'https://other.example.com' })).configuration).toEqual({
      ...hook,
      url: 'https://other.example.com',
    })
    expect((await put({ secret_key: null })).configuration).toEqual({ url: 'https://other.example.com' })
  })

  test('is the whole one of the new type when the type changes', async () => {
    const { id } = await created()
    const put = (more: object) =>
      world.admin.put(`${path}/${id}`, { data: { type: 'integration', integration_type: 'stomp', ...more } })
    const { status, body } = await put({})
    expect([status, body.errors[0].source]).toEqual([422, 'data.configuration.addresses'])
    const changed = await put({ configuration: { ...broker, password: 'a long secret' } })
    expect(changed.body.data.configuration).toEqual({ ...broker, password: '*********cret' })
  })

  test('gets a signing secret from the server, which stays until null makes a new one', async () => {
    const data = await created({ configuration: { ...hook, signing: 'standard' } })
    const first = data.configuration.signing_secret
    expect(first).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    const put = async (configuration: object) =>
      (await world.admin.put(`${path}/${data.id}`, { data: { type: 'integration', configuration } })).body
        .data.configuration.signing_secret
    expect(await put({ secret_key: 'another' })).toBe(first)
    const second = await put({ signing_secret: null })
    expect(second).toMatch(/^whsec_/)
    expect(second).not.toBe(first)
    const own = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
    expect(await put({ signing_secret: own })).toBe(own)
  })

  test('has its secrets sealed in the database, and not in the change feed', async () => {
    const secrets = { secret_key: 'a-secret-of-the-hook', signing: 'standard' }
    const { id, configuration } = await created({ configuration: { ...hook, ...secrets } })
    const row = await world.sql('SELECT i::text AS text FROM integrations i WHERE id = $1', [id])
    const feed = await world.feed('SELECT c::text AS text FROM changes c WHERE id = $1', [id])
    expect([row.rowCount, feed.rowCount]).toEqual([1, 1])
    for (const { text } of [...row.rows, ...feed.rows]) {
      expect(text).not.toContain(secrets.secret_key)
      expect(text).not.toContain(configuration.signing_secret)
    }
  })
})

describe('a paused integration', () => {
  test('shows the reason until it is enabled again', async () => {
    const { id } = await created()
    await pauseIntegration(world.work, id, 'twenty events in a row were not taken')
    const paused = (await world.admin.get(`${path}/${id}`)).body.data
    expect(paused).toMatchObject({
      enabled: false,
      paused: { reason: 'twenty events in a row were not taken', at: expect.any(String) },
    })
    const { rows } = await world.feed('SELECT event FROM changes WHERE id = $1 ORDER BY position', [id])
    expect(rows.map(({ event }) => event)).toEqual(['created', 'updated', 'integration.paused'])
    const put = { data: { type: 'integration', enabled: true } }
    const { body } = await world.admin.put(`${path}/${id}`, put)
    expect([body.data.enabled, body.data.paused]).toEqual([true, undefined])
  })
})
