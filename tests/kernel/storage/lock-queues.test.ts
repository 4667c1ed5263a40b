import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { LockQueues } from '../../../server/kernel/storage/connections/lock-queues.ts'
import { Database } from '../../../server/kernel/storage/database.ts'
import type { DatabaseTransaction } from '../../../server/kernel/storage/transaction.ts'
import { until } from '../../support/until.ts'

// Of eight connections, two are left to others: six are let in to each lock, and five may be behind others.
const connections = 8
let database: Database
beforeAll(() => {
  database = new Database(inject('postgres'), connections)
})
afterAll(() => database.close())

const lockOf = (name: string) => ({
  text: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))',
  values: [name],
})

async function lock(transaction: DatabaseTransaction, name: string): Promise<void> {
  transaction.enterLocks([name])
  await transaction.run(lockOf(name))
}

const waiting = (state = 'waiting', pool = 'requests-locks') =>
  database.connections.find(({ labels }) => labels?.pool === pool && labels.state === state)?.value

/** Holds the locks while `act` runs, as another process would. */
async function whileHeld<T>(names: readonly string[], act: () => Promise<T>): Promise<T> {
  const holder = new Database(inject('postgres'), 1)
  try {
    return await holder.transaction(async (transaction) => {
      for (const name of names) await transaction.run(lockOf(name))
      return act()
    })
  } finally {
    await holder.close()
  }
}

test('transactions that wait for one lock leave the connections to others, and all run', async () => {
  const ran: number[] = []
  const all = await whileHeld(['hot'], async () => {
    const crowd = Array.from({ length: 50 }, (_, i) =>
      database.transaction(async (transaction) => {
        await lock(transaction, 'hot')
        ran.push(i)
      }),
    )
    await until(async () => (waiting() === 44 ? true : undefined))
    expect(waiting('active', 'requests')).toBe(6)
    await database.transaction((transaction) => lock(transaction, 'other'))
    expect(ran).toEqual([])
    return { crowd }
  })
  await Promise.all(all.crowd)
  expect(new Set(ran).size).toBe(50)
  expect(waiting()).toBe(0)
})

test('at all locks together, transactions behind others leave connections to others', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const hold = (name: string) =>
    database.transaction(async (transaction) => {
      await lock(transaction, name)
      await released
    })
  // Each lock would let in two behind the first: twelve at all locks.
  const names = ['a', 'b', 'c', 'd', 'e', 'f']
  const crowd = names.flatMap((name) => Array.from({ length: 3 }, () => hold(name)))
  await until(async () => (waiting() === 7 ? true : undefined))
  release()
  await Promise.all(crowd)
})

test('a transaction that begins again has undone its writes, and waits for all its locks in one order', async () => {
  await database.run({ text: 'CREATE TABLE pairs (name text)', values: [] })
  const swap = (one: string, other: string) =>
    database.transaction(async (transaction) => {
      await lock(transaction, one)
      await transaction.run({ text: 'INSERT INTO pairs VALUES ($1)', values: [one] })
      await lock(transaction, `${one} alone`)
      await sleep(5)
      transaction.enterLocks([other])
    })
  await Promise.all(Array.from({ length: 40 }, (_, i) => (i % 2 ? swap('x', 'y') : swap('y', 'x'))))
  expect(await database.run({ text: 'SELECT count(*) FROM pairs', values: [] })).toEqual([['40']])
  await database.run({ text: 'DROP TABLE pairs', values: [] })
})

test('work that ignores the refusal of a lock is not committed', async () => {
  const attempts: number[] = []
  await whileHeld(['ignored'], async () => {
    const crowd = Array.from({ length: 6 }, () =>
      database.transaction((transaction) => lock(transaction, 'ignored')),
    )
    await until(async () => (waiting('active', 'requests') === 6 ? true : undefined))
    const careless = database.transaction(async (transaction) => {
      attempts.push(1)
      await lock(transaction, 'ignored').catch(() => {})
      return 'done'
    })
    await until(async () => (waiting() === 1 ? true : undefined))
    return { all: [...crowd, careless] }
  }).then(({ all }) => Promise.all(all))
  expect(attempts.length).toBe(2)
})

/** Enters a lock, and stays there until `end` settles. */
const stay = (queues: LockQueues, end: Promise<void>, onEntered = () => {}) =>
  queues.visit(async (visit) => {
    try {
      visit.enter(['hot'])
    } catch {
      await visit.enterInTurn()
    }
    onEntered()
    await end
  })

test('at one lock, transactions are let in as they come', async () => {
  const queues = new LockQueues('locks', 8)
  const entered: number[] = []
  const crowd = Array.from({ length: 50 }, (_, i) => stay(queues, sleep(1), () => entered.push(i)))
  await Promise.all(crowd)
  expect(entered).toEqual(Array.from({ length: 50 }, (_, i) => i))
})

test('a transaction is refused when too many wait for a lock', async () => {
  const queues = new LockQueues('locks', 1)
  const { promise, resolve } = Promise.withResolvers<void>()
  const crowd = Array.from({ length: 1001 }, () => stay(queues, promise))
  await expect(stay(queues, promise)).rejects.toThrow('Too many requests')
  resolve()
  await Promise.all(crowd)
  await stay(queues, promise)
})
