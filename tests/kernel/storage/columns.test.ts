import { expect, expectTypeOf, test } from 'vitest'
import {
  columns,
  flag,
  json,
  number,
  optional,
  optionalText,
} from '../../../server/kernel/storage/columns.ts'

const named = columns({
  id: 't.id',
  place: ['t.place', number],
  isOpen: ['t.ended_at IS NULL', flag],
  doc: ['t.doc', json<{ readonly name: string }>],
  note: ['t.note', optionalText],
  amount: ['t.amount', optional(number)],
})

test('the columns of a statement are listed in the order of their names', () => {
  expect(named.sql).toBe('t.id, t.place, t.ended_at IS NULL, t.doc, t.note, t.amount')
  expect(named.count).toBe(6)
})

test('a row is read by the names of its columns', () => {
  const row = named.read(['x', '7', 't', '{"name":"Ada"}', 'by hand', '0', 'another column'])
  expect(row).toEqual({
    id: 'x',
    place: 7,
    isOpen: true,
    doc: { name: 'Ada' },
    note: 'by hand',
    amount: 0,
  })
  expectTypeOf(row).toEqualTypeOf<{
    readonly id: string
    readonly place: number
    readonly isOpen: boolean
    readonly doc: { readonly name: string }
    readonly note: string | undefined
    readonly amount: number | undefined
  }>()
})

test('an optional column that is null is undefined, and a null is not true', () => {
  expect(named.read(['x', '7', null, '{}', null, null])).toMatchObject({
    isOpen: false,
    note: undefined,
    amount: undefined,
  })
})
