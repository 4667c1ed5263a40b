import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { resource } from '../../../server/kernel/declare/resource.ts'
import { fetchPage } from '../../../server/kernel/query/page.ts'
import { parse } from '../../../server/kernel/query/parse.ts'
import { plan } from '../../../server/kernel/query/plan.ts'
import { add } from '../../../server/kernel/write/by-rules.ts'
import { tries } from '../../support/long.ts'
import { openWorld, type World } from '../../support/world.ts'
import { appAndWorkshop } from '../../workshop/index.ts'
import { things } from '../../workshop/things.ts'

let world: World
beforeAll(async () => {
  world = await openWorld(appAndWorkshop)
  const contact = { email: 'a@b.example', phone: '1' }
  await add(world.work, things, [], {
    title: 'one',
    code: 'EUR',
    contact,
    labels: { red: 'x', 'a.b': 'y' },
    words: ['p', 'q'],
  })
  await add(world.work, things, [], { title: 'two', labels: { red: 'z', 'x[0]': 'y' }, words: ['q'] })
  await add(world.work, things, [], { title: 'three', amounts: { abc: { units: 7 } } })
})
afterAll(() => world.close())

const parseFilter = (filter: string) => parse(`filter=${encodeURIComponent(filter)}`)
const find = async (filter: string) => {
  const { rows } = await fetchPage(world.work, { resource: things, scope: [] }, parseFilter(filter))
  return rows.map(({ doc }) => doc.title).sort()
}

test.each([
  ['eq(contact.email,a@b.example)', ['one']],
  ['like(contact.email,*@b.example)', ['one']],
  ['is_null(contact.phone)', ['three', 'two']],
  ['eq(contact.phone,1):eq(title,one)', ['one']],
  ['eq(labels.red,x)', ['one']],
  ['in(labels.red,x,z)', ['one', 'two']],
  ['eq(labels.a.b,y)|eq(labels.x[0],y)', ['one', 'two']],
  ['eq(labels.$,y)', []],
  ['is_null(labels.red)', ['three']],
  ['eq(amounts.abc.units,7)', ['three']],
  ['gt(amounts.abc.units,6.5)', ['three']],
  ['eq(code,eur)', ['one']],
  ['in(code,usd,EUR)', ['one']],
  ['like(code,eu*)', ['one']],
  ['eq(words[0],q)', ['two']],
  ['eq(words[1],q)', ['one']],
  ['eq(words[2],q)', []],
])('%s', async (filter, titles) => {
  expect(await find(filter)).toEqual(titles)
})

const names =
  'amounts.*.units code contact.email contact.phone created_at id labels.* title updated_at words[]'
const unknown = (field: string) =>
  `Invalid filter: unknown field [${field}] specified in search filter, allowed fields are [${names}]`

test.each([
  ['eq(labels,x)', unknown('labels')],
  ['eq(labels.,x)', unknown('labels.')],
  [`eq(labels.${'x'.repeat(256)},x)`, unknown(`labels.${'x'.repeat(256)}`)],
  ['eq(contact,x)', unknown('contact')],
  ['eq(contact.place,x)', unknown('contact.place')],
  ['eq(amounts.abcd.units,7)', unknown('amounts.abcd.units')],
  ['eq(amounts..units,7)', unknown('amounts..units')],
  ['eq(amounts.abc,7)', unknown('amounts.abc')],
  ['eq(words[3],q)', unknown('words[3]')],
  ['eq(words[],q)', unknown('words[]')],
  ['eq(words[00],q)', unknown('words[00]')],
  ...[
    '0000-01-01',
    '0001-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-00:01',
    '-99999999999999',
    '2026-02-30',
  ].map((time) => [
    `ge(created_at,${time})`,
    `Invalid filter: [created_at] must be a timestamp such as 2026-01-31T09:30:00.000Z or 2026-01-31, not [${time}]`,
  ]),
  ['eq(amounts.abc.units,many)', 'Invalid filter: [amounts.abc.units] must be a number, not [many]'],
  [
    'like(labels.red,x)',
    'Invalid filter: unknown operator [like] specified in search filter for field [labels.red], allowed operators are [eq in is_null]',
  ],
])('%s is refused', async (filter, detail) => {
  await expect(find(filter)).rejects.toMatchObject({ code: 'bad_filter', detail })
})

test('any key in a filter is a value, and finds only its own rows', async () => {
  const key = fc.stringMatching(/^[\p{L}\p{Nd}_.$@[\]-]{1,9}$/u)
  const finds = fc.asyncProperty(key, async (key) => {
    const { id } = await add(world.work, things, [], { title: 'keyed', labels: { [key]: 'own' } })
    const { rows, total } = await fetchPage(
      world.work,
      { resource: things, scope: [] },
      parseFilter(`eq(labels.${key},own)`),
    )
    expect([total, rows.map((row) => row.id)]).toEqual([1, [id]])
    await world.sql('DELETE FROM things WHERE id = $1', [id])
  })
  await fc.assert(finds, { numRuns: tries(20, 60) })
})

test.each([
  ['the filter contact.email needs a column or a where of its own', { 'contact.email': ['eq'] as const }],
  ['the filter labels.* needs a column or a where of its own', { 'labels.*': ['eq'] as const }],
  [
    'the filter labels.* needs a where of its own',
    { 'labels.*': { ops: ['eq'] as const, part: /./, column: 'x' } },
  ],
  [
    'the filter label has no * for its part',
    { label: { ops: ['eq'] as const, part: /./, where: () => 'true' } },
  ],
])('%s', (message, filter) => {
  const wrong = resource({ ...things, filter })
  expect(() => plan(parseFilter('eq(x,y)'), wrong)).toThrow(message)
})
