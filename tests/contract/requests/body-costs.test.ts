import { afterAll, beforeAll, expect, test } from 'vitest'
import { isObject } from '../../../server/kernel/body/input.ts'
import type { Operation } from '../../../server/kernel/declare/operation.ts'
import { bodyBytesMax, limitsOfShoppers } from '../../../server/kernel/http/reading/body-limits.ts'
import { operations, Samples } from '../../builders/samples.ts'
import { isLong } from '../../support/long.ts'
import { openWorld, type World } from '../../support/world.ts'
import { appAndWorkshop } from '../../workshop/index.ts'
import { operationTraits, representativesOf } from '../classes.ts'
import { isAnyones } from './anyones.ts'

/**
 * No body costs more than it weighs: each operation that is open or a shopper's gets the largest bodies, made of the
 * smallest parts. The law measures processor time, beside that of a long text: the machine may be busy.
 */

let world: World
let samples: Samples
/** What a body of the same length costs that is one text. */
let baselineMs: number
beforeAll(async () => {
  world = await openWorld(appAndWorkshop)
  samples = new Samples(world.admin, world.work)
  baselineMs = await leastMs(plainText)
})
afterAll(() => world.close())

/** Whether anyone can send it a body. */
const takesBodies = (operation: Operation): boolean =>
  operation.method !== 'GET' &&
  !(operation.of.is === 'action' && operation.of.action.upload) &&
  isAnyones(operation)

const anyones = operations.filter(takesBodies)

/** The smallest parts of bodies, each with a comma behind it. `n` makes keys differ. */
const parts: Readonly<Record<string, (n: number) => string>> = {
  numbers: () => '0,',
  objects: () => '{},',
  lists: () => '[],',
  texts: () => '"",',
  escapes: () => String.raw`"\u0041\n",`,
  others: (n) => `{"${n.toString(36)}":0},`,
}
const members: Readonly<Record<string, (n: number) => string>> = {
  keys: (n) => `"${n.toString(36)}":0,`,
  indexes: (n) => `"${n}":{},`,
  repeats: () => '"":0,',
}

/** As many parts as a body may have. */
function fill(part: (n: number) => string, bytesMax: number, partsMax: number): string {
  let text = ''
  for (let n = 0; text.length + 20 < bytesMax && n < partsMax; n++) text += part(n)
  return text.slice(0, -1)
}

const lists = (bytesMax: number, partsMax: number) =>
  Object.entries(parts).map(([name, part]) => [name, `[${fill(part, bytesMax, partsMax)}]`] as const)
const objects = (bytesMax: number, partsMax: number) =>
  Object.entries(members).map(([name, part]) => [name, `{${fill(part, bytesMax, partsMax)}}`] as const)

const place = '"the part"'

/** The body with a part in each of its places: as a whole, as `data`, and as each member that is no scalar. */
function* frames(body: unknown): Generator<readonly [at: string, text: string]> {
  yield ['the body', place]
  yield ['data', `{"data":${place}}`]
  yield ['beside data', `{"data":{},"options":${place}}`]
  if (!isObject(body)) return
  const frame = (at: string[], value: unknown): (readonly [string, string])[] => {
    if (typeof value !== 'object' || value === null) return []
    const entries = Object.entries(value)
    return entries.flatMap(([name, member]) => {
      const with_ = (by: unknown) =>
        Array.isArray(value) ? value.with(Number(name), by) : { ...value, [name]: by }
      const own = [...at, name]
      const inside = frame(own, member).map(
        ([path, text]) => [path, JSON.stringify(with_('inside')).replace('"inside"', () => text)] as const,
      )
      return [[own.join('.'), JSON.stringify(with_('the part'))] as const, ...inside]
    })
  }
  yield* frame([], body)
}

const send = (method: string, path: string, body: string, type = 'application/json') =>
  world.shopper.send(method, path, { body, headers: { 'content-type': type } })

/** A body of one long text. */
const plainText = () =>
  send(
    'PUT',
    '/v2/carts/baseline',
    `{"data":{"type":"cart","name":"${'x'.repeat(limitsOfShoppers.bytesMax - 100)}"}}`,
  )

async function costMs(run: () => Promise<{ readonly status: number }>): Promise<number> {
  const before = process.cpuUsage()
  const { status } = await run()
  const { user, system } = process.cpuUsage(before)
  expect(status).toBeLessThan(500)
  return (user + system) / 1000
}

/** The least of three, as a garbage collection may disturb a run. */
async function leastMs(run: () => Promise<{ readonly status: number }>): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < 3; i++) times.push(await costMs(run))
  return Math.min(...times)
}

/** On a machine at rest a baseline takes 5 ms, and what a process does beside a request as long again. */
const budgetMs = () => Math.max(50, 8 * baselineMs)

/** What costs too much costs it each time; what another program on the machine takes is not taken each time. */
const timesMost = 10

async function mustBeCheap(what: string, run: () => Promise<{ readonly status: number }>): Promise<void> {
  let ms = Number.POSITIVE_INFINITY
  for (let n = 0; n < timesMost && ms >= budgetMs(); n++) {
    if (n > 0) baselineMs = await leastMs(plainText)
    ms = Math.min(ms, await costMs(run))
  }
  expect(ms, `${what} takes ${ms} ms; a text of that length takes ${baselineMs} ms`).toBeLessThan(budgetMs())
}

const { bytesMax, valuesMax = 0 } = limitsOfShoppers
const allowed = [...lists(bytesMax - 2000, valuesMax - 200), ...objects(bytesMax - 2000, valuesMax / 2 - 100)]
/** What is refused must be refused before it costs. */
const tooMuch = [...lists(bodyBytesMax - 2000, bodyBytesMax), ...objects(bodyBytesMax - 2000, bodyBytesMax)]

let turn = Math.floor(Math.random() * allowed.length)
/** All of these in the long form of the suite, else the next one. */
const some = <T>(all: readonly T[]): readonly T[] => {
  turn += 1
  return isLong ? all : all.slice(turn % all.length).slice(0, 1)
}

const isOpen = ({ access }: Operation) => access === 'open'
const tried = new Set([...anyones.filter(isOpen), ...representativesOf(anyones, operationTraits)])

test.for([...tried].map((operation) => [operation.id, operation] as const))(
  '%s reads the smallest parts in as much time as a long text',
  async ([, operation]) => {
    const { path, body } = await samples.call(operation)
    for (const [at, frame] of frames(body)) {
      const fillings = at === 'data' ? [...allowed, ...some(tooMuch)] : some([...allowed, ...tooMuch])
      for (const [name, filling] of fillings) {
        const text = frame.replace(place, () => filling)
        await mustBeCheap(`${name} at ${at}`, () => send(operation.method, path, text))
      }
    }
    const form = 'a&'.repeat(bodyBytesMax / 2)
    const type = 'application/x-www-form-urlencoded'
    await mustBeCheap('a form', () => send(operation.method, path, form, type))
  },
)
