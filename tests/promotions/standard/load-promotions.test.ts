import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Resource } from '../../../server/kernel/declare/resource.ts'
import type { Work } from '../../../server/kernel/work/context.ts'
import { change } from '../../../server/kernel/write/by-rules.ts'
import {
  loadPromotions,
  loadRulePromotions,
  promotionsStateSql,
  rulePromotionsStateSql,
} from '../../../server/promotions/index.ts'
import { rulePromotions } from '../../../server/promotions/rules/rule-promotions.ts'
import { promotions } from '../../../server/promotions/standard/promotions.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const period = { start: '2026-01-01', end: '2036-01-01' }

const kinds = [
  {
    path: '/v2/promotions',
    stateSql: promotionsStateSql,
    load: loadPromotions,
    resource: promotions,
    data: {
      ...{
        type: 'promotion',
        name: 'Sale',
        description: 'Winter',
        promotion_type: 'fixed_discount',
        ...period,
      },
      schema: { currencies: [{ currency: 'USD', amount: 500 }] },
    },
  },
  {
    path: '/v2/rule-promotions',
    stateSql: rulePromotionsStateSql,
    load: loadRulePromotions,
    resource: rulePromotions,
    data: {
      ...{ type: 'rule_promotion', name: 'Sale', ...period },
      rule_set: { actions: [{ strategy: 'cart_discount', args: ['percent', 10] }] },
    },
  },
]

describe.each(kinds)('$path', ({ path, stateSql, load, data }) => {
  const readState = async (): Promise<string | null> => {
    const [[state = null] = []] = await world.work.store.read(`SELECT ${stateSql}`)
    return state
  }
  const namesNow = async () => (await load(world.work, await readState())).map(({ shown }) => shown.name)

  test('what carts apply follows every change', async () => {
    expect([await readState(), await namesNow()]).toEqual([null, []])
    const { body } = await world.admin.post(path, { data })
    await world.admin.post(path, { data: { ...data, name: 'Second' } })
    expect(await namesNow()).toEqual(['Sale', 'Second'])

    const { type } = data
    await world.admin.put(`${path}/${body.data.id}`, { data: { type, name: 'Changed' } })
    expect(await namesNow()).toEqual(['Changed', 'Second'])
    await world.admin.delete(`${path}/${body.data.id}`)
    expect(await namesNow()).toEqual(['Second'])
  })

  test('nothing is read while nothing changes, and nothing unchanged is compiled again', async () => {
    const state = await readState()
    const before = await load(world.work, state)
    const { instance } = world.work
    const withoutDatabase = { instance, store: { id: world.storeId } } as unknown as Work
    expect(await load(withoutDatabase, state)).toBe(before)

    await world.admin.post(path, { data: { ...data, name: 'Third' } })
    const [second, third] = await load(world.work, await readState())
    expect([second === before[0], third?.shown.name]).toEqual([true, 'Third'])
  })

  test('a change that is undone is forgotten', async () => {
    const { resource } = kinds.find((kind) => kind.path === path) ?? expect.fail()
    const [second] = await load(world.work, await readState())
    const id = second?.shown.id ?? expect.fail()
    const rename = (name: string) => (work: Work) => change(work, resource as Resource, [], id, { name })
    await world.work.rehearse(async (work) => {
      await rename('Undone')(work)
      const [[state = null] = []] = await work.store.run(`SELECT ${stateSql}`)
      const names = (await load(work, state)).map(({ shown }) => shown.name)
      expect(names).toContain('Undone')
    })
    await world.work.transaction(rename('Done'))
    expect(await namesNow()).toEqual(['Done', 'Third'])
  })

  test('a change by another process is seen', async () => {
    const before = await readState()
    await world.sql(
      `UPDATE ${path.slice(4).replace('-', '_')} SET doc = jsonb_set(doc::jsonb, '{name}', '"Elsewhere"')::json
      WHERE store_id = $1`,
      [world.storeId],
    )
    expect(await readState()).not.toBe(before)
    expect(await namesNow()).toEqual(['Elsewhere', 'Elsewhere'])
  })
})
