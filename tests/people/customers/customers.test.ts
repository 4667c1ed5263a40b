import { verify } from '@node-rs/argon2'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { address, password } from '../../builders/people/accounts.ts'
import { customer, customers } from '../../builders/people/customers.ts'
import { body, idOf, statuses, times } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const hashOf = async (id: string): Promise<string | undefined> =>
  (await world.sql('SELECT hidden FROM customers WHERE id = $1', [id])).rows[0].hidden?.password_hash

test('a customer can do without a password', async () => {
  const sent = customer({ name: 'Ada Marsh', email: 'Ada.Marsh@example.com' })
  const { status, body: answer, headers } = await world.admin.post(customers, sent)
  expect(status).toBe(201)
  const { id, meta } = answer.data
  expect(answer).toEqual({
    data: {
      type: 'customer',
      id,
      name: 'Ada Marsh',
      email: 'Ada.Marsh@example.com',
      password: false,
      external_ref: null,
      meta: {
        timestamps: { created_at: meta.timestamps.created_at, updated_at: meta.timestamps.updated_at },
      },
    },
  })
  expect(headers.get('etag')).toMatch(/^W\//)
  expect(await hashOf(id)).toBeUndefined()
})

test('a password is stored as a hash, shown as true, and repeated nowhere', async () => {
  const created = await world.admin.post(customers, customer({ password: 'first password' }))
  const { id, email } = created.body.data
  const path = `${customers}/${id}`
  const first = await hashOf(id)
  expect(first).toMatch(/^\$argon2id\$/)
  expect(await verify(first as string, 'first password')).toBe(true)

  const renamed = await world.admin.put(path, body('customer', { name: 'Ada Byron' }))
  expect(renamed.body.data).toMatchObject({ name: 'Ada Byron', email, password: true })
  expect(await hashOf(id)).toBe(first)
  const changed = await world.admin.put(path, body('customer', { password: 'second password' }))
  expect(await verify((await hashOf(id)) as string, 'second password')).toBe(true)

  const shown = await Promise.all([
    world.admin.get(path),
    world.admin.get(`${customers}?filter=eq(email,${email})`),
  ])
  expect(shown[1].body.data).toEqual([shown[0].body.data])
  for (const reply of [created, renamed, changed, shown[0]]) expect(reply.body.data.password).toBe(true)
  const { rows } = await world.feed('SELECT doc::text FROM changes WHERE id = $1', [id])
  expect(rows.length).toBe(3)
  const replies = [created, renamed, changed, ...shown].map((reply) => reply.body)
  expect(JSON.stringify([replies, rows])).not.toMatch(/argon2|first password|second password/)
})

test.each([
  ['has a password', { password }, true],
  ['has none', {}, false],
])('a response that is sent back changes nothing: the customer %s', async (_name, fields, has) => {
  const { body: answer } = await world.admin.post(customers, customer(fields))
  const before = await hashOf(answer.data.id)
  for (const sent of [answer, { data: { ...answer.data, password: !has } }]) {
    const { status, body: again } = await world.admin.put(`${customers}/${answer.data.id}`, sent)
    expect([status, again.data.password]).toEqual([200, has])
    expect(await hashOf(answer.data.id)).toBe(before)
  }
  const copy = { data: { ...answer.data, email: `copy-${answer.data.email}` } }
  expect((await world.admin.post(customers, copy)).body.data.password).toBe(false)
})

test.each([
  ['name', undefined],
  ['name', ''],
  ['name', 'x'.repeat(513)],
  ['name', null],
  ['email', undefined],
  ['email', 'nobody'],
  ['email', `${'x'.repeat(309)}@example.com`],
  ['password', ''],
  ['password', 'p'.repeat(1025)],
  ['password', 12345678],
  ['password', null],
  ['password', ['a password in a list']],
  ['external_ref', 'x'.repeat(2049)],
  ['external_ref', 7],
])('a customer with %s %j is refused, and the field is named', async (field, value) => {
  const { status, body: answer } = await world.admin.post(customers, customer({ [field]: value }))
  expect(status, JSON.stringify(answer)).toBe(400)
  expect(answer.errors[0]).toMatchObject({ source: `data.${field}`, code: 'invalid_field' })
  if (field === 'password' && value)
    expect(JSON.stringify(answer)).not.toContain(JSON.stringify(value).slice(1, 8))
})

test('values of the maximum length are stored', async () => {
  const longest = {
    name: '😀'.repeat(512),
    email: `${'x'.repeat(63)}@${'y'.repeat(60)}.example.com`,
    external_ref: 'ü'.repeat(2048),
    password: 'ß'.repeat(1024),
  }
  const { status, body: answer } = await world.admin.post(customers, customer(longest))
  expect(status, JSON.stringify(answer)).toBe(201)
  expect(answer.data).toMatchObject({ ...longest, password: true })
  const list = await world.admin.get(
    `${customers}?filter=eq(external_ref,${longest.external_ref.slice(0, 500)})`,
  )
  expect(list.body.meta.results.total).toBe(0)
})

test('an email address belongs to one customer, in any case, also under concurrent writes', async () => {
  const replies = times(8, (i) =>
    world.admin.post(customers, customer({ email: i % 2 ? 'One@Example.com' : 'one@example.com' })),
  )
  expect(await statuses(replies)).toEqual({ 201: 1, 409: 7 })
  const { body: refused } = await world.admin.post(customers, customer({ email: 'ONE@example.com' }))
  expect(refused.errors[0]).toMatchObject({ status: '409', source: 'data.email' })
  expect((await world.other.post(customers, customer({ email: 'one@example.com' }))).status).toBe(201)

  const [a, b] = [
    await idOf(world.admin.post(customers, customer())),
    await idOf(world.admin.post(customers, customer())),
  ]
  const sent = body('customer', { email: 'wanted@example.com' })
  expect(await statuses([a, b].map((id) => world.admin.put(`${customers}/${id}`, sent)))).toEqual({
    200: 1,
    409: 1,
  })
})

test('a customer can change the case of their address, and a deleted customer’s address can be used again', async () => {
  const id = await idOf(world.admin.post(customers, customer({ email: 'case@example.com' })))
  const path = `${customers}/${id}`
  expect((await world.admin.put(path, body('customer', { email: 'Case@Example.com' }))).status).toBe(200)
  expect((await world.admin.delete(path)).status).toBe(204)
  expect((await world.admin.get(path)).status).toBe(404)
  expect((await world.admin.post(customers, customer({ email: 'case@example.com' }))).status).toBe(201)
})

test('concurrent writes of one customer are all stored', async () => {
  const path = `${customers}/${await idOf(world.admin.post(customers, customer()))}`
  const changes = [{ name: 'New name' }, { password }, { external_ref: 'crm-7' }]
  expect(await statuses(changes.map((fields) => world.admin.put(path, body('customer', fields))))).toEqual({
    200: 3,
  })
  expect((await world.admin.get(path)).body.data).toMatchObject({
    name: 'New name',
    password: true,
    external_ref: 'crm-7',
  })
})

test('customers can be filtered', async () => {
  const add = (name: string, email: string, external_ref: string | null = null) =>
    idOf(world.admin.post(customers, customer({ name, email, external_ref })))
  const grace = await add('Grace Swan', 'Grace@Navy.example', 'crm/1')
  const poole = await add('grace poole', 'poole@hall.example', `${'r'.repeat(200)}1`)
  const { meta } = (await world.admin.get(`${customers}/${grace}`)).body.data
  const cases: [filter: string, names: string[]][] = [
    ['eq(name,"Grace Swan")', ['Grace Swan']],
    ['eq(name,"grace swan")', []],
    ['like(name,Grace*)', ['Grace Swan']],
    ['like(name,*poole)', ['grace poole']],
    ['eq(email,grace@navy.example)', ['Grace Swan']],
    ['like(email,*@hall.example)', ['grace poole']],
    ['eq(external_ref,crm/1)', ['Grace Swan']],
    [`eq(external_ref,${'r'.repeat(200)}1)`, ['grace poole']],
    [`eq(external_ref,${'r'.repeat(200)}2)`, []],
    [`eq(id,${grace})`, ['Grace Swan']],
    [`gt(id,${grace}):le(id,${poole})`, ['grace poole']],
    [`ge(created_at,${meta.timestamps.created_at}):like(email,*.example)`, ['Grace Swan', 'grace poole']],
  ]
  for (const [filter, names] of cases) {
    const { status, body: answer } = await world.admin.get(
      `${customers}?sort=name&filter=${encodeURIComponent(filter)}`,
    )
    expect(status, `${filter} ${JSON.stringify(answer)}`).toBe(200)
    expect(
      answer.data.map(({ name }: { name: string }) => name),
      filter,
    ).toEqual(names)
  }
  for (const filter of ['like(external_ref,crm*)', 'in(id,x)', 'eq(password,true)']) {
    expect((await world.admin.get(`${customers}?filter=${filter}`)).status, filter).toBe(400)
  }
})

test('deleting a customer deletes their addresses', async () => {
  const id = await idOf(world.admin.post(customers, customer()))
  await idOf(world.admin.post(`${customers}/${id}/addresses`, address()))
  expect((await world.admin.delete(`${customers}/${id}`)).status).toBe(204)
  expect((await world.admin.get(`${customers}/${id}/addresses`)).status).toBe(404)
  const { rows } = await world.feed(
    `SELECT type FROM changes WHERE event = 'deleted' AND (id = $1 OR scope = $1) ORDER BY type`,
    [id],
  )
  expect(rows.map(({ type }) => type)).toEqual(['address', 'customer'])
})
