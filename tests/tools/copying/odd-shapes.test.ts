import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { app } from '../../../server/app.ts'
import { systemClock } from '../../../server/kernel/clock.ts'
import { isPublic } from '../../../server/platform/sockets/addresses.ts'
import { compare } from '../../../tools/copying/compare.ts'
import { type Copy, copyAll } from '../../../tools/copying/copier.ts'
import { CopyState } from '../../../tools/copying/copy-state.ts'
import { follow } from '../../../tools/copying/follow.ts'
import { UnreadableAnswer } from '../../../tools/copying/read-answer.ts'
import { Remote } from '../../../tools/copying/remote.ts'
import { CopyReport } from '../../../tools/copying/report.ts'
import { planOf } from '../../../tools/copying/steps.ts'
import { openFileAccess } from '../../../tools/file-access.ts'
import { run } from '../../builders/tools/run-command.ts'
import { type HostileServer, openHostileServer, sendJson } from './hostile-server.ts'

/** A source that answers with anything leads to lines in the report, and not to faults or to strange requests. */

const plan = planOf(app.flatMap(({ operations }) => operations))
const id = '7a1f0c2e-0000-4000-8000-000000000001'
/** A walk reads on until a page is empty. */
function isFirstPage(path: string): boolean {
  const [, last] = /gt\(id,([^)]*)\)/.exec(decodeURIComponent(path)) ?? []
  return last === undefined ? !/offset%5D=[1-9]/.test(path) : /^[0-]*$/.test(last)
}

let source: HostileServer
let target: HostileServer
let directory: string
const files = openFileAccess(isPublic)
let copies = 0
beforeAll(async () => {
  source = await openHostileServer()
  target = await openHostileServer()
  directory = mkdtempSync(join(tmpdir(), 'sutler-copy-'))
})
afterAll(async () => {
  await source.close()
  await target.close()
  files.close()
  rmSync(directory, { recursive: true })
})
beforeEach(() => {
  target.answer = ({ method = '', url = '' }, response) => {
    if (url.startsWith('/pcm/jobs/'))
      return sendJson(response, { data: { attributes: { completed_at: 'now', status: 'success' } } })
    sendJson(response, method === 'GET' ? { data: [] } : { data: { id } }, method === 'POST' ? 201 : 200)
  }
})

function begin(): Copy {
  const state = new CopyState(join(directory, `${++copies}.ndjson`), source.url, target.url)
  const remoteOf = ({ url }: HostileServer) =>
    new Remote({ url, clientId: 'id', clientSecret: 'secret' }, systemClock, 1_000_000, files)
  return { from: remoteOf(source), to: remoteOf(target), state, report: new CopyReport(), say: () => {} }
}

/** Runs a whole copy. Returns its report and what the comparison says. */
async function copyWhole(): Promise<string> {
  const copy = begin()
  try {
    await copyAll(copy, plan)
    const { differences } = await compare(copy, plan, true)
    return [...copy.report.lines(), ...differences].join('\n')
  } catch (error) {
    if (error instanceof UnreadableAnswer) return error.message
    throw error
  } finally {
    copy.state.close()
  }
}

const oddAnswers = [
  ...[
    null,
    7,
    'text',
    [],
    [null],
    { data: null },
    { data: 7 },
    { data: 'x' },
    { data: {} },
    { data: [null] },
  ],
  ...[{ data: [7] }, { data: [[]] }, { data: [{}] }, { data: [{ id: null }] }, { data: [{ id: 7 }] }],
  ...[{ data: [{ id }], meta: null }, { data: [{ id }, { id }] }],
]
test.each(oddAnswers.map((body) => [body]))('the answer %j to everything', async (body) => {
  source.answer = (_request, response) => sendJson(response, body)
  expect(await copyWhole()).toBeTypeOf('string')
})

test.each([null, 'text', { errors: 7 }, { errors: [null, { detail: {}, source: 7 }] }])(
  'the refusal %j of everything',
  async (body) => {
    source.answer = (_request, response) => sendJson(response, body, 400)
    expect(await copyWhole()).toContain('400')
  },
)

