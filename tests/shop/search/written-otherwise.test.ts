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
  const names = [
    'Wi-Fi Router',
    'Wifi Antenna',
    'iPhones of today',
    'iPhone™ Case',
    'The Who Poster',
    '日本語テスト',
    'iPhoneケース',
    '무선이어폰',
    'Case for the road',
    'Size 2.75',
    'Große Straße',
    'Smørrebrød',
  ]
  for (const name of names)
    await shop.put(hierarchy, node, await shop.product({ name, shopper_attributes: { title: name } }))
  await shop.publish(await shop.catalog([hierarchy]))
})
afterAll(() => world.close())

const find = async (q: string) => (await shop.names({ q })).sort()

test('a query without words finds nothing', async () => {
  for (const q of ['!!!', '?', '...', '*?', '™']) {
    const [{ found, hits, facet_counts }] = (await shop.search({
      q,
      facet_by: 'shopper_attributes.title',
    })) as [Any]
    expect([q, found, hits, facet_counts[0].counts]).toEqual([q, 0, [], []])
  }
  const [{ found }] = (await shop.search({ q: ' * ' })) as [Any]
  expect(found).toBe(12)
})

test('a compound is found as one word, by its parts, and with other joiners', async () => {
  for (const q of ['wifi', 'wi-fi', 'Wi‑Fi', 'WI/FI']) {
    expect([q, await find(q)]).toEqual([q, ['Wi-Fi Router', 'Wifi Antenna']])
  }
  expect(await find('wi fi')).toEqual(['Wi-Fi Router'])
  expect(await find('wifi router')).toEqual(['Wi-Fi Router'])
  expect(await find('275')).toEqual([])
})

test('special letters are found by their plain spelling', async () => {
  for (const q of ['große', 'grosse', 'GROSSE STRASSE', 'groesse', 'strasse']) {
    expect([q, await find(q)]).toEqual([q, ['Große Straße']])
  }
  expect(await find('smorrebrod')).toEqual(['Smørrebrød'])
})

test('a compound is highlighted as a whole if the query has it as one word', async () => {
  const [{ hits }] = (await shop.search({ q: 'wifi router' })) as [Any]
  expect(hits[0].highlight.attributes.name.snippet).toBe('<mark>Wi-Fi</mark> <mark>Router</mark>')
})

test('stop words are optional beside other words, but rank their matches higher', async () => {
  expect(await find('the iphone')).toEqual(['iPhones of today', 'iPhone™ Case', 'iPhoneケース'].sort())
  expect(await shop.names({ q: 'case for the' })).toEqual(['Case for the road', 'iPhone™ Case'])
  expect(await find('the')).toEqual(['Case for the road', 'The Who Poster'])
})

test('stop words depend on the language of the shopper', async () => {
  const names = async (q: string, language: string) => {
    const { body } = await world.shopper.post(
      '/catalog/multi-search',
      { searches: [{ q }] },
      { 'Accept-Language': language },
    )
    return body.results[0].hits.map(({ document }: Any) => document.attributes.name)
  }
  expect(await names('das poster', 'de-AT')).toEqual(['The Who Poster'])
  expect(await names('das poster', 'en')).toEqual([])
})

test('words inside texts without spaces are found', async () => {
  expect(await find('日本')).toEqual(['日本語テスト'])
  expect(await find('テスト')).toEqual(['日本語テスト'])
  expect(await find('語')).toEqual(['日本語テスト'])
  expect(await find('ケース')).toEqual(['iPhoneケース'])
  expect(await find('이어폰')).toEqual(['무선이어폰'])
  expect(await find('日語')).toEqual([])
  expect((await shop.names({ filter_by: 'shopper_attributes.title:テスト' })).sort()).toEqual([
    '日本語テスト',
  ])
  const [{ hits }] = (await shop.search({ q: '本語' })) as [Any]
  expect(hits[0].highlight.attributes.name.snippet).toBe('日<mark>本語</mark>テスト')
})
