import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newAccount, openHook } from '../../builders/telling/hooks.ts'
import { until } from '../../support/until.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

test('an event reaches the webhook that observes it, with its job and its log', async () => {
  const hook = await openHook(world.admin, ['account.created'], { secret_key: 'sesame' })
  const id = await newAccount(world.admin, 'Ash')
  const [got] = await hook.got(1)
  expect(got?.headers['x-moltin-secret-key']).toBe('sesame')
  const { body: account } = await world.admin.get(`/v2/accounts/${id}`)
  expect(got?.body).toMatchObject({
    ...{ triggered_by: 'account.created', attempt: 1, store_id: world.storeId },
    integration: { id: hook.id, integration_type: 'webhook', name: 'Hook', description: '' },
    payload: { data: { type: 'account', id, name: account.data.name } },
  })
  const [job] = await hook.ended(1)
  expect(job).toMatchObject({
    state: 'succeeded',
    attempt: 1,
    event: { id: got?.body.id, key: 'account.created' },
  })
  const logs = await world.admin.get(`${hook.path}/jobs/${job?.id}/logs`)
  expect(logs.body.data).toMatchObject([
    { succeeded: true, attempt: 1, status_code: 200, body: 'ok', error_detail: '' },
  ])
  await hook.remove()
})

test('an event has one id for all integrations, and each gets it once', async () => {
  const hooks = [
    await openHook(world.admin, ['account.created']),
    await openHook(world.admin, ['account.created']),
  ]
  const other = await openHook(world.other, ['account.created'])
  await Promise.all([0, 1, 2, 3].map((n) => newAccount(world.admin, `Birch ${n}`)))
  for (const hook of hooks) await hook.ended(4)
  const ids = hooks.map(({ requests }) => requests.map(({ body }) => body.id as string).sort())
  expect(ids[0]).toEqual(ids[1])
  expect(new Set(ids[0]).size).toBe(4)
  expect(other.requests).toEqual([])
  for (const hook of [...hooks, other]) await hook.remove()
})

test('a signed webhook carries the id of the event, and its secret verifies it', async () => {
  const hook = await openHook(world.admin, ['account.created'], { signing: 'standard' })
  const { body } = await world.admin.get(hook.path)
  await newAccount(world.admin, 'Cedar')
  const [got] = await hook.got(1)
  const headers = got?.headers as Record<string, string>
  expect(headers['webhook-id']).toBe(got?.body.id)
  const verifier = new Webhook(body.data.configuration.signing_secret)
  expect(verifier.verify(got?.text ?? '', headers)).toMatchObject({ triggered_by: 'account.created' })
  await hook.remove()
})

test('endpoints that hang delay nobody else', async () => {
  const slow = await Promise.all([0, 1, 2, 3, 4].map(() => openHook(world.admin, ['account.created'])))
  for (const hook of slow) hook.answer = () => {}
  const quick = await openHook(world.admin, ['account.created'])
  for (let n = 0; n < 30; n++) await newAccount(world.admin, `Date ${n}`)
  await quick.ended(30)
  expect(slow.every(({ requests }) => requests.length < 30)).toBe(true)
  // Nobody waits for these to end.
  for (const hook of slow) {
    await hook.remove()
  }
  await quick.remove()
})

test('a redirect and a private address are failures that the log explains', async () => {
  const hook = await openHook(world.admin, ['account.created'])
  hook.answer = (_received, response) => void response.writeHead(302, { location: hook.url }).end()
  const inside = await openHook(world.admin, ['account.created'], { url: 'http://10.0.0.1/hook' })
  await newAccount(world.admin, 'Elm')
  const firstLog = (path: string) =>
    until(async () => (await world.admin.get(`${path}/logs`)).body.data[0] as object | undefined)
  expect(await firstLog(hook.path)).toMatchObject({ succeeded: false, status_code: 302 })
  expect(hook.requests.length).toBe(1)
  expect(await firstLog(inside.path)).toMatchObject({
    ...{ succeeded: false, status_code: 0 },
    error_detail: expect.stringMatching(/10\.0\.0\.1 is not a public address/),
  })
  for (const { remove } of [hook, inside]) await remove()
})

test('tests of one store do not keep another store from its own', async () => {
  const hook = await openHook(world.admin, ['order.paid'])
  const theirs = await openHook(world.other, ['order.paid'])
  const held: { end(): void }[] = []
  hook.answer = (_received, response) => void held.push(response)
  const running = Array.from({ length: 4 }, () => world.admin.post(`${hook.path}/test`))
  await until(async () => held.length === 4 || undefined)
  expect((await world.admin.post(`${hook.path}/test`)).status).toBe(429)
  expect((await world.other.post(`${theirs.path}/test`)).body.data.succeeded).toBe(true)
  for (const response of held) response.end()
  expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200, 200, 200])
  hook.answer = (_received, response) => void response.end()
  expect((await world.admin.post(`${hook.path}/test`)).status).toBe(200)
  for (const { remove } of [hook, theirs]) await remove()
})

test('a test sends one event, shows the outcome and leaves no log', async () => {
  const hook = await openHook(world.admin, ['order.paid'])
  const passed = await world.admin.post(`${hook.path}/test`)
  expect([passed.status, passed.body.data]).toEqual([
    200,
    {
      ...{ type: 'integration-test', succeeded: true, status_code: 200, body: 'ok', error_detail: '' },
      processing_time: expect.any(Number),
    },
  ])
  expect(hook.requests[0]?.body).toMatchObject({
    triggered_by: 'integration.test',
    integration: { id: hook.id },
  })
  await world.admin.put(hook.path, { data: { type: 'integration', enabled: false } })
  hook.answer = (_received, response) => void response.writeHead(401).end('who?')
  const failed = await world.admin.post(`${hook.path}/test`)
  expect(failed.body.data).toMatchObject({ succeeded: false, status_code: 401, body: 'who?' })
  expect((await world.admin.get(`${hook.path}/logs`)).body.data).toEqual([])
  expect((await world.admin.post('/v2/integrations/00000000-0000-4000-8000-000000000000/test')).status).toBe(
    404,
  )
  await hook.remove()
})
