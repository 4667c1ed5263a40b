import { afterAll, beforeAll, expect, test } from 'vitest'
import { account, accountRealm, member, membership } from '../../builders/people/accounts.ts'
import { body, idOf, statuses, times } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const newAccount = () => idOf(world.admin.post('/v2/accounts', account()))
const membersOf = (id: string) => `/v2/accounts/${id}/account-memberships`
const accountsOf = (id: string) => `/v2/account-members/${id}/account-memberships`
const setLimit = (membership_limit: unknown) =>
  world.admin.put('/v2/settings/account-membership', body('account_membership_setting', { membership_limit }))

test('a membership is listed under its account and under its member', async () => {
  const [home, user] = [await newAccount(), await member(world.admin)]
  const { status, body: one } = await world.admin.post(membersOf(home), membership(user.toUpperCase()))
  expect(status).toBe(201)
  const { id } = one.data
  expect(one.data).toMatchObject({
    type: 'account_membership',
    account_member_id: user,
    relationships: {
      account: { data: { id: home, type: 'account' } },
      account_member: { data: { id: user, type: 'account_member' } },
    },
  })
  const self = `${world.url}${membersOf(home)}/${id}`
  expect(one.links).toEqual({ self })
  for (const list of [membersOf(home), accountsOf(user)]) {
    const { body } = await world.admin.get(list)
    expect(body.meta.results.total).toBe(1)
    expect(body.data).toEqual([{ ...one.data, links: { self } }])
    expect(body.included).toBeUndefined()
  }
  expect((await world.admin.get(`${membersOf(await newAccount())}/${id}`)).status).toBe(404)
  expect((await world.admin.delete(`${membersOf(home)}/${id}`)).status).toBe(204)
  for (const list of [membersOf(home), accountsOf(user)]) {
    expect((await world.admin.get(list)).body).toMatchObject({ data: [], meta: { results: { total: 0 } } })
  }
})

test('a membership can include its member or its account', async () => {
  const [home, work, user] = [await newAccount(), await newAccount(), await member(world.admin)]
  const id = await idOf(world.admin.post(membersOf(home), membership(user)))
  await idOf(world.admin.post(membersOf(work), membership(user)))
  for (const path of [membersOf(home), `${membersOf(home)}/${id}`]) {
    const { body } = await world.admin.get(`${path}?include=account_member,account`)
    expect(Object.keys(body.included)).toEqual(['account_members'])
    expect(body.included.account_members).toMatchObject([{ type: 'account_member', id: user }])
  }
  const { body } = await world.admin.get(`${accountsOf(user)}?include=account&sort=created_at`)
  expect(body.included.accounts).toMatchObject([
    { type: 'account', id: home },
    { type: 'account', id: work },
  ])
  const empty = await world.admin.get(`${membersOf(await newAccount())}?include=account_member`)
  expect(empty.body.included).toEqual({ account_members: [] })
})

test('concurrent creates of one membership create it once', async () => {
  const [home, user] = [await newAccount(), await member(world.admin)]
  const replies = times(6, () => world.admin.post(membersOf(home), membership(user)))
  expect(await statuses(replies)).toEqual({ 201: 1, 409: 5 })
  const { body } = await world.admin.post(membersOf(home), membership(user))
  expect(body.errors[0].detail).toBe(
    'account membership with the given account id and account member id already exists',
  )
})

test('an update changes nothing, not even the member', async () => {
  const [home, user, another] = [await newAccount(), await member(world.admin), await member(world.admin)]
  const path = `${membersOf(home)}/${await idOf(world.admin.post(membersOf(home), membership(user)))}`
  expect((await world.admin.put(path, membership(user))).status).toBe(200)
  expect((await world.admin.put(path, body('account_membership'))).status).toBe(200)
  const { status, body: refused } = await world.admin.put(path, membership(another))
  expect([status, refused.errors[0].source]).toEqual([422, 'data.account_member_id'])
})

