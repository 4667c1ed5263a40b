import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { address, password } from '../../builders/people/accounts.ts'
import { customer, customers, tokens } from '../../builders/people/customers.ts'
import { body, idOf, statuses, times } from '../../support/requests.ts'
import { openWorld, type Reply, type World } from '../../support/world.ts'

let open: World
let strict: World
beforeAll(async () => {
  ;[open, strict] = await Promise.all([
    openWorld(),
    // Few connections: that those who guess at once hold all of them must hold up nobody.
    openWorld({ env: { SUTLER_STRICT_PASSWORDS: 'true', SUTLER_DATABASE_CONNECTIONS: '3' } }),
  ])
})
afterAll(() => Promise.all([open.close(), strict.close()]))
beforeEach(async () => {
  for (const world of [open, strict]) await world.sql('DELETE FROM attempts')
})

interface Ada {
  readonly id: string
  readonly path: string
  readonly email: string
  readonly as: Record<string, string>
}

const header = 'x-moltin-customer-token'
const another = 'nine otters in a red boat'
const change = (fields: object) => body('customer', fields)
const refusal = ({ status, body }: Reply) => [status, body?.errors?.[0].source]
const wrong = [422, 'data.current_password']

const signIn = (world: World, email: string, secret = password) =>
  world.shopper.post(tokens, body('token', { email, password: secret }))

const tokenOf = async (world: World, email: string, secret?: string): Promise<Record<string, string>> => ({
  [header]: (await signIn(world, email, secret)).body.data.token,
})

async function ada(world: World): Promise<Ada> {
  const sent = customer({ password })
  const id = await idOf(world.admin.post(customers, sent))
  const { email } = sent.data as unknown as { email: string }
  return { id, path: `${customers}/${id}`, email, as: await tokenOf(world, email) }
}

const works = async (world: World, { path }: Pick<Ada, 'path'>, as: Record<string, string>) =>
  (await world.shopper.get(path, as)).status === 200

describe('the tokens of a customer', () => {
  const cases: [what: string, act: (who: Ada) => Promise<Reply>, ends: boolean][] = [
    ['end with a new password', ({ path }) => open.admin.put(path, change({ password: another })), true],
    [
      'end with one that they set themself',
      ({ path, as }) => open.shopper.put(path, change({ password: another }), as),
      true,
    ],
    ['end with the same password anew', ({ path }) => open.admin.put(path, change({ password })), true],
    [
      'stay with the shown form',
      ({ path, as }) => open.shopper.put(path, change({ password: true }), as),
      false,
    ],
    ['stay with its opposite', ({ path }) => open.admin.put(path, change({ password: false })), false],
    [
      'stay with other fields',
      ({ path }) => open.admin.put(path, change({ name: 'B', email: `b-${path.slice(-12)}@b.co` })),
      false,
    ],
    ['stay with an address', ({ path, as }) => open.shopper.post(`${path}/addresses`, address(), as), false],
    [
      'stay with a password that is refused',
      ({ path, as }) => open.shopper.put(path, change({ password: 'short' }), as),
      false,
    ],
    ['end with the customer', ({ path }) => open.admin.delete(path), true],
  ]
  test.each(cases)('%s', async (_what, act, ends) => {
    const [who, other] = [await ada(open), await ada(open)]
    const second = await tokenOf(open, who.email)
    await act(who)
    expect(await Promise.all([who.as, second].map((as) => works(open, who, as)))).toEqual([!ends, !ends])
    expect(await works(open, other, other.as)).toBe(true)
  })

  test('end with a first password too', async () => {
    const { body: created } = await open.admin.post(customers, customer())
    const { id, email } = created.data
    const path = `${customers}/${id}`
    await open.admin.put(path, change({ password }))
    const as = await tokenOf(open, email)
    expect(await works(open, { path }, as)).toBe(true)
    await open.admin.put(path, change({ password: another }))
    expect(await works(open, { path }, as)).toBe(false)
    // Signed in within the same second, with what it is now.
    expect(await works(open, { path }, await tokenOf(open, email, another))).toBe(true)
  })

  test('end with each of many passwords that are set at once, of which one is valid at the end', async () => {
    const who = await ada(open)
    const secrets = times(6, (i) => `${another} ${i}`)
    const sent = secrets.map((secret) => open.admin.put(who.path, change({ password: secret })))
    // Sign-ins in between get tokens of a password that was good then, or none.
    const between = times(12, async (i) => (await signIn(open, who.email, secrets[i % 6])).body.data?.token)
    expect(await statuses(sent)).toEqual({ 200: 6 })
    const early = (await Promise.all(between)).filter((token) => token !== undefined)
    await open.sql('DELETE FROM attempts')
    const late: string[] = []
    for (const secret of secrets) {
      const { status, body: answer } = await signIn(open, who.email, secret)
      if (status === 200) late.push(answer.data.token)
      await open.sql('DELETE FROM attempts')
    }
    expect(late).toHaveLength(1)
    expect(await works(open, who, { [header]: late[0] as string })).toBe(true)
    expect(await works(open, who, who.as)).toBe(false)
    const epochIn = (token: string) =>
      JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString()).password_epoch
    for (const token of early) {
      const good = epochIn(token) === epochIn(late[0] as string)
      expect(await works(open, who, { [header]: token })).toBe(good)
    }
  })
})

