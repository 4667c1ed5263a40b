import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountRealm } from '../../builders/people/accounts.ts'
import { person, profile } from '../../builders/people/members.ts'
import { body } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

/** A mail server that takes connections and never says a word. */
const open = new Set<Socket>()
const hanging = createServer((socket) => void open.add(socket.on('error', () => {})))

let world: World
beforeAll(async () => {
  await new Promise<void>((done) => hanging.listen(0, '127.0.0.1', done))
  const { port } = hanging.address() as AddressInfo
  const env = {
    SUTLER_SMTP_URL: `smtp://127.0.0.1:${port}`,
    SUTLER_MAIL_FROM: 'Shop <shop@example.com>',
    LOG_LEVEL: 'silent',
  }
  world = await openWorld({ env })
})
afterAll(async () => {
  for (const socket of open) socket.destroy()
  await world.close()
  hanging.close()
})

test('mail that waits for its server does not delay other jobs', async () => {
  const { admin, shopper } = world
  const profileId = await profile(admin, { enable_one_time_password_token: true })
  const path = `${await accountRealm(admin)}/password-profiles/${profileId}/one-time-password-token-request`
  for (let n = 0; n < 3; n++) {
    const { username } = await person(world, profileId)
    const request = { username, purpose: 'passwordless_authentication' }
    const { status } = await shopper.post(path, body('one_time_password_token_request', request))
    expect(status).toBe(202)
  }
  await expect.poll(() => open.size, { timeout: 10_000 }).toBeGreaterThan(1)
  const customer = { type: 'customer', name: 'Ada', email: 'ada@example.com' }
  const { id } = (await admin.post('/v2/customers', { data: customer })).body.data
  const erasure = { type: 'erasure_request', resource_type: 'customer', resource_id: id }
  const request = (await admin.post('/v2/personal-data/erasure-requests', { data: erasure })).body.data
  const status = async () =>
    (await admin.get(`/v2/personal-data/erasure-requests/${request.id}`)).body.data.status
  await expect.poll(status, { timeout: 8_000 }).toBe('SUCCESS')
})
