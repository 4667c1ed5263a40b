import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseQuery } from '../../../server/shop/matching/searched-words.ts'
import { respell } from '../../../server/shop/search/respell.ts'
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
  const all: readonly { name: string; [attribute: string]: unknown }[] = [
    { name: 'Drive 256GB', upc_ean: '4006381333931', external_ref: 'ERP 77/B' },
    { name: 'iPhone 15 Case' },
    { name: 'Flour 2.5 kg' },
    { name: 'Sugar 2.5kg' },
    { name: 'Battery' },
    { name: 'Fresh cherries' },
    { name: 'Wifi Antenna', description: 'Fits 94006381333931 and ERP devices' },
    { name: 'ワイヤレス イヤホン' },
    { name: 'スマホケース' },
    { name: 'おもちゃ' },
  ]
  for (const attributes of all) await shop.put(hierarchy, node, await shop.product(attributes))
  await shop.publish(await shop.catalog([hierarchy]))
})
afterAll(() => world.close())

const find = async (q: string) => (await shop.names({ q })).sort()

test.each([
  ['256 GB', ['Drive 256GB']],
  ['drive 256 gb', ['Drive 256GB']],
  ['256 G', ['Drive 256GB']],
  ['iphone15', ['iPhone 15 Case']],
  ['iphone15 case', ['iPhone 15 Case']],
  ['iphone1', ['iPhone 15 Case']],
  ['2,5kg', ['Sugar 2.5kg']],
  ['2,5 kg', ['Flour 2.5 kg']],
  ['flour 2,5kg', ['Flour 2.5 kg']],
  ['sugar 2,5 kg', ['Sugar 2.5kg']],
  ['wi fi antenna', ['Wifi Antenna']],
  ['batteries', ['Battery']],
  ['cherry', ['Fresh cherries']],
  ['fresh cherry', ['Fresh cherries']],
  ['ワイヤレスイヤホン', ['ワイヤレス イヤホン']],
  ['ワイヤレス　イヤホン', ['ワイヤレス イヤホン']],
  ['スマホ ケース', ['スマホケース']],
  ['すまほ', ['スマホケース']],
  ['オモチャ', ['おもちゃ']],
  ['イヤホンワイヤレス', ['ワイヤレス イヤホン']],
  ['iphone 15 battrey', []],
  ['256 TB', []],
])('%s is found as it may also be spelled', async (q, names) => {
  expect(await find(q)).toEqual(names)
})

test('other spellings and typos are looked for together', async () => {
  expect(await find('iphone15 caes')).toEqual(['iPhone 15 Case'])
  const [{ hits }] = (await shop.search({ q: 'iphone15' })) as [Any]
  expect(hits[0].highlight.attributes.name.snippet).toBe('<mark>iPhone</mark> <mark>15</mark> Case')
  const [{ hits: suggestions }] = (await shop.search({ type: 'autocomplete', q: '256 gb' })) as [Any]
  expect(suggestions.map(({ document }: Any) => document.q)).toEqual(['Drive 256GB'])
})

test('what is found as it is written is not looked for otherwise', async () => {
  expect(await find('erp')).toEqual(['Wifi Antenna'])
  expect(await find('2 5 kg')).toEqual(['Flour 2.5 kg'])
})

test('upc_ean and external_ref are found by their whole value, whatever separates its parts', async () => {
  for (const q of ['4006381333931', '400 6381 333931', 'ERP 77/B', 'erp-77b']) {
    expect([q, await find(q)]).toEqual([q, ['Drive 256GB']])
  }
  for (const q of ['400638133393', '77/B', 'erp77']) expect([q, await find(q)]).toEqual([q, []])
  expect(await shop.names({ filter_by: 'description:4006381333931' })).toEqual([])
})

test('spellings of a query are few, however long it is', () => {
  const long = parseQuery('ab1 '.repeat(5000) + 'ワ'.repeat(5000))
  const spellings = respell(long)?.flatMap((word) => word.spellings) ?? []
  expect(spellings.length).toBeLessThan(100)
  expect(respell(parseQuery('red'))).toBeUndefined()
})
