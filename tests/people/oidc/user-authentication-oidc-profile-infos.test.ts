import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { oidcLink, oidcProfile, realmsOf, user } from '../../builders/people/realms.ts'
import { body, idOf } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let realm: string
let otherRealm: string
let profile: string
let otherProfile: string
beforeAll(async () => {
  world = await openWorld()
  const realms = await realmsOf(world.admin)
  realm = `/v2/authentication-realms/${realms.accounts}`
  otherRealm = `/v2/authentication-realms/${realms.customers}`
  profile = await idOf(world.admin.post(`${realm}/oidc-profiles`, oidcProfile()))
  otherProfile = await idOf(world.admin.post(`${realm}/oidc-profiles`, oidcProfile()))
})
afterAll(() => world.close())

const newUser = () => idOf(world.admin.post(`${realm}/user-authentication-info`, user()))
const linksOf = (userId: string) =>
  `${realm}/user-authentication-info/${userId}/user-authentication-oidc-profile-info`
const link = async (fields: object) => {
  const links = linksOf(await newUser())
  return `${links}/${await idOf(world.admin.post(links, oidcLink({ oidc_profile_id: profile, ...fields })))}`
}
const identity = () => ({ subject: randomUUID(), issuer: 'https://id.example.com' })

describe('an update', () => {
  test('changes the sent fields, and returns the whole object', async () => {
    const { subject } = identity()
    const at = await link({ subject, issuer: 'https://id.example.com/one' })
    const before = (await world.admin.get(at)).body.data
    const { status, headers, body } = await world.admin.put(
      at,
      oidcLink({ issuer: 'https://id.example.com/two' }),
    )
    expect(status).toBe(200)
    expect(headers.get('content-type')).toContain('application/json')
    expect(body).toEqual({
      data: {
        id: at.split('/').at(-1),
        type: 'user_authentication_oidc_profile_info',
        subject,
        issuer: 'https://id.example.com/two',
        oidc_profile_id: profile,
        meta: {
          created_at: before.meta.created_at,
          updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        },
      },
      links: { self: `${world.url}${at}` },
    })
    expect((await world.admin.get(at)).body).toEqual(body)
  })

  let linkPath: string
  beforeAll(async () => {
    linkPath = await link({ subject: 'mine', issuer: 'https://id.example.com/kept' })
  })
  const cases: [shows: string, sent: () => object, status: number, answer: object][] = [
    ['accepts a type alone', () => oidcLink({}), 200, { data: { subject: 'mine' } }],
    ['accepts a subject', () => oidcLink({ subject: 'other' }), 200, { data: { subject: 'other' } }],
    ['accepts the same profile', () => oidcLink({ oidc_profile_id: profile, subject: 'mine' }), 200, {}],
    ['accepts the profile in capitals', () => oidcLink({ oidc_profile_id: profile.toUpperCase() }), 200, {}],
    ['ignores unknown fields', () => oidcLink({ id: 'x', nickname: 'x' }), 200, {}],
    [
      'refuses another profile',
      () => oidcLink({ oidc_profile_id: otherProfile }),
      422,
      source('oidc_profile_id'),
    ],
    [
      'refuses a missing profile',
      () => oidcLink({ oidc_profile_id: randomUUID() }),
      422,
      source('oidc_profile_id'),
    ],
    ['refuses a malformed profile', () => oidcLink({ oidc_profile_id: 'x' }), 400, source('oidc_profile_id')],
    ['refuses null as profile', () => oidcLink({ oidc_profile_id: null }), 400, source('oidc_profile_id')],
    [
      'refuses a URN as profile',
      () => oidcLink({ oidc_profile_id: `urn:uuid:${profile}` }),
      400,
      source('oidc_profile_id'),
    ],
    ['needs a type', () => ({ data: { subject: 'x' } }), 400, source('type')],
    ['needs the right type', () => body('user_authentication_info', {}), 400, source('type')],
    ['needs data', () => ({ subject: 'x' }), 400, { errors: [{ source: 'data' }] }],
    ['refuses an empty subject', () => oidcLink({ subject: '' }), 400, source('subject')],
    ['refuses a long subject', () => oidcLink({ subject: 'x'.repeat(256) }), 400, source('subject')],
    ['refuses a null subject', () => oidcLink({ subject: null }), 400, source('subject')],
    ['refuses a numeric subject', () => oidcLink({ subject: 7 }), 400, source('subject')],
    ['refuses an issuer that is not a URI', () => oidcLink({ issuer: 'example' }), 400, source('issuer')],
    ['refuses a NUL', () => oidcLink({ subject: 'a\0b' }), 400, source('subject')],
  ]
  test.each(cases)('%s', async (_shows, sent, status, answer) => {
    const reply = await world.admin.put(linkPath, sent())
    expect(reply.status, JSON.stringify(reply.body)).toBe(status)
    expect(reply.body).toMatchObject(answer)
  })

  test('says that the profile is immutable', async () => {
    const reply = await world.admin.put(await link({}), oidcLink({ oidc_profile_id: otherProfile }))
    expect(reply.body.errors[0]).toMatchObject({
      status: '422',
      detail: expect.stringContaining('immutable'),
    })
  })

  test('is a 404 under another realm, user or store', async () => {
    const at = await link({})
    const elsewhere = [
      at.replace(realm, otherRealm),
      at.replace(/info\/[^/]+\/user/, `info/${await newUser()}/user`),
      at.replace(/[^/]+$/, randomUUID()),
      at.replace(/[^/]+$/, 'no-id'),
    ]
    for (const path of elsewhere) expect((await world.admin.put(path, oidcLink({}))).status).toBe(404)
    expect((await world.other.put(at, oidcLink({}))).status).toBe(404)
    expect((await world.shopper.put(at, oidcLink({}))).status).toBe(403)
  })
})

