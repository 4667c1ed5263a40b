import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type Reply, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

// biome-ignore lint/suspicious/noTemplateCurlyInString: the sign, and the place.
const dollars = '${price}'
const path = '/v2/currencies'
const body = (fields: object) => ({ data: { type: 'currency', ...fields } })
const euro = {
  code: 'EUR',
  exchange_rate: 1.1,
  format: '€{price}',
  decimal_point: '.',
  thousand_separator: ',',
  decimal_places: 2,
  default: false,
  enabled: true,
}
const create = async (fields: object) => {
  const { status, body: answer } = await world.admin.post(path, body({ ...euro, ...fields }))
  expect(status, JSON.stringify(answer)).toBe(201)
  return answer.data.id as string
}
const put = (id: string, fields: object) => world.admin.put(`${path}/${id}`, body(fields))
const problem = ({ status, body: answer }: Reply) => [
  status,
  answer.errors[0].source,
  answer.errors[0].detail,
]

interface ShownCurrency {
  readonly id: string
  readonly code: string
  readonly default: boolean
}
const all = async (client = world.admin) => (await client.get(path)).body.data as ShownCurrency[]
const defaults = async () => (await all()).filter((one) => one.default).map(({ code }) => code)
const idOf = async (code: string) => (await all()).find((one) => one.code === code)?.id as string

test('every store begins with the US dollar, which anonymous shoppers may read', async () => {
  for (const client of [world.admin, world.shopper, world.other]) {
    const [first, ...rest] = await all(client)
    const { id } = first as ShownCurrency
    const { status, body: one } = await client.get(`${path}/${id}`)
    expect([status, rest]).toEqual([200, []])
    expect(one.data).toEqual({
      type: 'currency',
      id,
      code: 'USD',
      exchange_rate: 1,
      format: dollars,
      decimal_point: '.',
      thousand_separator: ',',
      decimal_places: 2,
      default: true,
      enabled: true,
      meta: { timestamps: expect.anything(), owner: 'store' },
      links: { self: `/currencies/${id}` },
    })
  }
  expect((await world.shopper.post(path, body(euro))).status).toBe(403)
})

test('the oldest currency comes first, and a code is stored in capitals', async () => {
  await create({ code: 'eur' })
  await create({ code: 'YEN', format: '¥{price}', decimal_places: 0, decimal_point: '' })
  expect((await all()).map(({ code }) => code)).toEqual(['USD', 'EUR', 'YEN'])
  expect(problem(await world.admin.post(path, body(euro)))).toEqual([
    400,
    'data.code',
    'The specified currency code already exists',
  ])
  expect(problem(await put(await idOf('YEN'), { code: 'eur' }))[1]).toBe('data.code')
})

test('an empty update is accepted', async () => {
  const id = await idOf('EUR')
  const { status, body: answer } = await put(id, {})
  expect([status, answer.data]).toMatchObject([200, euro])
})

test('a currency that becomes the default takes it from the other', async () => {
  const [usd, eur] = [await idOf('USD'), await idOf('EUR')]
  const before = (await world.admin.get(`${path}/${usd}`)).headers.get('etag')
  expect((await put(eur, { default: true })).body.data.default).toBe(true)
  expect(await defaults()).toEqual(['EUR'])
  expect((await world.admin.get(`${path}/${usd}`)).headers.get('etag')).not.toBe(before)
  await create({ code: 'GBP', default: true })
  expect(await defaults()).toEqual(['GBP'])
  expect((await put(usd, { default: true, enabled: true })).status).toBe(200)
  expect((await put(usd, { default: true })).status).toBe(200)
  expect(await defaults()).toEqual(['USD'])
})

test('the default currency cannot be unset, disabled or deleted', async () => {
  const id = await idOf('USD')
  expect(problem(await put(id, { default: false })).slice(0, 2)).toEqual([422, 'data.default'])
  expect(problem(await put(id, { enabled: false })).slice(0, 2)).toEqual([422, 'data.enabled'])
  expect(problem(await world.admin.delete(`${path}/${id}`))).toEqual([
    400,
    undefined,
    'The default currency cannot be deleted.',
  ])
  const disabled = await create({ code: 'CHF', enabled: false })
  expect(problem(await put(disabled, { default: true })).slice(0, 2)).toEqual([422, 'data.enabled'])
  const born = await world.admin.post(path, body({ ...euro, code: 'CAD', default: true, enabled: false }))
  expect(problem(born).slice(0, 2)).toEqual([422, 'data.enabled'])
  expect(await defaults()).toEqual(['USD'])
  expect((await world.admin.delete(`${path}/${disabled}`)).status).toBe(204)
})

test('of several currencies that become the default at the same time, one stays the default', async () => {
  const ids = await Promise.all(['USD', 'EUR', 'GBP', 'YEN'].map(idOf))
  for (let round = 0; round < 5; round++) {
    const replies = await Promise.all([
      ...ids.map((id) => put(id, { default: true })),
      ...ids.map((id) => put(id, { exchange_rate: round })),
    ])
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200))
    expect(await defaults()).toHaveLength(1)
  }
})

test('a currency cannot be deleted while it becomes the default', async () => {
  const usd = await idOf('USD')
  for (let round = 0; round < 8; round++) {
    await put(usd, { default: true })
    const id = await create({ code: `TS${'ABCDEFGH'[round]}` })
    const [deleted, changed] = await Promise.all([
      world.admin.delete(`${path}/${id}`),
      put(id, { default: true }),
    ])
    expect([
      [204, 404],
      [400, 200],
    ]).toContainEqual([deleted.status, changed.status])
    expect(await defaults()).toHaveLength(1)
    await put(usd, { default: true })
    await world.admin.delete(`${path}/${id}`)
  }
})

test('a format needs a place for the amount, and the amount a digit before its fraction', async () => {
  const post = (fields: object) => world.admin.post(path, body({ ...euro, code: 'SEK', ...fields }))
  expect(problem(await post({ format: 'kr' })).slice(0, 2)).toEqual([400, 'data.format'])
  expect(problem(await post({ decimal_point: '' })).slice(0, 2)).toEqual([422, 'data.decimal_point'])
  const yen = await idOf('YEN')
  expect(problem(await put(yen, { decimal_places: 2 })).slice(0, 2)).toEqual([422, 'data.decimal_point'])
  expect((await put(yen, { decimal_places: 2, decimal_point: ',' })).status).toBe(200)
})

test('a store has at most ten currencies', async () => {
  const codes = [...'ABCDEFGHIJ'].map((letter) => `AA${letter}`)
  const replies = await Promise.all(codes.map((code) => world.admin.post(path, body({ ...euro, code }))))
  const refused = replies.filter(({ status }) => status !== 201)
  expect(await all()).toHaveLength(10)
  expect(new Set(refused.map((one) => problem(one)[2]))).toEqual(
    new Set(['You have reached the maximum allowed currency limit of 10']),
  )
})
