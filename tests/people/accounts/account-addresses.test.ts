import { afterAll, beforeAll, expect, test } from 'vitest'
import { account, address } from '../../builders/people/accounts.ts'
import { body, idOf, statuses, times } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let accountId: string
let addresses: string
beforeAll(async () => {
  world = await openWorld()
  accountId = await idOf(world.admin.post('/v2/accounts', account()))
  addresses = `/v2/accounts/${accountId}/addresses`
})
afterAll(() => world.close())

const settings = (fields: object) => body('settings', fields)

test('an address has its links inside and names its account, and an update keeps the fields that are not sent', async () => {
  const { status, body } = await world.admin.post(addresses, address({ country: 'gb', name: 'Mill' }))
  expect(status).toBe(201)
  const { id, ...data } = body.data
  expect(data).toMatchObject({
    type: 'address',
    country: 'GB',
    relationships: { account: { id: accountId, type: 'account' } },
    links: { self: `${world.url}${addresses}/${id}` },
  })
  expect(body.links).toBeUndefined()
  const updated = await world.admin.put(`${addresses}/${id}`, { data: { type: 'address', city: 'Ely' } })
  expect(updated.body.data).toMatchObject({ city: 'Ely', name: 'Mill', line_1: '12 Mill Lane' })
  expect((await world.admin.delete(`${addresses}/${id}`)).status).toBe(204)
  expect((await world.admin.get(`${addresses}/${id}`)).status).toBe(404)
})

test('an address is found below its own account only', async () => {
  const id = await idOf(world.admin.post(addresses, address()))
  const neighbour = await idOf(world.admin.post('/v2/accounts', account()))
  expect((await world.admin.get(`/v2/accounts/${neighbour}/addresses/${id}`)).status).toBe(404)
  expect((await world.other.get(`${addresses}/${id}`)).status).toBe(404)
  const unknown = '/v2/accounts/00000000-0000-4000-8000-000000000000/addresses'
  for (const reply of [world.admin.get(unknown), world.admin.post(unknown, address())]) {
    expect((await reply).body.errors[0]).toMatchObject({
      status: '404',
      detail: expect.stringMatching(/^account not found: /),
    })
  }
  expect((await world.admin.delete(`${addresses}/${id}`)).status).toBe(204)
})

test.each([
  ['first_name', undefined],
  ['last_name', ''],
  ['line_1', ' '],
  ['county', undefined],
  ['postcode', ''],
  ['country', ''],
  ['country', 'GBR'],
  ['country', '12'],
  ['line_2', 7],
])('an address with %s %j is refused, and the field is named', async (field, value) => {
  const { status, body } = await world.admin.post(addresses, address({ [field]: value }))
  expect(status).toBe(400)
  expect(body.errors[0]).toMatchObject({ source: `data.${field}` })
})

test('a setting chooses the required fields of new addresses, and an update of an old one does not add them', async () => {
  const old = `${addresses}/${await idOf(world.admin.post(addresses, address()))}`
  await world.admin.put('/v2/settings', settings({ address_mandatory_fields: ['line_1', 'city'] }))
  const { body } = await world.admin.post(addresses, address())
  expect(body.errors[0].source).toBe('data.city')
  const short = await idOf(
    world.admin.post(addresses, { data: { type: 'address', line_1: 'x', city: 'Ely' } }),
  )
  expect((await world.admin.put(old, { data: { type: 'address', first_name: '' } })).status).toBe(200)
  expect((await world.admin.put(old, { data: { type: 'address', line_1: '' } })).status).toBe(400)
  await world.admin.delete('/v2/settings')
  expect((await world.admin.put(`${addresses}/${short}`, { data: { type: 'address' } })).status).toBe(200)
  for (const path of [old, `${addresses}/${short}`]) await world.admin.delete(path)
})

test('an account has at most as many addresses as the setting allows, also under concurrent creates', async () => {
  await world.admin.put('/v2/settings', settings({ shopper_address_limit: 5 }))
  const replies = times(12, () => world.admin.post(addresses, address()))
  expect(await statuses(replies)).toEqual({ 201: 5, 422: 7 })
  const { body } = await world.admin.get(addresses)
  expect(body.meta.results.total).toBe(5)
  await world.admin.delete('/v2/settings')
  for (const { id } of body.data) await world.admin.delete(`${addresses}/${id}`)
})

test('addresses can be filtered by every field', async () => {
  const home = { name: 'Home', city: 'Sandy Town', instructions: 'Leave it behind the blue bin' }
  await idOf(world.admin.post(addresses, address({ ...home, phone_number: '(555) 0123-4567' })))
  await idOf(world.admin.post(addresses, address({ name: 'Work', city: '100%_sure' })))
  const cases: [filter: string, names: string[]][] = [
    ['eq(name,Home)', ['Home']],
    ['eq(name,home)', []],
    ['in(name,Home,Work)', ['Home', 'Work']],
    ['like(city,Sandy*)', ['Home']],
    ['like(city,sandy*)', []],
    ['ilike(city,"*sandy*")', ['Home']],
    ['like(city,"100%_*")', ['Work']],
    ['text(instructions,"bin behind")', ['Home']],
    ['text(instructions,"green bin")', []],
    ['text(instructions,"")', []],
    ['ilike(phone_number,"*0123*")', ['Home']],
    ['eq(country,GB):eq(name,Work)', ['Work']],
  ]
  for (const [filter, names] of cases) {
    const { status, body } = await world.admin.get(`${addresses}?filter=${encodeURIComponent(filter)}`)
    expect(status, `${filter} ${JSON.stringify(body)}`).toBe(200)
    expect(body.data.map(({ name }: { name: string }) => name).sort(), filter).toEqual(names)
    expect(body.meta.results.total, filter).toBe(names.length)
  }
  expect((await world.admin.get(`${addresses}?filter=gt(name,Home)`)).status).toBe(400)
  expect((await world.admin.get(`${addresses}?sort=name`)).status).toBe(400)
})
