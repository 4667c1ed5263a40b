import { expect, test } from 'vitest'
import { app } from '../../server/app.ts'
import { extendedBy } from '../../server/flows/extended-by.ts'
import { coreSlugs } from '../../server/flows/kinds.ts'
import { extendedTables } from '../../server/flows/value-changes.ts'

test('a definition that changes finds the objects of every resource that says it is extended, and no others', () => {
  const declared = extendedBy(() => app)()
  for (const slug of coreSlugs) {
    const said = (declared[slug] ?? []).map(({ table, envelope }) => ({
      table,
      ...(envelope.fields === 'attributes' && { inside: 'attributes' }),
    }))
    const byTable = (one: { table: string }, other: { table: string }) => one.table.localeCompare(other.table)
    expect([slug, [...(extendedTables[slug] ?? [])].toSorted(byTable)]).toEqual([
      slug,
      said.toSorted(byTable),
    ])
  }
})
