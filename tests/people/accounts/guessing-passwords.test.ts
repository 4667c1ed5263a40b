import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  byPassword,
  type Person,
  person,
  profile,
  settle,
  signedIn,
  tokens,
} from '../../builders/people/members.ts'
import { MovingClock } from '../../support/moving-clock.ts'
import { body, statuses, times } from '../../support/requests.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let profileId: string
let ada: Person
const clock = new MovingClock()
beforeAll(async () => {
  world = await openWorld({ clock, env: { SUTLER_TOKEN_LIFETIME_S: '86400' } })
  profileId = await profile(world.admin)
  ada = await person(world, profileId)
})
afterAll(() => world.close())

describe('guessing passwords', () => {
  const guess = { password: 'a guess' }

  test('is slowed down per username, existing or not, until the window has passed', async () => {
    const dan = await person(world, profileId)
    for (const who of [byPassword(dan, guess), byPassword(dan, { username: 'no one', ...guess })]) {
      expect(await statuses(await inTurn(5, () => world.admin.post(tokens, who)))).toEqual({ 401: 5 })
      const { status, headers, body: refused } = await world.admin.post(tokens, who)
      expect([status, refused.errors[0].code]).toEqual([429, 'rate_limited'])
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(800)
    }
    expect((await world.admin.post(tokens, byPassword(dan))).status).toBe(429)
    expect((await world.admin.post(tokens, byPassword(ada))).status).toBe(201)
    clock.forward(901)
    expect((await world.admin.post(tokens, byPassword(dan))).status).toBe(201)
  })

  test('is slowed down across all spellings of a name', async () => {
    const { username, ...kim } = await person(world, profileId)
    await world.admin.put(kim.link, body('user_authentication_password_profile_info', { username: 'vickim' }))
    const spellings = ['vickim', 'VICKIM', 'v\u0130ckim', 'vick\u0130m', 'v\u0130ck\u0130m', 'Vickim']
    const who = { ...kim, username }
    const replies = await inTurn(spellings.length, (i) =>
      world.admin.post(tokens, byPassword(who, { username: spellings[i], ...guess })),
    )
    expect(await statuses(replies)).toEqual({ 401: 5, 429: 1 })
  })

  test('is also slowed down through changes of one’s own username', async () => {
    await settle(world, { account_member_self_management: 'update_only' })
    const [gus, hal] = [await person(world, profileId), await person(world, profileId)]
    const headers = await signedIn(world, gus)
    const rename = (username: string) =>
      world.shopper.put(gus.link, body('user_authentication_password_profile_info', { username }), headers)
    expect(await statuses(await inTurn(6, () => rename(hal.username)))).toEqual({ 409: 5, 429: 1 })
  })

  test('is no longer slowed down after a successful sign-in', async () => {
    const eve = await person(world, profileId)
    for (let round = 0; round < 3; round++) {
      await inTurn(4, () => world.admin.post(tokens, byPassword(eve, guess)))
      expect((await world.admin.post(tokens, byPassword(eve))).status).toBe(201)
    }
  })

  test('is slowed down as much when many guesses arrive at once', async () => {
    const fay = await person(world, profileId)
    const counts = await statuses(times(12, () => world.admin.post(tokens, byPassword(fay, guess))))
    expect(counts).toEqual({ 401: 5, 429: 7 })
  })

  test('is slowed down per client address, except through the server of a storefront', async () => {
    clock.forward(901)
    const someone = (i: number) => byPassword(ada, { username: `someone ${i}`, ...guess })
    const replies = await inTurn(21, (i) => world.shopper.post(tokens, someone(i)))
    expect(await statuses(replies)).toEqual({ 401: 20, 429: 1 })
    expect((await world.shopper.post(tokens, byPassword(ada))).status).toBe(429)
    expect((await world.admin.post(tokens, byPassword(ada))).status).toBe(201)
    clock.forward(901)
    expect((await world.shopper.post(tokens, byPassword(ada))).status).toBe(201)
  })

  test('leaves no names in the database', async () => {
    const { rows } = await world.sql('SELECT subject FROM attempts')
    expect(rows.length).toBeGreaterThan(0)
    for (const { subject } of rows) expect(subject).toMatch(/^[\w-]{43}$/)
  })
})

/** One after the other. */
async function inTurn<T>(count: number, call: (i: number) => Promise<T>): Promise<Promise<T>[]> {
  const replies: Promise<T>[] = []
  for (let i = 0; i < count; i++) {
    const reply = await call(i)
    replies.push(Promise.resolve(reply))
  }
  return replies
}
