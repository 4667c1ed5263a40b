import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { orderOf } from '../../server/kernel/resource.ts'
import { Samples } from '../support/samples.ts'
import { openWorld, type World } from '../support/world.ts'
import { expected, fill, idsOf, listings, mayFilter, sortsOf } from './listings.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const rows = 130
const limits = {
  bad: ['101', '-1', 'x', '1.5', '', '1e1', ' 5', '99999999999999999999'],
  good: ['0', '1', '100'],
}

describe.each(listings)('$id', (listing) => {
  let path: string
  let anId: string
  const sorts = ['', ...sortsOf(listing)]
  const model = (sort: string) => expected(world, listing, anId, sort || orderOf(listing.kind.resource))
  const url = (parameters: Record<string, string | number>) =>
    `${path}?${Object.entries(parameters)
      .filter(([, value]) => value !== '')
      .map(([name, value]) => `${name.replace('[', '%5B').replace(']', '%5D')}=${encodeURIComponent(value)}`)
      .join('&')}`

  beforeAll(async () => {
    // Of its own: no other list's records are below the same parents.
    const samples = new Samples(world.admin)
    path = await samples.path(listing.path)
    await fill(world, samples, listing, path, rows)
    anId = idsOf(await world.admin.get(path))[0] as string
  })

  test('accepts limits from 0 to 100, and refuses others by name', async () => {
    for (const limit of limits.good) {
      const { status, body } = await world.admin.get(url({ 'page[limit]': limit }))
      expect([status, body.meta.page.limit]).toEqual([200, Number(limit)])
      expect(body.data.length).toBeLessThanOrEqual(Number(limit))
    }
    for (const limit of limits.bad) {
      for (const name of ['page[limit]', 'page[offset]']) {
        if (name === 'page[offset]' && limit === '101') continue
        const { status, body } = await world.admin.get(`${path}?${name}=${limit}`)
        expect([limit, status, body.errors[0].source]).toEqual([limit, 400, name])
        expect(body.errors[0].detail).toContain(name)
      }
    }
  })

  test('takes its default length from the settings, at once', async () => {
    for (const page_length of [7, 3]) {
      await world.admin.put('/v2/settings', { data: { type: 'settings', page_length } })
      const { body } = await world.admin.get(path)
      expect(body.meta.page.limit).toBe(page_length)
      expect(body.data.length).toBe(Math.min(page_length, body.meta.results.total))
    }
    await world.admin.delete('/v2/settings')
    expect((await world.admin.get(path)).body.meta.page.limit).toBe(25)
  })

  test('shows any page of a total order, with exact totals and links to its neighbours', async () => {
    const orders = new Map(await Promise.all(sorts.map(async (sort) => [sort, await model(sort)] as const)))
    const total = orders.get('')?.length ?? 0
    const anyPage = fc.asyncProperty(
      fc.constantFrom(...sorts),
      fc.integer({ min: 1, max: 100 }),
      fc.integer({ min: 0, max: total + 10 }),
      async (sort, limit, offset) => {
        const reply = await world.admin.get(url({ sort, 'page[limit]': limit, 'page[offset]': offset }))
        expect(idsOf(reply)).toEqual(orders.get(sort)?.slice(offset, offset + limit))
        const { meta, links } = reply.body
        expect(meta.page).toEqual({
          limit,
          offset,
          current: Math.floor(offset / limit) + 1,
          total: Math.ceil(total / limit),
        })
        expect(meta.results.total).toBe(total)
        expect(links.next === null).toBe(offset + limit >= total)
        expect(links.prev === null).toBe(offset === 0)
        const last = Math.floor((total - 1) / limit) * limit
        expect(links.last).toContain(`page%5Blimit%5D=${limit}&page%5Boffset%5D=${last}`)
        for (const link of Object.values(links)) expect(link ?? '').not.toMatch(/[[\]]/)
      },
    )
    await fc.assert(anyPage, { numRuns: 40 })
  })

  const walk = async (from: string, direction: 'next' | 'prev') => {
    const pages: string[][] = []
    for (let at: string | null = from; at; ) {
      const reply = await world.admin.get(at)
      expect(reply.status).toBe(200)
      pages.push(idsOf(reply))
      at = reply.body.links[direction]
      expect(pages.length).toBeLessThan(200)
    }
    return pages
  }

  test.for(sorts)('following links reaches every record once, sorted by %j', async (sort) => {
    const order = await model(sort)
    for (const limit of [1 + Math.ceil(order.length / 7), 100]) {
      const pages = await walk(url({ sort, 'page[limit]': limit }), 'next')
      expect(pages.flat()).toEqual(order)
      const last = (await world.admin.get(url({ sort, 'page[limit]': limit }))).body.links.last
      expect(idsOf(await world.admin.get(last))).toEqual(pages.at(-1))
      expect((await walk(last, 'prev')).reverse().flat()).toEqual(order)
    }
  })

  test.for(sorts)('a walk by cursor goes forth and back, sorted by %j', async (sort) => {
    const order = await model(sort)
    const limit = 1 + Math.ceil(order.length / 5)
    const start = url({ sort, 'page[limit]': limit })
    expect((await walk(`${start}&page[after]=`, 'next')).flat()).toEqual(order)
    expect((await walk(`${start}&page[before]=`, 'prev')).reverse().flat()).toEqual(order)
  })

  test('refuses a cursor that it did not give, or that belongs to another walk', async () => {
    const { body } = await world.admin.get(url({ 'page[limit]': 1, 'page[after]': ' ' }).replace('%20', ''))
    const next = body.links.next as string | null
    const bad = [`${path}?page[after]=garbage`, `${path}?page[before]=a.b`]
    if (next) {
      const token = next.slice(next.lastIndexOf('=') + 1)
      const flipped = `${token[0] === 'a' ? 'b' : 'a'}${token.slice(1)}`
      bad.push(next.replace(token, flipped))
      if (listing.kind.resource.sort?.includes('id')) bad.push(`${next}&sort=id`)
    }
    for (const at of bad) {
      const reply = await world.admin.get(at)
      expect([at, reply.status, reply.body.errors[0].code]).toEqual([at, 400, 'bad_page'])
    }
  })

  test('gives exact totals after filters', async () => {
    if (!mayFilter(listing, 'id', 'gt')) return
    const order = (await model('')).sort()
    const filtered = fc.asyncProperty(fc.nat(order.length - 1), fc.nat(order.length), async (at, offset) => {
      const filter = `gt(id,${order[at]})`
      const reply = await world.admin.get(url({ filter, 'page[offset]': offset, 'page[limit]': 10 }))
      expect(reply.body.meta.results.total).toBe(order.length - at - 1)
      expect(reply.body.data.length).toBe(Math.max(0, Math.min(10, order.length - at - 1 - offset)))
    })
    await fc.assert(filtered, { numRuns: 10 })
  })
})
