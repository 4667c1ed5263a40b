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
    send: async (_client, statements, begin) => {
      running += 1
      most = Math.max(most, running)
      await sleep(1)
      try {
        if (begin !== undefined) await note('', sql(begin))
        const results = []
        for (const one of statements)
          results.push(await note(one === statements.at(-1) ? '' : 'with the next: ', one))
        return results
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

test('concurrent statements begin it once, and go in one message in their order', async () => {
  const { transaction, log, most } = opened()
  await Promise.all([
    transaction.run(sql('a')),
    // One that is called without a wait belongs to them.
    Promise.resolve().then(() => transaction.read(sql('c'))),
    transaction.run(sql('b')),
  ])
  const last = transaction.last(sql('d'))
  // The message of the last one is under way.
  await new Promise(setImmediate)
  await Promise.all([last, transaction.run(sql('e'))])
  await transaction.commit()
  const first = ['BEGIN', 'with the next: a', 'with the next: b', 'c']
  expect(log).toEqual(['connected', ...first, 'd', 'e', 'COMMIT', 'released'])
  expect(most()).toBe(1)
})

test('a last write goes with COMMIT, and what reads then reads outside', async () => {
  const { transaction, log } = opened()
  await transaction.run(sql('lock'))
  expect(await transaction.lastWithCommit(sql('write'))).toEqual([['1']])
  await transaction.read(sql('read'))
  await expect(transaction.run(sql('another'))).rejects.toThrow('the transaction has ended')
  await transaction.commit()
  const write = expect.stringMatching(/^with the next: WITH written AS \(write\)[\s\S]*lose_race/)
  expect(log).toEqual(['connected', 'BEGIN', 'lock', write, 'COMMIT', 'apart: read', 'released'])
})

test('a last write that fails is rolled back', async () => {
  const { transaction, log } = opened({ fails: (text) => text.includes('write') })
  await transaction.run(sql('lock'))
  await expect(transaction.lastWithCommit(sql('write'))).rejects.toThrow('failed')
  await transaction.rollBack(undefined)
  expect(log.slice(-2)).toEqual(['ROLLBACK', 'released'])
})

test('a rollback returns its connection, and sends no statement that waits', async () => {
  const { transaction, log } = opened()
  const [first, late] = [transaction.run(sql('first')), transaction.run(sql('late'))]
  const outcomes = Promise.allSettled([first, late])
  await transaction.rollBack(undefined)
  expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(log).toEqual(['connected', 'released'])
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
  expect(log).toEqual(['connected', 'BEGIN', 'with the next: first', 'ROLLBACK', 'released'])
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
  await transaction.run(sql('ROLLBACK TO SAVEPOINT part'))
  await transaction.runLater(sql('another'))
  await transaction.rollBack(undefined)
  const undone = ['ROLLBACK TO SAVEPOINT part', 'ROLLBACK']
  expect(log).toEqual(['connected', 'BEGIN', 'lock', ...undone, 'released'])
})
