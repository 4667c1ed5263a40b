import fc from 'fast-check'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { fetchPage, type Page } from '../../../server/kernel/query/page.ts'
import { parse } from '../../../server/kernel/query/parse.ts'
import { plan } from '../../../server/kernel/query/plan.ts'
import { pageSql } from '../../../server/kernel/query/sql.ts'
import { tries } from '../../support/long.ts'
import { openWorld, type World } from '../../support/world.ts'
import { appAndWorkshop } from '../../workshop/index.ts'
import { things } from '../../workshop/things.ts'

/** Filters that an index answers, and their neighbours that none does, beside the same filters in plain JavaScript. */

let world: World
let all: readonly Thing[]

interface Thing {
  readonly id: string
  readonly at: number
  readonly title: string
  readonly email: string | null
}

const other = '00000000-0000-4000-8000-00000000000b'
const many = 2600

// Nearly all of one title; the rest before, behind and within each other, to the ends of what a character may be.
const titles = [
  'common',
  '',
  ' ',
  'co',
  'com',
  'commoo',
  'Common',
  'a%b',
  'a_b',
  'a\\b',
  'a,b',
  '"q"',
  'é',
  'z',
  'z\u{d7ff}',
]
const rare = [...titles, 'z\u{e000}', 'z\u{10ffff}', '\u{10ffff}', '\u{10ffff}\u{10ffff}', 'only one']
const long = 'l'.repeat(130)
const emails = [
  null,
  'x@a.example',
  'X@a.example',
  `${long}1`,
  `${long}2`,
  long,
  'l'.repeat(128),
  'l'.repeat(127),
]

beforeAll(async () => {
  world = await openWorld({ ...appAndWorkshop, alone: true })
  // The oldest third has another title, of which there are more than are fetched and sorted without looking further.
  const titleOf = (n: number) => (n % 97 === 0 ? rare[(n / 97) % rare.length] : n < 1100 ? 'old' : 'common')
  const rows = Array.from({ length: many }, (_, n) => ({
    title: titleOf(n),
    // Ties, within which the ids decide.
    at: new Date(Date.UTC(2026, 0, 1) + Math.floor(n / 3) * 1000).toISOString(),
    contact: emails[n % emails.length] === null ? null : { email: emails[n % emails.length] },
  }))
  for (const store of [world.storeId, other]) {
    await world.sql(
      `INSERT INTO things (store_id, id, created_at, updated_at, doc)
       SELECT $1, gen_random_uuid(), (d->>'at')::timestamptz, (d->>'at')::timestamptz, (d - 'at')::json
       FROM jsonb_array_elements($2::jsonb) d`,
      [store, JSON.stringify(rows.slice(0, store === other ? 50 : many))],
    )
  }
  await world.sql('ANALYZE things')
  const { rows: stored } = await world.sql(
    `SELECT id, extract(epoch FROM created_at)::float8 AS at, title, contact_email AS email FROM things
     WHERE store_id = $1 ORDER BY created_at DESC, id DESC`,
    [world.storeId],
  )
  all = stored as Thing[]
})
afterAll(() => world.close())

const quoted = (value: string) => `"${value.replace(/["\\]/g, '\\$&')}"`
type Test = (thing: Thing) => boolean
type Case = [filter: string, meets: Test]

const value = fc.oneof(
  fc.constantFrom(...rare, 'old', 'nobody', ...rare.map((title) => title.slice(0, 1))),
  fc.string(),
)
const storable = value.filter((text) => !text.includes('\0') && text.isWellFormed())
const email = fc.constantFrom(
  ...emails.flatMap((one) => (one === null ? [] : [one, one.slice(0, -1), `${one}x`])),
)
const noStar = (text: string) => !text.includes('*')

