import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeApi } from '../../builders/fields/custom-apis.ts'
import { tries } from '../../support/long.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let api: Awaited<ReturnType<typeof makeApi>>
let stored: readonly Entry[]

interface Entry {
  readonly id: string
  readonly s: string | null
  readonly i: number | null
  readonly f: number | null
  readonly b: boolean | null
  readonly words: readonly (string | null)[] | null
  readonly counts: readonly (number | null)[] | null
  readonly mixed: readonly (string | number | boolean | null)[] | null
}

const long = 'long '.repeat(40)
// Few values, so that filters meet them; some of them beyond the first characters that the index holds.
const texts = [
  '',
  'a',
  'ab',
  'B',
  'b%_\\',
  'é',
  '😀',
  '\uffee',
  long,
  `${long}a`,
  `${long}b`,
  long.slice(0, 128),
  "O'Brien (Cork), 1",
]
const wholes = [-5, 0, 1, 2, 7, Number.MAX_SAFE_INTEGER]
const fractions = [-1.5, 0, 0.1, 2, 1e21]
const aText = fc.constantFrom(...texts)
const listOf = <T>(of: fc.Arbitrary<T>) =>
  fc.option(fc.array(fc.option(of, { freq: 6 }), { maxLength: 4 }), { freq: 6 })
const values = fc.record({
  s: fc.option(aText, { freq: 8 }),
  i: fc.option(fc.constantFrom(...wholes), { freq: 8 }),
  f: fc.option(fc.constantFrom(...fractions), { freq: 8 }),
  b: fc.option(fc.boolean(), { freq: 6 }),
  words: listOf(aText),
  counts: listOf(fc.constantFrom(...wholes)),
  mixed: listOf(fc.constantFrom<string | number | boolean>('1', 1, true, 'true', 'x', 1.5)),
})

beforeAll(async () => {
  world = await openWorld()
  api = await makeApi(world.admin, {
    s: ['string'],
    i: ['integer'],
    f: ['float'],
    b: ['boolean'],
    words: ['list', { allowed_type: 'string' }],
    counts: ['list', { allowed_type: 'integer' }],
    mixed: ['list'],
    any: ['any'],
  })
  const entries: Entry[] = []
  for (const sample of fc.sample(values, { numRuns: 60, seed: 1 })) {
    const reply = await api.create(sample)
    expect(reply.status).toBe(201)
    entries.push({ id: reply.body.data.id, ...sample })
  }
  // Some are changed, so that the index has followed.
  for (const [n, sample] of fc.sample(values, { numRuns: 20, seed: 2 }).entries()) {
    const { id } = entries[n * 3] as Entry
    expect((await world.admin.put(`${api.entries}/${id}`, api.entry(sample))).status).toBe(200)
    entries[n * 3] = { id, ...sample }
  }
  stored = entries
})
afterAll(() => world.close())

/** A filter, and what it means. */
interface Term {
  readonly text: string
  readonly holds: (entry: Entry) => boolean
}

const quoted = (value: unknown) => `"${String(value).replace(/["\\]/g, '\\$&')}"`
const compare = (a: string | number, b: string | number) =>
  typeof a === 'string' ? Buffer.compare(Buffer.from(a), Buffer.from(String(b))) : a - Number(b)
const relations = {
  eq: (order: number) => order === 0,
  lt: (order: number) => order < 0,
  le: (order: number) => order <= 0,
  gt: (order: number) => order > 0,
  ge: (order: number) => order >= 0,
}
type Relation = keyof typeof relations
type Scalar = string | number | boolean | null | undefined

/** Terms on one scalar of an entry. */
function scalarTerms(
  name: string,
  of: (entry: Entry) => Scalar,
  value: fc.Arbitrary<string | number>,
  ops: readonly Relation[],
): fc.Arbitrary<Term>[] {
  const comparable = (entry: Entry) => of(entry) as string | number | null | undefined
  return [
    fc.tuple(fc.constantFrom(...ops), value).map(([op, operand]) => ({
      text: `${op}(${name},${quoted(operand)})`,
      holds: (entry) =>
        comparable(entry) != null && relations[op](compare(comparable(entry) as string | number, operand)),
    })),
    fc.array(value, { minLength: 1, maxLength: 3 }).map((operand) => ({
      text: `in(${name},${operand.map(quoted).join(',')})`,
      holds: (entry) => operand.some((one) => one === of(entry)),
    })),
  ]
}

const like = (name: string, of: (entry: Entry) => Scalar): fc.Arbitrary<Term> =>
  fc.tuple(aText, fc.boolean(), fc.boolean(), fc.nat(140)).map(([whole, starts, ends, length]) => {
    const text = [...whole].slice(0, length).join('')
    return {
      text: `like(${name},${quoted(`${starts ? '*' : ''}${text}${ends ? '*' : ''}`)})`,
      holds: (entry) => {
        const value = of(entry)
        if (typeof value !== 'string') return false
        if (starts && ends) return value.includes(text)
        return starts ? value.endsWith(text) : ends ? value.startsWith(text) : value === text
      },
    }
  })

const isNull = (name: string, of: (entry: Entry) => unknown): fc.Arbitrary<Term> =>
  fc.constant({ text: `is_null(${name})`, holds: (entry) => of(entry) === null })

const all: readonly Relation[] = ['eq', 'lt', 'le', 'gt', 'ge']
const aWhole = fc.constantFrom(...wholes)
const place = fc.nat(3)

