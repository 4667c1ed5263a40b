import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { limits } from '../../../server/kernel/query/parse.ts'
import { flatten } from '../../../server/kernel/shape/envelope.ts'
import type { Op } from '../../../server/kernel/shape/list-query.ts'
import { walks } from '../../../server/kernel/shape/model.ts'
import { operations, Samples, specimensWith } from '../../builders/samples.ts'
import { anyCharacter } from '../../support/any-texts.ts'
import { isLong, tries } from '../../support/long.ts'
import { bodyWith } from '../../support/specimens.ts'
import { until } from '../../support/until.ts'
import { openWorld, type World } from '../../support/world.ts'
import { appAndWorkshop } from '../../workshop/index.ts'
import { listTraits, representativesOf } from '../classes.ts'
import { idsOf, type Listing, listings, oneOf, opsOf, sortsOf, timesIn, valueType } from '../listings.ts'

type Bag = Readonly<Record<string, unknown>>

let world: World
let samples: Samples
beforeAll(async () => {
  world = await openWorld(appAndWorkshop)
  samples = new Samples(world.admin, world.work)
})
afterAll(() => world.close())

const values = {
  text: ['a', '*a*', 'O’Neill', '"a,b"'],
  uuid: ['00000000-0000-7000-8000-000000000000'],
  time: ['2026-01-31T09:30:00.000Z', '2026-01-31', '2026-01-31T09:30:00+01:00'],
  number: ['1', '-2'],
  integer: ['3', '3.5', '-1e300'],
  boolean: ['true', 'false'],
} as const
const termsOf = (field: string, op: Op, values: readonly string[]): readonly string[] =>
  op === 'is_null' ? [`is_null(${field})`] : values.map((value) => `${op}(${field},${value})`)
/** All of the terms, in as few filters as may be. */
function together(terms: readonly string[]): readonly string[] {
  const filters = Math.ceil(terms.length / limits.filterTermsMax)
  return Array.from({ length: filters }, (_, i) =>
    terms.slice(i * limits.filterTermsMax, (i + 1) * limits.filterTermsMax).join('|'),
  )
}
/** The fields that a refusal says are allowed. */
const namesIn = (detail: string): readonly string[] =>
  /allowed fields are \[(.*)\]$/.exec(detail)?.[1]?.split(' ') ?? []
const notOfType = {
  uuid: 'x',
  time: 'yesterday',
  number: 'many',
  integer: 'many',
  boolean: 'perhaps',
} as const

/** Whether a filter by an object's own value finds it. */
const findsItself: Partial<Record<Op, boolean>> = {
  eq: true,
  in: true,
  like: true,
  ilike: true,
  ge: true,
  le: true,
  gt: false,
  lt: false,
}

const representatives = representativesOf(listings, listTraits)

