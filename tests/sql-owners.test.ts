import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { publishedTables, tablesOfEditions, tablesOfProducts } from '../server/publishing/editions.ts'

/** Who may write what in SQL. `docs/schema.sql` is the database, as `tests/docs.test.ts` keeps it. */

const schema = readFileSync(join(import.meta.dirname, '../docs/schema.sql'), 'utf8')

const routines = new Map(
  [...schema.matchAll(/^CREATE OR REPLACE (?:FUNCTION|PROCEDURE) (\w+)\(.*?\n;\n/gms)].map(
    ([text, name = '']) => [name, text] as const,
  ),
)

test('in SQL only `track` and `change_all` know how a row is written', () => {
  const writers = [...routines].filter(([, text]) => /sutler\.by|\bversion \+ 1/.test(text))
  const handMade = writers.map(([name]) => name).filter((name) => !name.endsWith('_tracked'))
  expect(handMade).toEqual(['change_all', 'track'])
})

test('every published table is known to whoever deletes editions, or the whole catalog', () => {
  const tables = [...schema.matchAll(/^CREATE TABLE (published_\w+) \((.*?)^\);/gms)]
  const named = (column: string) =>
    tables.filter(([, , columns = '']) => columns.includes(`\n  ${column} `)).map(([, name]) => name)
  expect(named('since').length).toBeGreaterThan(5)
  expect([...publishedTables].sort()).toEqual(named('catalog_id').sort())
  expect([...tablesOfEditions, ...tablesOfProducts].sort()).toEqual(named('until').sort())
  const forgotten = routines.get('forget_published')?.match(/'published_\w+'/g) ?? []
  expect(forgotten.map((name) => name.slice(1, -1)).sort()).toEqual(named('catalog_id').sort())
})
