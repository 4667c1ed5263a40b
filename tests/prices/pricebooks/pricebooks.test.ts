import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fresh, merchant } from '../../builders/prices/pricebooks.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const { newBook, newPrice, newModifier } = merchant(() => world.admin)
const send = (path: string, type: string, attributes: object) =>
  world.admin.post(path, { data: { type, attributes } })
const problem = ({
  status,
  body,
}: {
  status: number
  body: { errors?: { source?: string; detail?: string }[] }
}) => [status, body.errors?.[0]?.source]

test('a price is read as it was written, and lists show the same', async () => {
  const book = await newBook({ external_ref: 'erp-7' })
  const attributes = {
    sku: fresh('shirt'),
    currencies: {
      USD: { amount: 100, includes_tax: false, tiers: { min_5: { minimum_quantity: 5, amount: 50 } } },
      GBP: { amount: 73, includes_tax: true },
    },
    sales: {
      summer: {
        bundle_ids: ['a3cacaa9-b5bb-4096-bb6b-af41394ca850'],
        schedule: { valid_from: '2023-12-01T12:00:00Z', valid_to: '2023-12-02T12:00:00Z' },
        currencies: { USD: { amount: 90, includes_tax: false } },
      },
      always: { schedule: null, currencies: {} },
    },
    external_ref: 'p-1',
    admin_attributes: { cost: '42.0', none: null },
    shopper_attributes: { tier: 'gold' },
  }
  const price = await newPrice(book.id, attributes)
  const path = `/pcm/pricebooks/${book.id}/prices/${price.id}`
  const { body } = await world.admin.get(path)
  expect(body).toEqual({
    data: {
      type: 'product-price',
      id: price.id,
      attributes: { ...attributes, created_at: expect.any(String), updated_at: expect.any(String) },
      meta: { owner: 'store', pricebook_id: book.id },
    },
    links: { self: path },
  })
  for (const list of [`/pcm/pricebooks/${book.id}/prices`, '/pcm/pricebooks/prices']) {
    const page = await world.admin.get(`${list}?filter=eq(sku,${attributes.sku})`)
    expect([page.body.data, page.body.meta.results]).toEqual([[body.data], { total: 1 }])
  }
  const again = await world.admin.put(path, { data: body.data })
  expect([again.status, again.body.data.attributes.currencies]).toEqual([200, attributes.currencies])
})

test('an update replaces the members that it sends, and keeps the others', async () => {
  const { id } = await newBook()
  const currencies = { USD: { amount: 1, includes_tax: false }, GBP: { amount: 2, includes_tax: false } }
  const price = await newPrice(id, {
    currencies,
    external_ref: 'kept',
    shopper_attributes: { a: '1', b: '2' },
  })
  const path = `/pcm/pricebooks/${id}/prices/${price.id}`
  const put = async (attributes: object) => {
    const { status, body } = await world.admin.put(path, {
      data: { type: 'product-price', id: price.id, attributes },
    })
    expect([status, body.errors]).toEqual([200, undefined])
    return body.data.attributes
  }
  expect(await put({})).toMatchObject({ currencies, external_ref: 'kept' })
  const changed = await put({ currencies: { USD: { amount: 3 } }, shopper_attributes: { b: '3' } })
  expect(changed.currencies).toEqual({ USD: { amount: 3, includes_tax: false } })
  expect([changed.shopper_attributes, changed.external_ref]).toEqual([{ b: '3' }, 'kept'])
})

test('times of a sale without an offset are UTC, and valid_form is valid_from', async () => {
  const { id } = await newBook()
  const sale = (schedule: object) => ({ schedule, currencies: { USD: { amount: 1 } } })
  const { attributes } = await newPrice(id, {
    sales: {
      a: sale({ valid_form: '2031-05-01T10:00:00', valid_to: '2031-06-01' }),
      b: sale({ valid_from: '2031-05-01T10:00:00+02:00', valid_to: null }),
    },
  })
  expect(attributes.sales.a.schedule).toEqual({
    valid_from: '2031-05-01T10:00:00.000Z',
    valid_to: '2031-06-01T00:00:00.000Z',
  })
  expect(attributes.sales.b.schedule).toEqual({ valid_from: '2031-05-01T10:00:00+02:00', valid_to: null })
})

