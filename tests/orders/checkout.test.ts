import { afterAll, beforeAll, expect, test } from 'vitest'
import { address, filledCart, guest, guestBody, openShop, order, wrap } from '../builders/orders/buying.ts'
import { password } from '../builders/people/accounts.ts'
import { customer, customers } from '../builders/people/customers.ts'
import { person, profile, signedIn } from '../builders/people/members.ts'
import type { Any } from '../support/requests.ts'
import { until } from '../support/until.ts'
import { openWorld, type World } from '../support/world.ts'

let world: World
let ids: Readonly<Record<string, string>>
beforeAll(async () => {
  world = await openWorld()
  ids = await openShop(world, { MUG: 1200, CUP: 300 })
})
afterAll(() => world.close())

const stock = (id: string, quantity: number) =>
  world.admin.post(`/v2/inventories/${id}`, { data: { type: 'stock', quantity } })
const checkout = (cart: string, body: object = guestBody(), headers?: Any, client = world.shopper) =>
  client.post(`${cart}/checkout`, body, headers)
const mug = (quantity = 1) => ({ type: 'cart_item', sku: 'MUG', quantity })

test('a seller orders for a guest, and the order keeps items and totals of the cart', async () => {
  const cart = await filledCart(world.shopper, mug(2), wrap({ quantity: 3 }))
  const { body: before } = await world.shopper.get(`${cart}?include=items`)
  const references = guestBody({ order_number: 'R-1', external_ref: 'erp-1' })
  const { status, body } = await checkout(cart, references, {}, world.admin)
  expect(status).toBe(201)
  const { data, included } = body
  expect(data).toMatchObject({
    type: 'order',
    ...{ status: 'incomplete', payment: 'unpaid', shipping: 'unfulfilled', anonymized: false },
    ...{ order_number: 'R-1', external_ref: 'erp-1', customer: guest },
    billing_address: address,
    shipping_address: address,
    links: {},
  })
  const { balance_owing, paid, authorized, ...totals } = data.meta.display_price
  expect(totals).toEqual(before.data.meta.display_price)
  expect([balance_owing.amount, paid.amount, authorized.amount]).toEqual([5400, 0, 0])
  expect(data.meta.timestamps).toEqual({
    created_at: expect.stringMatching(/^.{19}Z$/),
    updated_at: expect.stringMatching(/^.{19}Z$/),
  })
  const items = before.included.items
  expect(included.items).toMatchObject([
    {
      type: 'order_item',
      product_id: ids.MUG,
      quantity: 2,
      relationships: { cart_item: { data: { id: items[0].id } } },
    },
    {
      type: 'custom_item',
      sku: 'WRAP',
      quantity: 3,
      relationships: { cart_item: { data: { id: items[1].id } } },
    },
  ])
  for (const [i, item] of included.items.entries()) {
    expect(item.id).not.toBe(items[i].id)
    expect(item.meta.display_price).toEqual(items[i].meta.display_price)
  }
  expect(data.relationships.items.data).toEqual(included.items.map(({ id }: Any) => ({ type: 'item', id })))
  const { body: after } = await world.shopper.get(`${cart}?include=items`)
  expect(after.included.items).toEqual(items)
})

test('the same request for the same cart gets the same order, another one is refused', async () => {
  const cart = await filledCart(world.shopper, mug())
  const first = await checkout(cart)
  const again = await checkout(cart)
  expect([again.status, again.body.data.id]).toEqual([201, first.body.data.id])
  const otherBody = guestBody({ customer: { ...guest, name: 'Ben' } })
  const other = await checkout(cart, otherBody)
  expect(other.status).toBe(409)
  expect(other.body.errors[0].meta).toEqual({ order_id: first.body.data.id })
  await world.shopper.post(`${cart}/items`, { data: wrap() })
  const second = await checkout(cart, otherBody)
  expect(second.status).toBe(201)
  expect(second.body.data.id).not.toBe(first.body.data.id)
})

test('one version of a cart makes one order, however many requests arrive at once', async () => {
  const cart = await filledCart(world.shopper, mug())
  const replies = await Promise.all(Array.from({ length: 20 }, () => checkout(cart)))
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]))
  expect(new Set(replies.map(({ body }) => body.data.id)).size).toBe(1)
})

