import { setTimeout as sleep } from 'node:timers/promises'
import type { StoreClient } from './store-client.ts'

/** The ids of what a store has acknowledged. */
export interface StoreWrites {
  readonly accounts: string[]
  readonly orders: string[]
  readonly jobs: string[]
}

interface Change {
  readonly position: number
  readonly event: string
  readonly object: { readonly type: string; readonly id: string }
}

const endMaxMs = 120_000

/** What a store lacks of what it has acknowledged, what it has by halves, and what its feed says wrongly. */
export async function missingIn(
  store: StoreClient,
  { accounts, orders, jobs }: StoreWrites,
): Promise<readonly string[]> {
  const faults: string[] = []
  const expect = (isSo: boolean, fault: string) => void (isSo || faults.push(fault))

  const storedAccounts = new Set(await idsOf(store, '/v2/accounts?sort=id'))
  for (const id of accounts) expect(storedAccounts.has(id), `the account ${id} is missing`)
  const storedOrders = new Set(await idsOf(store, '/v2/orders?sort=created_at'))
  for (const id of orders) expect(storedOrders.has(id), `the order ${id} is missing`)
  // Also those that were not acknowledged are whole.
  for (const id of storedOrders) {
    const { data } = await get(store, `/v2/orders/${id}/items`)
    expect(data.length === 2, `the order ${id} has ${data.length} items`)
  }
  for (const id of jobs) expect(await hasEnded(store, id), `the job ${id} has not ended`)

  const changes = await feedOf(store)
  const told = changes.flatMap(({ event, object: { type, id } }) =>
    event === 'created' && type === 'account' ? [id] : [],
  )
  const toldOnce = new Set(told)
  expect(toldOnce.size === told.length, 'the feed has an account twice')
  for (const id of storedAccounts) expect(toldOnce.has(id), `the feed lacks the account ${id}`)
  expect(
    changes.every(({ position }, i) => position > (changes[i - 1]?.position ?? 0)),
    'the feed is out of order',
  )
  return faults
}

/** What the database answers when it is back. */
async function get(store: StoreClient, path: string) {
  for (let n = 0; ; n++) {
    const { status, body } = await store.send('GET', path)
    if (status === '200') return JSON.parse(body)
    if (n === 30) throw new Error(`${path}: ${status} ${body}`)
    await sleep(1000)
  }
}

async function idsOf(store: StoreClient, path: string): Promise<readonly string[]> {
  const ids: string[] = []
  for (;;) {
    const { data } = await get(store, `${path}&page[limit]=100&page[offset]=${ids.length}`)
    ids.push(...data.map(({ id }: { readonly id: string }) => id))
    if (data.length < 100) return ids
  }
}

async function hasEnded(store: StoreClient, id: string): Promise<boolean> {
  for (const endsAt = performance.now() + endMaxMs; performance.now() < endsAt; await sleep(500)) {
    const { data } = await get(store, `/v2/jobs/${id}`)
    if (data.status === 'SUCCESS') return true
  }
  return false
}

async function feedOf(store: StoreClient): Promise<readonly Change[]> {
  const changes: Change[] = []
  for (let after = 0; ; after = changes.at(-1)?.position ?? after) {
    const { data } = await get(store, `/v2/changes?page[limit]=100&page[after]=${after}`)
    if (!data.length) return changes
    changes.push(...data)
  }
}
