import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../../server/kernel/ids.ts'
import { smtp } from '../../../server/kernel/work/mail.ts'
import { stripeHttp } from '../../../server/payments/stripe/stripe-http.ts'
import { openProviderFetch } from '../../../server/people/oidc/provider-fetch.ts'
import type { Blobs } from '../../../server/platform/blobs/blobs.ts'
import { s3Blobs } from '../../../server/platform/blobs/s3-blobs.ts'
import { openNetwork } from '../../../server/telling/index.ts'
import type { MessageTarget } from '../../../server/telling/targets/message.ts'
import type { Network } from '../../../server/telling/targets/network.ts'
import { send } from '../../../server/telling/targets/send.ts'
import { messageOf } from '../../builders/telling/messages.ts'
import { until } from '../../support/until.ts'

/** The law of calls to other servers: whatever the other server does, a call ends in time, and its connection too. */

const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000000\r\n\r\n{"a":"'

/** Speaks as long as the connection is open. */
function speak(socket: Socket, text: string, everyMs: number): void {
  const timer = setInterval(() => socket.write(text), everyMs)
  socket.once('close', () => clearInterval(timer))
}

/** What a server does with a connection, once it should speak. Mail servers speak first. */
const behaviors = {
  'never answers': () => {},
  'begins to answer and stops': (socket: Socket, begin: string) => void socket.write(begin),
  'answers byte by byte': (socket: Socket, begin: string, more: string) => {
    socket.write(begin)
    speak(socket, more, 20)
  },
  'closes in the middle': (socket: Socket, begin: string) => socket.end(begin),
} as const

type Behavior = keyof typeof behaviors

const open = new Set<Socket>()
let behavior: Behavior
const track = (socket: Socket) => {
  open.add(socket.on('error', () => {}))
  socket.once('close', () => open.delete(socket))
}
const web = createServer((socket) => {
  track(socket)
  socket.on('data', (data) => {
    // The bucket exists.
    if (data.toString().startsWith('HEAD ')) socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n')
    else if (/^(GET|POST|PUT|DELETE) /.test(data.toString())) behaviors[behavior](socket, head, 'x')
  })
})
const broker = createServer((socket) => {
  track(socket)
  socket.once('data', () => behaviors[behavior](socket, 'CONNECTED\nversion:1.2\n', 'a'))
})
const mailServer = createServer((socket) => {
  track(socket)
  behaviors[behavior](socket, '220-mail', 'x')
})
const portOf = (server: Server) => (server.address() as AddressInfo).port

let network: Network
let blobs: Blobs
const directory = mkdtempSync(join(tmpdir(), 'sutler-limits-'))
beforeAll(async () => {
  for (const server of [web, broker, mailServer])
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  network = openNetwork(() => true)
  const keys = { accessKeyId: 'key', secretAccessKey: 'secret' }
  const endpoint = `http://127.0.0.1:${portOf(web)}`
  const limits = { startingMs: 10_000, connectingMs: 1000, answeringMs: limitMs }
  blobs = await s3Blobs({ name: 'files', region: 'us-east-1', endpoint, ...keys }, directory, limits)
})
afterAll(() => {
  network.close()
  blobs.close()
  for (const socket of open) socket.destroy()
  for (const server of [web, broker, mailServer]) server.close()
  rmSync(directory, { recursive: true })
})

const limitMs = 300
const bytes = 100_000_000

/** Throws where the delivery has failed. */
async function deliver(target: object): Promise<void> {
  const { succeeded, errorDetail } = await send(network, target as MessageTarget, messageOf(), {
    timeoutMs: limitMs,
  })
  if (!succeeded) throw new Error(errorDetail)
}

/** Every call of this server to another. */
const calls: Readonly<Record<string, () => Promise<unknown>>> = {
  'a file from a bucket': async () => {
    for await (const _ of (await blobs.read(newId(), bytes)) as Readable);
  },
  'a part of a file from a bucket': async () => {
    const part = { first: 10, last: bytes - 10 }
    for await (const _ of (await blobs.read(newId(), bytes, part)) as Readable);
  },
  'a file into a bucket': async () => {
    const draft = await blobs.draft(Readable.from([Buffer.alloc(100)]))
    await draft.keep(newId()).finally(() => draft.discard())
  },
  'the removal of a file from a bucket': () => blobs.remove(newId()),
  'the list of a bucket': async () => {
    for await (const _ of blobs.list());
  },
  'a request to Stripe': async () => {
    const { makeRequest } = stripeHttp
    const response = await makeRequest('127.0.0.1', String(portOf(web)), '/', 'GET', {}, '', 'http', limitMs)
    return response.toJSON()
  },
  'a webhook': () => deliver({ type: 'webhook', url: `http://127.0.0.1:${portOf(web)}/hook` }),
  'a message to SQS': () =>
    deliver({
      ...{ type: 'aws_sqs', url: `http://127.0.0.1:${portOf(web)}/1/queue`, region: 'us-east-1' },
      ...{ aws_access_key_id: 'key', aws_secret_access_key: 'secret' },
    }),
  'a message to a broker': () =>
    deliver({ type: 'stomp', addresses: [`stomp://127.0.0.1:${portOf(broker)}`], destination: '/queue/a' }),
  'a mail': () =>
    smtp(`smtp://127.0.0.1:${portOf(mailServer)}`, 'shop@example.com', {
      wordMs: limitMs,
      mailMs: 2 * limitMs,
    }).send('ada@example.com', 'Hello', 'Ada'),
  'the configuration of a sign-in provider': () =>
    openProviderFetch(() => true, limitMs)(`http://127.0.0.1:${portOf(web)}/`),
}

/** A webhook whose status has come has succeeded, whatever follows. On a busy machine it may come too late. */
const maySucceed = (call: string, does: Behavior) => call === 'a webhook' && does !== 'never answers'

describe.each(Object.keys(behaviors) as Behavior[])('if the other server %s', (does) => {
  beforeAll(() => {
    behavior = does
  })

  test.concurrent.each(Object.keys(calls))('%s ends in time', async (name) => {
    const beganMs = performance.now()
    const outcome = await (calls[name] as () => Promise<unknown>)().then(
      () => 'success',
      () => 'failure',
    )
    if (!maySucceed(name, does)) expect(outcome).toBe('failure')
    // A busy machine is not a fault.
    expect(performance.now() - beganMs).toBeLessThan(15_000)
  })

  test('and no connection is left', async () => {
    await until(async () => open.size === 0 || undefined, 10_000)
  })
})
