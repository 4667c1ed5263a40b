import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openWorld, type World } from '../../support/world.ts'

/** All automatic promotions of a store together have so many conditions at most: every cart is compared with them. */
const most = 2500

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const common = {
  ...{ description: 'A discount', enabled: true, automatic: true, start: '2020-01-01', end: '2999-01-01' },
}

const sku = (name: string) => ({ strategy: 'item_sku', operator: 'in', args: [name] })

const kinds = {
  'rule promotions': {
    path: '/v2/rule-promotions',
    source: 'data.rule_set',
    /** With its `and` and its action. */
    of: (conditions: number) => ({
      ...{ type: 'rule_promotion', name: 'Rule', ...common },
      rule_set: {
        // The text is no condition.
        rules: {
          strategy: 'and',
          children: Array.from({ length: conditions - 2 }, () => sku('"strategy":"template":')),
        },
        actions: [{ strategy: 'cart_discount', args: ['percent', 10] }],
      },
    }),
    largest: 500,
  },
  promotions: {
    path: '/v2/promotions',
    source: 'data.schema',
    /** With its requirement, and itself. */
    of: (conditions: number) => ({
      ...{ type: 'promotion', name: 'Gift', promotion_type: 'bundle_gift', ...common },
      schema: {
        requirements: [{ targets: ['"node":', 'SHOE'], quantity: 2 }],
        gifts: Array.from({ length: conditions - 2 }, (_, i) => `SOCK-${i}`),
      },
    }),
    largest: 50,
  },
}

describe.each(Object.entries(kinds))('%s', (_name, { path, source, of, largest }) => {
  const create = (conditions: number, more: object = {}) =>
    world.admin.post(path, { data: { ...of(conditions), ...more } })
  const change = (id: string, changes: object) =>
    world.admin.put(`${path}/${id}`, { data: { type: of(3).type, id, ...changes } })
  let ids: string[] = []

  beforeEach(async () => {
    const { body } = await world.admin.get(`${path}?page[limit]=100`)
    for (const { id } of body.data) await world.admin.delete(`${path}/${id}`)
    ids = []
    for (let left = most - 10; left > 0; left -= largest) {
      const reply = await create(Math.min(largest, left))
      expect([reply.status, reply.body.errors]).toEqual([201, undefined])
      ids.push(reply.body.data.id)
    }
  })

  test('have a limit together, and the error names it', async () => {
    expect((await create(11)).body.errors).toEqual([
      expect.objectContaining({
        ...{ status: '422', source, title: 'Too many conditions' },
        detail: expect.stringMatching(/at most 2500 .* in all: the others have 2490, this one has 11\.$/),
      }),
    ])
    expect((await create(10)).status).toBe(201)
    expect((await create(3)).status).toBe(422)
  })

  test('do not count while they are disabled, over or by code', async () => {
    const disabled = await create(40, { enabled: false })
    const over = await create(40, { end: '2021-01-01' })
    const byCode = await create(40, { automatic: false })
    expect([disabled, over, byCode].map(({ status }) => status)).toEqual([201, 201, 201])
    expect((await change(disabled.body.data.id, { enabled: true })).status).toBe(422)
    expect((await change(over.body.data.id, { end: '2999-01-01' })).status).toBe(422)
    expect((await change(byCode.body.data.id, { automatic: true })).status).toBe(422)
    await change(ids[0] ?? '', { enabled: false })
    expect((await change(disabled.body.data.id, { enabled: true })).status).toBe(200)
  })

  test('that are too many since before the limit can be renamed and disabled, and get no more conditions', async () => {
    const { body } = await create(40, { enabled: false })
    const { id } = body.data
    await world.sql(
      `UPDATE ${path.slice(4).replace('-', '_')} SET doc = jsonb_set(doc::jsonb, '{enabled}', 'true')::json WHERE id = $1`,
      [id],
    )
    expect((await change(id, { name: 'Renamed' })).status).toBe(200)
    const { rule_set, schema } = of(41) as { readonly rule_set?: object; readonly schema?: object }
    expect((await change(id, rule_set ? { rule_set } : { schema })).status).toBe(422)
    expect((await change(id, { enabled: false })).status).toBe(200)
  })

  test('that arrive at once do not pass the limit together', async () => {
    const replies = await Promise.all(Array.from({ length: 4 }, () => create(6)))
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422])
  })
})
