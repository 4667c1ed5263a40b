import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { account, tagLinks } from '../../builders/people/accounts.ts'
import { refusal } from '../../builders/people/members.ts'
import { makeCatalog, makeRule, publish, rules } from '../../builders/shop/catalogs.ts'
import { body, idOf } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
/** Two catalogs; the first is published. */
let one: string
let two: string
let release: string
const [anAccount, aCustomer] = [randomUUID(), randomUUID()]
/** Rules by their names, in the order that they are made in. */
const ids: Record<string, string> = {}
beforeAll(async () => {
  world = await openWorld()
  one = await makeCatalog(world.admin)
  two = await makeCatalog(world.admin)
  release = await publish(world, one)
  for (const [name, catalog, attributes] of [
    ['mobile', one, { channels: ['mobile'] }],
    ['mobile vip', two, { channels: ['mobile', 'kiosk'], tags: ['vip'] }],
    ['buyer', one, { customer_ids: [aCustomer], account_ids: [anAccount] }],
    ['summer', two, { channels: ['web'], schedules: [{ valid_from: '2126-06-01', valid_to: '2126-09-01' }] }],
    ['all', one, {}],
  ] as const) {
    ids[name] = await makeRule(world.admin, catalog, { name, ...attributes })
  }
})
afterAll(() => world.close())

const validate = (data: object, query = '') => world.admin.post(`${rules}/validate${query}`, { data })
const answerOf = async (data: object, query = '') => {
  const { status, body } = await validate(data, query)
  expect([status, body.errors]).toEqual([200, undefined])
  return body
}
const namesOf = async (data: object) =>
  (await answerOf(data)).data.map(({ attributes }: { attributes: { name: string } }) => attributes.name)

test('the answer shows rules as lists do, with their meta', async () => {
  const { data, meta, links } = await answerOf({ match_type: 'filter', name: 'mobile vip' })
  const { body } = await world.admin.get(`${rules}?filter=eq(id,${ids['mobile vip']})`)
  expect(data).toEqual([
    { ...body.data[0], meta: { active: true, resolved_for_shopper: false, in_effect: true } },
  ])
  expect(meta).toEqual({ page: { limit: 25, offset: 0, current: 1, total: 1 }, results: { total: 1 } })
  expect(links.first).toContain('/catalogs/rules/validate?')
})

test('a missing match_type and an invalid match_date are refused', async () => {
  expect(refusal(await validate({}))).toEqual([400, 'invalid_field', 'data.match_type'])
  expect(refusal(await validate({ match_type: 'guess' }))).toEqual([400, 'invalid_field', 'data.match_type'])
  const late = { match_type: 'filter', match_date: 'late' }
  expect(refusal(await validate(late))).toEqual([400, 'invalid_field', 'data.match_date'])
})

test.each<[what: string, data: object, names: readonly string[]]>([
  ['an empty query finds all rules, newest first', {}, ['all', 'summer', 'buyer', 'mobile vip', 'mobile']],
  ['a channel', { channels: ['mobile'] }, ['mobile vip', 'mobile']],
  ['a channel and a tag', { channels: ['mobile', 'web'], tags: ['vip'] }, ['mobile vip']],
  ['a time', { channels: ['web'], match_date: '2126-07-01T00:00:00Z' }, ['summer']],
  ['another time', { channels: ['web'], match_date: '2126-09-01T00:00:00Z' }, []],
  ['an empty list is not a criterion', { channels: [], customer_ids: [aCustomer.toUpperCase()] }, ['buyer']],
])('filter: %s', async (_what, data, names) => {
  expect(await namesOf({ match_type: 'filter', ...data })).toEqual(names)
})

test('filter: by catalog', async () => {
  expect(await namesOf({ match_type: 'filter', catalog_id: two })).toEqual(['summer', 'mobile vip'])
})

test('similarity: the most similar rules come first, with their score; rules without similarity are left out', async () => {
  const query = {
    match_type: 'similarity',
    name: 'mobile',
    channels: ['mobile', 'kiosk', 'web'],
    tags: ['vip'],
    catalog_id: two,
    match_date: '2126-07-01',
  }
  const { data } = await answerOf(query)
  expect(
    data.map((rule: Record<string, Record<string, unknown>>) => [
      rule.attributes?.name,
      rule.meta?.similarity_score,
      rule.meta?.active,
      rule.meta?.resolved_for_shopper,
    ]),
  ).toEqual([
    ['mobile', 105, true, false],
    ['mobile vip', 18, true, true],
    ['summer', 8, true, false],
  ])
  const now = (await answerOf({ ...query, match_date: null })).data.at(-1)
  expect([now.attributes.name, now.meta.active]).toEqual(['summer', false])
})

