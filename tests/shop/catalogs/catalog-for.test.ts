import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { app } from '../../../server/app.ts'
import { action } from '../../../server/kernel/declare/action.ts'
import { Problem } from '../../../server/kernel/errors.ts'
import { module } from '../../../server/kernel/module.ts'
import { json } from '../../../server/kernel/shape/answer.ts'
import { text } from '../../../server/kernel/shape/fields.ts'
import { start } from '../../../server/main.ts'
import { access } from '../../../server/people/permissions/access.ts'
import { catalogFor } from '../../../server/shop/catalogs/catalog-for.ts'
import { password, tagLinks } from '../../builders/people/accounts.ts'
import * as customers from '../../builders/people/customers.ts'
import { header, type Person, person, profile, signedIn } from '../../builders/people/members.ts'
import {
  makeCatalog,
  makePricebook,
  makeRule,
  publish,
  rules,
  unpublish,
} from '../../builders/shop/catalogs.ts'
import { type Client, clientOf, tokenOf } from '../../support/client.ts'
import { body, idOf } from '../../support/requests.ts'
import { openWorld, testConfig, type World } from '../../support/world.ts'

/** Tells which catalog its caller sees: what the shopper's view begins with. */
const chooseCatalog = action({
  name: 'choose-catalog',
  route: 'GET /v2/chosen-catalog',
  about: 'Which catalog its caller sees.',
  area: 'chosen-catalog',
  status: 200,
  headers: { 'EP-Channel': text({}), 'EP-Context-Tag': text({}) },
  refuses: ['not_found'],
  run: async (ctx, { headers }) => {
    const chosen = await catalogFor(ctx, headers)
    if (!chosen) throw new Problem('not_found', 'There is no catalog.')
    const { catalogId, rule, pricebookIds, shopper, trace } = chosen
    return json(200, { catalogId, rule, pricebookIds, at: shopper.at, trace: trace() })
  },
})

const swaps = {
  modules: [...app, module({ name: 'view', about: 'A view.', actions: [chooseCatalog] })],
  access: {
    ...access,
    'chosen-catalog': { implicit: 'r', 'account-member': 'r', customer: 'r', client_credentials: 'r' },
  },
} as const

let world: World
// Later than the stores were made.
let now = new Date('2126-03-01T12:00:00Z')
let member: Person
/** Two catalogs that are published, the older first. */
let one: string
let two: string
beforeAll(async () => {
  world = await openWorld({ ...swaps, clock: { now: () => now } })
  member = await person(world, await profile(world.admin))
  one = await makeCatalog(world.admin)
  two = await makeCatalog(world.admin)
  await publish(world, one)
  await publish(world, two)
})
afterAll(() => world.close())
beforeEach(async () => {
  const { body } = await world.admin.get(`${rules}?page[limit]=100`)
  for (const { id } of body.data) await world.admin.delete(`${rules}/${id}`)
})

const chosen = async (headers: Record<string, string> = {}, client: Client = world.shopper) => {
  const { status, body } = await client.send('GET', '/v2/chosen-catalog', { headers })
  return status === 200 ? body : { status, error: body.errors[0] }
}

test('without rules the catalog is the oldest published one; without one there is none', async () => {
  expect(await chosen()).toMatchObject({ catalogId: one, trace: [] })
  expect(await chosen()).not.toHaveProperty('rule')
  const oldest = await makeCatalog(world.admin)
  await world.sql(`UPDATE catalogs SET created_at = '2020-01-01' WHERE id = $1`, [oldest])
  const failed = await publish(world, oldest, 'FAILED')
  expect((await chosen()).catalogId).toBe(one)
  const release = await publish(world, oldest)
  expect((await chosen()).catalogId).toBe(oldest)
  await unpublish(world, release)
  await unpublish(world, failed)
  expect((await chosen()).catalogId).toBe(one)
  const theirs = await world.other.get('/v2/chosen-catalog')
  expect([theirs.status, theirs.body.errors[0].code]).toEqual([404, 'not_found'])
})

test('the channel, the tags and the caller choose the rule', async () => {
  const tag = await idOf(world.admin.post('/v2/account-tags', body('account_tag', { name: 'Wholesale' })))
  await world.admin.post(`/v2/accounts/${member.home}/relationships/account-tags`, tagLinks(tag))
  const buyer = customers.customer({ password })
  const customer = await idOf(world.admin.post(customers.customers, buyer))
  const { email } = (await world.admin.get(`${customers.customers}/${customer}`)).body.data
  const { body: signIn } = await world.shopper.post(customers.tokens, body('token', { email, password }))
  const asCustomer = { 'X-Moltin-Customer-Token': signIn.data.token as string }
  const asMember = await signedIn(world, member)
  const rule = (attributes: object) => makeRule(world.admin, two, attributes)
  const all = await makeRule(world.admin, one)
  const mobile = await rule({ channels: ['mobile'] })
  const vip = await rule({ tags: ['vip'], channels: ['mobile'] })
  const account = await rule({ account_ids: [member.home] })
  const tagged = await rule({ account_tag_ids: [randomUUID(), tag], channels: ['kiosk'] })
  const buying = await rule({ customer_ids: [customer] })
  for (const [headers, expected] of [
    [{}, all],
    [{ 'EP-Channel': 'web' }, all],
    [{ 'EP-Channel': 'mobile' }, mobile],
    [{ 'EP-Channel': 'mobile', 'EP-Context-Tag': 'new, vip' }, vip],
    [{ 'EP-Channel': '  mobile ', 'EP-Context-Tag': ',' }, mobile],
    [asMember, account],
    [{ ...asMember, 'EP-Channel': 'kiosk' }, tagged],
    [asCustomer, buying],
    // Of equals the oldest: a token of each is looked at.
    [{ ...asCustomer, ...asMember }, account],
    [{ ...asCustomer, 'EP-Channel': 'mobile' }, mobile],
  ] as const) {
    expect([headers, (await chosen(headers)).rule.id]).toEqual([headers, expected])
    expect((await chosen(headers, world.admin)).rule.id, 'a merchant who sends the same').toBe(expected)
  }
  expect((await chosen({ ...asCustomer, [header]: 'x' })).status).toBe(401)
})

