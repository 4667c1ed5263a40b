import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { operations, Samples, specimens } from '../../builders/samples.ts'
import { anyCharacter } from '../../support/any-texts.ts'
import { tries } from '../../support/long.ts'
import { openWorld, type World } from '../../support/world.ts'
import { appAndWorkshop } from '../../workshop/index.ts'
import { operationTraits, representativesOf } from '../classes.ts'

let world: World
let samples: Samples
beforeAll(async () => {
  world = await openWorld(appAndWorkshop)
  samples = new Samples(world.admin, world.work)
})
afterAll(() => world.close())

const odd = fc.constantFrom(
  ...[
    '',
    ' ',
    '\u0000',
    '\u{1f600}',
    '\ud800',
    '\u202e',
    '__proto__',
    'constructor',
    '%',
    '%00',
    '...',
    "'",
    '"',
  ],
  ...[
    'null',
    'NaN',
    '1e400',
    '-0',
    '9'.repeat(400),
    'x'.repeat(70_000),
    '00000000-0000-0000-0000-000000000000',
  ],
)
const value = fc.oneof(
  odd,
  fc.jsonValue({ maxDepth: 3 }),
  fc.string({ unit: anyCharacter, maxLength: 20 }),
  fc.constantFrom<unknown>(null, true, -1, 0, 1e308, 2 ** 53, 0.1, [], {}, [[]], [{}], [null], { data: {} }),
)
const header = fc.record(
  {
    'content-type': fc.constantFrom(
      'application/json',
      'application/vnd.api+json',
      'text/plain',
      '',
      'x/y;z',
    ),
    'if-match': fc.constantFrom('*', '""', 'W/"', ',', '"a","b"', 'x'),
    'if-none-match': fc.constantFrom('*', '""', 'W/"', ',,,'),
    'idempotency-key': fc.constantFrom('a', '', ' ', '"', 'é', 'x'.repeat(255)),
    authorization: fc.constantFrom('Bearer', 'Bearer ', 'Basic eDp5', 'Bearer a b', 'bearer:'),
  },
  { requiredKeys: [] },
)

/** The valid body with some members, at any depth, replaced or removed. */
function mutate(body: unknown, place: number, by: unknown, drop: boolean): unknown {
  const copy = structuredClone(body ?? { data: {} }) as Record<string, unknown>
  const spots: [Record<string, unknown>, string][] = []
  const visit = (node: unknown) => {
    if (typeof node !== 'object' || node === null) return
    for (const [name, member] of Object.entries(node)) {
      spots.push([node as Record<string, unknown>, name])
      visit(member)
    }
  }
  visit(copy)
  const [node, name] = spots[place % Math.max(1, spots.length)] ?? [copy, 'data']
  if (drop) delete node[name]
  else node[name] = by
  return copy
}

const supported = operations.filter(({ access }) => access !== 'open')
const representatives = new Set(representativesOf(supported, operationTraits))

test.for(supported.map((operation) => [operation.id, operation] as const))(
  'no request breaks %s',
  async ([, operation]) => {
    // Each write has its own parent, as other writes may have filled a shared one.
    const own = operation.access === 'read' ? samples : new Samples(world.admin, world.work)
    const call = await own.call(operation)
    const created = specimens.find(({ operations: its }) => its.create === operation)
    const parts = call.path.split('/')
    const named = operation.path.split('/').flatMap((part, i) => (part.startsWith(':') ? [i] : []))
    const request = fc.asyncProperty(
      value,
      fc.nat(200),
      fc.boolean(),
      fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: header }),
      fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: odd }),
      fc.nat(),
      async (by, place, drop, headers, segment, at) => {
        const spot = named[at % Math.max(1, named.length)]
        const path =
          segment === undefined || spot === undefined
            ? call.path
            : parts.with(spot, encodeURIComponent(segment.slice(0, 600).toWellFormed())).join('/')
        // An operation without a body, unless it is a DELETE, would be said to have an undocumented one.
        const hasBody = call.body !== undefined || operation.method === 'DELETE'
        const body = hasBody ? JSON.stringify(mutate(call.body, place, by, drop)) : undefined
        const clean = Object.fromEntries(
          Object.entries(headers).filter(([, text]) => /^[\x20-\x7e]*$/.test(String(text))),
        ) as Record<string, string>
        // A full list would refuse everything for that reason.
        if (created) await own.room(created, call.path, 1)
        const { status, body: answer } = await world.admin.send(operation.method, path, {
          headers: clean,
          ...(body !== undefined && { body }),
        })
        expect(status, `${operation.method} ${path}: ${JSON.stringify(answer?.errors)}`).toBeLessThan(500)
      },
    )
    await fc.assert(request, { numRuns: tries(representatives.has(operation) ? 3 : 1, 30) })
  },
)
