import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import pg from 'pg'
import { pino } from 'pino'
import { Database } from '../../../server/kernel/storage/database.ts'
import { Watermark } from '../../../server/kernel/storage/watermark.ts'
import { ownPostgres } from '../../support/own-postgres.ts'

/** Writes that commit late, with clocks that are wrong, and what a follower misses of them. */

interface Write {
  readonly isNew: boolean
  /** How wrong the clock of its process is. */
  readonly skewMs: number
  /** From the clock to the statement: it waits for a connection, or a client. */
  readonly waitMs: number
  /** From the statement to the end. */
  readonly holdMs: number
  readonly snapshot: boolean
  readonly ends: 'commit' | 'rollback' | 'kill'
}

const write = fc.record<Write>({
  isNew: fc.boolean(),
  skewMs: fc.constantFrom(0, 0, 40, -2000, -20_000, 2000),
  waitMs: fc.constantFrom(0, 0, 5, 300, 1500),
  holdMs: fc.constantFrom(0, 0, 5, 100, 1200),
  snapshot: fc.constantFrom(false, false, false, true),
  ends: fc.constantFrom('commit', 'commit', 'commit', 'commit', 'rollback', 'kill'),
})

/** What a run carries out. */
export const some = fc.array(write, { minLength: 150, maxLength: 200 })

/** A database with such writers. */
export async function openLateWrites() {
  const own = await ownPostgres()
  const databases = [new Database(own.url, 2), new Database(own.url, 2)]
  const log = pino({ level: 'silent' })
  const storeId = randomUUID()

  const clockThatIs = (skewMs: number) => ({ now: () => new Date(Date.now() + skewMs) })
  const processWith = (skewMs: number, n = 0) =>
    new Watermark(databases[n] as Database, clockThatIs(skewMs), log, 0)

  async function connect(): Promise<pg.Client> {
    const client = new pg.Client(own.url)
    client.on('error', () => {})
    await client.connect()
    return client
  }

  /** The statements of the kernel, at a time that a process has taken from its clock before. */
  const insert = (client: pg.Client, id: string, at: Date) =>
    client.query(
      `INSERT INTO accounts (store_id, id, created_at, updated_at, doc)
       SELECT $1, $2, $3, $3, '{"name": "0"}' FROM set_config('sutler.by', 'tests tests', true) RETURNING created_at, updated_at`,
      [storeId, id, at],
    )
  const update = (client: pg.Client, id: string, at: Date) =>
    client.query(
      `UPDATE accounts SET version = version + 1, updated_at = fenced(updated_at, $3),
         doc = json_build_object('name', (version + 1)::text)
       FROM set_config('sutler.by', 'tests tests', true) WHERE store_id = $1 AND id = $2 RETURNING updated_at`,
      [storeId, id, at],
    )

  /** Passes until the watermark is this late. */
  async function reach(watermark: Watermark, time: Date): Promise<void> {
    for (let i = 0; i < 100; i++) {
      await watermark.pass()
      if (watermark.time && watermark.time >= time) return
      await sleep(50)
    }
    throw new Error(`the watermark stays at ${watermark.time?.toISOString()}`)
  }

  /** Returns whether its time was raised. */
  async function carryOut(
    { isNew, skewMs, waitMs, holdMs, snapshot, ends }: Write,
    ids: string[],
  ): Promise<boolean> {
    const client = await connect()
    const at = new Date(Date.now() + skewMs)
    const begun = snapshot ? 'BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM accounts' : 'BEGIN'
    let raised = false
    try {
      await client.query(begun)
      await sleep(waitMs)
      const id = isNew ? randomUUID() : (ids[Math.floor(Math.random() * ids.length)] as string)
      const { rows } = await (isNew ? insert : update)(client, id, at)
      raised = isNew && rows[0].updated_at > at
      await sleep(holdMs)
      if (ends === 'kill')
        (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy()
      else await client.query(ends)
      if (isNew && ends === 'commit') ids.push(id)
    } catch (error) {
      // In a snapshot a row that another writer has changed cannot be changed.
      if ((error as { code?: string }).code !== '40001') throw error
    }
    if (ends !== 'kill') await client.end()
    return raised
  }

  const versions = async (client: pg.Client, since: Date | undefined) =>
    (
      await client.query('SELECT id, version FROM accounts WHERE store_id = $1 AND updated_at >= $2', [
        storeId,
        since ?? '-infinity',
      ])
    ).rows as readonly { id: string; version: number }[]

  /** Lets writers write, and a follower read meanwhile. Returns what the follower missed. */
  async function follow(writes: readonly Write[]) {
    const watermarks = [processWith(30, 0), processWith(-700, 1)] as const
    const reader = await connect()
    const [ids, copy]: [string[], Map<string, number>] = [[], new Map()]
    await carryOut({ isNew: true, skewMs: 0, waitMs: 0, holdMs: 0, snapshot: false, ends: 'commit' }, ids)
    let writing = true
    let since: Date | undefined
    const marks = new Set<number>()
    const passing = watermarks.map(async (watermark, n) => {
      for (; writing; await sleep(60 + n * 50)) await watermark.pass()
    })
    // Each reading is answered by one of the two processes.
    const sync = async (n: number) => {
      const next = watermarks[n % 2]?.time
      for (const { id, version } of await versions(reader, since)) copy.set(id, version)
      since = next ?? since
      if (next) marks.add(next.getTime())
    }
    const following = (async () => {
      for (let n = 0; writing; n++, await sleep(20)) await sync(n)
    })()
    const queue = [...writes]
    const raised = await Promise.all(
      Array.from({ length: 24 }, async () => {
        let count = 0
        for (let next = queue.pop(); next; next = queue.pop()) count += Number(await carryOut(next, ids))
        return count
      }),
    )
    writing = false
    await Promise.all([following, ...passing])
    await sync(0)
    const all = await versions(reader, undefined)
    await reader.end()
    return {
      missed: all.filter(({ id, version }) => copy.get(id) !== version).length,
      marks: marks.size,
      raised: raised.reduce((sum, count) => sum + count, 0),
    }
  }

  return {
    ...{ own, databases, log, storeId, clockThatIs, processWith, connect, insert, update, reach, follow },
    async close(): Promise<void> {
      await Promise.all(databases.map((database) => database.close()))
      await own.drop()
    },
  }
}

export type LateWrites = Awaited<ReturnType<typeof openLateWrites>>