test('conflict: the rules of which only the age decides', async () => {
  const conflicts = (data: object) => namesOf({ match_type: 'conflict', ...data })
  expect(await conflicts({ channels: ['mobile'] })).toEqual(['mobile'])
  expect(await conflicts({ channels: ['kiosk'], tags: ['vip', 'new'] })).toEqual(['mobile vip'])
  const { data } = await answerOf({ match_type: 'conflict', channels: ['kiosk'], tags: ['vip', 'new'] })
  expect(data[0].meta.conflicts_on).toEqual({ channels: ['kiosk'], tags: ['vip'] })
  expect(await conflicts({ channels: ['web'], schedules: [{ valid_from: '2126-08-31' }] })).toEqual([
    'summer',
  ])
  expect(await conflicts({ channels: ['web'], schedules: [{ valid_from: '2126-09-01' }] })).toEqual([])
  expect(await conflicts({ name: 'another for all' })).toEqual(['all'])
})

describe('resolve_for_shopper', () => {
  const resolved = async (data: object) => {
    const answer = await answerOf({ match_type: 'resolve_for_shopper', ...data })
    expect([answer.data.length, answer.meta.results.total]).toEqual([1, 1])
    return answer.data[0]
  }

  test('returns the rule that such a shopper gets', async () => {
    for (const [data, name] of [
      [{ channels: ['mobile'] }, 'mobile'],
      [{ channels: ['mobile'], tags: ['vip'] }, 'mobile vip'],
      [{ customer_ids: [aCustomer], channels: ['web'] }, 'buyer'],
      [{ channels: ['web'], match_date: '2126-07-01' }, 'summer'],
      [{ channels: ['web'] }, 'all'],
    ] as const) {
      const rule = await resolved(data)
      expect([data, rule.attributes.name]).toEqual([data, name])
      const catalog = rule.attributes.catalog_id
      const published = catalog === one ? { release_id: release } : {}
      expect(rule.meta).toEqual({ active: true, resolved_for_shopper: true, in_effect: true, ...published })
    }
  })

  test('uses the tags of an account, unless the request has others', async () => {
    const tag = await idOf(world.admin.post('/v2/account-tags', body('account_tag', { name: 'Wholesale' })))
    const shopper = await idOf(world.admin.post('/v2/accounts', account()))
    await world.admin.post(`/v2/accounts/${shopper}/relationships/account-tags`, tagLinks(tag))
    const rule = await makeRule(world.admin, one, { name: 'tagged', account_tag_ids: [tag] })
    expect((await resolved({ account_ids: [shopper] })).attributes.name).toBe('tagged')
    expect((await resolved({ account_ids: [shopper], account_tag_ids: [] })).attributes.name).toBe('all')
    await world.admin.delete(`${rules}/${rule}`)
  })

  test('falls back to the default catalog, or to nothing without one', async () => {
    const { other } = world
    const query = { data: { match_type: 'resolve_for_shopper', channels: ['web'] } }
    const none = await other.post(`${rules}/validate`, query)
    expect([none.status, none.body.data, none.body.meta.results.total]).toEqual([200, [], 0])
    await world.admin.delete(`${rules}/${ids.all}`)
    expect(await resolved({ channels: ['web'] })).toEqual({
      type: 'catalog_rule',
      id: '00000000-0000-0000-0000-000000000000',
      attributes: {
        name: 'Default Catalog Resolution',
        catalog_id: one,
        created_at: expect.stringMatching(/Z$/),
        updated_at: expect.stringMatching(/Z$/),
      },
      meta: { active: true, resolved_for_shopper: true, in_effect: true, release_id: release },
    })
  })
})

test('the answer is paged like a list', async () => {
  const query = { match_type: 'filter', channels: ['mobile'] }
  const first = await answerOf(query, '?page[limit]=1')
  expect(first.meta.results.total).toBe(2)
  const next = await world.admin.send('POST', first.links.next, { body: JSON.stringify({ data: query }) })
  expect([first.data[0].id, next.body.data[0].id]).toEqual([ids['mobile vip'], ids.mobile])
  expect(refusal(await validate(query, '?page[limit]=101'))).toEqual([400, 'bad_page', 'page[limit]'])
})
