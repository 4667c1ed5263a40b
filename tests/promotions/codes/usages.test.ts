import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  addCodes,
  idIn,
  kinds,
  makeCode,
  makePromotion,
  newCode,
  spend,
} from '../../builders/promotions/codes.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

interface Usage {
  readonly id: string
  readonly order_id: string
  readonly code: string
}

describe.each(kinds)('usages of %s', (kind) => {
  test('are lists with the full envelope, also when they are empty', async () => {
    const { promotion, code } = await makeCode(world.admin, kind)
    for (const list of [`${promotion}/usages`, `${promotion}/codes/${code}/usages`]) {
      const { status, body } = await world.admin.get(`${list}?page[limit]=10`)
      expect(status).toBe(200)
      expect(body).toMatchObject({
        data: [],
        meta: { page: { limit: 10, offset: 0, current: 1, total: 0 }, results: { total: 0 } },
        links: { current: expect.any(String), first: expect.any(String) },
      })
      expect(Object.keys(body.links).sort()).toEqual(['current', 'first', 'last', 'next', 'prev'])
    }
  })

  test('are a 404 for an unknown promotion only', async () => {
    const unknown = `/v2/${kind}/${randomUUID()}`
    expect((await world.admin.get(`${unknown}/usages`)).status).toBe(404)
    expect((await world.admin.get(`${unknown}/codes/any/usages`)).status).toBe(404)
    const promotion = await makePromotion(world.admin, kind)
    expect((await world.admin.get(`${promotion}/codes/any/usages`)).status).toBe(200)
  })

  test('say who used which code how often, and outlive the code', async () => {
    const promotion = await makePromotion(world.admin, kind)
    const [one, other] = [newCode(), newCode()]
    await addCodes(world.admin, promotion, { code: one, uses: 5 }, { code: other })
    const promotionId = idIn(promotion)
    const [ann, order] = [{ customerId: randomUUID(), email: 'ann@example.com' }, randomUUID()]
    await spend(world, [{ promotionId, code: one.toLowerCase(), uses: 2 }], ann, order)
    await spend(world, [{ promotionId, code: other, uses: 1 }], { email: 'guest@example.com' })
    const found = async (path: string) => (await world.admin.get(`${promotion}${path}`)).body.data as Usage[]
    const [usage, ...rest] = await found(`/codes/${one.toUpperCase()}/usages`)
    expect(rest).toEqual([])
    expect(usage).toMatchObject({
      ...{ type: 'promotion_usage', order_id: order, code: one, times_used: 2, used_on: expect.any(String) },
      ...{ customer_id: ann.customerId, account_id: null, customer_email: ann.email, anonymized: false },
      ...(kind === 'promotions' && { cusomter_id: ann.customerId }),
    })
    expect((await found('/usages')).length).toBe(2)
    expect(await found(`/usages?filter=eq(code,${one.toUpperCase()})`)).toEqual([usage])
    expect(await found(`/usages?filter=eq(id,${usage?.id})`)).toEqual([usage])
    const sorted = await found('/usages?sort=customer_email')
    expect(sorted.map(({ code }) => code)).toEqual([one, other])
    expect(await found(`/usages?filter=gt(used_on,2099-01-01T00:00:00Z)`)).toEqual([])
    expect((await found(`/usages?filter=le(used_on,2099-01-01T00:00:00Z)`)).length).toBe(2)
    await world.admin.delete(`${promotion}/codes/${one}`)
    expect(await found(`/codes/${one}/usages`)).toEqual([usage])
  })

  test('are anonymized, also in the change feed, and unknown ones are named beside them', async () => {
    const { promotion, ...use } = await makeCode(world.admin, kind)
    const email = `${randomUUID()}@example.com`
    await spend(world, [use], { email })
    await spend(world, [use], { email: 'other@example.com' })
    const usages: Usage[] = (await world.admin.get(`${promotion}/usages?filter=eq(code,${use.code})`)).body
      .data
    const usage = usages.find((one) => (one as { customer_email?: string }).customer_email === email)
    const unknown = randomUUID()
    const data = { usage_ids: [usage?.id, unknown, 'no uuid'] }
    const { status, body } = await world.admin.post(`/v2/${kind}/usages/anonymize`, { data })
    expect(status).toBe(200)
    expect(body.data).toMatchObject([
      { id: usage?.id, customer_email: '**', anonymized: true, updated_by: expect.any(String) },
    ])
    expect(body.errors).toMatchObject([
      {
        status: '404',
        title: 'Could not anonymize some usages',
        detail: 'Usages not found.',
        meta: { usage_ids: [unknown, 'no uuid'] },
      },
    ])
    const { rows } = await world.feed(`SELECT FROM changes WHERE doc::text LIKE '%' || $1 || '%'`, [email])
    expect(rows).toEqual([])
    const others = (await world.admin.get(`${promotion}/usages?filter=eq(code,${use.code})`)).body.data
    expect(others.filter((one: { anonymized: boolean }) => one.anonymized).length).toBe(1)
    expect(JSON.stringify(others)).toContain('other@example.com')
  })

  test('are erased with their customer', async () => {
    const { promotion, ...use } = await makeCode(world.admin, kind)
    const made = await world.admin.post('/v2/customers', {
      data: { type: 'customer', name: 'Ann', email: `${randomUUID()}@example.com` },
    })
    const customerId = made.body.data.id
    await spend(world, [use], { customerId, email: 'ann@example.com' })
    await spend(world, [use], { customerId: randomUUID() })
    const data = { type: 'erasure_request', resource_type: 'customer', resource_id: customerId }
    const request = await world.admin.post('/v2/personal-data/erasure-requests', { data })
    expect(request.status, JSON.stringify(request.body)).toBeLessThan(300)
    const total = async () => (await world.admin.get(`${promotion}/usages`)).body.meta.results.total
    await expect.poll(total, { timeout: 20_000 }).toBe(1)
  })
})