describe('a new link', () => {
  test('gets the issuer of its profile, and may have no subject yet', async () => {
    const { body } = await world.admin.get(await link({}))
    expect(body.data.issuer).toBe('https://id.example.com')
    expect(body.data).not.toHaveProperty('subject')
  })

  test('accepts a subject and an issuer of the maximum length', async () => {
    const [subject, issuer] = ['語'.repeat(255), `https://${'a'.repeat(1016)}`]
    const at = await link({ subject, issuer })
    expect((await world.admin.get(at)).body.data).toMatchObject({ subject, issuer })
  })

  const cases: [shows: string, fields: () => object, status: number][] = [
    ['needs a profile', () => ({ subject: 'x' }), 400],
    ['needs an existing profile', () => ({ oidc_profile_id: randomUUID() }), 422],
    ['needs a profile of its realm', () => ({ oidc_profile_id: foreign }), 422],
  ]
  let foreign: string
  beforeAll(async () => {
    foreign = await idOf(world.admin.post(`${otherRealm}/oidc-profiles`, oidcProfile()))
  })
  test.each(cases)('%s', async (_shows, fields, status) => {
    const reply = await world.admin.post(linksOf(await newUser()), oidcLink(fields()))
    expect(reply.status).toBe(status)
    expect(reply.body.errors[0].source).toBe('data.oidc_profile_id')
  })

  test('needs a user of the realm', async () => {
    const fields = oidcLink({ oidc_profile_id: profile, ...identity() })
    for (const id of [randomUUID(), 'no-id'])
      expect((await world.admin.post(linksOf(id), fields)).status).toBe(404)
    const links = linksOf(await newUser())
    expect((await world.admin.post(links.replace(realm, otherRealm), fields)).status).toBe(404)
    expect((await world.admin.get(links.replace(realm, otherRealm))).status).toBe(404)
    expect((await world.other.post(links, fields)).status).toBe(404)
    expect((await world.other.get(links)).status).toBe(404)
  })
})