describe('the current password', () => {
  const worlds: [setting: string, world: () => World][] = [
    ['off', () => open],
    ['on', () => strict],
  ]

  test.each(worlds)('must be correct if it is sent: strict passwords %s', async (_setting, of) => {
    const world = of()
    const { path, as, email } = await ada(world)
    for (const current_password of ['a wrong password', '', password.toUpperCase()]) {
      const sent = change({ password: another, current_password, name: 'Not kept' })
      const reply = await world.shopper.put(path, sent, as)
      expect(refusal(reply)).toEqual(wrong)
      expect(reply.body.errors[0].code).toBe('unprocessable')
      expect(JSON.stringify(reply.body)).not.toMatch(/wrong password|eleven|ELEVEN|otters/)
      // An administrator need not send it; one that is sent is no less wrong.
      expect(refusal(await world.admin.put(path, sent))).toEqual(wrong)
      await world.sql('DELETE FROM attempts')
    }
    expect((await world.shopper.get(path, as)).body.data.name).toBe('Ada Marsh')
    // The one of the address that they had.
    const right = change({ password: another, current_password: password, email: `new-${email}` })
    expect((await world.shopper.put(path, right, as)).status).toBe(200)
    expect(await works(world, { path }, as)).toBe(false)
    const outcomes = [await signIn(world, `new-${email}`), await signIn(world, `new-${email}`, another)]
    expect(outcomes.map(({ status }) => status)).toEqual([401, 200])
  })

  test.each([
    ['off', () => open, [200, undefined]],
    ['on', () => strict, wrong],
  ] as [string, () => World, unknown[]][])(
    'may be missing only where passwords are not strict: strict passwords %s',
    async (_s, of, expected) => {
      const { path, as } = await ada(of())
      expect(refusal(await of().shopper.put(path, change({ password: another }), as))).toEqual(expected)
      // With an application's own key beside it, it is still the shopper who calls.
      const own = await ada(of())
      expect(refusal(await of().admin.put(own.path, change({ password: another }), own.as))).toEqual(expected)
    },
  )

  test('is not required of an administrator', async () => {
    const { path, email } = await ada(strict)
    expect((await strict.admin.put(path, change({ password: another }))).status).toBe(200)
    expect((await signIn(strict, email, another)).status).toBe(200)
  })

  test.each(worlds)(
    'is ignored unless the request changes how the customer signs in: strict passwords %s',
    async (_setting, of) => {
      const world = of()
      const current_password = 'a wrong password'
      const sent = customer({ password, current_password })
      const created = await world.admin.post(customers, sent)
      expect(created.status).toBe(201)
      const { id, email } = created.body.data
      const path = `${customers}/${id}`
      const as = await tokenOf(world, email)
      for (const fields of [{ password: true }, { password: false }, { name: 'Ada Byron' }]) {
        const reply = await world.shopper.put(path, change({ ...fields, current_password }), as)
        expect(reply.status, JSON.stringify(reply.body)).toBe(200)
      }
      expect(await works(world, { path }, as)).toBe(true)
      // A customer who signs in elsewhere, and sets their first password.
      await world.sql(`UPDATE customers SET hidden = (hidden::jsonb - 'password_hash')::json WHERE id = $1`, [
        id,
      ])
      expect((await world.shopper.put(path, change({ password: another }), as)).status).toBe(200)
      expect((await signIn(world, email, another)).status).toBe(200)
    },
  )

  test.each([
    ['a number', 12345678],
    ['null', null],
    ['the form that responses show', true],
    ['a text that is too long', 'x'.repeat(1025)],
  ])('must be a text of a valid length, not %s', async (_what, current_password) => {
    const { path, as } = await ada(open)
    const reply = await open.shopper.put(path, change({ password: another, current_password }), as)
    expect(refusal(reply)).toEqual([400, 'data.current_password'])
    expect(JSON.stringify(reply.body)).not.toMatch(/1234|xxx/)
  })

  test('is stored nowhere', async () => {
    const { id, path, as } = await ada(strict)
    const sent = change({ password: another, current_password: password })
    const changed = await strict.shopper.put(path, sent, { ...as, 'idempotency-key': 'once' })
    expect(changed.status).toBe(200)
    const { rows } = await strict.sql('SELECT doc, hidden FROM customers WHERE id = $1', [id])
    expect(Object.keys(rows[0].doc).sort()).toEqual(['email', 'external_ref', 'name', 'password'])
    expect(Object.keys(rows[0].hidden).sort()).toEqual(['password_epoch', 'password_hash'])
    const shown = await strict.admin.get(path)
    const stored = await Promise.all(
      ['changes', 'idempotency_keys', 'attempts'].map((table) =>
        strict.feed(`SELECT t::text FROM ${table} t`),
      ),
    )
    const everything = JSON.stringify([changed.body, shown.body, stored.map(({ rows }) => rows), rows[0].doc])
    expect(everything).not.toMatch(/current_password|password_epoch|eleven horses|nine otters/)
  })
})

