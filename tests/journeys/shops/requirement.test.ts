import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWorld, type Reply, type World } from '../../support/world.ts'

/** A walk through the requirement document: a test per statement, in its order. */

let world: World
let realm: string
let oidcProfile: string
let otherProfile: string
let links: string

const identity = (fields: object) => ({ data: { type: 'user_authentication_oidc_profile_info', ...fields } })
const issuer = 'https://login.example.com'
const milliseconds = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
let subjects = 0

/** A new user, linked to a new identity. */
async function newLink(): Promise<{ url: string; reply: Reply }> {
  const reply = await world.admin.post(
    links,
    identity({ oidc_profile_id: oidcProfile, issuer, subject: `subject-${++subjects}` }),
  )
  expect(reply.status).toBe(201)
  return { url: `${links}/${reply.body.data.id}`, reply }
}

beforeAll(async () => {
  world = await openWorld({ overHttp: true })
  const settings = await world.admin.get('/v2/settings/account-authentication')
  realm = `/v2/authentication-realms/${settings.body.data.relationships.authentication_realm.data.id}`
  const profile = (name: string) =>
    world.admin.post(`${realm}/oidc-profiles`, {
      data: {
        type: 'oidc-profile',
        name,
        client_id: 'sutler',
        client_secret: 'a secret',
        discovery_url: `${issuer}/.well-known/openid-configuration`,
      },
    })
  oidcProfile = (await profile('One')).body.data.id
  otherProfile = (await profile('Two')).body.data.id
  const user = await world.admin.post(`${realm}/user-authentication-info`, {
    data: { type: 'user_authentication_info', name: 'Ada Bloom', email: 'ada@example.com' },
  })
  links = `${realm}/user-authentication-info/${user.body.data.id}/user-authentication-oidc-profile-info`

  const api = await world.admin.post('/v2/settings/extensions/custom-apis', {
    data: { type: 'custom_api', name: 'Wishlists', slug: 'wishlists', api_type: 'wishlist_ext' },
  })
  await world.admin.post(`/v2/settings/extensions/custom-apis/${api.body.data.id}/fields`, {
    data: { type: 'custom_field', name: 'Title', slug: 'title', field_type: 'string' },
  })
})
afterAll(() => world.close())

describe('§1 the service', () => {
  test('is a JSON API under /v2', async () => {
    const reply = await world.admin.get('/v2/accounts')
    expect(reply.headers.get('content-type')).toMatch(/^application\/json/)
  })
})

describe('§2.1 user_authentication_oidc_profile_info', () => {
  test('has id, type, subject, issuer, oidc_profile_id and meta inside data, links beside it', async () => {
    const { reply } = await newLink()
    expect(Object.keys(reply.body).sort()).toEqual(['data', 'links'])
    expect(reply.body.data).toEqual({
      id: expect.any(String),
      type: 'user_authentication_oidc_profile_info',
      subject: `subject-${subjects}`,
      issuer,
      oidc_profile_id: oidcProfile,
      meta: {
        created_at: expect.stringMatching(milliseconds),
        updated_at: expect.stringMatching(milliseconds),
      },
    })
  })

  test('links.self is the absolute URL of the object', async () => {
    const { url, reply } = await newLink()
    expect(reply.body.links).toEqual({ self: world.url + url })
    expect((await world.admin.get(reply.body.links.self)).body.data).toEqual(reply.body.data)
  })
})

