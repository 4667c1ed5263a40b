import pg from 'pg'
import { expect, test } from 'vitest'
import { brokenConstraint } from '../../../server/kernel/storage/refusals.ts'

test.each([
  // A node of Citus says that of a shard, and the coordinator passes on only the message.
  ['duplicate key value violates unique constraint "nodes_name_key_102145"', undefined, 'nodes_name_key'],
  [
    'new row for relation "orders_102145" violates check constraint "orders_paid_check"',
    undefined,
    'orders_paid_check',
  ],
  [
    'duplicate key value violates unique constraint "nodes_name_key_102145"',
    'nodes_name_key_102145',
    'nodes_name_key',
  ],
  ['doppelter Schlüsselwert', 'nodes_name_key', 'nodes_name_key'],
  ['division by zero', undefined, undefined],
])('the name of a broken constraint is without the number of a shard: %s', (message, constraint, name) => {
  expect(brokenConstraint(Object.assign(new pg.DatabaseError(message, 0, 'error'), { constraint }))).toBe(
    name,
  )
})
