import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Any } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'
import { merchantOf } from './merchant.ts'

let world: World
let shop: ReturnType<typeof merchantOf>

beforeAll(async () => {
  world = await openWorld()
  shop = merchantOf(world)
  const hierarchy = await shop.hierarchy()
  const node = await shop.node(hierarchy)
  const make = async (name: string, sku: string, more: object = {}) =>
    shop.put(hierarchy, node, await shop.product({ name, sku, ...more }))
  await make('Brown Bread', 'BB-100', { description: 'Goes with a cake.' })
  await make('Brown Cake', 'BC-200')
  await make('White Bread', 'WB-100')
  await make('Crème Brûlée', 'CB-300', { locales: { fr: { name: 'Crème brûlée maison' } } })
  await make('White Bread', 'WB-101')
  await shop.publish(await shop.catalog([hierarchy]))
})
afterAll(() => world.close())

const suggested = async (q: string, more: object = {}): Promise<[string, number][]> => {
  const [{ hits }] = (await shop.search({ type: 'autocomplete', q, ...more })) as [Any]
  return hits.map(({ document }: Any) => [document.q, document.count])
}

test('names are suggested as written: first those that begin with the query, then those of most products', async () => {
  expect(await suggested('br')).toEqual([
    ['Brown Cake', 1],
    ['Brown Bread', 1],
    ['White Bread', 2],
    ['Crème Brûlée', 1],
  ])
  expect(await suggested('brea')).toEqual([
    ['White Bread', 2],
    ['Brown Bread', 1],
  ])
  expect(await suggested('brown c')).toEqual([['Brown Cake', 1]])
  expect(await suggested('creme')).toEqual([['Crème Brûlée', 1]])
})

test('descriptions are not suggested', async () => {
  expect(await suggested('cake')).toEqual([['Brown Cake', 1]])
})

test('SKUs are suggested as written, whatever their separators', async () => {
  expect(await suggested('wb-1')).toEqual([
    ['WB-100', 1],
    ['WB-101', 1],
  ])
  expect(await suggested('wb10')).toEqual([
    ['WB-100', 1],
    ['WB-101', 1],
  ])
})

test('typos are corrected, even in an incomplete word', async () => {
  expect(await suggested('borwn')).toEqual([
    ['Brown Cake', 1],
    ['Brown Bread', 1],
  ])
  expect(await suggested('bruel')).toEqual([['Crème Brûlée', 1]])
  expect(await suggested('xyzzy')).toEqual([])
})

test('a filter narrows the suggestions', async () => {
  expect(await suggested('br', { filter_by: 'name:cake' })).toEqual([['Brown Cake', 1]])
})

test('an empty query suggests the names of most products, and punctuation suggests nothing', async () => {
  expect((await suggested(''))[0]).toEqual(['White Bread', 2])
  expect(await suggested('!!!')).toEqual([])
})

test('names are suggested in the language of the shopper', async () => {
  const searches = [{ type: 'autocomplete', q: 'brul' }]
  const { body } = await world.shopper.post(
    '/catalog/multi-search',
    { searches },
    { 'Accept-Language': 'fr' },
  )
  expect(body.results[0].hits[0]).toMatchObject({
    document: { id: 'Crème brûlée maison', q: 'Crème brûlée maison', count: 1 },
    highlights: [{ field: 'q', snippet: 'Crème <mark>brûlée</mark> maison' }],
  })
})

test('suggestions are paged', async () => {
  const page = { per_page: 1, page: 2 }
  const [{ found, hits }] = (await shop.search({ type: 'autocomplete', q: 'brown', ...page })) as [Any]
  expect([found, hits.map(({ document }: Any) => document.q)]).toEqual([2, ['Brown Bread']])
})