test.each([
  ['no address', { customer: guest }, 400, 'data.billing_address'],
  [
    'no street',
    { customer: guest, billing_address: { ...address, line_1: ' ' } },
    400,
    'data.billing_address.line_1',
  ],
  [
    'neither region nor county',
    { customer: guest, billing_address: { ...address, county: '' } },
    400,
    'data.billing_address.region',
  ],
  ['no buyer', { billing_address: address }, 400, 'data.customer'],
  ['no email address', { billing_address: address, customer: { name: 'Ada' } }, 400, 'data.customer.email'],
  [
    'a wrong email address',
    { billing_address: address, customer: { name: 'Ada', email: 'ada' } },
    400,
    'data.customer.email',
  ],
  ['no name', { billing_address: address, customer: { email: guest.email } }, 400, 'data.customer.name'],
  [
    'an unknown customer',
    { billing_address: address, customer: { id: crypto.randomUUID() } },
    404,
    'data.customer.id',
  ],
  [
    'an account without its token',
    { billing_address: address, account: { id: 'x' }, contact: guest },
    403,
    'data.account',
  ],
] as const)('a checkout with %s is refused', async (_, data, expected, source) => {
  const cart = await filledCart(world.shopper)
  const { status, body } = await checkout(cart, { data })
  expect([status, body.errors[0].source]).toEqual([expected, source])
  expect((await checkout(cart)).status).toBe(201)
})

test('an empty cart, a preview and another currency are refused', async () => {
  expect(await checkout('/v2/carts/never-written')).toMatchObject({
    status: 400,
    body: { errors: [{ title: 'Empty cart' }] },
  })
  const cart = await filledCart(world.shopper)
  const headers = { 'x-moltin-currency': 'EUR' }
  expect(await checkout(cart, guestBody(), headers)).toMatchObject({
    status: 400,
    body: { errors: [{ title: 'Cart Currency Mismatch' }] },
  })
  await world.admin.put(cart, { data: { snapshot_date: '2099-01-01T00:00:00Z' } })
  expect(await checkout(cart)).toMatchObject({ status: 400, body: { errors: [{ title: 'Snapshot cart' }] } })
})

test('stock is checked again, and not reserved', async () => {
  const { CUP = '' } = ids
  const cart = await filledCart(world.shopper, { type: 'cart_item', sku: 'CUP', quantity: 3 })
  await stock(CUP, 2)
  const refused = await checkout(cart)
  expect([refused.status, refused.body.errors[0]]).toMatchObject([
    400,
    { title: 'Insufficient stock', meta: { id: CUP, sku: 'CUP' } },
  ])
  await world.shopper.put(`${cart}/items`, {
    data: [{ id: (await world.shopper.get(`${cart}/items`)).body.data[0].id, quantity: 2 }],
  })
  expect((await checkout(cart)).status).toBe(201)
  const { body } = await world.admin.get(`/v2/inventories/${CUP}`)
  expect(body.data).toMatchObject({ available: 2, allocated: 0 })
})

test('customers and account members order for themselves, and see their own orders', async () => {
  const email = 'ada-customer@example.com'
  await world.admin.post(customers, customer({ name: 'Ada', email, password }))
  const { body } = await world.shopper.post('/v2/customers/tokens', {
    data: { type: 'token', email, password },
  })
  const asCustomer = { 'x-moltin-customer-token': body.data.token }
  const asMember = await signedIn(world, await person(world, await profile(world.admin)))
  const of = { billing_address: address }

  const customerBody = { data: { ...of, customer: { email } } }
  const first = await checkout(await filledCart(world.shopper), customerBody, asCustomer)
  expect(first.body.data.customer).toEqual({ name: 'Ada', email })
  const contact = { name: 'Ben', email: 'ben@example.com' }
  const second = await checkout(await filledCart(world.shopper), { data: { ...of, contact } }, asMember)
  expect(second.body.data).toMatchObject({ contact, relationships: { account: {}, account_member: {} } })
  const withoutContact = await checkout(await filledCart(world.shopper), { data: of }, asMember)
  expect(withoutContact.body.errors[0].source).toBe('data.contact.name')

  for (const [headers, reply] of [
    [asCustomer, first],
    [asMember, second],
  ] as const) {
    const list = await world.shopper.get('/v2/orders', headers)
    expect(list.body.data.map(({ id }: Any) => id)).toEqual([reply.body.data.id])
    const own = `/v2/orders/${reply.body.data.id}`
    expect((await world.shopper.get(own, headers)).status).toBe(200)
    expect((await world.shopper.get(`${own}/items`, headers)).body.data).toHaveLength(1)
    const others = headers === asCustomer ? asMember : asCustomer
    expect((await world.shopper.get(own, others)).status).toBe(404)
    expect((await world.shopper.get(`${own}/items`, others)).status).toBe(404)
    expect((await world.shopper.get(own)).status).toBe(403)
  }
})

