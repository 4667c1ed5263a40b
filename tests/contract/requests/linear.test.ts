import { afterAll, beforeAll, expect, test } from 'vitest'
import { operations, Samples, specimens } from '../../builders/samples.ts'
import { isLong } from '../../support/long.ts'
import { openWorld, type World } from '../../support/world.ts'
import { appAndWorkshop } from '../../workshop/index.ts'
import { listTraits, operationTraits, representativesOf } from '../classes.ts'
import { listings, opsOf } from '../listings.ts'

/**
 * No text costs more than its length: every header, parameter and value of a body is sent in long forms that would take
 * a backtracking expression seconds or hours. It measures growth, not time: the machine may be busy.
 */

let world: World
let samples: Samples
beforeAll(async () => {
  world = await openWorld(appAndWorkshop)
  samples = new Samples(world.admin, world.work)
})
afterAll(() => world.close())

const runs = [' ', '1', 'a', '(', '\\"']
let turn = Math.floor(Math.random() * runs.length)

/** What a long form repeats: all of these in the long form of the suite, else the next one. */
function nextRuns(): readonly string[] {
  turn += 1
  return isLong ? runs : runs.slice(turn % runs.length).slice(0, 1)
}

const parts = /[a-z]+|\d+|[^a-z\d]/gi

/**
 * Long forms of a sample: its first parts as they are, a long run after each of the rest, with and without the words
 * and numbers between the signs, and an end that fits nothing. An expression must give back all that it matched.
 */
function stretches(sample: string): readonly ((run: string, length: number) => string)[] {
  const all = sample.match(parts) ?? ['']
  return all.flatMap((_, whole) =>
    [all.slice(whole), all.slice(whole).filter((part) => /[^a-z\d]/i.test(part))].map(
      (rest) => (run: string, length: number) => {
        const long = run.repeat(Math.ceil(length / Math.max(1, rest.length) / run.length))
        return `${all.slice(0, whole).join('')}${rest.map((part) => part + long).join('')}~`
      },
    ),
  )
}

interface Answer {
  readonly status: number
}

const suspiciousMs = 200

/** The processor time that a request took of this process, server and client: a busy machine adds little to it. */
async function costMs(send: () => Promise<Answer>): Promise<number> {
  const before = process.cpuUsage()
  await send()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** The least of three, as a garbage collection may disturb a run. */
async function leastMs(send: () => Promise<Answer>): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < 3; i++) times.push(await costMs(send))
  return Math.min(...times)
}

/** Four times the length may cost four times as much; in quadratic time it is sixteen times, in cubic sixty-four. */
async function mustGrowLinearly(
  what: string,
  length: number,
  send: (length: number) => Promise<Answer>,
): Promise<void> {
  const first = await costMs(async () => {
    const answer = await send(length)
    expect(answer.status, what).toBeLessThan(500)
    return answer
  })
  if (first < suspiciousMs) return
  const quarter = await leastMs(() => send(length / 4))
  const whole = await leastMs(() => send(length))
  if (whole < suspiciousMs) return
  expect(whole / quarter, `${what}: ${whole} ms for ${length}, ${quarter} ms for a quarter`).toBeLessThan(10)
}

const headers = {
  authorization: 'Bearer a.b-c',
  accept: 'application/json; q=0.8, text/*',
  'accept-language': 'de-DE;q=0.5, fr',
  'content-type': 'application/json; charset=utf-8',
  'if-match': 'W/"a", "b"',
  'if-none-match': 'W/"a", "b"',
  prefer: 'explain, respond-async; wait=10',
  range: 'bytes=0-5',
  'x-forwarded-for': '10.0.0.1, 10.0.0.2:80',
  'x-moltin-currency': 'USD',
  'x-moltin-language': 'de',
  'ep-channel': 'web',
  'ep-context-tag': 'vip,new',
  'sutler-at': '2026-01-31T09:30:00.000Z',
  'ep-account-management-authentication-token': 'a.b-c',
  'x-moltin-customer-token': 'a.b-c',
}

/** A list, what shoppers see, and a file: together they read every header. */
const headerReaders: Readonly<Record<string, () => Promise<string> | string>> = {
  'a list': () => '/v2/accounts',
  'a shop': () => '/catalog/products',
  'a file': async () => (await samples.make(samples.named('file'))).body.data.link.href,
}

