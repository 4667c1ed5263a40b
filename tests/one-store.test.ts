import { readFileSync } from 'node:fs'
import pg from 'pg'
import { expect, test } from 'vitest'
import { brokenConstraint } from '../server/kernel/storage/refusals.ts'
import { server, sourceOf } from './support/sql-owners.ts'

/**
 * What a text of SQL must not say, so that it runs on the node of its store: see
 * docs/decisions/0149-statements-of-one-store.md. A run of the tests on Citus shows the rest.
 */
const rules: readonly { readonly advice: string; readonly form: RegExp; readonly not?: readonly string[] }[] =
  [
    {
      advice: 'triggers see what `recorded(store_id, …)` sets: see `recordedBy`',
      form: /set_config\('sutler\.by'/g,
      // It writes no row: it sets what the transaction writes next.
      not: ['server/kernel/feed/count-deleted.ts'],
    },
    {
      advice: 'an UPDATE of a table of stores calls `clock_at(store_id)`',
      form: /\b(?:UPDATE|SET) [^`;]*?clock_timestamp\(\)/g,
      // A table of the whole database.
      not: ['server/kernel/metrics/database-figures.ts'],
    },
    {
      advice: 'a later time is `clock_at(store_id, …)`: what an interval adds depends on the time zone',
      form: /clock_at\(store_id\) [+-]/g,
    },
    {
      advice: 'an UPDATE or a DELETE of rows compares texts of times as texts',
      form: /\b(?:removeAll|changeAll)\([^`]*`[^`]*'\)::timestamptz/g,
    },
    {
      advice: 'an UPDATE stores what a CTE before it has cast',
      form: /\bUPDATE [^`;]*?\bSET [^`;]*?\b\w+\.\w+::(?:\w+\[\]|timestamptz)/g,
    },
    {
      advice: 'an UPDATE or a DELETE calls `fenced(updated_at, …)`',
      form: /fenced\(\$/g,
    },
    {
      advice: 'a subquery says `store_id = $1`',
      form: /(?:EXISTS|IN|=|,) \(\s*SELECT [^()]*?FROM (\w+|\$\{[\w.]+\}) (\w+)\s+WHERE \2\.store_id = (?!\$1)/g,
      // All stores, or a table of the coordinator.
      not: [
        'server/kernel/work/every-store.ts',
        'server/kernel/work/long-jobs.ts',
        'server/telling/deliveries/send-events.ts',
        'tools/checking/check-feed.ts',
      ],
    },
  ]

test('a routine that names a constraint says it in its message, which is all that Citus passes on', () => {
  const raises =
    readFileSync('docs/schema.sql', 'utf8').match(/RAISE EXCEPTION [^;]*CONSTRAINT = '\w+'[^;]*;/g) ?? []
  expect(raises.length).toBeGreaterThan(1)
  for (const raise of raises) {
    const name = /CONSTRAINT = '(\w+)'/.exec(raise)?.[1]
    expect(brokenConstraint(new pg.DatabaseError(/'([^']*)'/.exec(raise)?.[1] ?? '', 0, 'error'))).toBe(name)
  }
})

test('the name of a constraint is read from the message of a node, without the number of its shard', () => {
  const of = (message: string) => brokenConstraint(new pg.DatabaseError(message, 0, 'error'))
  expect(of('duplicate key value violates unique constraint "boats_name_key_102008"')).toBe('boats_name_key')
  expect(of('the boat sinks: constraint "boats_float"')).toBe('boats_float')
  expect(of('the boat sinks')).toBeUndefined()
})

test.each(rules)('$advice', ({ form, not = [] }) => {
  const uses = server.filter((file) => sourceOf(file).match(form))
  expect(uses.toSorted()).toEqual(not.toSorted())
})