test('a shipping group belongs to the order from its checkout on', async () => {
  const cart = await filledCart(world.shopper)
  const group = await world.shopper.post(`${cart}/shipping-groups`, {
    data: { type: 'shipping_group', shipping_price: { base: 700 } },
  })
  const { body: items } = await world.shopper.get(`${cart}/items`)
  await world.shopper.put(`${cart}/items/${items.data[0].id}`, {
    data: { quantity: 1, shipping_group_id: group.body.data.id },
  })
  const { body } = await checkout(cart)
  expect(body.data.meta.display_price).toMatchObject({
    with_tax: { amount: 1700 },
    shipping: { amount: 700 },
  })
  expect(body.included.items[0].shipping_group_id).toBe(group.body.data.id)
  expect((await world.shopper.get(`${cart}/shipping-groups`)).body.data).toEqual([])
  expect((await world.shopper.get(cart)).body.data.meta.display_price.with_tax.amount).toBe(1000)
  const again = await checkout(cart)
  expect(again.body.data.id).toBe(body.data.id)

  const groups = `/v2/orders/${body.data.id}/shipping-groups`
  const { body: list } = await world.admin.get(groups)
  expect(list.data).toMatchObject([
    {
      ...{ id: group.body.data.id, relation: 'order', order_id: body.data.id },
      meta: { shipping_display_price: { total: { amount: 700 } } },
    },
  ])
  const own = `${groups}/${group.body.data.id}`
  const put = (data: object) => world.admin.put(own, { data: { type: 'shipping_group', ...data } })
  const changed = await put({ tracking_reference: 'T-1', address: { line_1: '1 High Street' } })
  expect([changed.status, changed.body.data]).toMatchObject([200, { tracking_reference: 'T-1' }])
  expect((await world.admin.get(own)).body).toEqual(changed.body)
  const backwards = await put({ delivery_estimate: { start: '2031-02-02', end: '2031-02-01' } })
  expect([backwards.status, backwards.body.errors[0].title]).toEqual([400, 'Date Logic Discrepancy'])
  const added = await world.admin.post(groups, {
    data: { type: 'shipping_group', shipping_type: 'second parcel' },
  })
  expect([added.status, added.body.data.shipping_price.total.amount]).toEqual([201, 0])
  // Each group has the totals of the order.
  const after = await world.admin.get(`/v2/orders/${body.data.id}`)
  const { display_price } = after.body.data.meta
  expect(display_price.with_tax.amount).toBe(1700)
  const both = (await world.admin.get(groups)).body.data
  expect(both.map((one: Any) => one.meta.total_display_price)).toEqual([display_price, display_price])
  expect((await world.admin.get(`${groups}/${crypto.randomUUID()}`)).body.errors[0].title).toBe(
    'Group not found',
  )
})

test('sellers cancel an order, and correct its address until it is fulfilled', async () => {
  const { id } = await order(world.shopper)
  const put = (data: object) => world.admin.put(`/v2/orders/${id}`, { data: { type: 'order', ...data } })
  const moved = await put({ shipping_address: { line_1: '1 High Street' } })
  expect(moved.body.data.shipping_address).toEqual({ ...address, line_1: '1 High Street' })
  expect(await put({ shipping: 'fulfilled' })).toMatchObject({
    status: 422,
    body: { errors: [{ source: 'data.shipping' }] },
  })
  expect(await put({ status: 'complete' })).toMatchObject({
    status: 422,
    body: { errors: [{ source: 'data.status' }] },
  })
  expect((await put({ status: 'cancelled', external_ref: 'x' })).body.data).toMatchObject({
    status: 'cancelled',
    external_ref: 'x',
  })
  expect((await put({ status: 'cancelled', external_ref: '' })).body.data.external_ref).toBeUndefined()
  expect((await put({ payment: 'paid' })).body.data.payment).toBe('unpaid')
})

test('the list is filtered, sorted and walked', async () => {
  const [one, two] = [
    await order(world.shopper, mug()),
    await order(world.shopper, wrap({ price: { amount: 77_777 } })),
  ]
  const found = async (query: string) => {
    const { status, body } = await world.admin.get(`/v2/orders?${query}`)
    expect([query, status, body.errors]).toEqual([query, 200, undefined])
    return body.data.map(({ id }: Any) => id)
  }
  expect(await found('filter=eq(with_tax,77777)')).toEqual([two.id])
  expect(await found('filter=gt(with_tax,77776)')).toEqual([two.id])
  expect(await found('filter=ge(with_tax,77776.5)')).toEqual([two.id])
  expect(await found('filter=gt(with_tax,77777)')).toEqual([])
  expect(await found('filter=eq(with_tax,77777.5)')).toEqual([])
  expect(await found('filter=eq(with_tax,77777.5)&sort=created_at')).toEqual([])
  expect(await found('filter=in(with_tax,77777.5,77777)&sort=created_at')).toEqual([two.id])
  expect(await found('filter=like(email,*a@example.com):eq(with_tax,77777)')).toEqual([two.id])
  expect(await found('filter=gt(with_tax,1e300)')).toEqual([])
  expect(await found('filter=le(without_tax,-1e300)')).toEqual([])
  expect(await found('filter=le(with_tax,1e300):gt(with_tax,77776)')).toEqual([two.id])
  expect(await found(`filter=eq(product_id,${ids.MUG})`)).toContain(one.id)
  expect(await found('filter=eq(product_sku,WRAP)')).toContain(two.id)
  expect(await found('filter=like(email,ada@*)')).toContain(two.id)
  expect(await found('filter=eq(shipping_postcode,CB7 4AA)')).toContain(two.id)
  expect(await found('filter=eq(currency,EUR)')).toEqual([])
  expect(await found('filter=eq(status,incomplete):gt(with_tax,77776)')).toEqual([two.id])
  expect((await found('sort=-with_tax'))[0]).toBe(two.id)
  const beyond = await world.admin.get('/v2/orders?page[offset]=10001')
  expect(beyond.status).toBe(400)
  const included = await world.admin.get(
    '/v2/orders?include=items&include=promotions&filter=eq(with_tax,77777)',
  )
  expect(included.body.included).toMatchObject({ items: [{ sku: 'WRAP' }], promotions: [] })
})

