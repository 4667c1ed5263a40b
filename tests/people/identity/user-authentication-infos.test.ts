import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { oidcLink, oidcProfile, realmsOf, user } from '../../builders/people/realms.ts'
import { body, idOf } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let realms: Awaited<ReturnType<typeof realmsOf>>
let users: string
beforeAll(async () => {
  world = await openWorld()
  realms = await realmsOf(world.admin)
  users = `/v2/authentication-realms/${realms.accounts}/user-authentication-info`
})
afterAll(() => world.close())

test('a user is shown with flat times and a status', async () => {
  const reply = await world.admin.post(users, user({ given_name: 'Ada', middle_name: null }))
  expect(reply.status).toBe(201)
  const { id, meta } = reply.body.data
  expect(reply.body).toEqual({
    data: {
      id,
      type: 'user_authentication_info',
      name: 'Ada Marsh',
      email: 'ada@example.com',
      given_name: 'Ada',
      middle_name: null,
      meta: { created_at: meta.created_at, updated_at: meta.created_at, creation_status: 'COMPLETE' },
    },
    links: { self: `${world.url}${users}/${id}` },
  })
  const renamed = await world.admin.put(
    `${users}/${id}`,
    body('user_authentication_info', { name: 'A. Marsh' }),
  )
  expect(renamed.body.data).toMatchObject({ name: 'A. Marsh', email: 'ada@example.com', given_name: 'Ada' })
  expect((await world.admin.delete(`${users}/${id}`)).status).toBe(204)
})

describe('a user', () => {
  const cases: [shows: string, fields: object, status: number, source?: string][] = [
    ['may have the address of another', {}, 201],
    ['needs a name', { name: undefined }, 400, 'data.name'],
    ['needs a name with letters', { name: '' }, 400, 'data.name'],
    ['needs an address', { email: undefined }, 400, 'data.email'],
    ['needs an address that is one', { email: 'ada' }, 400, 'data.email'],
    ['has no null name', { name: null }, 400, 'data.name'],
    ['has a given name that is text', { given_name: 7 }, 400, 'data.given_name'],
    ['has the type of users', { type: 'user-authentication-info' }, 400, 'data.type'],
  ]
  test.each(cases)('%s', async (_shows, fields, status, source) => {
    const reply = await world.admin.post(users, user(fields))
    expect(reply.status, JSON.stringify(reply.body)).toBe(status)
    expect(reply.body.errors?.[0].source).toBe(source)
  })

  test('is in one realm', async () => {
    const id = await idOf(world.admin.post(users, user()))
    const elsewhere = users.replace(realms.accounts, realms.customers)
    expect((await world.admin.get(`${elsewhere}/${id}`)).status).toBe(404)
    expect((await world.admin.delete(`${elsewhere}/${id}`)).status).toBe(404)
    expect((await world.other.get(`${users}/${id}`)).status).toBe(404)
    expect((await world.other.post(users, user())).status).toBe(404)
    expect((await world.admin.post(users.replace(realms.accounts, randomUUID()), user())).status).toBe(404)
  })
})

