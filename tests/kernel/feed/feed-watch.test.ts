import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { feedBounds, readChanges } from '../../../server/kernel/feed/changes.ts'
import { sequence } from '../../../server/kernel/feed/sequence.ts'
import { FeedWatcher } from '../../../server/kernel/feed/watch.ts'
import { create } from '../../builders/personal-data/people.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({})
})
afterAll(() => world.close())

const makeAccount = (name: string) => create(world.admin, '/v2/accounts', 'account', { name })

const storeOf = () => world.work.store

describe('readers of the feed', () => {
  test('a reader goes on from a position, and gets whole objects', async () => {
    await sequence(storeOf())
    const { last } = await feedBounds(storeOf())
    const account = await makeAccount('Ash')
    await world.admin.put(account.path, { data: { type: 'account', name: 'Birch' } })
    await sequence(storeOf())
    const changes = await readChanges(storeOf(), last, 10)
    expect(changes.map(({ position, event, version }) => [position - last, event, version])).toEqual([
      [1, 'created', 0],
      [2, 'updated', 1],
    ])
    const shown = (await world.admin.get(account.path)).body.data
    const second = changes[1]
    expect(JSON.parse(second?.doc ?? '{}').name).toBe('Birch')
    expect([second?.createdAt, second?.at]).toEqual([
      shown.meta.timestamps.created_at,
      shown.meta.timestamps.updated_at,
    ])
    expect((await readChanges(storeOf(), last, 1)).map(({ event }) => event)).toEqual(['created'])
    expect(await readChanges(storeOf(), (await feedBounds(storeOf())).last, 10)).toEqual([])
  })

  test('positions of another week are in another partition, and readers still find them in order', async () => {
    const { last } = await feedBounds(storeOf())
    // As if the clock of the database were three weeks ahead.
    await world.sql(`UPDATE feeds SET given_at = now() + interval '21 days' WHERE store_id = $1`, [
      world.storeId,
    ])
    await makeAccount('Cedar')
    await sequence(storeOf())
    const { rows } = await world.sql(
      `SELECT tableoid::regclass::text AS partition, given_at > now() + interval '20 days' AS later FROM changes
       WHERE store_id = $1 AND position IN ($2::bigint, $2::bigint + 1) ORDER BY position`,
      [world.storeId, last],
    )
    expect(new Set(rows.map(({ partition }) => partition)).size).toBe(2)
    expect(rows.map(({ later }) => later)).toEqual([false, true])
    const { rows: days } = await world.sql(
      'SELECT position::int FROM feed_days WHERE store_id = $1 ORDER BY day DESC LIMIT 1',
      [world.storeId],
    )
    expect(days).toEqual([{ position: last + 1 }])
    expect((await readChanges(storeOf(), last - 1, 2)).map(({ position }) => position)).toEqual([
      last,
      last + 1,
    ])
    expect((await readChanges(storeOf(), last, 2)).map(({ position }) => position)).toEqual([last + 1])
  })
})

describe('waiting for the feed', () => {
  test('a reader wakes when its store changes, and not when another one does', async () => {
    const { last } = await feedBounds(storeOf())
    const ends: string[] = []
    const giveUp = new AbortController()
    const own = world.work.instance.feed.past(world.storeId, last, giveUp.signal).then(() => ends.push('own'))
    const other = world.work.instance.feed.past(randomUUID(), 0, giveUp.signal).then(() => ends.push('other'))
    await sleep(50)
    expect(ends).toEqual([])
    await makeAccount('Elm')
    await own
    expect(ends).toEqual(['own'])
    giveUp.abort()
    await other
    expect(ends).toEqual(['own', 'other'])
  })

  test('a process notices the changes of another process', async () => {
    const { database, nodes } = world.work.instance
    const watcher = new FeedWatcher(database, nodes, pino({ level: 'silent' }))
    const { last } = await feedBounds(storeOf())
    const seen = watcher.past(world.storeId, last, AbortSignal.timeout(30_000)).then(async () => {
      return (await feedBounds(storeOf())).last
    })
    await sleep(20)
    await makeAccount('Fir')
    expect(await seen).toBeGreaterThan(last)
    watcher.stop()
    await watcher.past(world.storeId, 1e9, AbortSignal.timeout(30_000))
  })

  test('a reader does not wait for what is already there', async () => {
    await makeAccount('Gum')
    await sequence(storeOf())
    await world.work.instance.feed.past(world.storeId, 0, AbortSignal.timeout(30_000))
  })
})