test('memberships need an existing account and an existing member of the same store', async () => {
  const [home, user] = [await newAccount(), await member(world.admin)]
  const nowhere = '00000000-0000-4000-8000-000000000000'
  const replies = [
    world.admin.post(membersOf(home), membership(nowhere)),
    world.admin.post(membersOf(nowhere), membership(user)),
    world.other.post(membersOf(home), membership(user)),
    world.admin.get(membersOf(nowhere)),
    world.admin.get(accountsOf(nowhere)),
    world.admin.get(accountsOf('x')),
    world.other.get(accountsOf(user)),
    world.admin.get(`${membersOf(nowhere)}/unassigned-account-members`),
    world.other.get(`${membersOf(home)}/unassigned-account-members`),
  ]
  expect(await statuses(replies)).toEqual({ 404: replies.length })
  expect((await world.admin.post(membersOf(home), membership('x'))).status).toBe(400)
  expect((await world.admin.post(membersOf(home), body('account_membership'))).status).toBe(400)
})

test('a member is in at most as many accounts as the setting allows, also under concurrent creates', async () => {
  const user = await member(world.admin)
  const homes = await Promise.all(times(7, newAccount))
  expect((await setLimit(3)).status).toBe(200)
  const replies = homes.map((home) => world.admin.post(membersOf(home), membership(user)))
  expect(await statuses(replies)).toEqual({ 201: 3, 422: 4 })
  await setLimit(1)
  expect((await world.admin.get(accountsOf(user))).body.meta.results.total).toBe(3)
  await setLimit(10_000)
  const free = await newAccount()
  expect((await world.admin.post(membersOf(free), membership(user))).status).toBe(201)
})

test('an account has at most a thousand members, also under concurrent creates', async () => {
  const home = await newAccount()
  const realm = (await accountRealm(world.admin)).split('/').at(-1)
  await world.sql(
    `WITH users AS (
       INSERT INTO user_authentication_infos (store_id, realm_id, id, created_at, updated_at, doc)
       SELECT $1, $2, gen_random_uuid(), now(), now(), '{"name":"N","email":"n@example.com"}'
       FROM generate_series(1, 998) RETURNING id)
     INSERT INTO account_memberships (store_id, account_id, id, created_at, updated_at, doc)
     SELECT $1, $3, gen_random_uuid(), now(), now(), json_build_object('account_member_id', id) FROM users`,
    [world.storeId, realm, home],
  )
  const users = await Promise.all(times(5, () => member(world.admin)))
  const replies = users.map((user) => world.admin.post(membersOf(home), membership(user)))
  expect(await statuses(replies)).toEqual({ 201: 2, 422: 3 })
  expect((await world.admin.get(membersOf(home))).body.meta.results.total).toBe(1000)
})

test('the members who are not in an account can be listed', async () => {
  const home = await newAccount()
  const [inside, outside] = await Promise.all(
    ['Insider', 'Outsider'].map((name) => member(world.admin, { name: `${name} Unassigned` })),
  )
  await idOf(world.admin.post(membersOf(home), membership(inside as string)))
  const unassigned = `${membersOf(home)}/unassigned-account-members`
  const { body } = await world.admin.get(`${unassigned}?filter=like(name,"*Unassigned")`)
  expect(body.data.map(({ id, type }: { id: string; type: string }) => [id, type])).toEqual([
    [outside, 'account_member'],
  ])
  expect(body.meta.results.total).toBe(1)
  const [all, rest] = await Promise.all([
    world.admin.get('/v2/account-members?page[limit]=1'),
    world.admin.get(`${unassigned}?page[limit]=1&page[offset]=300`),
  ])
  expect(rest.body.meta.results.total).toBe(all.body.meta.results.total - 1)
  expect(rest.body.data).toHaveLength(1)
  expect(rest.body.links.next).toContain(unassigned)
})

test('memberships can be filtered by their member', async () => {
  const [home, user] = [await newAccount(), await member(world.admin)]
  await idOf(world.admin.post(membersOf(home), membership(user)))
  const total = async (filter: string) =>
    (await world.admin.get(`${membersOf(home)}?filter=${filter}`)).body.meta.results.total
  expect(await total(`eq(account_member_id,${user})`)).toBe(1)
  expect(await total(`like(account_member_id,${user.slice(0, 20).toUpperCase()}*)`)).toBe(1)
  expect(await total('eq(account_member_id,00000000-0000-1000-8000-0000000)')).toBe(0)
})

test('a user who is deleted leaves all accounts', async () => {
  const [home, user] = [await newAccount(), await member(world.admin)]
  await idOf(world.admin.post(membersOf(home), membership(user)))
  await world.admin.delete(`${await accountRealm(world.admin)}/user-authentication-info/${user}`)
  expect((await world.admin.get(membersOf(home))).body).toMatchObject({
    data: [],
    meta: { results: { total: 0 } },
  })
})
