import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { colleagueOf, signInAs } from '../../builders/people/colleagues.ts'
import { MovingClock } from '../../support/moving-clock.ts'
import { body } from '../../support/requests.ts'
import { type Client, openWorld, type World } from '../../support/world.ts'

/** A real mail server, which keeps what it is given. */
const letters: { to: string; text: string }[] = []
const mailServer = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  onData(stream, session, done) {
    let text = ''
    stream.on('data', (chunk) => {
      text += chunk
    })
    stream.on('end', () => {
      // Long lines are broken with a = at their end.
      letters.push({ to: session.envelope.rcptTo[0]?.address ?? '', text: text.replaceAll('=\r\n', '') })
      done()
    })
  },
})

const clock = new MovingClock()
let world: World
let boss: Client
beforeAll(async () => {
  await new Promise<void>((done) => mailServer.listen(0, '127.0.0.1', done))
  const { port } = mailServer.server.address() as AddressInfo
  world = await openWorld({
    clock,
    env: { SUTLER_SMTP_URL: `smtp://127.0.0.1:${port}`, SUTLER_MAIL_FROM: 'Shop <shop@example.com>' },
  })
  boss = (await colleagueOf(world, 'Store Admin')).client
})
afterAll(async () => {
  await world.close()
  await new Promise<void>((done) => mailServer.close(done))
})

let made = 0
const newAddress = () => `invited-${made++}@example.com`
const invitations = '/v2/colleague-invitations'
const invite = (email: string, fields: object = {}, client = boss) =>
  client.post(
    invitations,
    body('colleague_invitation', { name: 'Bob', email, role: 'support', delivery: 'link', ...fields }),
  )
const password = 'eleven horses by the river'
const accept = (link: string, fields: object = {}) =>
  world.nobody.post(
    '/v2/colleague-tokens',
    body('colleague_token', {
      ...{ authentication_mechanism: 'invitation', store: world.storeId, password },
      ...{ invitation: link.split('#')[1], ...fields },
    }),
  )
const mailTo = (email: string) =>
  expect.poll(() => letters.find(({ to }) => to === email)?.text, { timeout: 10_000 })

test('an invitation is mailed to the colleague, and to nobody else', async () => {
  const email = newAddress()
  const { status, body: invited } = await invite(email, { delivery: undefined })
  expect([status, invited.data]).toEqual([
    201,
    expect.objectContaining({ email, role: 'support', delivery: 'mail', link: null }),
  ])
  await mailTo(email).toContain(`${world.url}/console/welcome#`)
  const [link = ''] = /http\S+/.exec(letters.find(({ to }) => to === email)?.text ?? '') ?? []
  const { rows: jobs } = await world.sql('SELECT payload::text AS text FROM graphile_worker._private_jobs')
  expect(jobs.map(({ text }) => text).join()).not.toContain(link.split('.').at(-1))
  expect(await accept(link)).toMatchObject({ status: 201, body: { data: { role: 'Support' } } })
  expect((await signInAs(world, email, { password })).status).toBe(201)
})

test('the link sets the password once, and is refused in the same words ever after', async () => {
  const email = newAddress()
  const { body: invited } = await invite(email)
  const { link } = invited.data
  expect((await accept(link, { password: 'too short' })).status).toBe(422)
  const replies = await Promise.all([accept(link), accept(link)])
  expect(replies.map(({ status }) => status).sort()).toEqual([201, 401])
  const refused = await accept(link)
  const unknown = await accept(`${link}x`)
  expect(refused.body).toEqual({ errors: [expect.objectContaining({ detail: expect.any(String) })] })
  expect(refused.body.errors[0].detail).toBe(unknown.body.errors[0].detail)
  expect((await boss.get(`${invitations}/${invited.data.id}`)).status).toBe(404)
})