describe('§4.1 update a user authentication OpenID Connect profile info', () => {
  test('path parameters: the realm, the user and the object must match', async () => {
    const { url } = await newLink()
    const unknown = '00000000-0000-4000-8000-000000000000'
    for (const segment of url.split('/').filter((part) => part.length === 36)) {
      const elsewhere = await world.admin.put(url.replace(segment, unknown), identity({ subject: 'x' }))
      expect(elsewhere.status).toBe(404)
      expect(
        (await world.admin.put(url.replace(segment, 'not-an-id'), identity({ subject: 'x' }))).status,
      ).toBe(404)
    }
  })

  test('header Authorization is required', async () => {
    const { url } = await newLink()
    expect((await world.nobody.put(url, identity({ subject: 'x' }))).status).toBe(401)
  })

  test('clients send the header Content-Type: application/json', async () => {
    const { url } = await newLink()
    const body = JSON.stringify(identity({ subject: 'typed' }))
    const headers = { 'content-type': 'application/json' }
    expect((await world.admin.send('PUT', url, { body, headers })).status).toBe(200)
  })

  test.each([
    ['no type', { data: { subject: 'x' } }],
    ['another type', { data: { type: 'user_authentication_info', subject: 'x' } }],
    ['no data', { type: 'user_authentication_oidc_profile_info', subject: 'x' }],
  ])('data.type is required and must be correct: %s', async (_what, body) => {
    const { url, reply } = await newLink()
    const refused = await world.admin.put(url, body)
    expect(refused.status).toBe(400)
    expect(refused.body.errors[0].source).toMatch(/^data/)
    expect((await world.admin.get(url)).body.data).toEqual(reply.body.data)
  })

  test('subject is optional: an update with it changes only the subject', async () => {
    const { url, reply } = await newLink()
    const updated = await world.admin.put(url, identity({ subject: `new-${subjects}` }))
    expect(updated.body.data).toMatchObject({ subject: `new-${subjects}`, issuer, id: reply.body.data.id })
  })

  test('issuer is optional: an update with it changes only the issuer', async () => {
    const { url, reply } = await newLink()
    const updated = await world.admin.put(url, identity({ issuer: 'https://other.example.com' }))
    expect(updated.body.data.issuer).toBe('https://other.example.com')
    expect(updated.body.data.subject).toBe(reply.body.data.subject)
  })

  test('oidc_profile_id is optional, and may be repeated', async () => {
    const { url } = await newLink()
    const repeated = await world.admin.put(
      url,
      identity({ oidc_profile_id: oidcProfile, subject: `r-${subjects}` }),
    )
    expect(repeated.status).toBe(200)
    expect(repeated.body.data.oidc_profile_id).toBe(oidcProfile)
  })

  test('rule 1: the response to a valid request is 200 with the object', async () => {
    const { url, reply } = await newLink()
    const updated = await world.admin.put(url, identity({ subject: `rule-${subjects}` }))
    expect(updated.status).toBe(200)
    expect(updated.body.data.type).toBe('user_authentication_oidc_profile_info')
    expect(updated.body.data.meta.created_at).toBe(reply.body.data.meta.created_at)
    expect(updated.body.data.meta.updated_at >= reply.body.data.meta.updated_at).toBe(true)
    expect((await world.admin.get(url)).body).toEqual(updated.body)
  })

  test('rule 2: links.self is the URL of the updated object', async () => {
    const { url } = await newLink()
    const updated = await world.admin.put(url, identity({ subject: `self-${subjects}` }))
    expect(updated.body.links.self).toBe(world.url + url)
  })

  test('rule 3: changing oidc_profile_id is refused, and the request changes nothing', async () => {
    const { url, reply } = await newLink()
    const refused = await world.admin.put(
      url,
      identity({ oidc_profile_id: otherProfile, subject: 'never stored' }),
    )
    expect(refused.status).toBe(422)
    expect(refused.body.errors[0]).toMatchObject({ status: '422', source: 'data.oidc_profile_id' })
    expect(refused.body.errors[0].detail).toContain('immutable')
    expect((await world.admin.get(url)).body.data).toEqual(reply.body.data)
  })
})

describe('§4.2 create a custom API entry', () => {
  const entry = (title: string) => ({ data: { type: 'wishlist_ext', title } })

  test('answers 201 Created', async () => {
    const created = await world.admin.post('/v2/extensions/wishlists', entry('Birthday'))
    expect(created.status).toBe(201)
    expect(created.body.data).toMatchObject({ type: 'wishlist_ext', title: 'Birthday' })
  })

  test('ETag is weak, and its hash is the etag_id of the entry', async () => {
    const created = await world.admin.post('/v2/extensions/wishlists', entry('Wedding'))
    const etag = created.headers.get('etag')
    expect(etag).toBe(`W/"${created.body.data.meta.etag_id}"`)
    expect(etag).toMatch(/^W\/"[0-9a-f]{64}"$/)
  })

  test('ETag changes when the entry changes, and not when it does not', async () => {
    const created = await world.admin.post('/v2/extensions/wishlists', entry('Move'))
    const url = `/v2/extensions/wishlists/${created.body.data.id}`
    expect((await world.admin.get(url)).headers.get('etag')).toBe(created.headers.get('etag'))
    const updated = await world.admin.put(url, entry('Moved'))
    expect(updated.headers.get('etag')).toBe(`W/"${updated.body.data.meta.etag_id}"`)
    expect(updated.headers.get('etag')).not.toBe(created.headers.get('etag'))
    expect((await world.admin.get(url)).headers.get('etag')).toBe(updated.headers.get('etag'))
  })

  test('custom_api_slug identifies the custom API', async () => {
    expect((await world.admin.post('/v2/extensions/no-such-api', entry('Lost'))).status).toBe(404)
  })
})