test.each([
  '..',
  '.',
  '../../v2/application-keys',
  'x/../y',
  'x?filter=y',
  'x#y',
  'a\r\nx-evil: 1',
  '%2e%2e',
  '',
  'x\\..\\y',
  'ü',
])('the id %j enters no path', async (odd) => {
  const before = target.requests.length
  source.answer = ({ url = '' }, response) =>
    sendJson(response, { data: isFirstPage(url) ? [{ id: odd, slug: odd, code: odd, name: 'A' }] : [] })
  const report = await copyWhole()
  const written = target.requests.slice(before).filter(({ method }) => method !== 'GET')
  // Gateways are named by their slugs, which are encoded.
  expect(written.filter(({ path }) => !path.startsWith('/v2/gateways/'))).toEqual([])
  for (const { path } of target.requests.slice(before)) expect(path).not.toMatch(/\.\.|\\|application-keys/)
  expect(report).toContain('/v2/accounts')
})

const names = [
  ...new Set([
    ...plan.steps.flatMap(({ resource }) => Object.keys(resource.fields)),
    ...[
      'meta',
      'relationships',
      'link',
      'locations',
      'available',
      'variation_matrix',
      'product_types',
      'slug',
    ],
  ]),
]

describe('objects whose every member is of another kind', () => {
  const oddities = [null, 7, 'x', true, [], [null], {}, { a: null }, [[{ a: [] }]]]
  test.each(oddities.map((odd) => [odd]))('%j', async (odd) => {
    const members = Object.fromEntries(names.map((name) => [name, odd]))
    const object = { ...members, id, type: 'x', meta: members, link: { href: odd }, attributes: members }
    source.answer = ({ url = '' }, response) => {
      if (/^\/v2\/[\w-]+\/[0-9a-f-]{36}$|settings/.test(url)) return sendJson(response, { data: object })
      sendJson(response, { data: isFirstPage(url) ? [object] : [] })
    }
    expect(await copyWhole()).toBeTypeOf('string')
    target.answer = ({ method = '' }, response) =>
      method === 'GET'
        ? sendJson(response, { data: [] })
        : sendJson(response, { errors: [{ detail: 'is refused' }] }, 422)
    expect(await copyWhole()).toBeTypeOf('string')
  })
})

describe('a feed', () => {
  const change = { event: 'updated', object: { type: 'account', id, parent: null } }
  const feed = { reached: 20, last: 20 }
  test.each<[string, unknown, RegExp]>([
    ['without positions', { data: [] }, /without changes or positions/],
    ['that stands still', { data: [], meta: { feed: { reached: 10, last: 20 } } }, /does not lead on/],
    ['that goes back', { data: [], meta: { feed: { reached: 3, last: 20 } } }, /does not lead on/],
    ['with a change of nothing', { data: [null], meta: { feed } }, /odd change/],
    [
      'with a strange id',
      { data: [{ ...change, object: { ...change.object, id: '../x' } }], meta: { feed } },
      /odd/,
    ],
    [
      'with a strange parent',
      { data: [{ ...change, object: { ...change.object, parent: '..' } }], meta: { feed } },
      /odd/,
    ],
  ])('%s ends the copy with one line', async (_what, body, message) => {
    source.answer = (_request, response) => sendJson(response, body)
    const copy = begin()
    await expect(follow(copy, plan, 10)).rejects.toThrow(message)
    copy.state.close()
  })

  test('whose object is another one changes nothing', async () => {
    const before = target.requests.length
    source.answer = ({ url = '' }, response) =>
      url.startsWith('/v2/changes')
        ? sendJson(response, { data: [change], meta: { feed } })
        : sendJson(response, { data: { id: '..', type: 'account', name: 'A' } })
    const copy = begin()
    await follow(copy, plan, 10)
    copy.state.close()
    expect(target.requests.slice(before).filter(({ method }) => method !== 'GET')).toEqual([])
    expect(copy.report.skipped).toBe(1)
  })
})

test('the command says in lines what it cannot read, and a terminal does not obey them', async () => {
  source.answer = (_request, response) =>
    sendJson(response, { errors: [{ detail: '\u001b[2Jnothing\nhere' }] }, 400)
  const { code, stdout, stderr } = await run(
    [
      'copy',
      ...['--from', source.url, '--client-id', 'id', '--client-secret', 'secret', '--to', target.url],
      ...['--to-client-id', 'id', '--to-client-secret', 'secret', '--per-second', '10000'],
      ...['--state', join(directory, 'command.ndjson')],
    ],
    {},
  )
  expect(code).toBe(1)
  expect(stdout).toContain('/v2/currencies cannot be read: 400  [2Jnothing here')
  expect(stdout + stderr).not.toContain('\u001b')
  expect(stdout + stderr).not.toMatch(/^ +at .*\.ts/m)
})
