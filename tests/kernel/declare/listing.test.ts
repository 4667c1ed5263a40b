import { describe, expect, test } from 'vitest'
import { listing } from '../../../server/kernel/declare/listing.ts'
import { resource } from '../../../server/kernel/declare/resource.ts'
import { text } from '../../../server/kernel/shape/fields.ts'
import { crates } from '../../workshop/crates.ts'

const parts = resource({
  type: 'part',
  noun: ['part', 'parts'],
  about: 'A part of a crate.',
  path: '/parts/:crate_id/parts',
  parent: () => crates,
  table: 'parts',
  fields: { name: text({ about: 'The name.' }) },
  filter: { name: ['eq'] },
  sort: ['name'],
  most: { n: 3, detail: (n) => `At most ${n} parts.` },
  area: 'parts',
  personal: ['crate_id'],
  addedUnder: 'parts',
  visible: () => 'true',
  envelope: { times: 'meta', digits: 3, fields: 'top', links: 'none', href: 'absolute' },
  beforeWrite: () => {},
})

describe('a listing', () => {
  const everywhere = listing(parts, {
    noun: ['part-of-any-crate', 'parts-of-all-crates'],
    scope: { columns: [] },
  })

  test('has what its rows are from the resource', () => {
    const { type, table, fields, personal, addedUnder, visible, area, sort } = everywhere
    expect({ type, table, fields, personal, addedUnder, visible, area, sort }).toEqual({
      ...{ type: parts.type, table: parts.table, fields: parts.fields, personal: parts.personal },
      ...{ addedUnder: parts.addedUnder, visible: parts.visible, area: parts.area, sort: parts.sort },
    })
  })

  test('has only the place that it says', () => {
    expect(everywhere).not.toHaveProperty('parent')
    expect(everywhere).not.toHaveProperty('most')
    expect(listing(parts, { scope: { columns: ['color'] } }).scopeColumns).toEqual(['color'])
  })

  test('has an operation if it has a path of its own', () => {
    const below = listing(parts, { path: '/shelves/:shelf_id/parts', parent: () => crates })
    expect([everywhere.operations, below.operations]).toEqual([[], ['list']])
    expect(below.scopeColumns).toEqual(['shelf_id'])
  })

  test('adds its filters to those of the resource', () => {
    const filtered = listing(everywhere, {
      scope: { columns: [] },
      filter: { color: { ops: ['eq'], column: 'color' } },
    })
    expect(Object.keys(filtered.filter ?? {})).toEqual(['name', 'color'])
    expect(everywhere.filter).toBe(parts.filter)
  })
})