describe.each(listings)('$id', (listing) => {
  const isRepresentative = representatives.includes(listing)
  let path: string
  beforeAll(async () => {
    path = await samples.path(listing.path)
  })
  const filtered = (filter: string) => world.admin.get(`${path}?filter=${encodeURIComponent(filter)}`)

  test('accepts every field and operator that it allows', async () => {
    const terms = opsOf(listing).flatMap(([name, ops]) =>
      ops.map((op) => termsOf(oneOf(listing, name), op, values[valueType(listing, name)])),
    )
    // An index may answer an operator that is sent alone. Where no law of the kernel is tried, and for further values,
    // terms are sent together.
    const alone = isLong ? terms.flat() : isRepresentative ? terms.flatMap(([first = '']) => first) : []
    const others = terms.flat().filter((term) => !alone.includes(term))
    for (const filter of [...alone, ...together(others)]) {
      const { status, body } = await filtered(filter)
      expect([filter, status, body.errors]).toEqual([filter, 200, undefined])
      expect(body.meta.results.total, `the total of ${filter}`).toBeGreaterThanOrEqual(0)
    }
  })

  test.runIf(isRepresentative)(
    'accepts a list of values wherever it accepts one, and ignores blank ones',
    async () => {
      for (const [name, ops] of opsOf(listing)) {
        if (!ops.includes('eq')) continue
        expect(ops, `the operators of ${name}`).toContain('in')
        const field = oneOf(listing, name)
        const [value] = values[valueType(listing, name)]
        const { body: none } = await filtered(`in(${field}, ,)`)
        expect([field, none.meta?.results.total, none.data]).toEqual([field, 0, []])
        const { body: one } = await filtered(`in(${field},${value})`)
        const { body: same } = await filtered(`in(${field},,${value},)`)
        expect([field, same.meta?.results.total, idsOf({ body: same })]).toEqual([
          field,
          one.meta.results.total,
          idsOf({ body: one }),
        ])
      }
    },
  )

  test('refuses other fields and operators, and names the allowed ones', async () => {
    const unknown = await filtered('eq(no_such_field,1)')
    expect([unknown.status, unknown.body.errors?.[0].code], 'a filter by no field').toEqual([
      400,
      'bad_filter',
    ])
    expect(namesIn(unknown.body.errors[0].detail)).toEqual(
      opsOf(listing)
        .map(([field]) => field)
        .sort(),
    )
    for (const [field, ops] of isRepresentative ? opsOf(listing) : []) {
      const missing = (['contains', 'lt', 'is_null', 'text'] as const).find((op) => !ops.includes(op))
      if (!missing) continue
      const named = oneOf(listing, field)
      const term = missing === 'is_null' ? `is_null(${named})` : `${missing}(${named},x)`
      const { status, body } = await filtered(term)
      expect([term, status, body.errors?.[0].code]).toEqual([term, 400, 'bad_filter'])
      for (const op of ops) expect(body.errors[0].detail).toContain(op)
    }
  })

  test('refuses values of another type', async () => {
    for (const [field, ops] of opsOf(listing)) {
      if (field in walks && !isRepresentative) continue
      const type = valueType(listing, field)
      if (type === 'text' || ops[0] === 'is_null') continue
      const { status, body } = await filtered(`${ops[0]}(${oneOf(listing, field)},${notOfType[type]})`)
      expect([field, status, body.errors?.[0].code]).toEqual([field, 400, 'bad_filter'])
      expect(body.errors[0].detail).toContain(oneOf(listing, field).replace('[0]', ''))
    }
  })

  test('sorts by the allowed fields, and refuses others', async () => {
    for (const sort of isRepresentative ? sortsOf(listing) : sortsOf(listing).filter((_, i) => i % 2 === 0)) {
      const { status: answered, body: list } = await world.admin.get(`${path}?sort=${sort}`)
      expect([sort, answered, list.errors]).toEqual([sort, 200, undefined])
    }
    const { status, body } = await world.admin.get(`${path}?sort=no_such_field`)
    if (listing.specimen.resource.ignoresSort) {
      const usual = await world.admin.get(path)
      expect([status, idsOf({ body })], 'a sort by no field').toEqual([200, idsOf(usual)])
      return
    }
    expect([status, body.errors?.[0].source], 'a sort by no field').toEqual([400, 'sort'])
    const fields = sortsOf(listing).filter((_, i) => i % 2 === 0)
    expect(namesIn(body.errors[0].detail)).toEqual(fields.sort())
  })

  test('survives any filter, sort or page', async () => {
    const fields = [...opsOf(listing).flatMap(([field]) => [field, oneOf(listing, field)]), 'x', '']
    const token = fc.constantFrom(
      ...[
        'eq',
        'like',
        'ilike',
        'in',
        'gt',
        'is_null',
        'contains',
        'text',
        '(',
        ')',
        ',',
        ':',
        '|',
        '"',
        "'",
        '*',
      ],
      ...[
        '%',
        '\\',
        '\\"',
        '\u{1f600}',
        ' ',
        '1',
        '-1',
        'null',
        'é',
        '00000000-0000-7000-8000-000000000000',
        '+',
      ],
      ...fields,
    )
    const wild = fc.array(token, { maxLength: 24 }).map((tokens) => tokens.join(''))
    const op = fc.constantFrom('eq', 'like', 'ilike', 'in', 'gt', 'le', 'is_null', 'text', 'contains_any')
    const term = fc
      .tuple(op, fc.constantFrom(...fields), fc.oneof(fc.string({ unit: 'grapheme' }), token))
      .map(([name, field, value]) => `${name}(${field},${value})`)
    const terms = fc.array(term, { minLength: 1, maxLength: 4 }).map((all) => all.join(':'))
    const neverBreaks = fc.asyncProperty(
      fc.oneof(wild, terms, fc.string({ unit: anyCharacter, maxLength: 40 })),
      fc.constantFrom(
        'filter',
        'filter',
        'filter',
        'sort',
        'include',
        'page[limit]',
        'page[after]',
        'page[offset]',
      ),
      async (text, name) => {
        const { status, body } = await world.admin.get(
          `${path}?${encodeURIComponent(name)}=${encodeURIComponent(text.toWellFormed())}`,
        )
        expect([200, 400], `${name}: ${JSON.stringify(body?.errors)}`).toContain(status)
      },
    )
    await fc.assert(neverBreaks, { numRuns: tries(isRepresentative ? 12 : 2, 150) })
  })
})

