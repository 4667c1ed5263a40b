import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { input, writable } from '../../../server/kernel/body/input.ts'
import { Problem } from '../../../server/kernel/errors.ts'
import { complete, merge } from '../../../server/kernel/shape/values.ts'
import { add, change } from '../../../server/kernel/write/by-rules.ts'
import { Samples, specimensWith } from '../../builders/samples.ts'
import { tries } from '../../support/long.ts'
import { createFields, type Specimen } from '../../support/specimens.ts'
import { openWorld, type World } from '../../support/world.ts'
import { appAndWorkshop } from '../../workshop/index.ts'
import { things } from '../../workshop/things.ts'

/** What becomes of the values of fields in the database. */

const { fields } = things
const reader = input(things)

let world: World
beforeAll(async () => {
  world = await openWorld({ ...appAndWorkshop, alone: true })
})
afterAll(() => world.close())

const word = (maxLength: number, minLength = 0) =>
  fc.string({ unit: 'grapheme', minLength, maxLength: Math.floor(maxLength / 4) }).filter(storable)
const storable = (text: string) => !text.includes('\0') && text.isWellFormed()
const code = fc.stringMatching(/^[A-Za-z]{3}$/)
const uuid = fc.uuid().map((id) => id.toUpperCase())
const key = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 2 }).filter(storable)
const optional = <T extends Record<string, fc.Arbitrary<unknown>>>(members: T) =>
  fc.record(members, { requiredKeys: [] })

const amount = fc.record({ units: fc.nat(), code, unheard_of: fc.constant(1) }, { requiredKeys: ['units'] })
const place = optional({ country: fc.stringMatching(/^[a-z]{2}$/), city: word(100) })
const members = { phone: fc.option(word(20)), owner: uuid, place }
const plain = {
  code,
  owner: uuid,
  weight: fc.option(fc.double({ min: -1000, max: 1000, noNaN: true })),
  ratio: fc.double({ noNaN: true, noDefaultInfinity: true }),
  count: fc.maxSafeInteger(),
  on: fc.boolean(),
  mood: fc.constantFrom('good', 'bad'),
  words: fc.array(word(5), { maxLength: 3 }),
  codes: fc.array(code, { maxLength: 5 }),
  rows: fc.array(optional({ id: uuid, note: word(5) }), { maxLength: 3 }),
  shape: fc.record({ sides: fc.jsonValue() }),
  pin: fc.uuid().map((id) => `pin ${id}`),
  token: fc.uuid().map((id) => `token ${id}`),
  keys: optional({ own: word(10) }),
  unheard_of: fc.jsonValue(),
}
const created = fc.record(
  {
    ...plain,
    title: word(20, 1),
    contact: fc.option(
      fc.record({ ...members, email: fc.constant('a@b.example') }, { requiredKeys: ['email'] }),
    ),
    labels: fc.dictionary(key, word(10), { maxKeys: 3 }),
    amounts: fc.dictionary(key, amount, { maxKeys: 3 }),
  },
  { requiredKeys: ['title'] },
)
const changed = optional({
  ...plain,
  title: word(20, 1),
  contact: fc.option(optional({ ...members, email: fc.constant('b@c.example') })),
  labels: fc.dictionary(key, fc.option(word(10)), { maxKeys: 3 }),
  amounts: fc.dictionary(key, fc.option(amount), { maxKeys: 3 }),
})

/** What JSON can say of the values that are stored. */
function stored(values: object): object {
  const { pin, fresh_token, ...others } = values as Record<string, unknown>
  return JSON.parse(JSON.stringify(others)) as object
}

