import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { app } from '../../../server/app.ts'
import { Problem } from '../../../server/kernel/errors.ts'
import { module } from '../../../server/kernel/module.ts'
import type { Job, LongJob, Turn } from '../../../server/kernel/work/job.ts'
import { startsMax, triesMax } from '../../../server/kernel/work/long-jobs.ts'
import { concurrency } from '../../../server/kernel/work/short-jobs.ts'
import { callLimits } from '../../../server/kernel/work/slots.ts'
import { workOf } from '../../../server/kernel/work/work-of.ts'
import { add } from '../../../server/kernel/write/by-rules.ts'
import { customers } from '../../../server/people/customers/customers.ts'
import { openWorld, type World } from '../../support/world.ts'

interface NamedPayload {
  readonly name: string
}

/** What began and ended, in order; a job ends when its gate is opened. */
const events: string[] = []
const gates = new Map<string, () => void>()

/** What the jobs of a name throw, one error each time. */
const throws = new Map<string, unknown[]>()
const tell =
  (what: string) =>
  async (_work: unknown, { name }: NamedPayload, reason: string) =>
    void events.push(`${name} ${what}: ${reason}`)

const slow: LongJob<NamedPayload> = {
  name: 'tests:slow',
  long: true,
  wait: tell('waits'),
  giveUp: tell('failed'),
  run: async (_work, { name }) => {
    events.push(`${name} begins`)
    await new Promise<void>((open) => gates.set(name, open))
    events.push(`${name} ends`)
  },
}
const failing: LongJob<NamedPayload> = {
  name: 'tests:failing',
  long: true,
  run: async (work, { name }, turn) => {
    events.push(`${name} begins`)
    const error = throws.get(name)?.shift()
    if (typeof error === 'function') await error(work, turn)
    else if (error) throw error
    events.push(`${name} ends`)
  },
  wait: tell('waits'),
  giveUp: tell('failed'),
}
const quick: Job<NamedPayload> = {
  name: 'tests:quick',
  attemptsMax: 1,
  run: async (_work, { name }) => {
    const error = throws.get(name)?.shift()
    if (error) throw error
    events.push(name)
  },
}
const calling: Job<NamedPayload & { readonly peer?: string }> = {
  name: 'tests:calling',
  attemptsMax: 1,
  callsOut: ({ peer = '' }) => peer,
  run: slow.run,
}
/** A short job that takes long. */
const lengthy: Job<NamedPayload> = { name: 'tests:lengthy', attemptsMax: 1, run: slow.run }
const welcome: Job<NamedPayload> = {
  name: 'tests:welcome',
  attemptsMax: 1,
  run: async (work, { name }) =>
    void (await add(work, customers, [], { name, email: `${name}@example.com` })),
}

let world: World
beforeAll(async () => {
  const jobs = [slow, failing, quick, calling, lengthy, welcome]
  const tests = module({ name: 'tests', about: 'Jobs of the tests.', jobs })
  world = await openWorld({ modules: [...app, tests] })
})
afterAll(() => world.close())

const ends = async (name: string) => {
  await expect.poll(() => gates.has(name), { timeout: 10_000 }).toBe(true)
  gates.get(name)?.()
}

/** The work of another store. */
async function workElsewhere() {
  const { rows } = await world.sql('SELECT id FROM stores WHERE id <> $1', [world.storeId])
  return workOf(world.server.instance, { store: rows[0].id, by: 'someone request' })
}

test('long jobs of a store run one after the other, and neither other stores nor short jobs wait', async () => {
  const other = await workElsewhere()
  for (const name of ['first', 'second', 'third']) await world.work.later(slow, { name })
  await other.later(slow, { name: 'elsewhere' })
  await expect
    .poll(() => events, { timeout: 10_000 })
    .toEqual(expect.arrayContaining(['first begins', 'elsewhere begins']))
  // All workers of long jobs are busy now.
  await world.work.later(quick, { name: 'short' })
  await expect.poll(() => events, { timeout: 10_000 }).toContain('short')
  await sleep(1500)
  expect(events).not.toContain('second begins')
  for (const name of ['first', 'second', 'third', 'elsewhere']) await ends(name)
  await expect.poll(() => events.filter((one) => /ends/.test(one)).length, { timeout: 10_000 }).toBe(4)
  expect(events.filter((one) => /first|second|third/.test(one))).toEqual(
    ['first', 'second', 'third'].flatMap((name) => [`${name} begins`, `${name} ends`]),
  )
})

