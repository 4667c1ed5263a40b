import pg from 'pg'
import { expect, test } from 'vitest'
import { brokenConstraint } from '../../../server/kernel/storage/refusals.ts'

const errorWith = (message: string, fields: { constraint?: string; table?: string }) =>
  Object.assign(new pg.DatabaseError(message, 0, 'error'), fields)

test.each([
  ['PostgreSQL', '', { constraint: 'books_name_key', table: 'books' }, 'books_name_key'],
  ['a name with digits', '', { constraint: 'books_key_102601', table: 'books' }, 'books_key_102601'],
  [
    "the node of the store's own connection",
    '',
    { constraint: 'books_name_key_102601', table: 'books_102601' },
    'books_name_key',
  ],
  ['another node', 'duplicate key violates unique constraint "books_name_key_102601"', {}, 'books_name_key'],
  [
    'another node of a check',
    'new row for relation "books_102601" violates check constraint "books_price_check"',
    {},
    'books_price_check',
  ],
  [
    'another node, in all its words',
    'duplicate key value violates unique constraint "boats_name_key_102008"',
    {},
    'boats_name_key',
  ],
  ['a routine of another node', 'the boat sinks: constraint "boats_float"', {}, 'boats_float'],
  ['an error without one', 'the boat sinks', {}, undefined],
  ['another error', 'division by zero', {}, undefined],
])('a violated constraint is known by its name, as %s says it', (_, message, fields, name) => {
  expect(brokenConstraint(errorWith(message, fields))).toBe(name)
})