test('accepted values are stored and shown; values that are only checked are stored nowhere', async () => {
  const roundTrip = fc.asyncProperty(created, changed, async (body, changes) => {
    // As it comes: a text that was parsed.
    const parsed = <T>(data: T) => JSON.parse(JSON.stringify({ data: { ...data, type: 'thing' } })) as unknown
    const input = reader.create(parsed(body))
    const row = await add(world.work, things, [], input)
    const whole = complete(fields, input)
    const token = input.fresh_token !== undefined && { token: true }
    const first = await world.work.store.findWhole(things, row.id)
    expect({ ...first?.doc, ...first?.hidden }).toEqual(stored({ ...whole, ...token }))
    expect(row.doc).toEqual(first?.doc)

    const next = reader.update(parsed(changes))
    const merged = attempt(() => merge(things, stored(whole) as Record<string, unknown>, next))
    if (merged instanceof Problem) {
      await expect(change(world.work, things, [], row.id, next)).rejects.toMatchObject({
        detail: merged.detail,
      })
    } else {
      await change(world.work, things, [], row.id, next)
      const second = await world.work.store.findWhole(things, row.id)
      const both = next.fresh_token !== undefined ? { token: true } : token
      expect({ ...second?.doc, ...second?.hidden }).toEqual(stored({ ...whole, ...merged, ...both }))
    }
    const { rows } = await world.feed(
      `SELECT t.doc::text || coalesce(t.hidden::text, '') AS row, (SELECT json_agg(c) FROM changes c
         WHERE c.store_id = $1 AND c.id = t.id)::text FROM things t WHERE t.store_id = $1 AND t.id = $2`,
      [world.storeId, row.id],
    )
    for (const secret of [body.pin, body.token, changes.pin, changes.token])
      if (secret) expect(JSON.stringify(rows)).not.toContain(secret)
  })
  await fc.assert(roundTrip, { numRuns: tries(37, 150) })
})

function attempt<T>(run: () => T): T | Problem {
  try {
    return run()
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

/** The tables of the database that hold a text anywhere. */
async function tablesWith(secret: string): Promise<string[]> {
  const { rows: tables } = await world.sql(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  )
  const columns: string[] = []
  for (const { name } of tables) {
    const { rows } = await world.sql(`SELECT 1 FROM ${name} t WHERE strpos(t::text, $1) > 0 LIMIT 1`, [
      secret,
    ])
    if (rows.length) columns.push(name)
  }
  return columns
}

const unstoredOf = (specimen: Specimen) =>
  writable(createFields(specimen)).filter(([, { options }]) => options.stored === false)

describe('a value that is only checked', () => {
  const secretive = specimensWith('create', 'update').filter(
    (one) => one.resource !== things && unstoredOf(one).some(([name]) => name.endsWith('password')),
  )
  test('is a credential of customers and users', () => {
    expect(secretive.map(({ name }) => name).sort()).toEqual([
      'customer',
      'user-authentication-info',
      'user-authentication-password-profile-info',
    ])
  })

  test.for(secretive)('of a $name is stored nowhere', async (specimen) => {
    const samples = new Samples(world.admin)
    const collection = await samples.path(specimen.resource.path)
    const secrets = (): Record<string, string> =>
      Object.fromEntries(unstoredOf(specimen).map(([name]) => [name, `only checked ${randomUUID()}`]))
    const { data } = await samples.body(specimen, collection, true)
    const [first, second, refused] = [secrets(), secrets(), secrets()]
    const replies = [await world.admin.post(collection, { data: { ...data, ...first } })]
    expect(replies[0]?.status).toBe(201)
    const path = `${collection}/${replies[0]?.body.data.id}`
    const { type } = data
    const right = { type, ...second, current_password: first.password }
    replies.push(await world.admin.put(path, { data: right }, { 'idempotency-key': randomUUID() }))
    replies.push(await world.admin.put(path, { data: { type, ...refused } }))
    replies.push(await world.admin.put(path, { data: { type, password: 'x'.repeat(1025) } }))
    replies.push(await world.admin.get(path), await world.admin.get(collection))
    // Of what has no password of its own there is none to be wrong.
    const refusals = first.password === undefined ? [200, 200] : [422, 400]
    expect(replies.map(({ status }) => status)).toEqual([201, 200, ...refusals, 200, 200])
    const answers = JSON.stringify(replies.map(({ body }) => body))
    for (const secret of [first, second, refused].flatMap((all) => Object.values(all))) {
      expect(answers).not.toContain(secret)
      expect(await tablesWith(secret)).toEqual([])
    }
    expect(answers).not.toContain('xxx')
    // The name of the object is in some, when all is in the feed.
    await world.feed('SELECT')
    expect(await tablesWith(String(replies[0]?.body.data.id))).toContain('public.changes')
  })
})
