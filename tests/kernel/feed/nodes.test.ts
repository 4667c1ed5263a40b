import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Connection, Tuple } from '../../../server/kernel/storage/database.ts'
import { Nodes } from '../../../server/kernel/storage/nodes/nodes.ts'
import { Watermark } from '../../../server/kernel/storage/watermark.ts'
import { type OwnDatabase, ownDatabase } from '../../support/own-database.ts'

let own: OwnDatabase
beforeAll(async () => {
  own = await ownDatabase()
})
afterAll(() => own.drop())

/** A database of which this answers the statements. */
const answering = (answer: (text: string, values: readonly unknown[]) => readonly Tuple[]): Connection => ({
  run: async ({ text, values }) => answer(text, values),
})

const ofNodes = (places: Readonly<Record<string, string>>) =>
  answering((text, [ids]) =>
    text.includes('is_distributed')
      ? [['t']]
      : (ids as readonly string[]).map((id) => [id, places[id] as string]),
  )

test('what concerns many stores is done for those of each node, also if another node is away', async () => {
  const nodes = new Nodes(ofNodes({ a: '1', b: '2', c: '1' }))
  const done: string[] = []
  const act = async (ids: readonly string[], node: string) => {
    if (node === '1') throw new Error('away')
    done.push(...ids)
  }
  await expect(nodes.each(['a', 'b', 'c'], act)).rejects.toThrow('away')
  expect(done).toEqual(['b'])
  expect([...(await nodes.of(['a', 'b', 'c']))]).toEqual([
    ['1', ['a', 'c']],
    ['2', ['b']],
  ])
})

test('one PostgreSQL is one node, and is not asked where a store is', async () => {
  const texts: string[] = []
  const nodes = new Nodes(answering((text) => [[String(texts.push(text) === 0)]]))
  expect([...(await nodes.of(['a', 'b']))]).toEqual([['', ['a', 'b']]])
  await nodes.of(['c'])
  expect(texts).toEqual(['SELECT is_distributed()'])
})

/** Nodes whose fences are so many seconds behind, and the next numbers of their transactions. */
interface NodeState {
  behindS: number
  next: number
  oldest: number
}

function watermarkOf(asked: Map<string, NodeState | undefined>) {
  const now = new Date('2026-01-01T00:01:00Z')
  const database = answering((_, [question]) =>
    [...asked].map(([node, state]) => {
      if (!state) return [node, null]
      const value = String(question).includes('raise_time_fence')
        ? now.getTime() / 1000 - state.behindS
        : String(question).includes('xmin')
          ? state.oldest
          : state.next
      return [node, `${value}|2026-01-01`]
    }),
  )
  return new Watermark(database, { now: () => now }, pino({ level: 'silent' }))
}

test('the watermark is the least fence of all nodes, when old transactions have ended on each', async () => {
  const [one, two] = [
    { behindS: 2, next: 10, oldest: 11 },
    { behindS: 5, next: 7, oldest: 7 },
  ]
  const asked = new Map<string, NodeState | undefined>([
    ['1', one],
    ['2', two],
  ])
  const watermark = watermarkOf(asked)
  await watermark.pass()
  expect(watermark.text).toBeUndefined()
  two.oldest = 8
  await watermark.pass()
  expect(watermark.text).toBe('2026-01-01T00:00:55.000Z')
  asked.set('2', undefined)
  await watermark.pass()
  expect(watermark.text).toBeUndefined()
})

test('a node that comes while the watermark is learned makes the round void', async () => {
  const asked = new Map<string, NodeState | undefined>([['1', { behindS: 2, next: 10, oldest: 10 }]])
  const watermark = watermarkOf(asked)
  await watermark.pass()
  asked.set('1', { behindS: 2, next: 11, oldest: 12 })
  asked.set('2', { behindS: 9, next: 1, oldest: 2 })
  await watermark.pass()
  expect(watermark.text).toBe('2026-01-01T00:00:51.000Z')
})

test('what was written before a store moved gets its positions first, and what is done on another node counts for nothing', async () => {
  const { rows } = await own.sql('SELECT id FROM stores LIMIT 1')
  const store = rows[0].id as string
  await own.sql('SELECT sequence_store($1)', [store])
  const { rows: before } = await own.sql('SELECT position::int FROM feeds WHERE store_id = $1', [store])
  const last = before[0]?.position ?? 0
  // Numbers up to this one are of this node.
  await own.sql(
    `CREATE OR REPLACE FUNCTION last_change_here() RETURNS bigint LANGUAGE sql STABLE AS 'SELECT 1000000::bigint'`,
  )
  const write = (type: string, seq: string) =>
    own.sql(
      `INSERT INTO fresh_changes (store_id, seq, at, event, type, source, id, personal, actor, request_id)
       OVERRIDING SYSTEM VALUE VALUES ($1, ${seq}, now(), 'updated', $2, 'accounts', $3, false, 'tests', 'tests')`,
      [store, type, randomUUID()],
    )
  await write('third', "nextval('fresh_changes_seq_seq')")
  await write('first', '2000000')
  await write('second', '2000001')
  await own.sql('UPDATE feeds SET done = 2000001 WHERE store_id = $1', [store])
  await own.sql('SELECT * FROM sequence_stores($1::uuid, ARRAY[$1::uuid], 10, NULL, NULL)', [store])
  const { rows: fed } = await own.sql(
    'SELECT position::int, type FROM changes WHERE store_id = $1 AND position > $2 ORDER BY position',
    [store, last],
  )
  expect(fed).toEqual(['first', 'second', 'third'].map((type, i) => ({ position: last + i + 1, type })))
})

test('the poll for changes without positions reads no stores', async () => {
  const { rows } = await own.sql(`SELECT pg_get_functiondef('stores_with_fresh_changes'::regproc) AS text`)
  expect(rows[0].text).not.toMatch(/\b(FROM|JOIN) (stores|feeds)\b/)
})
