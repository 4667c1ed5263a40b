import { expect, test } from 'vitest'
import { emptyDatabase } from '../../support/own-database.ts'
import { adminOf, key, newDirectory, serve, stop, stopAfterEach } from '../../support/process.ts'

stopAfterEach()

const account = (name: string) => ({ data: { type: 'account', name } })

test('several processes on one database are one server', async () => {
  const database = await emptyDatabase()
  const settings = {
    ...key,
    DATABASE_URL: database.url,
    SUTLER_SECRET: 'the same secret in all of the processes',
    LOG_LEVEL: 'info',
  }
  // All find an empty database: one migrates it, one creates the store.
  const servers = [1, 2, 3].map(() => serve(newDirectory(), settings))
  const urls = await Promise.all(servers.map(({ ready }) => ready))
  // The settings have the key, so there is none to print. Warnings of Node, and what tells of migrations, are ignored.
  for (const { output } of servers) {
    const own = output().replaceAll(
      /^(\(node:|\(Use `node |.*"(the start (applies|waits)|migrations are not finished)).*\n/gm,
      '',
    )
    expect(own).toMatch(/^Sutler is ready at \S+ \(.*\)\n/)
    expect(own).not.toContain('CLIENT_SECRET')
  }
  const [first, second, third] = (await Promise.all(urls.map((url) => adminOf(url)))) as [
    Awaited<ReturnType<typeof adminOf>>,
    Awaited<ReturnType<typeof adminOf>>,
    Awaited<ReturnType<typeof adminOf>>,
  ]
  const stores = await Promise.all([first, second, third].map((admin) => admin.get('/v2/settings')))
  expect(new Set(stores.map(({ body }) => body.data.id)).size).toBe(1)

  // Totals are exact for all writers, and during writes.
  await Promise.all(
    [first, second, third].map(async (admin, process) => {
      for (let i = 0; i < 40; i++) await admin.post('/v2/accounts', account(`${process}-${i}`))
    }),
  )
  for (const admin of [first, second, third]) {
    expect((await admin.get('/v2/accounts')).body.meta.results.total).toBe(120)
  }

  // The page length takes effect at once in every process.
  for (const page_length of [7, 50, 1, 25]) {
    await first.put('/v2/settings', { data: { type: 'settings', page_length } })
    for (const admin of [second, third, first]) {
      expect((await admin.get('/v2/accounts')).body.data.length).toBe(page_length)
    }
  }

  // Every process uses the added fields of a store at once.
  const old = (await first.get('/v2/accounts?page[limit]=1')).body.data[0].id
  const flow = await first.post('/v2/flows', { data: { type: 'flow', name: 'More', slug: 'accounts' } })
  const relationships = { flow: { data: { type: 'flow', id: flow.body.data.id } } }
  const grade = {
    type: 'field',
    name: 'Grade',
    slug: 'grade',
    field_type: 'integer',
    default: 1,
    relationships,
  }
  const field = await second.post('/v2/fields', { data: grade })
  expect(field.status).toBe(201)
  for (const [n, admin] of [third, first, second].entries()) {
    expect((await admin.get(`/v2/accounts/${old}`)).body.data.grade).toBe(null)
    const response = await admin.post('/v2/accounts', account(`graded-${n}`))
    expect([response.status, response.body.data.grade]).toEqual([201, 1])
  }
  for (const [n, slug] of ['level', 'grade', 'rank'].entries()) {
    const [definer, ...others] =
      [
        [first, second, third],
        [second, third, first],
        [third, first, second],
      ][n] ?? []
    expect(
      (await definer?.put(`/v2/fields/${field.body.data.id}`, { data: { type: 'field', slug } }))?.status,
    ).toBe(200)
    for (const admin of others) {
      const changed = await admin.put(`/v2/accounts/${old}`, { data: { type: 'account', [slug]: n } })
      expect([slug, changed.status, changed.body.data[slug]]).toEqual([slug, 200, n])
      const refused = await admin.post('/v2/accounts', {
        data: { ...account('x').data, [slug]: 'no number' },
      })
      expect([slug, refused.status]).toEqual([slug, 422])
    }
  }

  // A token is valid everywhere, until any process deletes its key.
  const response = await first.post('/v2/application-keys', {
    data: { type: 'application_key', name: 'Passing' },
  })
  const { client_id, client_secret, id } = response.body.data
  const passing = await adminOf(urls[1] as string, client_id, client_secret)
  expect((await passing.get('/v2/settings')).status).toBe(200)
  expect((await first.delete(`/v2/application-keys/${id}`)).status).toBe(204)
  await expect.poll(async () => (await passing.get('/v2/settings')).status, { timeout: 8000 }).toBe(401)
  await Promise.all(servers.map(({ child }) => stop(child)))
  await database.drop()
})
