import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from '../../../server/kernel/query/parse.ts'
import { plan } from '../../../server/kernel/query/plan.ts'
import { realmsOf, user } from '../../builders/people/realms.ts'
import { specimens } from '../../builders/samples.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const addresses = specimens.flatMap(({ name, resource }) =>
  Object.keys(resource.filter ?? {})
    .filter((field) => field.endsWith('email'))
    .map((field) => ({ name, field, resource })),
)

test('customers, members, users and orders are found by an address', () => {
  const names = addresses.map(({ name }) => name)
  expect(names).toEqual(
    expect.arrayContaining(['customer', 'account-member', 'user-authentication-info', 'order']),
  )
})

test.each(addresses)('$field of $name may have a + that is not encoded', ({ resource, field }) => {
  for (const query of [`filter=eq(${field},a+b@example.com)`, `filter=eq(${field},a%2Bb@example.com)`]) {
    expect(plan(parse(query), resource).filter).toMatchObject({ values: ['a+b@example.com'] })
  }
})

test('a user is found by an address with a + that is not encoded, and by its beginning', async () => {
  const path = `/v2/authentication-realms/${(await realmsOf(world.admin)).accounts}/user-authentication-info`
  const { body } = await world.admin.post(path, user({ email: 'ada+shop@example.com' }))
  for (const filter of [
    'eq(email,ada+shop@example.com)',
    'in(email,x@x.co,ada+shop@example.com)',
    'like(email,ada+s*)',
  ]) {
    const found = await world.admin.get(`${path}?filter=${filter}`)
    expect([filter, found.body.data.map(({ id }: { id: string }) => id)]).toEqual([filter, [body.data.id]])
  }
})