test('orders are anonymized once nobody needs the address, all of them or none', async () => {
  const [one, two] = [await order(world.shopper), await order(world.shopper)]
  const cancel = (id: string) =>
    world.admin.put(`/v2/orders/${id}`, { data: { type: 'order', status: 'cancelled' } })
  const anonymize = (...order_ids: string[]) =>
    world.admin.post('/v2/orders/anonymize', { data: { order_ids } })
  await cancel(one.id)
  const refused = await anonymize(one.id, two.id, 'unknown')
  expect(refused.status).toBe(422)
  expect(refused.body.errors.map(({ status, meta }: Any) => [status, meta.order_id])).toEqual([
    ['422', two.id],
    ['404', 'unknown'],
  ])
  expect((await world.admin.get(`/v2/orders/${one.id}`)).body.data.anonymized).toBe(false)
  await cancel(two.id)
  const done = await anonymize(one.id, two.id)
  expect(done.status).toBe(200)
  for (const { anonymized, customer, billing_address, shipping_address } of done.body.data) {
    const marks = { ...Object.fromEntries(Object.keys(address).map((name) => [name, '**'])), region: '' }
    expect([anonymized, customer]).toEqual([true, { name: '**', email: '**' }])
    expect([billing_address, shipping_address]).toEqual([marks, marks])
  }
  const { rows } = await world.feed(`SELECT doc::text FROM changes WHERE id = ANY('{${one.id},${two.id}}')`)
  expect(rows.length).toBeGreaterThan(0)
  expect(rows.filter(({ doc }) => doc?.includes('Ada'))).toEqual([])
})

test('an erasure removes a customer from their orders, which stay', async () => {
  const email = 'ben-customer@example.com'
  const created = await world.admin.post(customers, customer({ name: 'Ben Marsh', email, password }))
  const { id } = created.body.data
  const body = { data: { customer: { id }, billing_address: { ...address, first_name: 'Ben' } } }
  const placed = await checkout(await filledCart(world.shopper), body)
  const request = await world.admin.post('/v2/personal-data/erasure-requests', {
    data: { type: 'erasure_request', resource_type: 'customer', resource_id: id },
  })
  expect([request.status, request.body.errors]).toEqual([201, undefined])
  await until(async () => {
    const { body } = await world.admin.get(`/v2/orders/${placed.body.data.id}`)
    return body.data.anonymized || undefined
  })
  const { body: after } = await world.admin.get(`/v2/orders/${placed.body.data.id}`)
  expect(JSON.stringify(after)).not.toContain('Ben')
  expect((await world.admin.get(`${customers}/${id}`)).status).toBe(404)
})

test('a dry run answers with the order that a checkout would make, and changes nothing', async () => {
  const cart = await filledCart(world.shopper, mug(2))
  const before = await world.shopper.get(cart)
  const dryRun = { prefer: 'dry-run' }
  const dry = await checkout(cart, guestBody(), dryRun)
  expect([dry.status, dry.headers.get('preference-applied')]).toEqual([201, 'dry-run'])
  expect(dry.body.data.meta.display_price.with_tax.amount).toBe(2400)
  expect((await world.admin.get(`/v2/orders/${dry.body.data.id}`)).status).toBe(404)
  expect((await world.shopper.get(cart)).body).toEqual(before.body)
  const { rows } = await world.feed('SELECT 1 FROM changes WHERE id = $1', [dry.body.data.id])
  expect(rows).toEqual([])
  expect((await checkout(cart, { data: { customer: guest } }, dryRun)).status).toBe(400)
  const keyed = await checkout(cart, guestBody(), { ...dryRun, 'idempotency-key': 'k' })
  expect([keyed.status, keyed.body.errors[0].source]).toEqual([400, 'Idempotency-Key'])
  const real = await checkout(cart)
  expect([real.status, real.headers.get('preference-applied')]).toEqual([201, null])
})