const term: fc.Arbitrary<Term> = fc.oneof(
  ...scalarTerms('s', ({ s }) => s, aText, all),
  like('s', ({ s }) => s),
  ...scalarTerms('i', ({ i }) => i, aWhole, all),
  ...scalarTerms('f', ({ f }) => f, fc.constantFrom(...fractions), ['lt', 'le', 'gt', 'ge']),
  ...(['s', 'i', 'f', 'b', 'words', 'counts', 'mixed'] as const).map((name) =>
    isNull(name, (entry) => entry[name]),
  ),
  fc.boolean().map((b) => ({ text: `eq(b,${b})`, holds: (entry: Entry) => entry.b === b })),
  ...([0, 1, 2] as const).flatMap((n) => [
    ...scalarTerms(`words[${n}]`, ({ words }) => words?.[n], aText, all),
    like(`words[${n}]`, ({ words }) => words?.[n]),
    ...scalarTerms(`counts[${n}]`, ({ counts }) => counts?.[n], aWhole, all),
    isNull(`counts[${n}]`, ({ counts }) => counts?.[n]),
  ]),
  ...scalarTerms('words.length', ({ words }) => words?.length, place, all),
  ...scalarTerms('mixed.length', ({ mixed }) => mixed?.length, place, all),
  fc
    .tuple(fc.constantFrom('contains_any', 'contains_all'), fc.array(aText, { minLength: 1, maxLength: 3 }))
    .map(([op, operand]) => ({
      text: `${op}(words,${operand.map(quoted).join(',')})`,
      holds: ({ words }: Entry) =>
        words !== null && operand[op === 'contains_any' ? 'some' : 'every']((one) => words.includes(one)),
    })),
  fc.oneof(aWhole, fc.constant('x')).map((operand) => ({
    text: `contains(counts,${operand})`,
    holds: ({ counts }: Entry) => counts?.includes(operand as number) ?? false,
  })),
  fc.constantFrom('1', 'true', 'x', '1.5', 'no').map((operand) => ({
    text: `contains(mixed,${operand})`,
    holds: ({ mixed }: Entry) => mixed?.some((one) => one !== null && String(one) === operand) ?? false,
  })),
)

const filter: fc.Arbitrary<Term> = fc.oneof(
  { weight: 3, arbitrary: term },
  fc.tuple(term, term).map(([one, two]) => ({
    text: `${one.text}:${two.text}`,
    holds: (entry: Entry) => one.holds(entry) && two.holds(entry),
  })),
  fc.tuple(term, term, term).map(([one, two, three]) => ({
    text: `(${one.text}|${two.text}):${three.text}`,
    holds: (entry: Entry) => (one.holds(entry) || two.holds(entry)) && three.holds(entry),
  })),
)

test('a filter returns exactly the entries that meet it', async () => {
  let matches = 0
  await fc.assert(
    fc.asyncProperty(filter, async ({ text, holds }) => {
      const query = `filter=${encodeURIComponent(text)}&page[limit]=100&sort=id`
      const { status, body } = await world.admin.get(`${api.entries}?${query}`)
      expect(status, JSON.stringify(body)).toBe(200)
      const expected = stored.filter(holds).map(({ id }) => id)
      expect(body.data.map(({ id }: Entry) => id)).toEqual(expected.sort())
      expect(body.meta.results.total).toBe(expected.length)
      matches += expected.length
    }),
    { numRuns: tries(100, 400) },
  )
  expect(matches).toBeGreaterThan(500)
})

test.each([
  ['eq(f,1)', 'allowed operators are [lt le gt ge in is_null]'],
  ['like(i,1*)', 'allowed operators are [lt le eq in gt ge is_null]'],
  ['gt(b,true)', 'allowed operators are [eq in is_null]'],
  ['eq(any,1)', 'unknown field [any]'],
  ['eq(i,one)', '[i] must be a whole number, not [one]'],
  ['eq(i,1.5)', '[i] must be a whole number'],
  ['in(i,1,x)', '[i] must be a whole number, not [x]'],
  ['gt(f,x)', '[f] must be a number'],
  ['eq(b,1)', '[b] must be true or false'],
  ['contains_all(mixed,1)', 'allowed operators are [contains contains_any is_null]'],
  ['gt(mixed[0],1)', 'allowed operators are [eq in is_null like]'],
  ['contains_all(counts,foo)', '[counts] must be a whole number, not [foo]'],
  ['in(counts[0],foo)', '[counts[0]] must be a whole number'],
  ['eq(words.length,x)', '[words.length] must be a whole number'],
  ['eq(counts,1)', 'allowed operators are [contains contains_any contains_all is_null]'],
  ['eq(counts[1000],1)', 'unknown field [counts[1000]]'],
  ['eq(nothing,1)', 'allowed fields are [b counts counts.length counts[] created_at f i id'],
])('%s is refused', async (text, why) => {
  const refused = await world.admin.get(`${api.entries}?filter=${encodeURIComponent(text)}`)
  expect(refused.status).toBe(400)
  expect(refused.body.errors[0].detail).toContain(why)
})

test('the next request uses a changed definition', async () => {
  const changing = await makeApi(world.admin, { a: ['string'] })
  await changing.create({ a: '1' })
  expect((await world.admin.get(`${changing.entries}?filter=eq(b,1)`)).status).toBe(400)
  await changing.addField('b', 'integer')
  await changing.create({ a: '2', b: 1 })
  expect((await world.admin.get(`${changing.entries}?filter=eq(b,1)`)).body.data).toHaveLength(1)
})