const term: fc.Arbitrary<Case> = fc.oneof(
  storable.map((v): Case => [`eq(title,${quoted(v)})`, ({ title }) => title === v]),
  fc
    .array(storable, { minLength: 1, maxLength: 6 })
    .map((vs): Case => [`in(title,${vs.map(quoted).join()})`, ({ title }) => vs.includes(title)]),
  storable
    .filter(noStar)
    .map((v): Case => [`like(title,${quoted(`${v}*`)})`, ({ title }) => title.startsWith(v)]),
  storable.filter(noStar).map((v): Case => [`like(title,${quoted(v)})`, ({ title }) => title === v]),
  storable
    .filter(noStar)
    .map((v): Case => [`like(title,${quoted(`*${v}*`)})`, ({ title }) => title.includes(v)]),
  fc
    .array(fc.nat(many - 1), { minLength: 1, maxLength: 5 })
    .map((places) => places.map((place) => all[place]?.id as string))
    .map((ids): Case => [`in(id,${[...ids, other]})`, ({ id }) => ids.includes(id)]),
  email.map((v): Case => [`eq(contact.email,${v})`, (thing) => thing.email === v]),
  email.map((v): Case => [`like(contact.email,${v}*)`, (thing) => thing.email?.startsWith(v) ?? false]),
  email.map((v): Case => [`like(contact.email,${v})`, (thing) => thing.email === v]),
)
const filter: fc.Arbitrary<Case> = fc.oneof(
  { weight: 4, arbitrary: term },
  fc
    .tuple(term, term)
    .map(([[a, isA], [b, isB]]): Case => [`${a}:${b}`, (thing) => isA(thing) && isB(thing)]),
  fc
    .tuple(term, term)
    .map(([[a, isA], [b, isB]]): Case => [`${a}|${b}`, (thing) => isA(thing) || isB(thing)]),
)
const list = { resource: things, scope: [] }
const parseFilter = (filter: string, more = '') => parse(`filter=${encodeURIComponent(filter)}${more}`)

test('have the right rows in the right order at any offset, with exact totals', async () => {
  const page = fc.record({
    limit: fc.integer({ min: 0, max: 100 }),
    offset: fc.oneof(fc.nat(20), fc.nat(many + 10)),
    sort: fc.constantFrom('-created_at', 'created_at', 'title'),
  })
  const finds = fc.asyncProperty(filter, page, async ([text, meets], { limit, offset, sort }) => {
    const expected = all.filter(meets)
    if (sort === 'created_at') expected.reverse()
    const order = (a: Thing, b: Thing) =>
      Buffer.compare(Buffer.from(a.title), Buffer.from(b.title)) || (a.id < b.id ? -1 : 1)
    if (sort === 'title') expected.sort(order)
    const ask = parseFilter(text, `&sort=${sort}&page%5Blimit%5D=${limit}&page%5Boffset%5D=${offset}`)
    const { rows, total } = await fetchPage(world.work, list, ask)
    expect(total, `the total of ${text}`).toBe(expected.length)
    expect(
      rows.map(({ id }) => id),
      text,
    ).toEqual(expected.slice(offset, offset + limit).map(({ id }) => id))
  })
  await fc.assert(finds, { numRuns: tries(75, 300) })
})

test('have the right rows in a walk by cursor', async () => {
  for (const [text, meets] of [
    ['eq(title,common)', ({ title }) => title === 'common'],
    ['like(title,o*)', ({ title }) => title.startsWith('o')],
    ['like(title,*ld)', ({ title }) => title.endsWith('ld')],
    ['eq(title,z)', ({ title }) => title === 'z'],
  ] satisfies Case[]) {
    const ids: string[] = []
    for (let token: string | undefined = ''; token !== undefined; ) {
      const page: Page = await fetchPage(
        world.work,
        list,
        parseFilter(text, `&page%5Blimit%5D=90&page%5Bafter%5D=${token}`),
      )
      expect(page.total).toBe(all.filter(meets).length)
      ids.push(...page.rows.map(({ id }) => id))
      token = page.cursors?.next
    }
    expect(ids, text).toEqual(all.filter(meets).map(({ id }) => id))
  }
})

