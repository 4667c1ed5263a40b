import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Resource } from '../../../server/kernel/declare/resource.ts'
import { longText } from '../../../server/kernel/query/long-text.ts'
import { fetchPage } from '../../../server/kernel/query/page.ts'
import { parse } from '../../../server/kernel/query/parse.ts'
import { indexed } from '../../../server/kernel/shape/model.ts'
import { add } from '../../../server/kernel/write/by-rules.ts'
import { tries } from '../../support/long.ts'
import { openWorld, type World } from '../../support/world.ts'
import { appAndWorkshop } from '../../workshop/index.ts'
import { things } from '../../workshop/things.ts'

/** Filters on text: as JavaScript compares it, whatever an index holds of it. */

let world: World
// What tells long texts apart is behind what an index holds of them.
const starts = ['', 'a', 'x'.repeat(127), 'x'.repeat(128)]
const local = starts.flatMap((start) => [`${start}b`, `${start}c`])
const emails = local.map((name) => `${name}@a.example`)
const titles = ['Rye', 'rye', 'RYE loaf', 'Bread']

const list: Resource = {
  ...things,
  filter: {
    email: longText('contact_email', 'eq', 'in', 'gt', 'ge', 'lt', 'le'),
    title: { ...indexed('eq', 'in', 'like'), caseless: 'like' },
  },
}
const find = async (filter: string, field: (doc: never) => string | undefined) => {
  const ask = parse(`page[limit]=100&filter=${encodeURIComponent(filter)}`)
  const { rows } = await fetchPage(world.work, { resource: list, scope: [] }, ask)
  return rows.flatMap(({ doc }) => field(doc as never) ?? []).sort()
}

beforeAll(async () => {
  world = await openWorld(appAndWorkshop)
  for (const [i, email] of emails.entries()) {
    const title = titles[i % titles.length] as string
    await world.work.transaction((work) => add(work, things, [], { title, contact: { email } } as never))
  }
})
afterAll(() => world.close())

test('a long text is compared as a whole', async () => {
  const signs = {
    gt: (one: string, other: string) => one > other,
    ge: (one: string, other: string) => one >= other,
    lt: (one: string, other: string) => one < other,
    le: (one: string, other: string) => one <= other,
    eq: (one: string, other: string) => one === other,
  } as const
  const email = ({ contact }: { contact: { email: string } }) => contact.email
  const anyEmail = fc.constantFrom(...emails)
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...Object.entries(signs)), anyEmail, async ([op, holds], value) => {
      expect(await find(`${op}(email,"${value}")`, email)).toEqual(
        emails.filter((one) => holds(one, value)).sort(),
      )
    }),
    { numRuns: tries(20, 60) },
  )
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(anyEmail, { minLength: 1, maxLength: 4 }), async (some) => {
      const filter = `in(email,${some.map((one) => `"${one}"`).join(',')})`
      expect(await find(filter, email)).toEqual([...some].sort())
    }),
    { numRuns: tries(6, 20) },
  )
})

test('like ignores case where a filter says so, and eq and in do not', async () => {
  const cases: [filter: string, titles: string[]][] = [
    ['like(title,rye)', ['Rye', 'Rye', 'rye', 'rye']],
    ['like(title,RYE*)', ['RYE loaf', 'RYE loaf', 'Rye', 'Rye', 'rye', 'rye']],
    ['like(title,*LOAF)', ['RYE loaf', 'RYE loaf']],
    ['eq(title,rye)', ['rye', 'rye']],
    ['in(title,RYE loaf,bread)', ['RYE loaf', 'RYE loaf']],
  ]
  for (const [filter, titles] of cases) {
    expect([filter, await find(filter, ({ title }: { title: string }) => title)]).toEqual([filter, titles])
  }
})