test('jobs that wait for other servers do not delay other short jobs', async () => {
  const names = ['call 1', 'call 2', 'call 3', 'call 4', 'call 5']
  for (const name of names) await world.work.later(calling, { name })
  const begun = () => events.filter((one) => /^call . begins$/.test(one)).length
  await expect.poll(begun, { timeout: 10_000 }).toBe(callLimits.perOwner)
  await world.work.later(quick, { name: 'not delayed' })
  await expect.poll(() => events, { timeout: 10_000 }).toContain('not delayed')
  expect(begun()).toBe(callLimits.perOwner)
  for (const name of names) await ends(name)
  await expect
    .poll(() => events.filter((one) => /^call . ends$/.test(one)).length, { timeout: 10_000 })
    .toBe(5)
})

test('a store whose calls hang does not delay the calls of another store', async () => {
  const other = await workElsewhere()
  const names = Array.from({ length: 10 }, (_, n) => `hangs ${n}`)
  for (const name of names) await world.work.later(calling, { name })
  const begun = () => events.filter((one) => /^hangs \d+ begins$/.test(one)).length
  await expect.poll(begun, { timeout: 10_000 }).toBe(callLimits.perOwner)
  await other.later(calling, { name: 'elsewhere calls' })
  await expect.poll(() => events, { timeout: 10_000 }).toContain('elsewhere calls begins')
  expect(begun()).toBe(callLimits.perOwner)
  // A job that had no slot comes back.
  const ended = () => {
    for (const end of gates.values()) end()
    return events.filter((one) => /^hangs \d+ ends$/.test(one)).length
  }
  await expect.poll(ended, { timeout: 30_000 }).toBe(names.length)
}, 60_000)

test('a store with many slow jobs does not delay the jobs of another store', async () => {
  const other = await workElsewhere()
  const names = Array.from({ length: 50 }, (_, n) => `lengthy ${n}`)
  for (const name of names) await world.work.later(lengthy, { name })
  const begun = () => events.filter((one) => /^lengthy \d+ begins$/.test(one)).length
  await expect.poll(begun, { timeout: 10_000 }).toBe(concurrency.others - 1)
  await other.later(quick, { name: 'quick elsewhere' })
  await expect.poll(() => events, { timeout: 10_000 }).toContain('quick elsewhere')
  expect(begun()).toBe(concurrency.others - 1)
  const ended = () => {
    for (const end of gates.values()) end()
    return events.filter((one) => /^lengthy \d+ ends$/.test(one)).length
  }
  await expect.poll(ended, { timeout: 40_000 }).toBe(names.length)
}, 60_000)

test('another server that hangs does not delay the calls of the same store', async () => {
  const names = Array.from({ length: 4 }, (_, n) => `stuck ${n}`)
  for (const name of names) await world.work.later(calling, { name, peer: 'one' })
  const begun = () => events.filter((one) => /^stuck \d+ begins$/.test(one)).length
  await expect.poll(begun, { timeout: 10_000 }).toBe(callLimits.perOwner)
  await world.work.later(calling, { name: 'free', peer: 'another' })
  await expect.poll(() => events, { timeout: 10_000 }).toContain('free begins')
  expect(begun()).toBe(callLimits.perOwner)
  for (const name of ['free', ...names]) await ends(name)
}, 60_000)

test('the writes of a job are recorded under the author and request that queued it', async () => {
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
  await expect.poll(() => events, { timeout: 10_000 }).toContain('committed')
  expect(events).not.toContain('never')
})

test('an outage of the database does not count as an attempt of a short job', async () => {
  const outage = () =>
    new Problem('unavailable', 'The database cannot be reached.', {
      cause: Object.assign(new Error('no'), { code: 'ECONNREFUSED' }),
    })
  throws.set('stubborn', [outage(), outage()])
  // It has one attempt.
  await world.work.later(quick, { name: 'stubborn' })
  await expect.poll(() => events, { timeout: 15_000 }).toContain('stubborn')
})