describe('§4.3 pagination', () => {
  const total = 60
  beforeAll(async () => {
    for (let i = 0; i < total; i++) {
      await world.admin.post('/v2/accounts', { data: { type: 'account', name: `Account ${i}` } })
    }
  })

  const ids = (reply: Reply): string[] => reply.body.data.map(({ id }: { id: string }) => id)

  test('page[limit] is the number of records, page[offset] the number skipped', async () => {
    const whole = ids(await world.admin.get('/v2/accounts?page[limit]=100'))
    const page = await world.admin.get('/v2/accounts?page[limit]=7&page[offset]=3')
    expect(ids(page)).toEqual(whole.slice(3, 10))
  })

  test('the response has page.limit, offset, current and total, and results.total', async () => {
    const page = await world.admin.get('/v2/accounts?page[limit]=25&page[offset]=50')
    expect(page.body.meta).toEqual({
      page: { limit: 25, offset: 50, current: 3, total: 3 },
      results: { total },
    })
  })

  test('results.total counts after filters', async () => {
    const page = await world.admin.get('/v2/accounts?filter=eq(name,Account 7)')
    expect(page.body.meta).toMatchObject({ page: { total: 1 }, results: { total: 1 } })
  })

  test('an empty list has the pagination fields', async () => {
    const page = await world.admin.get('/v2/accounts?filter=eq(name,Nobody)')
    expect(page.body.data).toEqual([])
    expect(page.body.meta).toEqual({
      page: { limit: 25, offset: 0, current: 1, total: 0 },
      results: { total: 0 },
    })
  })

  test('the lists that the document names have it', async () => {
    const lists = [
      '/v2/accounts',
      '/v2/account-members',
      `${realm}/user-authentication-info`,
      '/v2/extensions/wishlists',
    ]
    for (const path of lists) {
      const page = await world.admin.get(`${path}?page[limit]=1&page[offset]=0`)
      expect(page.body.meta).toMatchObject({
        page: { limit: 1, offset: 0, current: 1, total: expect.any(Number) },
        results: { total: expect.any(Number) },
      })
    }
  })

  test.each(['created_at', 'updated_at'])(
    'a walk by %s with ge() brings each record at least once',
    async (field) => {
      const walked = new Set<string>()
      let from = '2000-01-01T00:00:00.000Z'
      for (let pages = 0; pages < 50; pages++) {
        const page = await world.admin.get(
          `/v2/accounts?sort=${field}&page[limit]=20&filter=ge(${field},${from})`,
        )
        const fresh = ids(page).filter((id) => !walked.has(id))
        if (fresh.length === 0) break
        for (const id of fresh) walked.add(id)
        from = page.body.data.at(-1).meta.timestamps[field]
      }
      expect(walked.size).toBe(total)
    },
  )

  test('a walk by id with gt() brings each record once and ends with an empty page', async () => {
    const walked: string[] = []
    for (let last = '00000000-0000-0000-0000-000000000000'; ; ) {
      const page = await world.admin.get(`/v2/accounts?sort=id&page[limit]=100&filter=gt(id,${last})`)
      if (page.body.data.length === 0) break
      walked.push(...ids(page))
      last = walked.at(-1) as string
    }
    expect(walked.length).toBe(total)
    expect(new Set(walked).size).toBe(total)
  })
})

describe('§5 authentication', () => {
  test('every request has a bearer token', async () => {
    expect((await world.nobody.get('/v2/accounts')).status).toBe(401)
    expect((await world.admin.get('/v2/accounts')).status).toBe(200)
  })
})

describe('§8 limits', () => {
  test('the default page length is 25', async () => {
    const page = await world.admin.get('/v2/accounts')
    expect(page.body.data.length).toBe(25)
    expect(page.body.meta.page.limit).toBe(25)
  })

  test('the settings change it for the project, and a parameter for one request', async () => {
    const change = (page_length: number) =>
      world.admin.put('/v2/settings', { data: { type: 'settings', page_length } })
    expect((await change(10)).status).toBe(200)
    expect((await world.admin.get('/v2/accounts')).body.data.length).toBe(10)
    expect((await world.admin.get('/v2/accounts?page[limit]=3')).body.data.length).toBe(3)
    await change(25)
  })

  test('a page has at most 100 records; the refusal of more names the parameter and the limit', async () => {
    expect((await world.admin.get('/v2/accounts?page[limit]=100')).status).toBe(200)
    const refused = await world.admin.get('/v2/accounts?page[limit]=101')
    expect(refused.status).toBe(400)
    expect(refused.body.errors[0].source).toBe('page[limit]')
    expect(refused.body.errors[0].detail).toContain('100')
  })

  test('offsets over 10,000 are served where the limit is soft, and refused where it is hard', async () => {
    const page = await world.admin.get('/v2/accounts?page[offset]=10001')
    expect(page.status).toBe(200)
    expect(page.body.data).toEqual([])
    expect((await world.admin.get('/v2/files?page[offset]=10000')).status).toBe(200)
    expect((await world.admin.get('/v2/files?page[offset]=10001')).status).toBe(400)
  })
})

describe('§9 versioning', () => {
  test('the version is in the path', async () => {
    expect((await world.admin.get('/v1/accounts')).status).toBe(404)
  })
})
