import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { expect, test } from 'vitest'
import type { Sql } from '../../../server/kernel/storage/database.ts'
import { LateTransaction } from '../../../server/kernel/storage/transaction.ts'

const sql = (text: string): Sql => ({ text, values: [] })

/** A transaction over a database that writes down what it is asked for, and where. */
function opened({ fails }: { readonly fails?: (text: string) => boolean } = {}) {
  const log: string[] = []
  let [running, most] = [0, 0]
  const note = async (where: string, { text }: Sql) => {
    log.push(`${where}${text.replace(' ISOLATION LEVEL READ COMMITTED', '')}`)
    if (fails?.(text)) throw new Error(`${text} failed`)
    return text.includes('nothing') ? [] : [['1']]
  }
  const release = (broken?: Error) => void log.push(broken ? 'given up' : 'released')
  const client = { release } as pg.PoolClient
  const transaction = new LateTransaction({
    connect: async () => {
      log.push('connected')
      return client
    },
    send: async (_client, one, { begin, writes = [] } = {}) => {
      running += 1
      most = Math.max(most, running)
      await sleep(1)
      try {
        if (begin !== undefined) await note('', sql(begin))
        for (const write of writes) await note('with the next: ', write)
        return await note('', one)
      } finally {
        running -= 1
      }
    },
    read: (one) => note('apart: ', one),
    alone: (one) => note('alone: ', one),
    enterLocks: () => {},
    crowdedLocks: () => [],
  })
  return { transaction, log, most: () => most }
}

test('reads alone begin no transaction', async () => {
  const { transaction, log } = opened()
  await transaction.read(sql('read'))
  await transaction.commit()
  expect(log).toEqual(['apart: read'])
})

test('a lock or a write begins it, and later reads run inside it', async () => {
  const { transaction, log } = opened()
  await transaction.read(sql('read'))
  await transaction.run(sql('lock'))
  await transaction.read(sql('read'))
  await transaction.last(sql('write'))
  await transaction.commit()
  const inside = ['connected', 'BEGIN', 'lock', 'read', 'write', 'COMMIT', 'released']
  expect(log).toEqual(['apart: read', ...inside])
})

test('a write that is first and last is its own transaction, and no write may follow it', async () => {
  const { transaction, log } = opened()
  await transaction.read(sql('read'))
  expect(await transaction.last(sql('write'))).toEqual([['1']])
  await transaction.read(sql('read'))
  await expect(transaction.run(sql('another'))).rejects.toThrow('the transaction has ended')
  await expect(transaction.last(sql('another'))).rejects.toThrow('the transaction has ended')
  await transaction.commit()
  expect(log).toEqual(['apart: read', 'alone: write', 'apart: read'])
})

test('a last write that lost a race runs again on its own connection, and reads there', async () => {
  const { transaction, log } = opened()
  await transaction.read(sql('read'))
  await transaction.last(sql('nothing'))
  await transaction.read(sql('read'))
  await transaction.last(sql('write'))
  await transaction.commit()
  const inside = ['connected', 'BEGIN', 'read', 'write', 'COMMIT', 'released']
  expect(log).toEqual(['apart: read', 'alone: nothing', ...inside])
})

test('concurrent statements begin it once, and run one after another', async () => {
  const { transaction, log, most } = opened()
  await Promise.all([
    transaction.run(sql('a')),
    transaction.run(sql('b')),
    transaction.read(sql('c')),
    transaction.last(sql('d')),
  ])
  await transaction.commit()
  expect(log).toEqual(['connected', 'BEGIN', 'a', 'b', 'c', 'd', 'COMMIT', 'released'])
  expect(most()).toBe(1)
})

test('a rollback returns its connection, also when a statement arrives meanwhile', async () => {
  const { transaction, log } = opened()
  const late = transaction.run(sql('late'))
  await transaction.rollBack(undefined)
  await late
  expect(log.filter((line) => line !== 'late')).toEqual(['connected', 'BEGIN', 'ROLLBACK', 'released'])
  await expect(transaction.run(sql('later'))).rejects.toThrow('the transaction has ended')
})

test.each([
  ['it cannot begin', 'BEGIN', undefined, ['connected', 'BEGIN', 'ROLLBACK', 'released']],
  [
    'it cannot be rolled back',
    'ROLLBACK',
    undefined,
    ['connected', 'BEGIN', 'write', 'ROLLBACK', 'given up'],
  ],
  ['its connection is lost', 'write', new Error('lost'), ['connected', 'BEGIN', 'write', 'given up']],
])('its connection is given back when %s', async (_when, failing, broken, expected) => {
  const { transaction, log } = opened({ fails: (text) => text.startsWith(failing) })
  await transaction.run(sql('write')).catch(() => {})
  await transaction.rollBack(broken)
  expect(log).toEqual(expected)
})

test('when the first statement fails, none that follows is sent: it could be outside of any transaction', async () => {
  const { transaction, log } = opened({ fails: (text) => text === 'first' })
  const [first, second] = await Promise.allSettled([
    transaction.run(sql('first')),
    transaction.run(sql('second')),
  ])
  expect([first.status, second.status]).toEqual(['rejected', 'rejected'])
  await expect(transaction.run(sql('third'))).rejects.toThrow('first failed')
  await expect(transaction.commit()).rejects.toThrow('first failed')
  await transaction.rollBack(undefined)
  expect(log).toEqual(['connected', 'BEGIN', 'first', 'ROLLBACK', 'released'])
})

test('a rollback before it has begun returns no connection', async () => {
  const { transaction, log } = opened()
  await transaction.rollBack(undefined)
  expect(log).toEqual([])
})

test('a write for later goes with the next statement, or with COMMIT', async () => {
  const { transaction, log } = opened()
  await transaction.runLater(sql('write'))
  await transaction.runLater(sql('another'))
  await transaction.read(sql('read'))
  await transaction.runLater(sql('last'))
  await transaction.commit()
  const first = ['BEGIN', 'with the next: write', 'with the next: another', 'read']
  expect(log).toEqual(['connected', ...first, 'with the next: last', 'COMMIT', 'released'])
})

test('a transaction of writes for later alone is committed', async () => {
  const { transaction, log } = opened()
  await transaction.runLater(sql('write'))
  await transaction.commit()
  expect(log).toEqual(['connected', 'BEGIN', 'with the next: write', 'COMMIT', 'released'])
})

test('what is rolled back is not sent before', async () => {
  const { transaction, log } = opened()
  await transaction.run(sql('lock'))
  await transaction.runLater(sql('write'))
  await transaction.rollBack(undefined)
  expect(log).toEqual(['connected', 'BEGIN', 'lock', 'ROLLBACK', 'released'])
})