test('a transaction joins the open one, and a lock outside a transaction is a bug', async () => {
  const depth = await world.work.transaction((outer) => outer.transaction(async (inner) => inner === outer))
  expect(depth).toBe(true)
  await expect(world.work.store.lock(customers, world.storeId)).rejects.toThrow('outside a transaction')
})

const away = () => new Problem('unavailable', 'File storage is not responding.')
const of = (...names: string[]) => events.filter((one) => names.includes(one.split(' ')[0] as string))
const lineOf = async () => (await world.sql('SELECT * FROM long_jobs ORDER BY id')).rows

test('a job that is retried holds up the jobs behind it, and says what it waits for', async () => {
  throws.set('held', [away(), away()])
  for (const name of ['held', 'behind']) await world.work.later(failing, { name })
  await expect.poll(() => of('behind').length, { timeout: 20_000 }).toBe(2)
  const waits = 'held waits: File storage is not responding.'
  expect(of('held', 'behind')).toEqual([
    ...['held begins', waits, 'held begins', waits, 'held begins', 'held ends'],
    ...['behind begins', 'behind ends'],
  ])
})

test('a job is retried at least once a minute, and given up after thousands of attempts', async () => {
  throws.set('patient', [away(), away()])
  await world.work.later(failing, { name: 'patient' })
  await expect.poll(async () => (await lineOf())[0]?.tries, { timeout: 10_000 }).toBe(1)
  await world.sql('UPDATE long_jobs SET tries = 4000, next_try_at = now()')
  await expect.poll(async () => (await lineOf())[0]?.tries, { timeout: 10_000 }).toBe(4001)
  const { rows } = await world.sql(
    `SELECT extract(epoch FROM next_try_at - now()) BETWEEN 50 AND 60 AS soon FROM long_jobs`,
  )
  expect(rows).toEqual([{ soon: true }])
  await world.sql('UPDATE long_jobs SET tries = $1, next_try_at = now()', [triesMax])
  await expect
    .poll(() => of('patient').at(-1), { timeout: 10_000 })
    .toBe(`patient failed: The job was tried ${triesMax} times. File storage is not responding.`)
  await expect.poll(lineOf, { timeout: 5000 }).toEqual([])
})

test('a job that crashes its process repeatedly is given up; progress and outages do not count', async () => {
  const starts = async () => (await lineOf())[0]?.starts
  const noted: unknown[] = []
  const notes = async () => void noted.push(await starts())
  throws.set('tough', [
    away(),
    async (_work: unknown, turn: Turn) => {
      await notes()
      await turn.progress()
      await notes()
      throw away()
    },
    notes,
  ])
  await world.work.later(failing, { name: 'tough' })
  await expect.poll(async () => (await lineOf())[0]?.tries, { timeout: 10_000 }).toBe(1)
  await world.sql('UPDATE long_jobs SET starts = $1', [startsMax - 1])
  await expect.poll(() => of('tough').at(-1), { timeout: 20_000 }).toBe('tough ends')
  expect(noted).toEqual([startsMax, 1, 1])

  throws.set('deadly', [away()])
  await world.work.later(failing, { name: 'deadly' })
  await expect.poll(async () => (await lineOf())[0]?.tries, { timeout: 10_000 }).toBe(1)
  await world.sql('UPDATE long_jobs SET starts = $1, next_try_at = now()', [startsMax])
  await expect
    .poll(() => of('deadly').at(-1), { timeout: 10_000 })
    .toBe(
      `deadly failed: The job was started ${startsMax} times, and each time the server stopped before the job made progress.`,
    )
})

test('a bug ends a long job, and the jobs behind it run', async () => {
  throws.set('buggy', [new TypeError('a secret')])
  for (const name of ['buggy', 'next']) await world.work.later(failing, { name })
  await expect.poll(() => of('next').length, { timeout: 10_000 }).toBe(2)
  expect(of('buggy')).toEqual([
    'buggy begins',
    `buggy failed: There was an internal server error; report it with the request id ${world.work.requestId}.`,
  ])
})
