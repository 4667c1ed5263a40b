import { describe, expect, test } from 'vitest'
import { publishedTables, tablesOfEditions, tablesOfProducts } from '../server/shop/publishing/editions.ts'
import { read, roomOf, rooms } from './support/source-files.ts'
import {
  matchesOf,
  routineOwner,
  routinesOf,
  server,
  sourceOf,
  tableOwner,
  undeclared,
  words,
} from './support/sql-owners.ts'

/**
 * Every table and every SQL routine belongs to one room of a wing. A room reads the tables of the rooms before it, and
 * writes only its own.
 */

// `tests/docs.test.ts` keeps it equal to the database.
const schema = read('docs/schema.sql')

const tables = matchesOf(schema, /^CREATE TABLE (\w+) /gm)
const routines = new Map(
  [...schema.matchAll(/^CREATE OR REPLACE (?:FUNCTION|PROCEDURE) (\w+)\(.*?\n;\n/gms)]
    .filter(([text]) => !/LANGUAGE c\b/.test(text))
    .map(([text, name = '']) => [name, text] as const)
    // `track` and `count_rows` write these.
    .filter(([name]) => !/_(tracked|counted)$|_fkey$/.test(name)),
)

/** The tables of the kernel that rooms may read: the feed, the stores, their settings, the lengths of editions. */
const publishedByKernel = words('added_fields changes edition_totals feeds organisations singletons stores')

/** Tables of the kernel that rooms write: whoever publishes an edition counts its lists. */
const writtenForKernel = words('edition_totals')

/** Reads of tables that belong to a later room, or to the kernel alone. The list only shrinks. */
const readsBelow = words(`
  server/assortment/products/product-filters.ts:node_products
  server/carts/contents/owners.ts:carts
  server/fields/flows/template-entries.ts:products
`)

/** Writes to tables of another room. The list only shrinks. */
const writesElsewhere = words(`
  index_entry:entry_values
  index_flow_entry:entry_values
  server/fields/flows/template-entries.ts:products
`)

/** What is in no wing, as the first start and the programs of operators, is after all of them. */
const placeOf = (owner: string) => (owner === '' ? rooms.length : rooms.indexOf(owner))

const isOwn = (owner: string, by: string) => owner === by || (owner === 'kernel' && by === '')

const mayWrite = (name: string, by: string) => isOwn(ownerOf(name), by) || writtenForKernel.includes(name)

const mayRead = (owner: string, name: string, by: string) =>
  isOwn(owner, by) ||
  (owner === 'kernel' ? publishedByKernel.includes(name) : by !== 'kernel' && placeOf(owner) < placeOf(by))

const tableNames = new Set(tables)
const views = ['list_points', 'products_of_nodes']
const item = String.raw`\w+(?: (?:AS )?[a-z]\w*)?`
const reading = new RegExp(
  String.raw`\b(?:FROM|JOIN|INTO|UPDATE|USING|ONLY)\s+(${item}(?:,\s*${item})*)`,
  'g',
)

/** The tables that a text names in SQL. */
const tablesIn = (text: string): readonly string[] => [
  ...new Set(
    [
      ...matchesOf(text, reading).flatMap((list) => list.split(/,\s*/).map((one) => one.split(' ')[0] ?? '')),
      ...matchesOf(text, /\btable: '(\w+)'/g),
      // A name with an underscore is put into SQL from elsewhere.
      ...matchesOf(text, /'([a-z]+_\w+)'/g),
      ...matchesOf(text, /change_all\('(\w+)'/g),
    ].filter((name) => tableNames.has(name)),
  ),
]

const writtenIn = (text: string): readonly string[] => [
  ...new Set(
    [
      ...matchesOf(text, /\b(?:INTO|UPDATE|DELETE FROM) (\w+)/g),
      ...matchesOf(text, /change_all\('(\w+)'/g),
      ...matchesOf(text, /store\s*\.(?:changeAll|touchAll|removeAll)\(\s*\{ table: '(\w+)'/g),
    ].filter((name) => tableNames.has(name)),
  ),
]

const ownerOf = (name: string) => tableOwner.get(name) ?? ''

/** All texts with SQL: the files and the routines, with the rooms that they are of. */
const texts = [
  ...server.map((file) => ({ name: file, by: roomOf(file), text: sourceOf(file) })),
  ...[...routines].map(([name, text]) => ({ name, by: routineOwner.get(name) ?? '', text })),
]

describe('SQL', () => {
  test('every table and every routine has one existing owner', () => {
    expect(
      [...tableOwner.keys()].filter((name) => !tableNames.has(name) && !views.includes(name)),
      'declared, and not in docs/schema.sql: `npm run docs` writes it',
    ).toEqual([])
    expect(
      tables.filter((name) => !tableOwner.has(name)),
      'the `table` of no resource: a row of `undeclared` above',
    ).toEqual([])
    expect([...routineOwner.keys()].sort(), 'a row of `routinesOf` above').toEqual(
      [...routines.keys()].sort(),
    )
    const owners = [...Object.keys(undeclared), ...Object.keys(routinesOf)]
    expect(owners.filter((name) => name !== 'kernel' && !rooms.includes(name))).toEqual([])
  })

  test('a room reads its own tables and those of the rooms before it', () => {
    const uses = texts.flatMap(({ name, by, text }) =>
      tablesIn(text)
        .filter((table) => !mayRead(ownerOf(table), table, by))
        .map((table) => `${name}:${table}`),
    )
    expect(uses.sort()).toEqual(readsBelow)
  })

  test('a room writes its own tables only', () => {
    const uses = texts.flatMap(({ name, by, text }) =>
      writtenIn(text)
        .filter((table) => !mayWrite(table, by))
        .map((table) => `${name}:${table}`),
    )
    expect(uses.sort()).toEqual(writesElsewhere)
  })

  test('a room calls its own routines and those of the rooms before it', () => {
    const uses = texts.flatMap(({ name, by, text }) =>
      [...routineOwner]
        .filter(
          ([routine, owner]) =>
            owner !== 'kernel' && new RegExp(`\\b${routine}\\(`).test(text) && !mayRead(owner, routine, by),
        )
        .map(([routine]) => `${name}:${routine}`),
    )
    expect(uses).toEqual([])
  })

  test('only `track_changes`, `change_all` and `recorded` know how a row is written', () => {
    const writers = [...routines].filter(([, text]) => /sutler\.by|\bversion \+ 1/.test(text))
    expect(writers.map(([name]) => name)).toEqual(['change_all', 'recorded', 'track_changes'])
  })
})

test('every published table is covered by the deletion of editions and of the whole catalog', () => {
  const tables = [...schema.matchAll(/^CREATE TABLE (published_\w+) \((.*?)^\);/gms)]
  const named = (column: string) =>
    tables.filter(([, , columns = '']) => columns.includes(`\n  ${column} `)).map(([, name]) => name)
  expect(named('since').length).toBeGreaterThan(5)
  expect([...publishedTables].sort()).toEqual(named('catalog_id').sort())
  expect([...tablesOfEditions, ...tablesOfProducts].sort()).toEqual(named('until').sort())
  const forgotten = routines.get('forget_published')?.match(/'published_\w+'/g) ?? []
  expect(forgotten.map((name) => name.slice(1, -1)).sort()).toEqual(named('catalog_id').sort())
})
