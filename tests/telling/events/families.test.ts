import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { account, accountRealm, address, member, membership } from '../../builders/people/accounts.ts'
import { makeCatalog } from '../../builders/shop/catalogs.ts'
import { type DerivedEvent, eventsDuring, keysOf } from '../../builders/telling/derived-events.ts'
import { body, idOf } from '../../support/requests.ts'
import { openWorld, type Reply, type World } from '../../support/world.ts'

/** Each family of events whose objects clients create, change and delete: its payloads are what GET shows. */

let world: World
beforeAll(async () => {
  // Links in payloads begin with the URL that the settings fix, as those of responses do then.
  world = await openWorld({ env: { SUTLER_BASE_URL: 'https://shop.example.com' } })
})
afterAll(() => world.close())

interface Case {
  readonly family: string
  /** The path of the list. */
  readonly at: () => Promise<string>
  readonly create: () => Promise<object> | object
  readonly change: object
  /** The keys of a create, a change and a delete, where they are not the usual ones. */
  readonly keys?: readonly (readonly string[])[]
  /** The type in the payload of a deletion. */
  readonly type: string
}

const currency = (more: object) =>
  body('currency', {
    ...{ code: 'EUR', exchange_rate: 1, format: '{price} €', decimal_point: ',', thousand_separator: '.' },
    ...{ decimal_places: 2, default: false, enabled: true },
    ...more,
  })
const ofUsers = (verb: string) => [`account-member.${verb}`, `user-authentication-info.${verb}`]

const cases: readonly Case[] = [
  {
    family: 'account',
    at: async () => '/v2/accounts',
    create: () => account({ legal_name: 'Riverside Ltd' }),
    change: account({ name: 'Hillside Bakery' }),
    type: 'account',
  },
  {
    family: 'address',
    at: async () => `/v2/accounts/${await idOf(world.admin.post('/v2/accounts', account()))}/addresses`,
    create: () => address(),
    change: address({ line_1: '14 Mill Lane' }),
    type: 'address',
  },
  {
    family: 'address',
    at: async () => `/v2/customers/${await idOf(world.admin.post('/v2/customers', customer()))}/addresses`,
    create: () => address(),
    change: address({ line_1: '14 Mill Lane' }),
    type: 'address',
  },
  {
    family: 'customer',
    at: async () => '/v2/customers',
    create: () => customer(),
    change: { data: { type: 'customer', name: 'Ada Bloom' } },
    type: 'customer',
  },
  {
    family: 'currency',
    at: async () => '/v2/currencies',
    create: () => currency({}),
    change: currency({ exchange_rate: 1.5 }),
    type: 'currency',
  },
  {
    family: 'catalog-rule',
    at: async () => '/catalogs/rules',
    create: async () =>
      body('catalog_rule', {
        attributes: { name: 'mobile', catalog_id: await makeCatalog(world.admin), channels: ['mobile'] },
      }),
    change: body('catalog_rule', { attributes: { name: 'web' } }),
    type: 'catalog_rule',
  },
  {
    family: 'product',
    at: async () => '/pcm/products',
    create: () =>
      body('product', {
        attributes: { name: 'Loaf', sku: 'LOAF', slug: 'loaf', commodity_type: 'physical' },
      }),
    change: body('product', { attributes: { name: 'Rye loaf' } }),
    type: 'product',
  },
  {
    family: 'user',
    at: async () => `${await accountRealm(world.admin)}/user-authentication-info`,
    create: () => body('user_authentication_info', { name: 'Ada Byron', email: 'ada@example.com' }),
    change: body('user_authentication_info', { name: 'Ada Marsh' }),
    keys: [ofUsers('created'), ofUsers('updated'), ofUsers('deleted')],
    type: 'account_member',
  },
]

let customers = 0
const customer = () =>
  body('customer', { name: 'Ada Marsh', email: `ada-${++customers}@example.com`, password: 'eleven horses' })

/** What GET shows of the object, at this moment. */
const shown = async (path: string) => ({ data: (await world.admin.get(path)).body.data })