describe.each(specimensWith('list', 'create'))('$name', (specimen) => {
  const { resource } = specimen

  test('can be found by each of its values', async () => {
    const collection = await samples.path(resource.path)
    const values = await samples.values(specimen, collection, true)
    const { status, body: created } = await world.admin.post(collection, bodyWith(specimen, 'create', values))
    expect([status, created.errors]).toEqual([201, undefined])
    const { id } = created.data
    const shown = { ...timesIn(resource, created.data), ...flatten(resource.envelope, created.data) }
    for (const [field, ops] of opsOf({
      id: specimen.operations.list?.id ?? '',
      path: collection,
      specimen,
    })) {
      const value = field.split('.').reduce<unknown>((of, name) => (of as Bag | undefined)?.[name], shown)
      if (!['string', 'number', 'boolean'].includes(typeof value)) continue
      for (const op of ops) {
        const finds = findsItself[op]
        if (finds === undefined) continue
        const filter = `${op}(${field},"${value}")`
        const { body } = await world.admin.get(
          `${collection}?page[limit]=100&filter=${encodeURIComponent(filter)}`,
        )
        expect(body.errors, filter).toBeUndefined()
        const matches = expect(idsOf({ body }), `what ${filter} finds`)
        if (finds) matches.toContain(id)
        else matches.not.toContain(id)
      }
    }
  })
})

/** Writes that take a filter, in their body or their query, and the list whose filter it is. */
const filteredLists: Readonly<Record<string, string>> = {
  'attach-nodes': 'list-products',
  'create-bulk-change': 'list-products',
  'create-order-job': 'list-orders',
  'detach-nodes': 'list-products',
  'export-products': 'list-products',
}
const filterTakers = operations.filter(({ of, method }) => {
  const { body, data, query } = of.is === 'action' ? of.action : {}
  return method !== 'GET' && (body?.fields.filter ?? data?.members?.filter ?? query?.filter)
})

test('the writes that take a filter are exactly the listed ones', () => {
  expect(filterTakers.map(({ id }) => id).sort()).toEqual(Object.keys(filteredLists))
})

describe.each(filterTakers)('$id', (operation) => {
  test('accepts every filter of its list', async () => {
    const listing = listings.find(({ id }) => id === filteredLists[operation.id]) as Listing
    const terms = opsOf(listing).flatMap(([name, ops]) =>
      ops.flatMap((op) => termsOf(oneOf(listing, name), op, values[valueType(listing, name)])),
    )
    const { path, body } = await samples.call(operation)
    const { data } = (body ?? {}) as { data?: { filter?: string } }
    const send = (filter: string) =>
      data?.filter === undefined
        ? world.admin.send('POST', `${path}?filter=${encodeURIComponent(filter)}`)
        : world.admin.post(path, { data: { ...data, filter } })
    const jobs = []
    for (let from = 0; from < terms.length; from += limits.filterTermsMax) {
      const filter = terms.slice(from, from + limits.filterTermsMax).join('|')
      // A store has only so many open bulk changes.
      const reply = await until(async () => {
        const one = await send(filter)
        return one.status === 429 ? undefined : one
      })
      expect([filter, reply.status, reply.body.errors]).toEqual([filter, operation.status, undefined])
      if (reply.body.data?.type === 'pim-job') jobs.push(reply.body.data.id)
    }
    for (const id of jobs) {
      const job = () => world.admin.get(`/pcm/jobs/${id}`)
      await until(async () => (await job()).body.data.attributes.completed_at ?? undefined)
      expect((await job()).body.data.attributes.status, 'how the job ended').toBe('success')
    }
  })
})