describe('a duplicate is a 409, in the words of the contract', () => {
  test('a name of a price book', async () => {
    const name = fresh('Retail')
    await newBook({ name })
    const { status, body } = await send('/pcm/pricebooks', 'pricebook', { name })
    expect([status, body.errors[0]]).toMatchObject([
      409,
      { title: 'conflict', status: '409', detail: 'The pricebook already exists' },
    ])
  })

  test('a SKU, and an external_ref, in one price book', async () => {
    const [{ id }, other] = [await newBook(), await newBook()]
    const { sku } = (await newPrice(id, { external_ref: 'e' })).attributes
    const currencies = { USD: { amount: 1 } }
    const again = await send(`/pcm/pricebooks/${id}/prices`, 'product-price', { sku, currencies })
    expect([again.status, again.body.errors[0].detail]).toEqual([409, 'The price already exists'])
    const ref = await send(`/pcm/pricebooks/${id}/prices`, 'product-price', {
      ...{ sku: fresh('sku'), currencies, external_ref: 'e' },
    })
    expect(problem(ref)).toEqual([409, 'data.attributes.external_ref'])
    await newPrice(other.id, { sku, external_ref: 'e' })
  })

  test('the name of a modifier, which is case-sensitive', async () => {
    const [{ id }, other] = [await newBook(), await newBook()]
    await newModifier(id, { name: 'Large' })
    await newModifier(id, { name: 'large' })
    await newModifier(other.id, { name: 'Large' })
    const { status, body } = await send(`/pcm/pricebooks/${id}/modifiers`, 'price-modifier', {
      ...{ name: 'Large', modifier_type: 'price_equals', currencies: { USD: { amount: 1 } } },
    })
    expect([status, body.errors[0].detail]).toEqual([409, 'The modifier already exists'])
  })

  test('of two concurrent requests with the same price, one gets the error', async () => {
    const { id } = await newBook()
    const attributes = { sku: fresh('raced'), currencies: { USD: { amount: 1 } } }
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => send(`/pcm/pricebooks/${id}/prices`, 'product-price', attributes)),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 7 }, () => 409)])
  })
})

describe('an invalid field is refused and named', () => {
  const usd = (tiers: object) => ({ USD: { amount: 1, tiers } })
  const tier = (minimum_quantity: number) => ({ minimum_quantity, amount: 1 })
  const july = { valid_from: '2026-07-01T00:00:00Z', valid_to: '2026-08-01T00:00:00Z' }
  const at = 'data.attributes.'

  test.each<[what: string, attributes: object, source: string]>([
    ['an unknown attribute', { saels: {} }, 'saels'],
    [
      'a schedule that is misspelled',
      { sales: { S: { schedule: { valid_until: null } } } },
      'sales.S.schedule.valid_until',
    ],
    ['an amount with a fraction', { currencies: { USD: { amount: 1.5 } } }, 'currencies.USD.amount'],
    ['an amount below zero', { currencies: { USD: { amount: -1 } } }, 'currencies.USD.amount'],
    ['an amount without bounds', { currencies: { USD: { amount: 1e15 } } }, 'currencies.USD.amount'],
    ['a currency without an amount', { currencies: { USD: {} } }, 'currencies.USD.amount'],
    ['no currency at all', { currencies: {} }, 'currencies'],
    ['a currency that is none', { currencies: { usd: { amount: 1 } } }, 'currencies'],
    [
      'a tier without a quantity',
      { currencies: usd({ t: { amount: 1 } }) },
      'currencies.USD.tiers.t.minimum_quantity',
    ],
    ['a tier of none', { currencies: usd({ t: tier(0) }) }, 'currencies.USD.tiers.t.minimum_quantity'],
    [
      'two tiers of one quantity',
      { currencies: usd({ a: tier(5), b: tier(5) }) },
      'currencies.USD.tiers.b.minimum_quantity',
    ],
    [
      'a tier that begins elsewhere in another currency',
      { currencies: { ...usd({ a: tier(5) }), GBP: { amount: 1, tiers: { a: tier(6) } } } },
      'currencies.GBP.tiers.a.minimum_quantity',
    ],
    [
      'tiers of a sale that are as wrong',
      { sales: { S: { currencies: usd({ a: tier(5), b: tier(5) }) } } },
      'sales.S.currencies.USD.tiers.b.minimum_quantity',
    ],
    ['two sales without a schedule', { sales: { A: {}, B: { schedule: null } } }, 'sales.B.schedule'],
    [
      'two sales with one schedule, however it is written',
      {
        sales: {
          A: { schedule: july },
          B: { schedule: { ...july, valid_from: '2026-07-01T02:00:00+02:00' } },
        },
      },
      'sales.B.schedule',
    ],
    [
      'a sale that ends as it begins',
      { sales: { S: { schedule: { ...july, valid_to: july.valid_from } } } },
      'sales.S.schedule.valid_to',
    ],
    [
      'a time that is none',
      { sales: { S: { schedule: { valid_to: 'tomorrow' } } } },
      'sales.S.schedule.valid_to',
    ],
    [
      'a second that no clock shows',
      { sales: { S: { schedule: { valid_to: '2016-12-31T23:59:60Z' } } } },
      'sales.S.schedule.valid_to',
    ],
    [
      'a sale that ends after the year 9999',
      { sales: { S: { schedule: { valid_to: '9999-12-31T23:59:59-01:00' } } } },
      'sales.S.schedule.valid_to',
    ],
    [
      'a sale that begins before the year 1',
      { sales: { S: { schedule: { valid_from: '0001-01-01T00:00:00+01:00' } } } },
      'sales.S.schedule.valid_from',
    ],
    ['a bundle that is no id', { sales: { S: { bundle_ids: ['b'] } } }, 'sales.S.bundle_ids.0'],
  ])('%s', async (_, attributes, source) => {
    const { id } = await newBook()
    const sent = { sku: fresh('sku'), currencies: { USD: { amount: 1 } }, ...attributes }
    const reply = await send(`/pcm/pricebooks/${id}/prices`, 'product-price', sent)
    expect(problem(reply)).toEqual([422, at + source])
    const price = await newPrice(id)
    const update = await world.admin.put(`/pcm/pricebooks/${id}/prices/${price.id}`, {
      data: { type: 'product-price', attributes },
    })
    expect(problem(update)).toEqual([422, at + source])
  })

  test('more than ten currencies', async () => {
    const { id } = await newBook()
    const codes = Array.from({ length: 11 }, (_, i) => `AA${String.fromCharCode(65 + i)}`)
    const currencies = Object.fromEntries(codes.map((code) => [code, { amount: 1 }]))
    const reply = await send(`/pcm/pricebooks/${id}/prices`, 'product-price', { sku: 's', currencies })
    expect(problem(reply)).toEqual([422, `${at}currencies`])
  })

  test('a modifier of another type, or with tiers that are wrong', async () => {
    const { id } = await newBook()
    const modifier = { name: 'M', modifier_type: 'price_equals', currencies: usd({ a: tier(5), b: tier(5) }) }
    const path = `/pcm/pricebooks/${id}/modifiers`
    expect(problem(await send(path, 'price-modifier', modifier))[1]).toMatch(/tiers.b.minimum_quantity$/)
    const other = await send(path, 'price-modifier', { ...modifier, modifier_type: 'price_doubles' })
    expect(problem(other)).toEqual([422, `${at}modifier_type`])
  })
})

