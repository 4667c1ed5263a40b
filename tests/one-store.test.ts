import { readFileSync } from 'node:fs'
import pg from 'pg'
import { expect, test } from 'vitest'
import { brokenConstraint } from '../server/kernel/storage/refusals.ts'
import { filesIn, read } from './support/source-files.ts'
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

test.each(rules)('$advice', ({ form, not = [] }) => {
  const uses = server.filter((file) => sourceOf(file).match(form))
  expect(uses.toSorted()).toEqual(not.toSorted())
})

/** Files with statements for all stores at once, and why. */
const ofAllStores: Readonly<Record<string, string>> = {
  'server/people/keys/get-access-token.ts': 'the client id is what says which store',
  'server/people/keys/first-key.ts': 'the client id is what says which store',
  'server/payments/payment-calls/list-open-payments.ts': 'metrics of the whole database',
  'server/people/oidc/forget-sign-ins.ts': 'housekeeping: what has expired',
  'server/kernel/metrics/database-figures.ts': 'metrics of the whole database',
  'server/kernel/request/idempotency.ts': 'housekeeping: what has expired',
  'server/kernel/work/long-jobs.ts': 'a worker gives back its jobs of all stores',
  'server/kernel/work/worker-session.ts': 'a worker that has died had jobs of all stores',
  'tools/doctor.ts': 'an operator examines the jobs of all stores',
  'server/telling/deliveries/delivery-metrics.ts': 'metrics of the whole database',
  'tools/checking/check-money.ts': 'an operator checks all stores',
}

/** A condition that is put in from elsewhere in the file is looked for there. */
const namesStore = (statement: string, file: string) =>
  statement.includes('store_id') || (/WHERE \$\{/.test(statement) && read(file).includes('store_id = $1'))

test('every statement on a store’s rows names the store', () => {
  const migrations = ['server', 'tools', 'command', 'scripts', 'tests', 'bench']
    .flatMap(filesIn)
    .filter((file) => file.endsWith('.sql'))
    .map(read)
    .join('\n')
  const owned = [
    ...migrations.matchAll(/CREATE TABLE (\w+) \(\s*(?:--[^\n]*\n\s*)*(?:list text NOT NULL,\s*)?store_id/g),
  ].map(([, name]) => name)
  expect(owned).toContain('list_deltas')
  expect(owned).toContain('accounts')
  const onOwned = new RegExp(`\\b(FROM|JOIN|INTO|UPDATE) (${owned.join('|')})\\b`)
  const commands = filesIn('command').filter((file) => file.endsWith('.ts'))
  const unscoped = [...server, ...commands]
    .filter((file) => !ofAllStores[file])
    .flatMap((file) =>
      [...read(file).matchAll(/`(?:[^`\\]|\\.)*`|'(?:[^'\\\n]|\\.)*'/g)]
        .map(([text]) => text)
        .filter((text) => onOwned.test(text) && !namesStore(text, file))
        .map((text) => `${file}: ${text.slice(0, 80)}`),
    )
  expect(unscoped).toEqual([])
})
