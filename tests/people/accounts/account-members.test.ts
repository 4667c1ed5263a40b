import { afterAll, beforeAll, expect, test } from 'vitest'
import { account, accountRealm, member, membership } from '../../builders/people/accounts.ts'
import { body, idOf } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const members = '/v2/account-members'

test('a user of the account realm is an account member of the same id', async () => {
  const fields = { name: 'Ada Byron', email: 'Ada@Example.com', given_name: 'Ada', family_name: null }
  const id = await member(world.admin, fields)
  const { status, body: one } = await world.admin.get(`${members}/${id}`)
  expect(status).toBe(200)
  expect(one.data).toMatchObject({ type: 'account_member', id, ...fields })
  expect(Object.keys(one.data.meta)).toEqual(['timestamps'])
  expect(one.links.self).toBe(`${world.url}${members}/${id}`)

  const user = `${await accountRealm(world.admin)}/user-authentication-info`
  await world.admin.put(`${user}/${id}`, body('user_authentication_info', { name: 'Ada Lovelace' }))
  expect((await world.admin.get(`${members}/${id}`)).body.data.name).toBe('Ada Lovelace')
  const [list, users] = await Promise.all([world.admin.get(members), world.admin.get(user)])
  expect(list.body.meta).toEqual(users.body.meta)
  expect((await world.admin.delete(`${user}/${id}`)).status).toBe(204)
  expect((await world.admin.get(`${members}/${id}`)).status).toBe(404)
})

test('an update returns the member and changes nothing', async () => {
  const id = await member(world.admin)
  const before = await world.admin.get(`${members}/${id}`)
  const sent = body('account_member', { name: 'Someone else', email: 'else@example.com' })
  const { status, body: answer, headers } = await world.admin.put(`${members}/${id}`, sent)
  expect([status, answer]).toEqual([200, before.body])
  expect(headers.get('etag')).toBe(before.headers.get('etag'))
  expect((await world.admin.put(`${members}/${id}`, body('account'))).status).toBe(400)
  expect((await world.other.put(`${members}/${id}`, sent)).status).toBe(404)
  expect((await world.admin.put(`${members}/x`, sent)).status).toBe(404)
})

test('members can be neither created nor deleted here', async () => {
  const id = await member(world.admin)
  expect((await world.admin.post(members, body('account_member', { name: 'X' }))).status).toBe(405)
  expect((await world.admin.delete(`${members}/${id}`)).status).toBe(405)
})

test('users of other realms are not members', async () => {
  const { body: settings } = await world.admin.get('/v2/settings/customer-authentication')
  const realm = settings.data.relationships['authentication-realm'].data.id
  const user = body('user_authentication_info', { name: 'Buyer', email: 'buyer@example.com' })
  const id = await idOf(world.admin.post(`/v2/authentication-realms/${realm}/user-authentication-info`, user))
  expect((await world.admin.get(`${members}/${id}`)).status).toBe(404)
  const home = await idOf(world.admin.post('/v2/accounts', account()))
  const refused = await world.admin.post(`/v2/accounts/${home}/account-memberships`, membership(id))
  expect(refused.status).toBe(404)
})

test('members can be filtered', async () => {
  await member(world.admin, { name: 'Grace Swan', email: 'Grace@Navy.example', given_name: 'Grace' })
  await member(world.admin, { name: 'grace poole', email: 'poole@hall.example', family_name: 'Poole' })
  const cases: [filter: string, names: string[]][] = [
    ['ilike(name,"grace*")', ['Grace Swan', 'grace poole']],
    ['like(name,Grace*)', ['Grace Swan']],
    ['eq(email,GRACE@navy.example)', ['Grace Swan']],
    ['ilike(email,"*@hall.example")', ['grace poole']],
    ['ilike(given_name,"gra*")', ['Grace Swan']],
    ['ilike(name,"grace*"):is_null(family_name)', ['Grace Swan']],
    ['is_null(middle_name):ilike(family_name,POOLE)', ['grace poole']],
  ]
  for (const [filter, names] of cases) {
    const { status, body } = await world.admin.get(
      `${members}?sort=name&filter=${encodeURIComponent(filter)}`,
    )
    expect(status, `${filter} ${JSON.stringify(body)}`).toBe(200)
    expect(
      body.data.map(({ name }: { name: string }) => name),
      filter,
    ).toEqual(names)
  }
})
