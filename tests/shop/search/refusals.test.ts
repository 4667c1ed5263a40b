import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { multiSearch } from '../../../server/shop/search/multi-search.ts'
import { tries } from '../../support/long.ts'
import type { Any } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'
import { merchantOf } from './merchant.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
  const shop = merchantOf(world)
  const hierarchy = await shop.hierarchy({ name: 'Bakery' })
  const node = await shop.node(hierarchy)
  for (const name of ['Brown bread', 'Brown cake', 'White bread'])
    await shop.put(hierarchy, node, await shop.product({ name }))
  await shop.publish(await shop.catalog([hierarchy]))
})
afterAll(() => world.close())

const ask = async (body: unknown, query = '') => world.shopper.post(`/catalog/multi-search${query}`, body)
const one = (search: object) => ({ searches: [{ q: '*' }, search] })
const filter = ['Invalid Filter', 'Could not parse the filter query.']
const manyConditions = ['Invalid Filter', 'A filter must have at most 50 conditions and 250 values.']
const facet = ['Invalid Facet', 'Invalid facet field specified.']
const page = ['Invalid Pagination', 'Invalid page or per_page parameter.']

test.each<[object, string[], string]>([
  [{ filter_by: 'name:=' }, filter, 'filter_by'],
  [{ filter_by: 'name' }, filter, 'filter_by'],
  [{ facet_by: 'a b' }, facet, 'facet_by'],
  [{ facet_by: 'products(' }, facet, 'facet_by'],
  [{ page: 0 }, page, 'page'],
  [{ page: 1.5 }, page, 'page'],
  [{ page: 'x' }, page, 'page'],
  [{ per_page: -1 }, page, 'per_page'],
  [{ per_page: 251 }, page, 'per_page'],
  [{ page: 42, per_page: 250 }, page, 'page'],
  [{ filter_by: Array(51).fill('a:1').join('&&') }, manyConditions, 'filter_by'],
  [{ filter_by: `a:[${Array(251).fill(1)}]` }, manyConditions, 'filter_by'],
  [{ facet_by: Array.from({ length: 31 }, (_, i) => `a${i}`).join() }, facet, 'facet_by'],
  [{ page: 402 }, page, 'page'],
])('%j is refused in the words of the public contract', async (search, [title, detail], member) => {
  const { status, body } = await ask(one(search))
  expect([status, body.errors[0]]).toEqual([
    400,
    expect.objectContaining({
      status: '400',
      title,
      detail: expect.stringContaining(detail as string),
      source: `searches[1].${member}`,
    }),
  ])
})

test.each<[string, string]>([
  ['brand', 'Expected a colon after the field brand at character 6, found the end.'],
  ['a:=x && :=y', 'Expected the name of a field at character 9, found ":=y".'],
  ['a b:=x', 'Expected the name of a field and a colon at character 1, found "a b:=x".'],
  ['a:=x && b:=', 'Expected a value at character 12, found the end.'],
  ['a:>x', 'Expected a number after > at character 4, found "x".'],
  ['a:=[1, >b]', 'Expected a number after > at character 9, found "b]".'],
  ['a:=`x', 'Expected a closing backtick at character 6, found the end.'],
  ['a:=[`x` `y`]', 'Expected a comma or ] after a value at character 9, found "`y`]".'],
  ['(a:=`x` b:=`y`)', 'Expected &&, || or a closing parenthesis at character 9, found "b:=`y`)".'],
  ['a:=x) || b:=y', 'Expected &&, || or the end of the filter at character 5, found ") || b:=y".'],
  ['a:=x (y', 'Expected a value whose parentheses are closed at character 4, found "x (y".'],
])(
  'the refusal of the filter %j says where it is wrong, and what is expected there',
  async (filter_by, detail) => {
    const { status, body } = await ask({ searches: [{ filter_by }] })
    expect([status, body.errors[0].detail]).toEqual([400, expect.stringContaining(detail)])
  },
)

test('the searches of a request also have limits together', async () => {
  const thirty = Array.from({ length: 30 }, (_, i) => `a${i}`).join()
  const facets = [{ facet_by: thirty }, { facet_by: thirty }]
  expect((await ask({ searches: facets })).status).toBe(200)
  const more = await ask({ searches: [...facets, { facet_by: 'a' }] })
  expect([more.status, more.body.errors[0].source]).toEqual([400, 'searches[2].facet_by'])
  const long = Array(4).fill({ per_page: 250 })
  expect((await ask({ searches: [...long, { per_page: 0 }] })).status).toBe(200)
  const longer = await ask({ searches: [...long, { per_page: 1 }] })
  expect([longer.status, longer.body.errors[0]]).toEqual([
    400,
    expect.objectContaining({ title: 'Invalid Pagination', source: 'searches[4].per_page' }),
  ])
})