describe('a price book', () => {
  test('is shown with its prices', async () => {
    const { id } = await newBook()
    const [first, second] = [await newPrice(id), await newPrice(id)]
    const { body } = await world.admin.get(`/pcm/pricebooks/${id}?include=prices`)
    expect(body.included.map((one: { id: string }) => one.id).sort()).toEqual([first.id, second.id].sort())
    expect(body.links).toEqual({ self: `/pcm/pricebooks/${id}` })
    const { included } = (await world.admin.get(`/pcm/pricebooks/${(await newBook()).id}?include=prices`))
      .body
    expect(included).toEqual([])
  })

  test('has another tag when its included prices change, and If-Match accepts both', async () => {
    const path = `/pcm/pricebooks/${(await newBook()).id}`
    const read = (tag: string) => world.admin.get(`${path}?include=prices`, { 'if-none-match': tag })
    const tag = (await read('')).headers.get('etag') ?? ''
    expect((await read(tag)).status).toBe(304)
    await newPrice(path.split('/').at(-1) ?? '')
    const changed = await read(tag)
    expect([changed.status, changed.body.included.length]).toEqual([200, 1])
    expect((await world.admin.delete(path, { 'if-match': tag })).status).toBe(204)
  })

  test('is deleted with its prices and its modifiers', async () => {
    const { id } = await newBook()
    const price = await newPrice(id)
    await newModifier(id)
    expect((await world.admin.delete(`/pcm/pricebooks/${id}`)).status).toBe(204)
    const all = await world.admin.get(`/pcm/pricebooks/prices?filter=eq(id,${price.id})`)
    expect(all.body.meta.results.total).toBe(0)
    expect((await world.admin.get(`/pcm/pricebooks/${id}/prices`)).status).toBe(404)
  })
})

