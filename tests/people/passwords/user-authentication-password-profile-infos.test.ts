import { randomUUID } from 'node:crypto'
import { verify } from '@node-rs/argon2'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { passwordLink, passwordProfile, realmsOf, user } from '../../builders/people/realms.ts'
import { idOf } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let realm: string
let profile: string
let emails: string
beforeAll(async () => {
  world = await openWorld({ alone: true })
  realm = `/v2/authentication-realms/${(await realmsOf(world.admin)).accounts}`
  const profiles = `${realm}/password-profiles`
  profile = await idOf(world.admin.post(profiles, passwordProfile()))
  emails = await idOf(world.admin.post(profiles, passwordProfile({ username_format: 'email' })))
})
afterAll(() => world.close())

const newUser = () => idOf(world.admin.post(`${realm}/user-authentication-info`, user()))
const linksOf = (userId: string) =>
  `${realm}/user-authentication-info/${userId}/user-authentication-password-profile-info`
const hashOf = async (id: string) => {
  const table = 'user_authentication_password_profile_infos'
  const { rows } = await world.sql(`SELECT hidden FROM ${table} WHERE id = $1`, [id])
  return rows[0].hidden.password_hash as string
}

test('a password is stored as a hash, and never shown', async () => {
  const links = linksOf(await newUser())
  const reply = await world.admin.post(
    links,
    passwordLink({ password_profile_id: profile, username: 'ada', password: 'first password' }),
  )
  expect(reply.status).toBe(201)
  const { id, meta } = reply.body.data
  expect(reply.body).toEqual({
    data: {
      id,
      type: 'user_authentication_password_profile_info',
      username: 'ada',
      password_profile_id: profile,
      meta: { created_at: meta.created_at, updated_at: meta.updated_at },
    },
    links: { self: `${world.url}${links}/${id}` },
  })
  const first = await hashOf(id)
  expect(first).toMatch(/^\$argon2id\$/)
  expect(await verify(first, 'first password')).toBe(true)

  const type = reply.body.data.type
  await world.admin.put(`${links}/${id}`, { data: { type, username: 'ada marsh' } })
  expect(await hashOf(id)).toBe(first)
  const changed = await world.admin.put(`${links}/${id}`, { data: { type, password: 'second password' } })
  expect(changed.status).toBe(200)
  expect(changed.body.data.username).toBe('ada marsh')
  expect(await verify(await hashOf(id), 'second password')).toBe(true)

  const list = await world.admin.get(links)
  const { rows } = await world.feed('SELECT doc::text FROM changes WHERE id = $1', [id])
  expect(rows.length).toBe(3)
  expect(JSON.stringify([reply.body, changed.body, list.body, rows])).not.toMatch(
    /argon2|first pass|second pass/,
  )
})

describe('a new username and password', () => {
  const cases: [shows: string, fields: () => object, status: number, source?: string][] = [
    ['accepts any username', () => ({ username: 'Ünal 7!' }), 201],
    ['accepts a long password', () => ({ username: 'long', password: 'x'.repeat(1024) }), 201],
    ['accepts a password of eight characters', () => ({ username: 'short', password: '12345678' }), 201],
    [
      'refuses a password of seven characters',
      () => ({ username: 'u', password: '1234567' }),
      400,
      'data.password',
    ],
    [
      'refuses a password that is too long',
      () => ({ username: 'u', password: 'x'.repeat(1025) }),
      400,
      'data.password',
    ],
    ['needs a password', () => ({ username: 'u', password: undefined }), 400, 'data.password'],
    ['needs a username', () => ({}), 400, 'data.username'],
    [
      'needs a profile',
      () => ({ username: 'u', password_profile_id: undefined }),
      400,
      'data.password_profile_id',
    ],
    [
      'needs one that is',
      () => ({ username: 'u', password_profile_id: randomUUID() }),
      422,
      'data.password_profile_id',
    ],
    [
      'accepts an email address where the profile requires one',
      () => ({ username: 'a@b.example', password_profile_id: emails }),
      201,
    ],
    [
      'refuses another username',
      () => ({ username: 'ada', password_profile_id: emails }),
      400,
      'data.username',
    ],
  ]
  test.each(cases)('%s', async (_shows, fields, status, source) => {
    const sent = passwordLink({ password_profile_id: profile, ...fields() })
    const reply = await world.admin.post(linksOf(await newUser()), sent)
    expect(reply.status, JSON.stringify(reply.body)).toBe(status)
    expect(reply.body.errors?.[0].source).toBe(source)
    // Nor does a refusal repeat the password.
    expect(JSON.stringify(reply.body)).not.toMatch(/1234567|xxx/)
  })

  test('needs a user', async () => {
    const sent = passwordLink({ password_profile_id: profile, username: 'u' })
    expect((await world.admin.post(linksOf(randomUUID()), sent)).status).toBe(404)
  })
})

describe('a username', () => {
  test('belongs to one user, in any case, also under concurrent creates', async () => {
    const users = await Promise.all(Array.from({ length: 12 }, newUser))
    const statuses = await Promise.all(
      users.map(async (id, i) => {
        const username = i % 2 ? 'Ömer' : 'ömer'
        const sent = passwordLink({ password_profile_id: profile, username })
        return (await world.admin.post(linksOf(id), sent)).status
      }),
    )
    expect(statuses.sort()).toEqual([201, ...Array(11).fill(409)])
  })

  test('can also be used in another profile', async () => {
    const links = linksOf(await newUser())
    for (const password_profile_id of [profile, emails])
      await idOf(world.admin.post(links, passwordLink({ password_profile_id, username: 'both@example.com' })))
  })

  test('stays valid when its profile later requires another form', async () => {
    const profiles = `${realm}/password-profiles`
    const own = await idOf(world.admin.post(profiles, passwordProfile()))
    const links = linksOf(await newUser())
    const sent = passwordLink({ password_profile_id: own, username: 'plain' })
    const at = `${links}/${await idOf(world.admin.post(links, sent))}`
    await world.admin.put(`${profiles}/${own}`, passwordProfile({ username_format: 'email' }))
    expect((await world.admin.put(at, passwordLink({ username: 'plain' }))).status).toBe(200)
    expect((await world.admin.put(at, passwordLink({ username: 'other' }))).status).toBe(400)
    expect((await world.admin.put(at, passwordLink({ username: 'a@example.com' }))).status).toBe(200)
    expect((await world.admin.put(at, passwordLink({ password_profile_id: profile }))).status).toBe(422)
  })
})
