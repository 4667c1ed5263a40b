import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LateWrites, openLateWrites, some } from './late-writes.ts'

let late: LateWrites
beforeAll(async () => {
  late = await openLateWrites()
})
afterAll(() => late.close())

const guards = [
  ['the trigger for new rows', 'ALTER TABLE accounts DISABLE TRIGGER fence_times'],
  [
    'the function for changes',
    'CREATE OR REPLACE FUNCTION fenced(was timestamptz, instant timestamptz) RETURNS timestamptz LANGUAGE sql AS $$ SELECT instant $$',
  ],
] as const

test.each(guards)('without %s it would miss rows', { timeout: 600_000 }, async (_, cut) => {
  const { rows } = await late.own.sql(
    `SELECT pg_get_functiondef('fenced(timestamptz, timestamptz)'::regprocedure) AS text`,
  )
  await late.own.sql(cut)
  try {
    // Of a busy machine's writes none may be so late that the reader has passed it: then others are tried.
    let missed = 0
    for (const writes of fc.sample(some, 5)) missed ||= (await late.follow(writes)).missed
    expect(missed).toBeGreaterThan(0)
  } finally {
    await late.own.sql(`ALTER TABLE accounts ENABLE TRIGGER fence_times`)
    await late.own.sql(rows[0].text)
  }
})
