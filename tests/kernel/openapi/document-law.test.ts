import { afterAll, beforeAll, expect, test } from 'vitest'
import { sutlerApi } from '../../../server/api-document.ts'
import { type Exchange, Fits } from '../../support/document/fits.ts'
import { takeFaults } from '../../support/document/watch.ts'
import { openWorld, type World } from '../../support/world.ts'

// The law of tests/support/fit-document.ts, which every test obeys, would notice these.

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const fits = new Fits(structuredClone(sutlerApi()))

const meta = {
  timestamps: { created_at: '2026-01-31T00:00:00.000Z', updated_at: '2026-01-31T00:00:00.000Z' },
}
const account = { type: 'account', id: '00000000-0000-4000-8000-000000000000', name: 'Bakery', meta }
const links = { self: 'https://shop.example.com/v2/accounts/00000000-0000-4000-8000-000000000000' }

const created = (changed: Partial<Exchange> = {}): Exchange => ({
  method: 'POST',
  route: '/v2/accounts',
  params: {},
  query: '',
  headers: { 'content-type': 'application/json' },
  sent: JSON.stringify({ data: { type: 'account', name: 'Bakery' } }),
  status: 201,
  answerHeaders: { 'content-type': 'application/json; charset=utf-8' },
  answer: JSON.stringify({ data: { ...account, legal_name: 'Bakery', links } }),
  ...changed,
})

const answered = (data: object) =>
  JSON.stringify({ data: { ...account, legal_name: 'Bakery', links, ...data } })

test('an exchange that the document describes fits', () => {
  expect(fits.faults(created())).toEqual([])
})

test.each<[string, Partial<Exchange>, string]>([
  ['a status', { status: 202 }, 'status 202'],
  ['a member', { answer: answered({ secret: 1 }) }, '201 /data/secret is not documented'],
  [
    'a member inside another',
    { answer: answered({ meta: { ...meta, more: 1 } }) },
    '201 /data/meta/more is not documented',
  ],
  ['a header', { answerHeaders: { ...created().answerHeaders, 'x-more': '1' } }, '201 header x-more'],
  ['a type', { answerHeaders: { 'content-type': 'text/plain' } }, '201 type text/plain'],
  ['a value', { answer: answered({ name: 1 }) }, '201 /data/name must be string'],
  ['a parameter', { query: 'more=1' }, 'query more'],
  ['a header of the request', { headers: { ...created().headers, 'x-more': '1' } }, 'header x-more'],
  ['a body', { sent: '{"data":{"type":"account"}}' }, "body /data must have required property 'name'"],
  ['no body', { sent: '' }, 'body'],
])('%s that the document does not have is a fault', (_of, changed, what) => {
  expect(fits.faults(created(changed))?.map((fault) => fault.what)).toEqual([what])
})

test('the content of a refused request is not a fault', () => {
  const refused = {
    status: 400,
    answer: JSON.stringify({ errors: [{ title: 'Bad Request', status: '400' }] }),
  }
  expect(fits.faults(created({ sent: '{}', query: 'more=1', ...refused }))).toEqual([])
})

test('a DELETE of the one link of a relationship may have any body', () => {
  const removed: Partial<Exchange> = {
    method: 'DELETE',
    route: '/pcm/products/:product_id/relationships/main_image',
    params: { product_id: '00000000-0000-4000-8000-000000000000' },
    sent: '{"data":[]}',
    ...{ status: 204, answerHeaders: {}, answer: '' },
  }
  expect(fits.faults(created(removed))).toEqual([])
})

test('the requests of tests are checked', async () => {
  const { status } = await world.admin.get('/v2/accounts?more=1')
  expect(status).toBe(200)
  expect(takeFaults()).toMatchObject([{ operation: 'list-accounts', what: 'query more' }])
})