const first = { limit: 25, offset: 0, column: 'created_at', descending: true }
const sqlOf = (text: string) => pageSql(list, plan(parseFilter(text), things).filter, first, world.storeId)

test.each([
  ['in(id,00000000-0000-7000-8000-000000000000)', `in(id,${other},${other})`],
  ['eq(title,common)', 'eq(title,nobody)'],
  ['in(title,common)', 'in(title,nobody,z,co)'],
  ['like(title,com*)', 'like(title,no*)'],
  ['eq(contact.email,x@a.example)', `eq(contact.email,${long})`],
  ['like(contact.email,x*)', `like(contact.email,${long}*)`],
])('%s and %s are one statement, which is prepared', (one, another) => {
  expect(sqlOf(one).once).toBeUndefined()
  expect(sqlOf(another).text).toBe(sqlOf(one).text)
})

/** It may count a million, and would hold up all pages behind it. */
test('do not share connections with pages of whole lists', async () => {
  const pageSpy = vi.spyOn(world.work.store, 'page')
  const isWhole = async (query: string) => {
    await fetchPage(world.work, list, parse(query))
    return pageSpy.mock.lastCall?.[0].page ?? false
  }
  expect(await isWhole('page%5Blimit%5D=5')).toBe(true)
  expect(await isWhole('page%5Blimit%5D=5&filter=eq(title,common)')).toBe(false)
  vi.restoreAllMocks()
})

interface Node {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly Node[]
}

const flat = (node: Node): readonly Node[] => [node, ...(node.Plans ?? []).flatMap(flat)]

/** How many rows of the table, or of its indexes, a statement looks at when it was planned for no value. */
async function lookedAt(text: string): Promise<number> {
  const { text: statement, values } = sqlOf(text)
  const client = await world.server.instance.database.pool.connect()
  try {
    await client.query('SET plan_cache_mode = force_generic_plan')
    const { rows } = await client.query({
      name: `explained ${text}`,
      text: `EXPLAIN (ANALYZE, FORMAT JSON) ${statement}`,
      values: values as unknown[],
    })
    const [{ Plan: root }] = rows[0]['QUERY PLAN'] as [{ Plan: Node }]
    return flat(root)
      .filter((node) => node['Relation Name'] === 'things')
      .reduce(
        (sum, node) =>
          sum + (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
        0,
      )
  } finally {
    client.release(true)
  }
}

/** The planner believes that every row has the title, and the filter is for another one. */
test('a generic plan suits a value without rows and a value of the oldest rows', async () => {
  await world.sql(`UPDATE things SET doc = (doc::jsonb || '{"title": "common"}')::json WHERE title <> 'old'`)
  await world.sql('VACUUM ANALYZE things')
  for (const nothing of ['eq(title,nobody)', 'in(title,nobody,no one)', 'like(title,nobody*)']) {
    expect(await lookedAt(nothing), nothing).toBe(0)
  }
  const old = all.filter(({ title }) => title === 'old').length
  for (const oldest of ['eq(title,old)', 'in(title,old)']) {
    // Counted, sorted, and a page of rows.
    expect(await lookedAt(oldest), oldest).toBeLessThanOrEqual(old * 2 + first.limit)
  }
  // The index has these in the order of the list: a page of them is read twice, its keys and its rows.
  const emails = all.filter(({ email }) => email === 'x@a.example').length
  expect(emails).toBeGreaterThan(300)
  expect(await lookedAt('eq(contact.email,x@a.example)')).toBeLessThanOrEqual(emails + 2 * first.limit)
  // Counted, sorted, and before that an eighth as many of the newest.
  expect(await lookedAt('like(title,ol*)')).toBeLessThanOrEqual(old * 2.125 + 2 * first.limit + 2)
})
