import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { app } from '../../server/app.ts'
import { customers } from '../../server/customers/customers.ts'
import type { Job } from '../../server/kernel/jobs.ts'
import { workOf } from '../../server/kernel/jobs.ts'
import { module } from '../../server/kernel/module.ts'
import { add } from '../../server/kernel/operations.ts'
import { openWorld, type World } from '../support/world.ts'

interface Named {
  readonly name: string
}

/** What began and ended, in order; a job ends when its gate is opened. */
const seen: string[] = []
const gates = new Map<string, () => void>()

const slow: Job<Named> = {
  name: 'tests:slow',
  attemptsMax: 1,
  long: true,
  run: async (_work, { name }) => {
    seen.push(`${name} begins`)
    await new Promise<void>((open) => gates.set(name, open))
    seen.push(`${name} ends`)
  },
}
const quick: Job<Named> = {
  name: 'tests:quick',
  attemptsMax: 1,
  run: async (_work, { name }) => void seen.push(name),
}
const welcome: Job<Named> = {
  name: 'tests:welcome',
  attemptsMax: 1,
  run: async (work, { name }) =>
    void (await add(work, customers, [], { name, email: `${name}@example.com` })),
}

let world: World
beforeAll(async () => {
  const tests = module({ name: 'tests', about: 'Jobs of the tests.', jobs: [slow, quick, welcome] })
  world = await openWorld({ modules: [...app, tests] })
})
afterAll(() => world.close())

const ends = async (name: string) => {
  await expect.poll(() => gates.has(name), { timeout: 10_000 }).toBe(true)
  gates.get(name)?.()
}

test('long jobs of a store run one after the other, and neither another store nor anything short waits', async () => {
  const { rows } = await world.sql('SELECT id FROM stores WHERE id <> $1', [world.storeId])
  const other = workOf(world.server.instance, { store: rows[0].id, by: 'someone request' })
  for (const name of ['first', 'second', 'third']) await world.work.later(slow, { name })
  await other.later(slow, { name: 'elsewhere' })
  await expect
    .poll(() => seen, { timeout: 10_000 })
    .toEqual(expect.arrayContaining(['first begins', 'elsewhere begins']))
  // All workers of long jobs are busy now.
  await world.work.later(quick, { name: 'short' })
  await expect.poll(() => seen, { timeout: 10_000 }).toContain('short')
  await sleep(1500)
  expect(seen).not.toContain('second begins')
  for (const name of ['first', 'second', 'third', 'elsewhere']) await ends(name)
  await expect.poll(() => seen.filter((one) => /ends/.test(one)).length, { timeout: 10_000 }).toBe(4)
  expect(seen.filter((one) => /first|second|third/.test(one))).toEqual(
    ['first', 'second', 'third'].flatMap((name) => [`${name} begins`, `${name} ends`]),
  )
})

test('what a job writes is recorded as written by whoever asked for it, in their request', async () => {
  await world.work.actingAs('an-actor').later(welcome, { name: 'ada' })
  const changes = async () =>
    (await world.feed(`SELECT actor, request_id, type FROM changes WHERE doc->>'name' = 'ada'`)).rows
  await expect
    .poll(changes, { timeout: 10_000 })
    .toEqual([{ actor: 'an-actor', request_id: world.work.requestId, type: 'customer' }])
})

test('a job is queued with its transaction, or not at all', async () => {
  const refused = world.work.transaction(async (work) => {
    await work.later(quick, { name: 'never' })
    throw new Error('refused')
  })
  await expect(refused).rejects.toThrow('refused')
  await world.work.transaction((work) => work.later(quick, { name: 'committed' }))
  await expect.poll(() => seen, { timeout: 10_000 }).toContain('committed')
  expect(seen).not.toContain('never')
})

test('a transaction joins the one that is open, and a lock outside of one is a bug', async () => {
  const depth = await world.work.transaction((outer) => outer.transaction(async (inner) => inner === outer))
  expect(depth).toBe(true)
  await expect(world.work.store.hold(customers, world.storeId)).rejects.toThrow('outside a transaction')
})
