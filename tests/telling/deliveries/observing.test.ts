import { afterAll, beforeAll, expect, test } from 'vitest'
import { readChanges } from '../../../server/kernel/feed/changes.ts'
import { sequence } from '../../../server/kernel/feed/sequence.ts'
import { fanOut, findObservers } from '../../../server/telling/deliveries/fan-out.ts'
import { newAccount, openHook } from '../../builders/telling/hooks.ts'
import { until } from '../../support/until.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ alone: true })
})
afterAll(() => world.close())

/** Lets changes gather in the feed while `run` runs: fan-out cannot begin meanwhile, and then reads all of them. */
async function inOneRound(run: () => Promise<unknown>): Promise<void> {
  await world.work.store.transaction(async (store) => {
    await store.run(`SELECT pg_advisory_xact_lock(hashtextextended('fan out ' || $1::text, 0))`)
    await run()
    await sequence(world.work.store)
  })
}

/** Waits until all changes are jobs. */
const fannedOut = () =>
  until(async () => {
    const { rowCount } = await world.feed(
      `SELECT FROM feeds f JOIN feed_readers r USING (store_id) WHERE f.store_id = $1 AND r.position >= f.position`,
      [world.storeId],
    )
    return rowCount || undefined
  })

const change = (path: string, attributes: object) =>
  world.admin.put(path, { data: { type: 'integration', ...attributes } })

const namesOf = (
  requests: readonly { readonly body: { readonly payload: { readonly data: { readonly name: string } } } }[],
) => requests.map(({ body }) => body.payload.data.name).sort()

test('an event is for those who observe it at its position, whatever they are when it is made into jobs', async () => {
  const hook = await openHook(world.admin, ['account.created'])
  await newAccount(world.admin, 'before')
  await hook.got(1)
  await inOneRound(async () => {
    await change(hook.path, { enabled: false })
    await newAccount(world.admin, 'while disabled')
    await change(hook.path, { enabled: true })
    await newAccount(world.admin, 'while enabled')
    await change(hook.path, { observes: ['account.updated'] })
    await newAccount(world.admin, 'while it observes others')
    await change(hook.path, { observes: ['account.created'] })
    await newAccount(world.admin, 'while it observes again')
    await change(hook.path, { observes: ['account.updated'] })
  })
  await fannedOut()
  await hook.ended(3)
  expect(namesOf(hook.requests)).toEqual(['before', 'while enabled', 'while it observes again'])
  await hook.remove()
})

test('an integration gets what happens after its creation, and no event of before', async () => {
  let created: Awaited<ReturnType<typeof openHook>> | undefined
  await inOneRound(async () => {
    await newAccount(world.admin, 'before')
    created = await openHook(world.admin, ['account.created'])
    await newAccount(world.admin, 'after')
  })
  const hook = created as unknown as Awaited<ReturnType<typeof openHook>>
  await fannedOut()
  await hook.ended(1)
  expect(namesOf(hook.requests)).toEqual(['after'])
  await hook.remove()
})

test('what waited when an integration was disabled is dropped, though it is enabled again by then', async () => {
  const hook = await openHook(world.admin, ['account.created'])
  hook.answer = (_received, response) => void response.writeHead(500).end()
  await newAccount(world.admin, 'waits')
  await hook.got(1)
  await inOneRound(async () => {
    await change(hook.path, { enabled: false })
    await change(hook.path, { enabled: true })
    hook.answer = (_received, response) => void response.end()
    await newAccount(world.admin, 'new')
  })
  await fannedOut()
  const jobs = await hook.ended(2)
  expect(jobs.map(({ state }) => state)).toEqual(['dropped', 'succeeded'])
  expect(namesOf(hook.requests)).toEqual(['new', 'waits'])
  await hook.remove()
})

test('a reader that has not stored the observers begins with those of now', async () => {
  const hook = await openHook(world.admin, ['account.created'])
  await fannedOut()
  await world.sql('UPDATE feed_readers SET observers = NULL WHERE store_id = $1', [world.storeId])
  await newAccount(world.admin, 'upgraded')
  await hook.got(1)
  expect(await findObservers(world.work.store)).toEqual([{ id: hook.id, observes: ['account.created'] }])
  await hook.remove()
})

test('reading for jobs leaves out the documents that no event needs', async () => {
  await newAccount(world.admin, 'long')
  await sequence(world.work.store)
  const { last } = (await world.admin.get('/v2/changes?page[limit]=0')).body.meta.feed
  const [change] = await readChanges(world.work.store, last - 1, 1, ['carts'])
  const [whole] = await readChanges(world.work.store, last - 1, 1)
  expect([change?.doc, whole?.doc === undefined]).toEqual([undefined, false])
  expect({ ...change, doc: whole?.doc, hidden: whole?.hidden }).toEqual(whole)
  // The server may be at it, too.
  await expect.poll(async () => (await fanOut(world.work)).isBusy ?? false).toBe(false)
})