describe('the prices of all price books', () => {
  test('can be filtered by SKU and by external_ref', async () => {
    const [one, other] = [await newBook(), await newBook()]
    const sku = fresh('everywhere')
    const ids = [
      (await newPrice(one.id, { sku, external_ref: `${sku}-x` })).id,
      (await newPrice(other.id, { sku, external_ref: `${sku}-y` })).id,
    ]
    const find = async (filter: string) => {
      const { status, body } = await world.admin.get(
        `/pcm/pricebooks/prices?filter=${encodeURIComponent(filter)}`,
      )
      expect([status, body.errors]).toEqual([200, undefined])
      return body.data.map((price: { id: string; meta: { pricebook_id: string } }) => [
        price.id,
        price.meta.pricebook_id,
      ])
    }
    const [x, y] = [
      [ids[0], one.id],
      [ids[1], other.id],
    ]
    expect(await find(`eq(sku,${sku})`)).toEqual([y, x])
    expect(await find(`like(sku,${sku.slice(0, -1)}*):eq(external_ref,${sku}-x)`)).toEqual([x])
    expect(await find(`like(external_ref,*${sku}-y)`)).toEqual([y])
    expect(await find(`in(id,${ids.join(',')})`)).toEqual([y, x])
    expect(await find(`in(external_ref,${sku}-x,${sku}-y)`)).toEqual([y, x])
  })

  test('can be filtered by nothing else', async () => {
    expect((await world.admin.get('/pcm/pricebooks/prices?filter=eq(name,x)')).status).toBe(400)
  })
})

describe('a copy', () => {
  test('has the prices and the modifiers, under ids of its own', async () => {
    const book = await newBook({ description: 'For all', external_ref: 'b-1' })
    const price = await newPrice(book.id, { external_ref: 'p-1' })
    const modifier = await newModifier(book.id)
    const { status, body } = await world.admin.post(`/pcm/pricebooks/${book.id}/replicate`)
    expect([status, body.errors]).toEqual([201, undefined])
    const { id, attributes } = body.data
    expect(attributes).toMatchObject({ name: `${book.attributes.name} (copy)`, description: 'For all' })
    expect(attributes.external_ref).toBeUndefined()
    const listed = async (of: string, what: string) =>
      (await world.admin.get(`/pcm/pricebooks/${of}/${what}`)).body
    const prices = await listed(id, 'prices')
    expect(prices.meta.results.total).toBe(1)
    const { created_at: _, updated_at: __, ...shownAttributes } = price.attributes
    expect(prices.data[0]).toMatchObject({ attributes: shownAttributes, meta: { pricebook_id: id } })
    expect(prices.data[0].id).not.toBe(price.id)
    const modifiers = await listed(id, 'modifiers')
    expect(modifiers.data[0].attributes.name).toBe(modifier.attributes.name)
    expect((await listed(book.id, 'prices')).data[0].id).toBe(price.id)
    // It is a price like any other.
    const path = `/pcm/pricebooks/${id}/prices/${prices.data[0].id}`
    expect((await world.admin.delete(path)).status).toBe(204)
  })

  test('has the name and description of the request', async () => {
    const book = await newBook({ description: 'Old' })
    const attributes = { name: fresh('Copied'), description: null, external_ref: 'new' }
    const path = `/pcm/pricebooks/${book.id}/replicate`
    const { status, body } = await send(path, 'pricebook', attributes)
    expect([status, body.data.attributes]).toMatchObject([201, attributes])
    const again = await send(path, 'pricebook', attributes)
    expect([again.status, again.body.errors[0].detail]).toEqual([409, 'The pricebook already exists'])
  })

  test('of a book with the longest name has a name', async () => {
    const book = await newBook({ name: `${fresh('x')}${'é'.repeat(490)}` })
    const { status, body } = await world.admin.post(`/pcm/pricebooks/${book.id}/replicate`)
    expect([status, body.data.attributes.name.length <= 500]).toEqual([201, true])
    expect((await world.admin.post('/pcm/pricebooks/x/replicate')).status).toBe(404)
  })

  test('that races the deletion of the book is complete or does not exist', async () => {
    const book = await newBook()
    for (let i = 0; i < 5; i++) await newPrice(book.id)
    const path = `/pcm/pricebooks/${book.id}`
    const copy = () => send(`${path}/replicate`, 'pricebook', { name: fresh('Race') })
    const [first, deleted, ...others] = await Promise.all([copy(), world.admin.delete(path), copy(), copy()])
    expect(deleted.status).toBe(204)
    for (const { status, body } of [first, ...others]) {
      expect([201, 404]).toContain(status)
      if (status === 404) continue
      const prices = await world.admin.get(`/pcm/pricebooks/${body.data.id}/prices`)
      expect(prices.body.meta.results.total).toBe(5)
    }
  })
})