test.for(Object.entries(headerReaders))('%s reads every header in linear time', async ([, find]) => {
  const url = new URL(await find(), world.url)
  for (const [name, sample] of Object.entries(headers)) {
    for (const stretch of stretches(sample)) {
      for (const run of nextRuns()) {
        await mustGrowLinearly(`${name} of ${JSON.stringify(run)}`, 12_000, async (length) => {
          const value = stretch(run, length)
          const answer = await fetch(url, {
            headers: { authorization: `Bearer ${world.admin.token}`, [name]: value },
          })
          await answer.bytes()
          return answer
        })
      }
    }
  }
})

const parameters = [
  ['sort', '-name'],
  ['include', 'a,b.c'],
  ['page[limit]', '10'],
  ['page[offset]', '10'],
  ['page[after]', 'a.b'],
] as const

test.for(representativesOf(listings, listTraits).map((listing) => [listing.id, listing] as const))(
  '%s reads every parameter in linear time',
  async ([, listing]) => {
    const path = await samples.path(listing.path)
    const get = (name: string, value: string) =>
      world.admin.get(`${path}?${new URLSearchParams({ [name]: value })}`)
    const [[field = 'id', ops = []] = []] = opsOf(listing)
    const filters = [`eq(${field},a)`, `(like(${field},"a*"):eq(id,1))|in(id,1,2)`].slice(ops.length ? 0 : 1)
    // Each list has its own fields; how parameters are read does not depend on the list.
    const isFirst = listing === listings[0]
    const queries = [...filters.map((filter) => ['filter', filter] as const), ...(isFirst ? parameters : [])]
    for (const [name, sample] of queries) {
      for (const stretch of isFirst ? stretches(sample) : stretches(sample).slice(0, 1)) {
        for (const run of nextRuns()) {
          await mustGrowLinearly(`${name} of ${JSON.stringify(run)}`, 8000, (length) =>
            get(name, stretch(run, length)),
          )
        }
      }
    }
  },
)

/** Every text inside a value, and a copy of the value with another text there. */
function texts(value: unknown): { at: string; text: string; replace(by: string): unknown }[] {
  if (typeof value === 'string') return [{ at: '', text: value, replace: (by) => by }]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) =>
    texts(member).map(({ at, text, replace }) => ({
      at: `.${name}${at}`,
      text,
      replace: (by: string) =>
        Array.isArray(value) ? value.with(Number(name), replace(by)) : { ...value, [name]: replace(by) },
    })),
  )
}

const writes = operations.filter(({ method }) => method !== 'GET')
const representatives = representativesOf(writes, operationTraits)

test.for(writes.map((operation) => [operation.id, operation] as const))(
  '%s reads every text of its address and body in linear time',
  async ([, operation]) => {
    const isRepresentative = representatives.includes(operation)
    const created = specimens.find(({ operations: its }) => its.create === operation)
    const { path, body } = await samples.call(operation)
    const segments = path.split('/')
    const addressed = (segment: string) => segments.with(-1, encodeURIComponent(segment)).join('/')
    // How addresses are read does not depend on the operation.
    for (const stretch of stretches('a-1').slice(0, isRepresentative ? undefined : 1)) {
      for (const run of nextRuns()) {
        await mustGrowLinearly(`the address of ${JSON.stringify(run)}`, 4000, (length) =>
          world.admin.send(operation.method, addressed(stretch(run, length))),
        )
      }
    }
    // The type is read by the kernel, whatever the operation.
    const sent = texts(body).filter(({ at }) => isRepresentative || !at.endsWith('.type'))
    for (const { at, text, replace } of sent) {
      for (const stretch of stretches(text).slice(0, 1)) {
        for (const run of nextRuns()) {
          if (created) await samples.room(created, path, 1)
          await mustGrowLinearly(`body${at} of ${JSON.stringify(run)}`, 60_000, (length) =>
            world.admin.send(operation.method, path, {
              body: JSON.stringify(replace(stretch(run, length))),
            }),
          )
        }
      }
    }
  },
)
