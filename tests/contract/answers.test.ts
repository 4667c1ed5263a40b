import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Operation } from '../../server/kernel/declare/operation.ts'
import { operations, Samples } from '../builders/samples.ts'
import { openWorld, type World } from '../support/world.ts'
import { appAndWorkshop } from '../workshop/index.ts'

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

/** What differs from run to run. Ids have a number within their response. */
const varying: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00| \+0000 UTC)/g, 'TIME'],
  [/(?<=signature=)[\w-]+/g, 'SIGNATURE'],
  [/(?<="processing_time":)[\d.]+/g, 'SECONDS'],
  [/(?:localhost|127\.0\.0\.1):\d+/g, 'HOST'],
  [/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, 'TOKEN'],
  [/(?<=W\/")[^"]+(?=")/g, 'TAG'],
  [/(?<=page\[(?:after|before)\]=)[\w.-]+/g, 'CURSOR'],
  [/\d{8,}|0\.\d{5,}/g, 'NUMBER'],
  // Products that are made at once have numbers in any order.
  [/\b([Ss]een[ -])\d+/g, '$1NUMBER'],
  [/\b(?![a-z_-]+\b)[A-Za-z0-9_-]{26,}\b/g, 'CODE'],
]

function steady(text: string): string {
  const ids = new Map<string, number>()
  const numbered = text.replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi, (id) => {
    if (!ids.has(id)) ids.set(id, ids.size)
    return `#${ids.get(id)}`
  })
  return varying.reduce((all, [pattern, word]) => all.replace(pattern, word), numbered)
}

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