test('the answer has the rule and its price books', async () => {
  const [cheap, dear] = [await makePricebook(world.admin), await makePricebook(world.admin)]
  const pricebook_ids = [
    { id: cheap, priority: 1 },
    { id: dear, priority: 7 },
  ]
  const rule = await makeRule(world.admin, two, { name: 'Web', channels: ['web'], pricebook_ids })
  const answer = await chosen({ 'EP-Channel': 'web' })
  expect(answer).toEqual({
    catalogId: two,
    rule: { id: rule, name: 'Web' },
    pricebookIds: [dear, cheap],
    at: '2126-03-01T12:00:00.000Z',
    trace: [
      {
        rule_id: rule,
        name: 'Web',
        chosen: true,
        reason: 'most_criteria_match',
        matched: ['channels'],
        unmatched: [],
      },
    ],
  })
})

test('a change of a rule applies to the next request, in every process', async () => {
  const other = await start(testConfig(inject('postgres'), world.database), swaps)
  try {
    const client = clientOf(other.url, world.shopper.token)
    const both = async () => [(await chosen()).catalogId, (await chosen({}, client)).catalogId]
    expect(await both()).toEqual([one, one])
    const id = await makeRule(world.admin, two)
    expect(await both()).toEqual([two, two])
    const attributes = { tags: ['vip'] }
    await world.admin.put(`${rules}/${id}`, { data: { type: 'catalog_rule', id, attributes } })
    expect(await both()).toEqual([one, one])
    await world.admin.put(`${rules}/${id}`, {
      data: { type: 'catalog_rule', id, attributes: { tags: null } },
    })
    expect(await both()).toEqual([two, two])
    await world.admin.delete(`${rules}/${id}`)
    expect(await both()).toEqual([one, one])
  } finally {
    await other.stop()
  }
})

describe('the shop at another time', () => {
  const at = (time: string) => ({ 'Sutler-At': time })

  test('is for merchants, with any shopper token', async () => {
    const rule = await makeRule(world.admin, two, {
      schedules: [{ valid_from: '2126-12-24T18:00:00Z', valid_to: '2126-12-27' }],
    })
    const asMember = await signedIn(world, member)
    for (const [time, catalogId] of [
      ['2126-12-24T17:59:59.999Z', one],
      ['2126-12-24T19:00:00+01:00', two],
      ['2126-12-26', two],
      ['2126-12-27T00:00:00Z', one],
    ] as const) {
      expect([time, (await chosen(at(time), world.admin)).catalogId]).toEqual([time, catalogId])
      expect((await chosen({ ...at(time), ...asMember }, world.admin)).catalogId).toBe(catalogId)
    }
    expect(await chosen(at('2126-12-25'), world.admin)).toMatchObject({
      rule: { id: rule },
      at: '2126-12-25T00:00:00.000Z',
    })
    expect((await chosen({}, world.admin)).trace[0].reason).toBe('not_in_force')
  })

  test('is the shop of that time', async () => {
    await makeRule(world.admin, two, { schedules: [{ valid_from: '2126-12-24T18:00:00Z' }] })
    const [before, { id, secret }] = [now, world.key]
    now = new Date('2126-12-24T18:00:00Z')
    const later = world.clientWith(await tokenOf(world.url, id, secret, 'implicit'))
    expect((await chosen({}, later)).catalogId).toBe(two)
    now = before
    expect((await chosen()).catalogId).toBe(one)
  })

  test('is refused to shoppers, and where the value is not an instant', async () => {
    const asMember = await signedIn(world, member)
    for (const headers of [at('2126-12-25T00:00:00Z'), { ...at('2126-12-25T00:00:00Z'), ...asMember }]) {
      expect(await chosen(headers)).toMatchObject({
        status: 403,
        error: { code: 'forbidden', source: 'Sutler-At' },
      })
    }
    for (const time of ['tomorrow', '2126-02-30', '4922640000', '2126-12-25T25:00:00Z']) {
      expect(await chosen(at(time), world.admin)).toMatchObject({
        status: 400,
        error: { code: 'bad_request', source: 'Sutler-At' },
      })
    }
  })
})
