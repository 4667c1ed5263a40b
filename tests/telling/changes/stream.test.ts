import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sequence } from '../../../server/kernel/feed/sequence.ts'
import { tokenOf } from '../../support/client.ts'
import { openWorld, type World } from '../../support/world.ts'

let world: World
let token: string
beforeAll(async () => {
  world = await openWorld({ alone: true, overHttp: true })
  token = (await tokenOf(world.url, world.key.id, world.key.secret, 'client_credentials')) as string
})
afterAll(() => world.close())

interface SentChange {
  readonly id: number
  readonly data: { readonly event: string; readonly object: { readonly id: string } } | undefined
}

/** A stream of changes, and its events as they arrive. */
async function open(lastId?: number) {
  const hangUp = new AbortController()
  const response = await fetch(`${world.url}/v2/changes?filter=eq(type,account)`, {
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'text/event-stream',
      ...(lastId !== undefined && { 'last-event-id': String(lastId) }),
    },
    signal: hangUp.signal,
  })
  async function* events(): AsyncGenerator<SentChange> {
    let text = ''
    for await (const bytes of response.body as ReadableStream<Uint8Array>) {
      text += Buffer.from(bytes).toString()
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const event = text.slice(0, end)
        text = text.slice(end + 2)
        const line = (name: string) => event.match(new RegExp(`^${name}: (.*)$`, 'm'))?.[1]
        const data = line('data')
        yield { id: Number(line('id')), data: data ? JSON.parse(data) : undefined }
      }
    }
  }
  return { response, events: events(), hangUp: () => hangUp.abort() }
}

const makeAccount = async (name: string): Promise<string> =>
  (await world.admin.post('/v2/accounts', { data: { type: 'account', name } })).body.data.id

/** The next event with a change. */
async function nextOf(events: AsyncGenerator<SentChange>): Promise<SentChange> {
  for (;;) {
    const { value, done } = await events.next()
    if (done) throw new Error('the stream has ended')
    if (value.data) return value
  }
}

test('changes arrive as they happen; a client that connects again misses none', async () => {
  await sequence(world.work.store)
  const { last } = (await world.admin.get('/v2/changes?page[limit]=0')).body.meta.feed
  const first = await open(last)
  expect([first.response.status, first.response.headers.get('content-type')]).toEqual([
    200,
    'text/event-stream',
  ])
  expect((await first.events.next()).value).toEqual({ id: last, data: undefined })
  const one = await makeAccount('One')
  const sent = await nextOf(first.events)
  expect([sent.data?.event, sent.data?.object.id, sent.id > last]).toEqual(['created', one, true])
  first.hangUp()
  const two = await makeAccount('Two')
  const again = await open(sent.id)
  expect((await nextOf(again.events)).data?.object.id).toBe(two)
  again.hangUp()
})

test('a position that the stream cannot go on from is refused before it begins', async () => {
  const ahead = await open(999_999)
  expect([
    ahead.response.status,
    ((await ahead.response.json()) as { errors: { source: string }[] }).errors[0]?.source,
  ]).toEqual([400, 'Last-Event-ID'])
})

test('streams end when the server stops', async () => {
  const stream = await open()
  await stream.events.next()
  const waiting = world.admin.get(
    `/v2/changes?page[after]=${(await world.admin.get('/v2/changes?page[limit]=0')).body.meta.feed.last}&wait=30`,
  )
  await sleep(1000)
  const began = performance.now()
  await world.server.stop()
  for (let done = false; !done; ) ({ done = false } = await stream.events.next())
  expect((await waiting).status).toBe(200)
  expect(performance.now() - began).toBeLessThan(10_000)
})
