import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Operation } from '../../server/kernel/declare/operation.ts'
import { operations, Samples } from '../builders/samples.ts'
import { openWorld, type World } from '../support/world.ts'
import { appAndWorkshop } from '../workshop/index.ts'
import { steady } from './steady.ts'

/**
 * A redesign changes no byte of a response: `SUTLER_ANSWERS=<file> npm test tests/contract/answers.test.ts` writes the
 * responses to a sample of each operation into the file, and a later run compares its own with them.
 */

const file = process.env.SUTLER_ANSWERS
const isRecorded = file !== undefined && existsSync(file)

let world: World
let samples: Samples
beforeAll(async () => {
  world = await openWorld({ ...appAndWorkshop, alone: true })
  samples = new Samples(world.admin, world.work)
})
afterAll(() => world.close())

const shownHeaders = ['cache-control', 'content-type', 'etag', 'location', 'vary']

async function answerTo({ method }: Operation, path: string, body: unknown): Promise<string> {
  const isForm = body instanceof FormData
  const answer = await fetch(world.url + path, {
    method,
    redirect: 'manual',
    headers: {
      authorization: `Bearer ${world.admin.token}`,
      ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
  })
  const shown = shownHeaders.flatMap((name) => {
    const value = answer.headers.get(name)
    return value === null ? [] : `${name}: ${value}`
  })
  return steady([`${method} ${path} ${answer.status}`, ...shown, await answer.text()].join('\n'))
}

test.runIf(file)(
  'each operation answers as it did when its answers were recorded',
  async () => {
    const answers: Record<string, string> = {}
    for (const operation of operations) {
      // Some have no sample: their own tests call them.
      const call = await samples.call(operation).catch(() => undefined)
      if (call) answers[operation.id] = await answerTo(operation, call.path, call.body)
    }
    expect(Object.keys(answers).length).toBeGreaterThan(0.95 * operations.length)
    // Jobs write theirs when they run: the positions differ, and so does their order.
    const { rows } = await world.feed('SELECT * FROM changes')
    // A release counts the nodes that there are when its job runs.
    const changes = rows.map(({ position, ...row }) =>
      steady(JSON.stringify(row)).replace(/(?<="total_nodes":)\d+/, 'NUMBER'),
    )
    answers.changes = changes.sort().join('\n')
    if (!isRecorded) return writeFileSync(file as string, JSON.stringify(answers, null, 1))
    const before = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>
    writeFileSync(`${file}.now`, JSON.stringify(answers, null, 1))
    const names = Object.keys({ ...before, ...answers })
    expect(
      names.filter((name) => before[name] !== answers[name]),
      `see ${file}.now`,
    ).toEqual([])
  },
  600_000,
)