describe('one identity belongs to one user', () => {
  const raced = async (racers: Promise<{ status: number }>[], won: number) => {
    const statuses = (await Promise.all(racers)).map(({ status }) => status)
    expect(statuses.filter((status) => status === won).length).toBe(1)
    expect(statuses.filter((status) => status === 409).length).toBe(racers.length - 1)
  }
  const linked = async (subject: string) => {
    const { rows } = await world.sql(
      'SELECT count(*)::int AS n FROM user_authentication_oidc_profile_infos WHERE subject = $1',
      [subject],
    )
    return rows[0].n
  }

  test('when a hundred users claim it at the same time', async () => {
    const claim = { oidc_profile_id: profile, ...identity() }
    const users = await Promise.all(Array.from({ length: 100 }, newUser))
    await raced(
      users.map((id) => world.admin.post(linksOf(id), oidcLink(claim))),
      201,
    )
    expect(await linked(claim.subject)).toBe(1)
    const totals = await Promise.all(users.map((id) => world.admin.get(linksOf(id))))
    expect(totals.map(({ body }) => body.meta.results.total).sort()).toEqual([...Array(99).fill(0), 1])
  })

  test('when a hundred links are changed to it at the same time', async () => {
    const claim = identity()
    const links = await Promise.all(Array.from({ length: 100 }, () => link(identity())))
    await raced(
      links.map((at) => world.admin.put(at, oidcLink(claim))),
      200,
    )
    expect(await linked(claim.subject)).toBe(1)
  })

  test('also when the issuer is that of the profile', async () => {
    const { subject, issuer } = identity()
    await link({ subject })
    const links = linksOf(await newUser())
    const reply = await world.admin.post(links, oidcLink({ oidc_profile_id: profile, subject, issuer }))
    expect(reply.status).toBe(409)
    expect(reply.body.errors[0].source).toBe('data.subject')
  })

  test('and is another one with another profile, issuer or case', async () => {
    const { subject, issuer } = identity()
    await link({ subject, issuer })
    await link({ subject, issuer: 'https://id.example.com/elsewhere' })
    await link({ subject: subject.toUpperCase(), issuer })
    await link({ subject, issuer, oidc_profile_id: otherProfile })
  })

  const spellings = ['https://id.example.com/a', 'https://id.example.com/a/', 'https://id.example.com/a//']

  test('also when its issuer is written with slashes at its end, or without', async () => {
    for (const [first, second] of [spellings, spellings.toReversed()] as [string, string][]) {
      const { subject } = identity()
      await link({ subject, issuer: first })
      const claim = { oidc_profile_id: profile, subject, issuer: second }
      const created = await world.admin.post(linksOf(await newUser()), oidcLink(claim))
      expect([created.status, created.body.errors[0].source]).toEqual([409, 'data.subject'])
      const other = await link({ ...identity(), issuer: second })
      const updated = await world.admin.put(other, oidcLink({ subject }))
      expect([updated.status, updated.body.errors[0].source]).toEqual([409, 'data.subject'])
      const unlike = await link({ subject, issuer: 'https://id.example.com/b' })
      expect((await world.admin.put(unlike, oidcLink({ issuer: second }))).status).toBe(409)
    }
  })

  test('also when many users claim it in different spellings at the same time', async () => {
    const { subject } = identity()
    const users = await Promise.all(Array.from({ length: 30 }, newUser))
    await raced(
      users.map((id, i) => {
        const claim = { oidc_profile_id: profile, subject, issuer: spellings[i % spellings.length] }
        return world.admin.post(linksOf(id), oidcLink(claim))
      }),
      201,
    )
  })

  test('and may be written in another spelling by its own link', async () => {
    const at = await link({ ...identity(), issuer: spellings[0] })
    const { body } = await world.admin.put(at, oidcLink({ issuer: spellings[1] }))
    expect(body.data.issuer).toBe(spellings[1])
  })

  test('and can be linked again after its link is deleted', async () => {
    const claim = identity()
    expect((await world.admin.delete(await link(claim))).status).toBe(204)
    await link(claim)
  })
})

function source(field: string) {
  return { errors: [{ source: `data.${field}` }] }
}
