import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operations, Samples, sampleFrom, specimensWith } from '../../builders/samples.ts'
import type { Reply } from '../../support/client.ts'
import { openWorld, type World } from '../../support/world.ts'
import { appAndWorkshop } from '../../workshop/index.ts'

let world: World
let samples: Samples
beforeAll(async () => {
  world = await openWorld(appAndWorkshop)
  samples = new Samples(world.admin, world.work)
})
afterAll(() => world.close())

/** The objects of the store that have changed, by what happened to them. */
const changes = async (): Promise<readonly string[]> => {
  const { rows } = await world.feed(
    "SELECT event || ' ' || source AS change FROM changes WHERE store_id = $1 ORDER BY position",
    [world.storeId],
  )
  return rows.map(({ change }) => change)
}

/** Expects that each of these requests succeeds, and that none of them changes anything. */
async function mustChangeNothing(
  path: string,
  send: readonly (readonly [what: string, request: () => Promise<Reply>])[],
): Promise<void> {
  const read = await world.admin.get(path)
  const before = await changes()
  for (const [what, request] of send) {
    const { status, body } = await request()
    expect([200, 201, 204], `${what} is answered ${status} ${JSON.stringify(body)}`).toContain(status)
    expect((await changes()).slice(before.length), `changes after ${what}`).toEqual([])
    const after = await world.admin.get(path)
    expect([after.headers.get('etag'), after.body], `a read after ${what}`).toEqual([
      read.headers.get('etag'),
      read.body,
    ])
  }
}

describe.each(specimensWith('get', 'update'))('an update of $name', (specimen) => {
  test('that changes nothing writes nothing', async () => {
    const object = await samples.make(specimen)
    const { data } = samples.changes(specimen, object.body)
    // The hash of a password differs each time.
    const body = { data: { ...data, password: undefined } }
    const changed = await world.admin.put(object.path, body)
    expect(changed.status, JSON.stringify(changed.body)).toBe(200)
    // The change may be one of its name in addresses.
    const { path } = sampleFrom(object.collection, specimen.resource, changed.body)
    const { body: shown } = await world.admin.get(path)
    await mustChangeNothing(path, [
      ['the same update again', () => world.admin.put(path, body)],
      ['an update with all that was shown', () => world.admin.put(path, shown)],
    ])
  })
})

const singletons = operations.flatMap((operation) =>
  operation.of.is === 'singleton' && operation.of.name === 'update' ? [operation] : [],
)

describe.each(singletons)('$id', (operation) => {
  test('writes nothing if it changes nothing', async () => {
    const { path, body } = await samples.call(operation)
    expect((await world.admin.put(path, body)).status).toBe(200)
    const { body: shown } = await world.admin.get(path)
    await mustChangeNothing(path, [
      ['the same update again', () => world.admin.put(path, body)],
      ['an update with all that was shown', () => world.admin.put(path, shown)],
    ])
  })
})

const links = operations.flatMap((operation) =>
  operation.of.is === 'relationship' && ['add', 'replace'].includes(operation.of.name) ? [operation] : [],
)

describe.each(links)('$id', (operation) => {
  test('writes nothing if it changes nothing', async () => {
    const { path, body } = await samples.call(operation)
    const send = () => world.admin.send(operation.method, path, { body: JSON.stringify(body) })
    expect((await send()).status).toBeLessThan(300)
    await mustChangeNothing(path.slice(0, path.indexOf('/relationships')), [['the same links again', send]])
  })
})

/** Their samples are refused: the members that they name are made up. tests/carts/items/unchanged.test.ts has carts. */
const madeUp = [
  // A key has no password.
  'change-own-password',
  'update-cart-item',
  'update-cart-items',
  'update-cart-payment',
  'update-flow-entry-relationship',
]
const actions = operations.filter(
  ({ id, of, method }) => of.is === 'action' && method === 'PUT' && !madeUp.includes(id),
)

describe.each(actions)('$id', (operation) => {
  test('writes nothing if it changes nothing', async () => {
    const { path, body } = await samples.call(operation)
    const first = await world.admin.put(path, body)
    expect(first.status, JSON.stringify(first.body)).toBeLessThan(300)
    const before = await changes()
    const again = await world.admin.put(path, body)
    expect(again.status, JSON.stringify(again.body)).toBeLessThan(300)
    expect((await changes()).slice(before.length)).toEqual([])
  })
})