describe.each(cases)('$family', ({ family, at, create, change, keys, type }) => {
  test('has an event for each write, with the object as its GET shows it', async () => {
    const usual = ['created', 'updated', 'deleted'].map((verb) => [`${family}.${verb}`])
    const expected = keys ?? usual
    const collection = await at()
    const data = await create()
    let made: Reply | undefined
    const first = await eventsDuring(world, async () => {
      made = await world.admin.post(collection, data)
    })
    const reply = made as Reply
    expect([reply.status, reply.body.errors]).toEqual([201, undefined])
    const path = `${collection}/${reply.body.data.id}`
    expect(keysOf(first)).toEqual(expected[0])
    expect(first.at(-1)?.payload).toEqual(await shown(path))

    const second = await eventsDuring(world, async () => {
      expect((await world.admin.put(path, change)).status).toBe(200)
    })
    expect(keysOf(second)).toEqual(expected[1])
    expect(second.at(-1)?.payload).toEqual(await shown(path))
    expect(second.at(-1)?.payload).not.toEqual(first.at(-1)?.payload)

    const third = await eventsDuring(world, async () => {
      expect((await world.admin.delete(path)).status).toBe(204)
    })
    expect(keysOf(third)).toEqual(expected[2])
    expect(third[0]?.payload).toEqual({ type, id: reply.body.data.id })
    expect(third[0]?.subject.id).toBe(reply.body.data.id)
  })
})

test('an account member is shown as such, and as the user that it is', async () => {
  let id = ''
  const [asMember, asUser] = (await eventsDuring(world, async () => {
    id = await member(world.admin, { given_name: 'Ada' })
  })) as [DerivedEvent, DerivedEvent]
  expect(asMember.payload).toEqual(await shown(`/v2/account-members/${id}`))
  expect(asUser.payload).toEqual(
    await shown(`${await accountRealm(world.admin)}/user-authentication-info/${id}`),
  )
})

test('users of the customers’ realm are no account members', async () => {
  const realms = (await world.admin.get('/v2/settings/customer-authentication')).body.data
  const { id } = realms.relationships['authentication-realm'].data
  const events = await eventsDuring(world, () =>
    world.admin.post(
      `/v2/authentication-realms/${id}/user-authentication-info`,
      body('user_authentication_info', { name: 'Ada', email: 'a@example.com' }),
    ),
  )
  expect(keysOf(events)).toEqual(['user-authentication-info.created'])
})

test('a membership ends with its account, before it', async () => {
  const accountId = await idOf(world.admin.post('/v2/accounts', account()))
  const memberships = `/v2/accounts/${accountId}/account-memberships`
  const memberId = await member(world.admin)
  let id = ''
  const created = await eventsDuring(world, async () => {
    id = await idOf(world.admin.post(memberships, membership(memberId)))
  })
  expect(keysOf(created)).toEqual(['account-membership.created'])
  expect(created[0]?.payload).toEqual(await shown(`${memberships}/${id}`))
  const gone = await eventsDuring(world, () => world.admin.delete(`/v2/accounts/${accountId}`))
  expect(gone.map(({ key, payload }) => [key, payload])).toEqual([
    ['account-membership.deleted', { type: 'account_membership', id }],
    ['account.deleted', { type: 'account', id: accountId }],
  ])
})

test('a payload has the fields that a store has added to the object', async () => {
  const flow = (
    await world.admin.post(
      '/v2/flows',
      body('flow', { name: 'C', slug: 'customers', description: 'c', enabled: true }),
    )
  ).body.data
  const field = await world.admin.post(
    '/v2/fields',
    body('field', {
      ...{
        name: 'Size',
        slug: 'shoe_size',
        field_type: 'integer',
        description: 's',
        required: false,
        enabled: true,
      },
      relationships: { flow: { data: { type: 'flow', id: flow.id } } },
    }),
  )
  expect(field.status).toBe(201)
  let id = ''
  const [event] = await eventsDuring(world, async () => {
    id = await idOf(world.admin.post('/v2/customers', { data: { ...customer().data, shoe_size: 41 } }))
  })
  expect(event?.payload.data.shoe_size).toBe(41)
  expect(event?.payload).toEqual(await shown(`/v2/customers/${id}`))
})

test('an event has the same id whenever it is derived, and each event another', async () => {
  const all = await eventsDuring(world, async () => {
    await world.admin.post('/v2/accounts', account())
    await member(world.admin)
  })
  expect(new Set(all.map(({ id }) => id)).size).toBe(3)
  for (const { id } of all)
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})
