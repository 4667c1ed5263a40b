import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../../server/kernel/storage/database.ts'
import { Watermark } from '../../../server/kernel/storage/watermark.ts'
import { tries } from '../../support/long.ts'
import { type LateWrites, openLateWrites, some } from './late-writes.ts'

/**
 * A reader that asks for what changed since the watermark of its last reading never misses a row, however late a write
 * commits, whatever the clock of its process shows, and also if the process is killed.
 */

let late: LateWrites
beforeAll(async () => {
  late = await openLateWrites()
})
afterAll(() => late.close())

const hourMs = 3_600_000

test('a write with an old time gets the time of the fence; what is imported with its own times keeps them', async () => {
  const watermark = late.processWith(0)
  await late.reach(watermark, new Date(Date.now() - 1500))
  const client = await late.connect()
  const [id, old] = [randomUUID(), new Date(Date.now() - hourMs)]
  const { created_at, updated_at } = (await late.insert(client, id, old)).rows[0]
  expect([created_at >= (watermark.time as Date), updated_at]).toEqual([true, created_at])
  await late.own.sql(`UPDATE accounts SET updated_at = $2 WHERE id = $1`, [id, old])
  expect((await late.update(client, id, old)).rows[0].updated_at >= (watermark.time as Date)).toBe(true)
  await client.query(`SET sutler.keep_times = 'on'`)
  expect((await late.insert(client, randomUUID(), old)).rows[0].created_at).toEqual(old)
  await client.end()
})

test('the watermark waits for a transaction that has written, and not for one that reads', async () => {
  const watermark = late.processWith(0)
  const [writer, reader] = [await late.connect(), await late.connect()]
  await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM accounts')
  await writer.query('BEGIN')
  const { updated_at } = (await late.insert(writer, randomUUID(), new Date())).rows[0]
  for (const until = Date.now() + 2500; Date.now() < until; await sleep(100)) await watermark.pass()
  expect(watermark.time === undefined || watermark.time <= updated_at).toBe(true)
  await writer.query('COMMIT')
  await late.reach(watermark, new Date(updated_at.getTime() + 1000))
  await Promise.all([writer.end(), reader.end()])
})

test('a clock that is an hour ahead does not take the others with it; the others keep one that is behind', async () => {
  const [ahead, behind] = [late.processWith(hourMs, 0), late.processWith(-hourMs, 1)]
  await late.reach(ahead, new Date(Date.now() - 1500))
  expect((ahead.time as Date).getTime()).toBeLessThanOrEqual(Date.now())
  await late.reach(behind, ahead.time as Date)
})

test('after the database was started again, the watermark is learned anew', async () => {
  const watermark = late.processWith(0)
  await late.reach(watermark, new Date(Date.now() - 1500))
  let began = '2026-01-01'
  const restarted = new Watermark(
    {
      run: async (sql) =>
        (await (late.databases[0] as Database).run(sql)).map(([node = null, answer]) => [
          node,
          `${answer?.split('|')[0]}|${began}`,
        ]),
    },
    late.clockThatIs(0),
    late.log,
    0,
  )
  await late.reach(restarted, watermark.time as Date)
  began = '2026-01-02'
  await restarted.pass()
  expect(restarted.time).toBeUndefined()
  await late.reach(restarted, watermark.time as Date)
})

test('a reader that starts from its last watermark misses nothing', { timeout: 600_000 }, async () => {
  const totals = { runs: 0, marks: 0, raised: 0 }
  await fc.assert(
    fc.asyncProperty(some, async (writes) => {
      const { missed, marks, raised } = await late.follow(writes)
      expect(missed).toBe(0)
      totals.runs += 1
      totals.marks += marks
      totals.raised += raised
    }),
    { numRuns: tries(2, 30), endOnFailure: true },
  )
  // The watermark must have moved, and writes have come late.
  expect(Math.min(totals.marks, totals.raised)).toBeGreaterThan(totals.runs)
})

test('a change does not wait for those who share the row', async () => {
  const [sharer, writer] = [await late.connect(), await late.connect()]
  const id = randomUUID()
  await late.insert(writer, id, new Date())
  await sharer.query('BEGIN')
  await sharer.query('SELECT FROM accounts WHERE id = $1 FOR KEY SHARE', [id])
  await writer.query(`SET lock_timeout = '2s'`)
  expect((await late.update(writer, id, new Date())).rowCount).toBe(1)
  await Promise.all([sharer.end(), writer.end()])
})
