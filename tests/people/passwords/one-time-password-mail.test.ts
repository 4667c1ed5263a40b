import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountRealm } from '../../builders/people/accounts.ts'
import { type Person, person, profile, tokenRequest, tokens } from '../../builders/people/members.ts'
import { body } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

/** A real mail server, which keeps what it is given. */
const letters: { to: string[]; text: string }[] = []
let refuseNext = false
const mailServer = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  onData(stream, session, done) {
    let text = ''
    stream.on('data', (chunk) => {
      text += chunk
    })
    stream.on('end', () => {
      if (refuseNext) {
        refuseNext = false
        return done(Object.assign(new Error('try again later'), { responseCode: 451 }))
      }
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

test('a mail is sent again if the mail server is busy', async () => {
  const before = letters.length
  const bob = await person(world, profileId)
  refuseNext = true
  expect((await ask(bob.username)).status).toBe(202)
  await expect.poll(() => letters.length, { timeout: 20_000 }).toBe(before + 1)
  expect(letters.at(-1)?.to).toEqual([await emailOf(bob)])
})