test('a link that is revoked or replaced sets no password, nor one whose role was taken away', async () => {
  const revoked = (await invite(newAddress())).body.data
  expect((await boss.get(invitations)).body.data.map(({ id }: { id: string }) => id)).toContain(revoked.id)
  expect((await boss.delete(`${invitations}/${revoked.id}`)).status).toBe(204)
  expect((await accept(revoked.link)).status).toBe(401)

  const email = newAddress()
  const [replaced, newer] = [(await invite(email)).body.data, (await invite(email)).body.data]
  expect((await accept(replaced.link)).status).toBe(401)
  expect((await accept(newer.link)).status).toBe(201)

  const dismissed = (await invite(newAddress())).body.data
  const { body: assigned } = await boss.get(
    `/v2/permissions/role-assignments?filter=eq(user_id,${dismissed.user_id})`,
  )
  await boss.delete(`/v2/permissions/role-assignments/${assigned.data[0].id}`)
  expect((await accept(dismissed.link)).status).toBe(401)
})

test('another link for a forgotten password ends what the old one began', async () => {
  const { link } = (await invite('ada@example.com')).body.data
  const ada = world.clientWith((await accept(link)).body.data.token)
  expect((await invite('ada@example.com', { role: 'store-admin' }, world.admin)).status).toBe(409)
  const again = (await invite('ada@example.com', {}, world.admin)).body.data.link
  expect((await accept(again, { password: 'four other unrelated words' })).status).toBe(201)
  clock.forward(1)
  expect((await ada.get('/v2/accounts')).status).toBe(401)
  expect((await signInAs(world, 'ada@example.com', { password })).status).toBe(401)
})

test('only an administrator sees, makes and revokes invitations, and nobody reads a secret of one', async () => {
  const { id, link } = (await invite(newAddress(), {}, world.admin)).body.data
  const lower = world.clientWith(
    (await accept((await invite(newAddress(), {}, world.admin)).body.data.link)).body.data.token,
  )
  for (const reply of [
    await lower.get(invitations),
    await lower.get(`${invitations}/${id}`),
    await lower.delete(`${invitations}/${id}`),
    await invite(newAddress(), {}, lower),
  ])
    expect(reply.status).toBe(403)
  const secret = link.split('.').at(-1)
  const { rows } = await world.feed('SELECT c::text AS text FROM changes c')
  expect(rows.map(({ text }) => text).join('\n')).not.toContain(secret)
  expect(JSON.stringify((await world.admin.get(`${invitations}/${id}`)).body)).not.toContain(secret)
  // Nor one who is in another store.
  expect((await world.other.get(`${invitations}/${id}`)).status).toBe(404)
  const { body: stores } = await world.other.get('/v2/stores')
  expect((await accept(link, { store: stores.data[0].id })).status).toBe(401)
})

test('the mail of a revoked invitation is not sent', async () => {
  const { mailInvitation } = await import('../../../server/people/colleagues/mail-invitation.ts')
  const { seal } = await import('../../../server/kernel/auth/seal.ts')
  const email = newAddress()
  const { id, link } = (await invite(email, {}, world.admin)).body.data
  const letter = { invitationId: id, sealedLink: seal(world.server.instance.sealKeys, link) }
  await world.admin.delete(`${invitations}/${id}`)
  await mailInvitation.run(world.work, letter)
  expect(letters.some(({ to }) => to === email)).toBe(false)
})

test('a store without mail says so, and shows the link', async () => {
  const without = await openWorld()
  const ask = (delivery: string | undefined) => invite(newAddress(), { delivery }, without.admin)
  expect((await ask('mail')).body.errors[0]).toMatchObject({ status: '422', source: 'data.delivery' })
  expect((await ask(undefined)).body.data).toMatchObject({ delivery: 'link', link: expect.any(String) })
  await without.close()
})

test('a link is valid for three days', async () => {
  const { link } = (await invite(newAddress(), {}, world.admin)).body.data
  clock.forward(3 * 24 * 60 * 60 + 1)
  expect((await accept(link)).status).toBe(401)
})