test.each<[unknown, string]>([
  [undefined, 'searches'],
  [[], 'searches'],
  [{}, 'searches'],
  [{ searches: [] }, 'searches'],
  [{ searches: 'x' }, 'searches'],
  [{ searches: [1] }, 'searches[0]'],
  [{ searches: [{ q: {} }] }, 'searches[0].q'],
  [{ searches: [{ q: 'x'.repeat(4001) }] }, 'searches[0].q'],
  [{ searches: [{ type: 'vector' }] }, 'searches[0].type'],
  [{ searches: [{ max_facet_values: -1 }] }, 'searches[0].max_facet_values'],
  [{ searches: Array.from({ length: 21 }, () => ({})) }, 'searches'],
  [{ searches: [{ q: 'a\0b' }] }, 'searches.0.q'],
])('%j is refused, and what is wrong is named', async (sent, source) => {
  const { status, body } = await ask(sent)
  expect([status, body.errors[0].source]).toEqual([400, source])
})

test('any request is answered, or refused with the fault', async () => {
  const piece = fc.constantFrom(
    'name',
    'price.USD.float_price',
    'a(b',
    ':',
    ':=',
    '&&',
    '||',
    '(',
    ')',
    '[',
    ']',
    '`',
    '..',
    '1',
    "'x'",
    '\\',
    '$1',
    '%',
    '*',
    ' ',
    ',',
    '😀',
  )
  const text = fc.oneof(
    fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
    fc.string(),
  )
  const anything = fc.oneof(text, text, fc.integer(), fc.jsonValue())
  const member = fc.constantFrom('type', 'q', 'filter_by', 'facet_by', 'max_facet_values', 'page', 'per_page')
  await fc.assert(
    fc.asyncProperty(fc.dictionary(member, anything, { maxKeys: 4 }), async (search) => {
      const { status, body } = await ask({ searches: [search] })
      expect([200, 400]).toContain(status)
      if (status === 400) expect(body.errors[0].source).toMatch(/^searches[[.]0/)
    }),
    { numRuns: tries(37, 150) },
  )
})

test('other members that search front ends send are ignored', async () => {
  const search = {
    q: 'bread',
    query_by: 'name',
    sort_by: '_eval(price):asc',
    preset: 'x',
    include_fields: '*',
    facet_query: 'x',
    collection: 'products',
    union: true,
    highlight_full_fields: 'name',
    'x-unknown': { deep: [1] },
  }
  const { status, body } = await ask({ ...one(search), union: false })
  expect([status, body.results.map(({ found }: Any) => found)]).toEqual([200, [3, 2]])
  expect(body.results[1].hits[0].highlight.attributes.name.value).toBe('White <mark>bread</mark>')
  expect(body.results.every((result: object) => !('error' in result))).toBe(true)
})

test('the query has the default offset and limit of the searches', async () => {
  const query = '?page%5Blimit%5D=1&page%5Boffset%5D=1'
  const { body } = await ask({ searches: [{}, { per_page: 2, page: 1 }] }, query)
  const names = ({ hits }: Any) => hits.map(({ document }: Any) => document.attributes.name)
  expect(body.results.map(names)).toEqual([['Brown cake'], ['White bread', 'Brown cake']])
  expect(body.results.map(({ request_params }: Any) => request_params.per_page)).toEqual([1, 2])
  expect((await ask({ searches: [{}] }, '?page%5Boffset%5D=10001')).status).toBe(400)
  expect((await ask({ searches: [{}] }, '?page%5Blimit%5D=101')).status).toBe(400)
})

test('anonymous shoppers and merchants may search, but only with a token', async () => {
  expect((await world.admin.post('/catalog/multi-search', { searches: [{}] })).status).toBe(200)
  expect((await world.nobody.post('/catalog/multi-search', { searches: [{}] })).status).toBe(401)
  // The other store has published nothing.
  expect((await world.other.post('/catalog/multi-search', { searches: [{}] })).status).toBe(404)
})

test('health checks of search clients are answered', async () => {
  for (const path of ['/checks/readiness', '/checks/healthz']) {
    for (const method of ['GET', 'HEAD']) {
      const { status, body } = await world.nobody.send(method, path)
      expect([path, method, status, body]).toEqual([path, method, 204, undefined])
    }
  }
})

test('all searches of a request share one time limit: see with-timeout.test.ts of the kernel', () => {
  expect(multiSearch.withinMs).toBe(10_000)
})
