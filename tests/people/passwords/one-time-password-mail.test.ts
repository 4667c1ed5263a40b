import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountRealm } from '../../builders/people/accounts.ts'
import { type Person, person, profile, tokenRequest, tokens } from '../../builders/people/members.ts'
import { MovingClock } from '../../support/moving-clock.ts'
import { body } from '../../support/requests.ts'
import { until } from '../../support/until.ts'
import { openWorld, type World } from '../../support/world.ts'

/** A real mail server, which keeps what it is given. */
const letters: { to: string[]; text: string }[] = []
const clock = new MovingClock()
/** The mail server is away until then. */
let awayUntilMs = 0
const mailServer = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  onData(stream, session, done) {
    let text = ''
    stream.on('data', (chunk) => {
      text += chunk
    })
    stream.on('end', () => {
      if (clock.now().getTime() < awayUntilMs)
        return done(Object.assign(new Error('try again later'), { responseCode: 451 }))
      letters.push({ to: session.envelope.rcptTo.map(({ address }) => address), text })
      done()
    })
  },
})

let world: World
let profileId: string
beforeAll(async () => {
  await new Promise<void>((done) => mailServer.listen(0, '127.0.0.1', done))
  const { port } = mailServer.server.address() as AddressInfo
  world = await openWorld({
    alone: true,
    clock,
    env: {
      SUTLER_SMTP_URL: `smtp://127.0.0.1:${port}`,
      SUTLER_MAIL_FROM: 'Shop <shop@example.com>',
      LOG_LEVEL: 'silent',
    },
  })
  profileId = await profile(world.admin, { enable_one_time_password_token: true })
})
afterAll(async () => {
  await world.close()
  await new Promise<void>((done) => mailServer.close(done))
})

const ask = async (username: string) => {
  const realm = await accountRealm(world.admin)
  const path = `${realm}/password-profiles/${profileId}/one-time-password-token-request`
  const request = { username, purpose: 'passwordless_authentication' }
  return world.shopper.post(path, body('one_time_password_token_request', request))
}

const emailOf = async ({ user }: Person) => (await world.admin.get(user)).body.data.email as string

test('the code is mailed to its user only, and signs them in', async () => {
  const ada = await person(world, profileId)
  expect((await ask('nobody@example.com')).status).toBe(202)
  expect((await ask(ada.username)).status).toBe(202)
  await expect.poll(() => letters.length, { timeout: 10_000 }).toBe(1)
  const [letter] = letters
  expect(letter?.to).toEqual([await emailOf(ada)])
  const [, code = ''] = /is: (\w+)/.exec(letter?.text ?? '') ?? []
  const credentials = {
    password_profile_id: profileId,
    username: ada.username,
    one_time_password_token: code,
  }
  const request = tokenRequest('passwordless', credentials)
  expect((await world.shopper.post(tokens, request)).status).toBe(201)
  expect((await world.shopper.post(tokens, request)).status).toBe(401)
})

/** The seconds until the job tries again. It does so now, and the clock moves on. */
async function skipDelay(job: string): Promise<number> {
  const delayS = await until(async () => {
    const { rows } = await world.sql(
      `UPDATE graphile_worker._private_jobs j SET run_at = now()
       FROM graphile_worker._private_jobs before, graphile_worker._private_tasks t
       WHERE t.id = j.task_id AND t.identifier = $1 AND before.id = j.id AND j.locked_at IS NULL AND j.run_at > now()
       RETURNING extract(epoch FROM before.run_at - now())::float8 AS delay_s`,
      [job],
    )
    return rows[0]?.delay_s as number | undefined
  }, 15_000)
  clock.forward(delayS)
  return delayS
}

/** Keeps the mail server away for so long, and lets the time pass that the job waits. */
async function beAway(job: string, seconds: number): Promise<void> {
  let passedS = 0
  while (passedS < seconds) passedS += await skipDelay(job)
}

const awayFor = (seconds: number) => {
  awayUntilMs = clock.now().getTime() + seconds * 1000
}

test('a code reaches its user although the mail server was away for two minutes', async () => {
  const before = letters.length
  const bob = await person(world, profileId)
  awayFor(120)
  expect((await ask(bob.username)).status).toBe(202)
  await beAway('passwords:mail-one-time-password', 120)
  await expect.poll(() => letters.length, { timeout: 20_000 }).toBe(before + 1)
  expect(letters.at(-1)?.to).toEqual([await emailOf(bob)])
  const [, code = ''] = /is: (\w+)/.exec(letters.at(-1)?.text ?? '') ?? []
  const { username } = bob
  const credentials = { password_profile_id: profileId, username, one_time_password_token: code }
  expect((await world.shopper.post(tokens, tokenRequest('passwordless', credentials))).status).toBe(201)
})

test('the notice of a new address reaches the old one although the mail server was away for two hours', async () => {
  const before = letters.length
  const eve = await person(world, profileId)
  const email = await emailOf(eve)
  awayFor(7200)
  const change = body('user_authentication_info', { name: 'Eve', email: 'new@example.com' })
  expect((await world.admin.put(eve.user, change)).status).toBe(200)
  await beAway('identity:mail-email-change', 7200)
  await expect.poll(() => letters.length, { timeout: 20_000 }).toBe(before + 1)
  expect(letters.at(-1)?.to).toEqual([email])
})
