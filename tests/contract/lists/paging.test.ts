import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { orderOf } from '../../../server/kernel/shape/model.ts'
import { Samples } from '../../builders/samples.ts'
import { isLong, tries } from '../../support/long.ts'
import { openWorld, type World } from '../../support/world.ts'
import { appAndWorkshop } from '../../workshop/index.ts'
import { listTraits, representativesOf } from '../classes.ts'
import {
  expected,
  fill,
  idsOf,
  isOwn,
  type Listing,
  listings,
  makeIn,
  mayFilter,
  nowhereOf,
  roomIn,
  samplesOfEach,
  sortsOf,
} from '../listings.ts'

let world: World
let shared: Samples
let samplesOf: (listing: Listing) => Samples
beforeAll(async () => {
  world = await openWorld(appAndWorkshop)
  shared = new Samples(world.admin, world.work)
  samplesOf = samplesOfEach(world)
})
afterAll(() => world.close())

const rows = 130
/** The page length at which the list has about four pages. */
const fewPages = ({ length }: readonly string[]) => Math.min(100, 1 + Math.ceil(length / 4))
const limits = {
  bad: ['101', '-1', 'x', '1.5', '', '1e1', ' 5', '99999999999999999999'],
  good: ['0', '1', '100'],
}

const url = (path: string, parameters: Record<string, string | number>) =>
  `${path}?${Object.entries(parameters)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name.replace('[', '%5B').replace(']', '%5D')}=${encodeURIComponent(value)}`)
    .join('&')}`

// An action may leave out some of the objects, as its own tests know.
describe.each(listings.filter(isOwn))('$id', (listing) => {
  test('has its total, its order, and links from page to page', async () => {
    const path = await shared.path(listing.path)
    const room = await roomIn(shared, listing, path, 2)
    for (let i = 0; i < Math.max(1, room); i++) await makeIn(shared, listing, path)
    const [anId] = idsOf(await world.admin.get(path))
    const order = await expected(world, listing, anId as string, orderOf(listing.specimen.resource))
    const first = await world.admin.get(url(path, { 'page[limit]': 1 }))
    expect([first.body.meta.results.total, ...idsOf(first)]).toEqual([order.length, order[0]])
    expect(first.body.links.prev, 'the page before the first').toBe(nowhereOf(listing))
    const { next } = first.body.links
    if (order.length === 1) expect(next, 'the page after the only one').toBe(nowhereOf(listing))
    else {
      const second = await world.admin.get(next)
      expect(idsOf(second), 'the next page').toEqual([order[1]])
      expect(idsOf(await world.admin.get(second.body.links.prev)), 'the page before it').toEqual([order[0]])
    }
  })
})

const representatives = representativesOf(listings, listTraits)

describe.each(representatives)('$id', (listing) => {
  let path: string
  let anId: string
  const sorts = ['', ...sortsOf(listing)]
  // Walks take many requests: in its usual order and in one other, in each list the next one of those that it has.
  const other = 1 + (representatives.indexOf(listing) % Math.max(1, sorts.length - 1))
  const walkedSorts = isLong ? sorts : [...new Set(['', sorts[other] ?? ''])]
  const nowhere = nowhereOf(listing)
  const model = (sort: string) => expected(world, listing, anId, sort || orderOf(listing.specimen.resource))
  beforeAll(async () => {
    const samples = samplesOf(listing)
    path = await samples.path(listing.path)
    // What is published for another list may be in this one, too.
    const there = (await world.admin.get(`${path}?page[limit]=1`)).body.meta.results.total
    await fill(world, samples, listing, path, Math.max(2, rows - there))
    anId = idsOf(await world.admin.get(path))[0] as string
  })

  test('accepts limits from 0 to 100, and names others in the refusal', async () => {
    for (const limit of limits.good) {
      const { status, body } = await world.admin.get(url(path, { 'page[limit]': limit }))
      expect([status, body.meta?.page.limit], `page[limit]=${limit}`).toEqual([200, Number(limit)])
      expect(body.data.length, `how many page[limit]=${limit} shows`).toBeLessThanOrEqual(Number(limit))
    }
    for (const limit of limits.bad) {
      for (const name of ['page[limit]', 'page[offset]']) {
        if (name === 'page[offset]' && limit === '101') continue
        const { status, body } = await world.admin.get(`${path}?${name}=${limit}`)
        expect([limit, status, body.errors?.[0].source]).toEqual([limit, 400, name])
        expect(body.errors[0].detail).toContain(name)
      }
    }
  })

  const { whole } = listing.specimen.resource
  test.runIf(whole)('is returned whole where the request has no page', async () => {
    const all = await model('')
    await world.admin.put('/v2/settings', { data: { type: 'settings', page_length: 3 } })
    const reply = await world.admin.get(`${path}?page[total_method]=exact`)
    expect(idsOf(reply), 'the whole list').toEqual(all)
    expect(reply.body.meta.page).toEqual({ limit: 10_000, offset: 0, current: 1, total: 1 })
    const { current, first, next, prev } = reply.body.links
    expect([current === first, next ?? null, prev ?? null]).toEqual([true, null, null])
    expect(idsOf(await world.admin.get(current)), 'where its link leads').toEqual(all)
    for (const sort of sorts)
      expect(idsOf(await world.admin.get(url(path, { sort })))).toEqual(await model(sort))
    for (const parameter of ['page[offset]', 'page[after]']) {
      const { body } = await world.admin.get(`${path}?${parameter}=${parameter === 'page[after]' ? '' : 0}`)
      expect(body.meta.page.limit, `the limit beside ${parameter}`).toBe(3)
    }
    await world.admin.delete('/v2/settings')
  })

  test.skipIf(whole)('has its default length from the settings, at once', async () => {
    for (const page_length of [7, 3]) {
      await world.admin.put('/v2/settings', { data: { type: 'settings', page_length } })
      const { body } = await world.admin.get(path)
      expect(body.meta.page.limit, 'the limit after the setting').toBe(page_length)
      const length = Math.min(page_length, body.meta.results.total)
      expect(body.data.length, `how many are shown, ${page_length} a page`).toBe(length)
    }
    await world.admin.delete('/v2/settings')
    expect((await world.admin.get(path)).body.meta.page.limit, 'without the setting').toBe(25)
  })

  test('has every page of a total order, with exact totals and links to its neighbours', async () => {
    const orders = new Map(await Promise.all(sorts.map(async (sort) => [sort, await model(sort)] as const)))
    const total = orders.get('')?.length ?? 0
    const anyPage = fc.asyncProperty(
      fc.constantFrom(...sorts),
      fc.integer({ min: 1, max: 100 }),
      fc.integer({ min: 0, max: total + 10 }),
      async (sort, limit, offset) => {
        const reply = await world.admin.get(url(path, { sort, 'page[limit]': limit, 'page[offset]': offset }))
        expect(idsOf(reply), 'the page').toEqual(orders.get(sort)?.slice(offset, offset + limit))
        const { meta, links } = reply.body
        expect(meta.page, 'meta.page').toEqual({
          limit,
          offset,
          current: Math.floor(offset / limit) + 1,
          total: Math.ceil(total / limit),
        })
        expect(meta.results.total, 'the total').toBe(total)
        expect(links.next === nowhere, 'that there is no next page').toBe(offset + limit >= total)
        expect(links.prev === nowhere, 'that there is no page before').toBe(offset === 0)
        const last = Math.floor((total - 1) / limit) * limit
        if (links.next || nowhere === null)
          expect(links.last, 'the link last').toContain(`page%5Blimit%5D=${limit}&page%5Boffset%5D=${last}`)
        else expect(links.last, 'the link last of the last page').toBeUndefined()
        for (const link of Object.values(links)) expect(link ?? '').not.toMatch(/[[\]]/)
      },
    )
    // Every order at least once, from the middle on.
    const examples = sorts.map((sort): [string, number, number] => [sort, 60, total >> 1])
    await fc.assert(anyPage, { examples, numRuns: sorts.length + tries(3, 40) })
  })

  const walk = async (from: string, direction: 'next' | 'prev') => {
    const pages: string[][] = []
    let links: Record<string, string | null> | undefined
    for (let at: string | null | undefined = from; at; ) {
      const reply = await world.admin.get(at)
      expect(reply.status, at).toBe(200)
      pages.push(idsOf(reply))
      links ??= reply.body.links
      at = reply.body.links[direction]
      expect(pages.length, `how many pages from ${from}`).toBeLessThan(200)
    }
    return { pages, order: pages.flat(), links: links ?? {} }
  }

  test.for(walkedSorts)('following links reaches every record once, sorted by %j', async (sort) => {
    const order = await model(sort)
    // Pages with two neighbours, and with one; as long as they may be in one order.
    for (const limit of [fewPages(order), ...(sort === sorts[0] ? [100] : [])]) {
      const forth = await walk(url(path, { sort, 'page[limit]': limit }), 'next')
      expect(forth.order, `by the links next, ${limit} a page`).toEqual(order)
      const last = forth.links.last ?? (forth.links.current as string)
      const back = await walk(last, 'prev')
      expect(back.pages[0], `where ${last} leads`).toEqual(forth.pages.at(-1))
      expect(back.pages.reverse().flat(), `by the links prev, ${limit} a page`).toEqual(order)
    }
  })

  test.for(walkedSorts)('a walk by cursor goes forward and backward, sorted by %j', async (sort) => {
    const order = await model(sort)
    const start = url(path, { sort, 'page[limit]': fewPages(order) })
    expect((await walk(`${start}&page[after]=`, 'next')).order, 'forth').toEqual(order)
    const back = (await walk(`${start}&page[before]=`, 'prev')).pages.reverse().flat()
    expect(back, 'back').toEqual(order)
  })

  test('refuses forged cursors and cursors of another walk', async () => {
    const { body } = await world.admin.get(
      url(path, { 'page[limit]': 1, 'page[after]': ' ' }).replace('%20', ''),
    )
    const next = body.links.next as string | null | undefined
    // As many characters as a cursor's own ends in, and more bytes.
    const wide = `${path}?page[after]=a.${encodeURIComponent('é'.repeat(22))}`
    const bad = [`${path}?page[after]=garbage`, `${path}?page[before]=a.b`, wide]
    if (next) {
      const token = next.slice(next.lastIndexOf('=') + 1)
      const flipped = `${token[0] === 'a' ? 'b' : 'a'}${token.slice(1)}`
      bad.push(next.replace(token, flipped))
      if (listing.specimen.resource.sort?.includes('id')) bad.push(`${next}&sort=id`)
    }
    for (const at of bad) {
      const reply = await world.admin.get(at)
      expect([at, reply.status, reply.body.errors?.[0].code]).toEqual([at, 400, 'bad_page'])
    }
  })

  test('has exact totals after filters', async () => {
    if (!mayFilter(listing, 'id', 'gt')) return
    const order = (await model('')).sort()
    const filtered = fc.asyncProperty(fc.nat(order.length - 1), fc.nat(order.length), async (at, offset) => {
      const filter = `gt(id,${order[at]})`
      const reply = await world.admin.get(url(path, { filter, 'page[offset]': offset, 'page[limit]': 10 }))
      const remaining = order.length - at - 1
      expect(reply.body.meta.results.total, `the total of ${filter}`).toBe(remaining)
      const shown = Math.max(0, Math.min(10, remaining - offset))
      expect(reply.body.data.length, `how many of ${filter} are shown from ${offset}`).toBe(shown)
    })
    await fc.assert(filtered, { numRuns: tries(3, 10) })
  })
})
