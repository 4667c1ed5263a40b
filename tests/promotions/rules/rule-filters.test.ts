import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from '../../support/world.ts'

const [tag, otherTag] = ['7ff1a7d2-3d5c-4a3b-a8cb-0d6d29c2fb55', '0a6c50bd-8c0f-4b51-a3a9-f0d1f4fd1a9e']
const tagged = { strategy: 'account_tags', operator: 'contains_any', args: [tag] }
const total = { strategy: 'cart_total', operator: 'gte', args: [2500] }
const shoe = { strategy: 'item_identifier', operator: 'in', args: [{ skus: ['SHOE'] }] }
const ids: Record<string, string> = {}

let world: World
beforeAll(async () => {
  world = await openWorld({ alone: true })
  const trees = {
    tagged,
    list: [total, tagged],
    nested: { strategy: 'and', children: [total, { ...tagged, args: [otherTag] }] },
    shoe,
    any: undefined,
  }
  for (const [name, rules] of Object.entries(trees)) {
    const actions = [{ strategy: 'cart_discount', args: ['percent', 10] }]
    const data = {
      type: 'rule_promotion',
      name,
      start: '2026-01-01',
      end: '2036-01-01',
      rule_set: { rules, actions },
    }
    const { status, body } = await world.admin.post('/v2/rule-promotions', { data })
    expect([name, status, body.errors]).toEqual([name, 201, undefined])
    ids[body.data.id] = name
  }
})
afterAll(() => world.close())

test.each([
  ['eq(rule_set.rules.strategy,account_tags)', ['list', 'tagged']],
  ['in(rule_set.rules.strategy,and,cart_total)', ['list', 'nested']],
  [`contains(rule_set.rules.args,${tag.toUpperCase()})`, ['list', 'tagged']],
  ['contains(rule_set.rules.args,2500)', ['list']],
  ['contains(rule_set.rules.args,SHOE)', ['shoe']],
  [`contains(account_tags,${tag})`, ['list', 'tagged']],
  [`contains(account_tags,${otherTag})`, ['nested']],
  ['contains(account_tags,2500)', []],
])('%s finds promotions by their rules', async (filter, names) => {
  const { body } = await world.admin.get(`/v2/rule-promotions?filter=${encodeURIComponent(filter)}`)
  expect(body.data.map(({ id }: { id: string }) => ids[id]).sort()).toEqual(names)
})