describe('guessing the current password', () => {
  const guess = (world: World, { path, as }: Ada, current_password = 'a wrong password') =>
    world.shopper.put(path, change({ password: another, current_password }), as)

  test('is counted together with guessing at the sign-in', async () => {
    const who = await ada(strict)
    const outcomes: number[] = []
    for (let i = 0; i < 4; i++) outcomes.push((await guess(strict, who)).status)
    outcomes.push((await signIn(strict, who.email.toUpperCase(), 'a wrong password')).status)
    expect(outcomes).toEqual([422, 422, 422, 422, 401])
    // To the right password, too, in both places.
    const refused = [await guess(strict, who, password), await signIn(strict, who.email)]
    for (const { status, headers, body: answer } of refused) {
      expect([status, answer.errors[0].code]).toEqual([429, 'rate_limited'])
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(800)
    }
    expect(await works(strict, who, who.as)).toBe(true)
  })

  test('delays nobody else behind the same client address', async () => {
    const all = await Promise.all(times(6, () => ada(strict)))
    const outcomes = await statuses(all.slice(1).flatMap((who) => times(4, () => guess(strict, who))))
    expect(outcomes).toEqual({ 422: 20 })
    expect((await guess(strict, all[0] as Ada, password)).status).toBe(200)
  })

  test('is forgotten after the correct password', async () => {
    const who = await ada(strict)
    for (let i = 0; i < 4; i++) expect((await guess(strict, who)).status).toBe(422)
    expect((await guess(strict, who, password)).status).toBe(200)
    for (let i = 0; i < 4; i++) expect((await signIn(strict, who.email, 'a wrong one')).status).toBe(401)
    expect((await signIn(strict, who.email, another)).status).toBe(200)
  })

  test('is limited when many guesses arrive at once, and delays nobody else', async () => {
    const who = await ada(strict)
    const [other, started] = [await ada(strict), performance.now()]
    const guesses = times(30, () => guess(strict, who))
    expect((await strict.admin.put(other.path, change({ name: 'Not held up' }))).status).toBe(200)
    const counted = await statuses(guesses)
    // A connection that is waited for is given up after ten seconds.
    expect(performance.now() - started).toBeLessThan(9_000)
    expect((counted[422] ?? 0) + (counted[429] ?? 0)).toBe(30)
    expect(counted[422]).toBeLessThanOrEqual(5)
    expect((await guess(strict, who, password)).status).toBe(429)
  })
})

describe('a common password', () => {
  const common = [422, 'data.password']

  test('is refused where passwords are strict, in any case, whoever sets it', async () => {
    for (const secret of ['password', '12345678', 'PassW0rd', 'ILOVEYOU', 'qwertyuiop']) {
      const reply = await strict.admin.post(customers, customer({ password: secret }))
      expect(refusal(reply), secret).toEqual(common)
      expect(reply.body.errors[0].detail).toMatch(/choose one of 8 to 1024 characters/)
    }
    const { path, as, email } = await ada(strict)
    const sent = change({ password: 'Password1', current_password: password })
    expect(refusal(await strict.shopper.put(path, sent, as))).toEqual(common)
    expect(refusal(await strict.admin.put(path, sent))).toEqual(common)
    expect((await signIn(strict, email)).status).toBe(200)
    // What is common as a part of it is not.
    expect((await strict.admin.put(path, change({ password: 'password of the otters' }))).status).toBe(200)
  })

  test('is accepted where passwords are not strict', async () => {
    const id = await idOf(open.admin.post(customers, customer({ password: 'password' })))
    expect((await open.admin.put(`${customers}/${id}`, change({ password: '12345678' }))).status).toBe(200)
  })
})

describe('a password of fewer than 8 characters', () => {
  test('can be set by an administrator', async () => {
    const sent = customer({ password: 'test' })
    const id = await idOf(open.admin.post(customers, sent))
    const { email } = sent.data as unknown as { email: string }
    expect((await signIn(open, email, 'test')).status).toBe(200)
    expect((await open.admin.put(`${customers}/${id}`, change({ password: 'tes' }))).status).toBe(200)
    expect((await signIn(open, email, 'tes')).status).toBe(200)
  })

  test('cannot be set by the customer', async () => {
    const { path, as } = await ada(open)
    const reply = await open.shopper.put(path, change({ password: '7 chars' }), as)
    expect(refusal(reply)).toEqual([400, 'data.password'])
    expect((await open.shopper.put(path, change({ password: '8 chars!' }), as)).status).toBe(200)
  })

  test('is refused where passwords are strict', async () => {
    expect(refusal(await strict.admin.post(customers, customer({ password: '7 chars' })))).toEqual([
      400,
      'data.password',
    ])
  })
})