describe('a list of users', () => {
  const ids: string[] = []
  let list: string
  beforeAll(async () => {
    list = users.replace(realms.accounts, realms.customers)
    for (const fields of [
      { name: 'Ünal Çelik', email: 'unal@Example.com', given_name: 'Ünal', family_name: 'Çelik' },
      { name: 'Bo Chen', email: 'bo@example.com', given_name: null },
      { name: 'Cy Bo', email: 'CY@example.org', family_name: 'Bo' },
    ]) {
      ids.push(await idOf(world.admin.post(list, user(fields))))
      await setTimeout(2)
    }
  })

  const cases: [filter: string, matches: number[]][] = [
    ['eq(email,unal@example.com)', [0]],
    ['eq(email,"cy@EXAMPLE.ORG")', [2]],
    ['eq(name,"bo chen")', [1]],
    ['eq(name,"Ünal Çelik")', [0]],
    ['eq(name,"ÜNAL ÇELIK")', [0]],
    ['like(name,*Bo*)', [1, 2]],
    ['like(name,*bo*)', []],
    ['like(email,*@example.com)', [1]],
    ['ilike(name,*bo*)', [1, 2]],
    ['ilike(name,*ÇELIK)', [0]],
    ['ilike(email,*@EXAMPLE.com)', [0, 1]],
    ['is_null(given_name)', [1, 2]],
    ['is_null(middle_name)', [0, 1, 2]],
    ['eq(family_name,"BO")', [2]],
    ['ilike(given_name,"ün*")', [0]],
    ['eq(name,"bo chen")|eq(family_name,bo)', [1, 2]],
    ['gt(id,$0)', [1, 2]],
    ['in(id,$0,$2)', [0, 2]],
    ['ge(created_at,2000-01-01T00:00:00.000Z):lt(updated_at,2999-01-01)', [0, 1, 2]],
  ]
  test.each(cases)('is filtered by %s', async (filter, matches) => {
    const query = encodeURIComponent(filter.replace(/\$(\d)/g, (_, i) => ids[i] as string))
    const { status, body } = await world.admin.get(`${list}?filter=${query}&sort=id`)
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body.data.map(({ id }: { id: string }) => ids.indexOf(id))).toEqual(matches)
    expect(body.meta.results.total).toBe(matches.length)
  })

  test.each([
    ['name', [1, 2, 0]],
    ['email', [2, 1, 0]],
    ['-created_at', [2, 1, 0]],
    ['updated_at', [0, 1, 2]],
  ])('is sorted by %s', async (sort, order) => {
    const { body } = await world.admin.get(`${list}?sort=${sort}`)
    expect(body.data.map(({ id }: { id: string }) => ids.indexOf(id))).toEqual(order)
  })

  test('is filtered by whether users have an identity at a provider', async () => {
    const realm = `/v2/authentication-realms/${realms.customers}`
    const profile = await idOf(world.admin.post(`${realm}/oidc-profiles`, oidcProfile()))
    const found = async (value: string) => {
      const { body } = await world.admin.get(`${list}?filter=${value}&sort=id`)
      expect(body.meta.results.total).toBe(body.data.length)
      return body.data.map(({ id }: { id: string }) => ids.indexOf(id))
    }
    const link = oidcLink({ oidc_profile_id: profile, subject: 'of a filter' })
    await world.admin.post(`${list}/${ids[1]}/user-authentication-oidc-profile-info`, link)
    expect(await found('eq(has_oidc_profile_info,true)')).toEqual([1])
    expect(await found('eq(has_oidc_profile_info,false)')).toEqual([0, 2])
    expect(await found('in(has_oidc_profile_info,true,false)')).toEqual([0, 1, 2])
    expect(await found('eq(has_oidc_profile_info,false):ilike(name,*bo*)')).toEqual([2])
    await world.admin.delete(`${realm}/oidc-profiles/${profile}`)
    expect(await found('eq(has_oidc_profile_info,true)')).toEqual([])
  })

  test('shows a user as changed when their links change', async () => {
    const profile = await idOf(
      world.admin.post(`/v2/authentication-realms/${realms.customers}/oidc-profiles`, oidcProfile()),
    )
    const links = `${list}/${ids[0]}/user-authentication-oidc-profile-info`
    const times: string[] = []
    const look = async () => {
      times.push((await world.admin.get(`${list}/${ids[0]}`)).body.data.meta.updated_at)
      await setTimeout(2)
    }
    await look()
    const link = await idOf(world.admin.post(links, oidcLink({ oidc_profile_id: profile, subject: 'a' })))
    await look()
    await world.admin.put(`${links}/${link}`, oidcLink({ subject: 'b' }))
    await look()
    await world.admin.delete(`${links}/${link}`)
    await look()
    await world.admin.post(links, oidcLink({ oidc_profile_id: profile, subject: 'c' }))
    await look()
    await world.admin.delete(`/v2/authentication-realms/${realms.customers}/oidc-profiles/${profile}`)
    await look()
    expect(times).toEqual([...new Set(times)].sort())
    expect(times.length).toBe(6)
    const { body } = await world.admin.get(`${list}?sort=-updated_at&filter=gt(updated_at,${times[4]})`)
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([ids[0]])
    expect(Object.keys(body.data[0].meta)).toEqual(['created_at', 'updated_at', 'creation_status'])
  })
})
