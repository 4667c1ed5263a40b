import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Client } from '../../support/client.ts'
import { tries } from '../../support/long.ts'
import { emptyDatabase } from '../../support/own-database.ts'
import { adminOf, key, newDirectory, type Process, serve, stopAfterEach } from '../../support/process.ts'
import { until } from '../../support/until.ts'

stopAfterEach()

interface ShownObject {
  readonly id: string
  readonly name: string
}
/** The names of what exists, by the ids. */
type Copy = Map<string, string>

/** Asks again until a server answers: it may have been killed. A write without an answer may have happened. */
async function patiently<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask()
  } catch {
    await sleep(100)
    return undefined
  }
}

/** Follows two lists by GET /v2/changes, with what it has as its only memory. */
class Follower {
  readonly accounts: Copy = new Map()
  readonly addresses: Copy = new Map()
  #position = 0
  seen = 0
  faults: string[] = []

  async step(client: Client, waitS: number): Promise<number> {
    const reply = await patiently(() =>
      client.get(
        `/v2/changes?page[after]=${this.#position}&page[limit]=20&wait=${waitS}&filter=in(type,account,address)`,
      ),
    )
    if (reply?.status !== 200) return -1
    for (const { position, event, object, data } of reply.body.data) {
      if (position <= this.#position) this.faults.push(`position ${position} again`)
      this.#position = position
      this.seen += 1
      const copy = object.type === 'account' ? this.accounts : this.addresses
      if (event === 'created' && object.parent && !this.accounts.has(object.parent))
        this.faults.push('before its parent')
      if ((event === 'created') === copy.has(object.id)) this.faults.push(`${event} of ${object.id}`)
      if (event === 'deleted') copy.delete(object.id)
      else copy.set(object.id, data.name)
    }
    this.#position = reply.body.meta.feed.reached
    return reply.body.data.length
  }
}

/** Follows one list by its watermark. It sees no deletions. */
class Syncer {
  readonly accounts: Copy = new Map()
  #since: string | undefined

  async step(client: Client): Promise<boolean> {
    let next: string | undefined
    for (let last = '00000000-0000-0000-0000-000000000000', isFirst = true; ; isFirst = false) {
      const since = this.#since ? `:ge(updated_at,${this.#since})` : ''
      const reply = await patiently(() =>
        client.get(`/v2/accounts?sort=id&page[limit]=50&filter=gt(id,${last})${since}`),
      )
      if (reply?.status !== 200) return false
      if (isFirst) next = reply.headers.get('sutler-watermark') ?? undefined
      for (const { id, name } of reply.body.data as ShownObject[]) this.accounts.set(id, name)
      if (reply.body.data.length === 0) break
      last = reply.body.data.at(-1).id
    }
    this.#since = next ?? this.#since
    return true
  }
}

async function write(clientOf: () => Client, isOver: () => boolean): Promise<void> {
  const own: string[] = []
  for (let i = 0; !isOver(); i++) {
    const client = clientOf()
    const body = { data: { type: 'account', name: `Name ${i}` } }
    const made = await patiently(() => client.post('/v2/accounts', body))
    if (made?.status !== 201) continue
    const { id } = made.body.data
    own.push(id)
    await patiently(() =>
      client.post(`/v2/accounts/${id}/addresses`, {
        data: {
          type: 'address',
          name: `Home ${i}`,
          first_name: 'A',
          last_name: 'B',
          line_1: 'C',
          postcode: 'D',
          country: 'GB',
          county: 'E',
        },
      }),
    )
    const other = own[Math.floor(Math.random() * own.length)] as string
    await patiently(() =>
      client.put(`/v2/accounts/${other}`, { data: { type: 'account', name: `Changed ${i}` } }),
    )
    if (i % 4 === 3) await patiently(() => client.delete(`/v2/accounts/${own.shift()}`))
    await sleep(50)
  }
}

async function listOf(client: Client, path: string): Promise<Copy> {
  const all: Copy = new Map()
  for (let offset = 0; ; offset += 100) {
    const { body } = await client.get(`${path}?page[limit]=100&page[offset]=${offset}`)
    for (const { id, name } of body.data as ShownObject[]) all.set(id, name)
    if (body.data.length < 100) return all
  }
}

test('a client that follows a busy store through kills holds a copy of it', {
  timeout: 600_000,
}, async () => {
  const database = await emptyDatabase()
  const settings = {
    ...key,
    DATABASE_URL: database.url,
    SUTLER_SECRET: 'the same secret in all of the processes',
  }
  const begin = async (): Promise<{ process: Process; client: Client }> => {
    const process = serve(newDirectory(), settings)
    return { process, client: await adminOf(await process.ready) }
  }
  const servers = [await begin(), await begin()]
  let isOver = false
  let turn = 0
  const anyClient = () => servers[turn++ % servers.length]?.client as Client
  const writing = Array.from({ length: 4 }, () => write(anyClient, () => isOver))
  const [follower, syncer] = [new Follower(), new Syncer()]
  const following = (async () => {
    while (!isOver) await follower.step(anyClient(), 2)
  })()
  const syncing = (async () => {
    while (!isOver) {
      await syncer.step(anyClient())
      await sleep(300)
    }
  })()
  for (let kill = 0; kill < tries(2, 20); kill++) {
    const before = follower.seen
    await until(async () => follower.seen > before + 60 || undefined, 60_000)
    const killed = servers[kill % 2] as { process: Process; client: Client }
    killed.process.child.kill('SIGKILL')
    await killed.process.exit
    servers[kill % 2] = await begin()
  }
  await sleep(1000)
  isOver = true
  await Promise.all([...writing, following, syncing])
  const { client } = servers[0] as { client: Client }
  // The changes of a killed process get their positions within a second.
  await sleep(2500)
  while ((await follower.step(client, 1)) !== 0);
  while (!(await syncer.step(client)));

  expect(follower.faults).toEqual([])
  expect(follower.seen).toBeGreaterThan(100)
  const accounts = await listOf(client, '/v2/accounts')
  expect(accounts.size).toBeGreaterThan(10)
  expect(new Map([...follower.accounts].sort())).toEqual(new Map([...accounts].sort()))
  const addresses: Copy = new Map()
  for (const id of accounts.keys())
    for (const [address, name] of await listOf(client, `/v2/accounts/${id}/addresses`))
      addresses.set(address, name)
  expect(new Map([...follower.addresses].sort())).toEqual(new Map([...addresses].sort()))
  // A list shows no deletions: the copy by watermark has all that is there.
  const missing = [...accounts].filter(([id, name]) => syncer.accounts.get(id) !== name)
  expect(missing).toEqual([])
  await Promise.all(servers.map(({ process }) => process.child.kill()))
  await database.drop()
})
