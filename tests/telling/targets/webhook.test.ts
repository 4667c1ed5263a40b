import * as http from 'node:http'
import * as https from 'node:https'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import tls from 'node:tls'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openNetwork } from '../../../server/telling/index.ts'
import type { MessageTarget } from '../../../server/telling/targets/message.ts'
import type { Network } from '../../../server/telling/targets/network.ts'
import { send } from '../../../server/telling/targets/send.ts'
import { isSigningSecret } from '../../../server/telling/targets/webhook.ts'
import { messageOf, shows } from '../../builders/telling/messages.ts'
import { ownCertificate } from '../../support/own-certificate.ts'
import { openReceiver, type Receiver } from '../../support/receiver.ts'
import { until } from '../../support/until.ts'

let network: Network
let receiver: Receiver
beforeAll(async () => {
  network = openNetwork(() => true)
  receiver = await openReceiver()
})
beforeEach(() => {
  receiver.forget()
  receiver.answer = (_received, response) => void response.end('ok')
})
afterAll(async () => {
  network.close()
  await receiver.close()
})

const webhook = (more: Partial<MessageTarget> = {}): MessageTarget =>
  ({ type: 'webhook', url: `${receiver.url}/hook?shop=1`, ...more }) as MessageTarget

test('a webhook has the body and the headers of the public contract', async () => {
  const message = messageOf({ attempt: 3 })
  const outcome = await send(network, webhook({ secret_key: 'sesame' }), message)
  expect(outcome).toMatchObject({ succeeded: true, statusCode: 200, body: 'ok', errorDetail: '' })
  expect(outcome.processingTimeS).toBeGreaterThan(0)
  const [got] = receiver.requests
  expect([got?.method, got?.path]).toEqual(['POST', '/hook?shop=1'])
  expect(got?.headers).toMatchObject({ 'content-type': 'application/json', 'x-moltin-secret-key': 'sesame' })
  expect(got?.body).toEqual({
    ...{ id: message.eventId, triggered_by: 'order.paid', attempt: 3 },
    integration: message.integration,
    payload: JSON.parse(message.content.payload),
    resources: message.content.payload,
    configuration: { url: `${receiver.url}/hook?shop=1`, secret_key: 'sesame' },
    ...{ store_id: message.storeId, org_id: message.organisationId },
  })
})

test('a deletion names the type and the id, and nothing of a secret that is not set', async () => {
  const payload = { type: 'order', id: 'o1' }
  await send(network, webhook(), messageOf(shows(payload, payload, true)))
  const [got] = receiver.requests
  expect([got?.body.payload, got?.body.resources]).toEqual([payload, payload])
  expect(got?.body.configuration).toEqual({ url: `${receiver.url}/hook?shop=1` })
  expect(Object.keys(got?.headers ?? {}).filter((name) => /secret|webhook-/.test(name))).toEqual([])
})

test('the signature is that of Standard Webhooks, and the secret is not sent', async () => {
  const signing_secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  const message = messageOf()
  await send(network, webhook({ signing_secret }), message)
  const [got] = receiver.requests
  const headers = got?.headers as Record<string, string>
  expect(headers['webhook-id']).toBe(message.eventId)
  expect(new Webhook(signing_secret).verify(got?.text ?? '', headers)).toMatchObject({ id: message.eventId })
  expect(() => new Webhook(signing_secret).verify(`${got?.text} `, headers)).toThrow()
  expect(() =>
    new Webhook('whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA').verify(got?.text ?? '', headers),
  ).toThrow()
  expect(got?.text).not.toContain(signing_secret.slice(6))
})

test.each([
  ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', true],
  [`whsec_${Buffer.alloc(64, 7).toString('base64')}`, true],
  [`whsec_${Buffer.alloc(65, 7).toString('base64')}`, false],
  [`whsec_${Buffer.alloc(23, 7).toString('base64')}`, false],
  ['MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', false],
  ['whsec_not base64, but long enough for it', false],
])('%s is a signing secret: %s', (text, expected) => expect(isSigningSecret(text)).toBe(expected))

const notA2xx = 'Received a status code outside of 2xx range - treating webhook as a fail'

test.each([
  [200, true],
  [204, true],
  [299, true],
  [300, false],
  [304, false],
  [400, false],
  [410, false],
  [500, false],
  [999, false],
])('a response of %i is a success: %s', async (status, succeeded) => {
  receiver.answer = (_received, response) => void response.writeHead(status).end()
  const outcome = await send(network, webhook(), messageOf())
  expect(outcome).toMatchObject({ succeeded, statusCode: status, errorDetail: succeeded ? '' : notA2xx })
  expect(outcome).toMatchObject({ isSlow: false, isFinal: false })
})

test.each([301, 302, 303, 307, 308])('a redirect (%i) is not followed', async (status) => {
  receiver.answer = (_received, response) => void response.writeHead(status, { location: '/other' }).end('x')
  const outcome = await send(network, webhook(), messageOf())
  expect(outcome).toMatchObject({ succeeded: false, statusCode: status, body: 'x', errorDetail: notA2xx })
  expect(receiver.requests.length).toBe(1)
})

test('of an endless response 4 KiB are kept, and the rest is not read', async () => {
  let written = 0
  let hasEnded = false
  receiver.answer = (_received, response) => {
    response.writeHead(500)
    response.on('close', () => {
      hasEnded = true
    })
    const more = () => {
      if (hasEnded) return
      written += 16_384
      response.write('x'.repeat(16_384), () => setImmediate(more))
    }
    more()
  }
  const outcome = await send(network, webhook(), messageOf())
  expect(outcome).toMatchObject({ succeeded: false, statusCode: 500, body: 'x'.repeat(4096) })
  await until(async () => hasEnded || undefined)
  // What the buffers of two sockets may hold.
  expect(written).toBeLessThan(16 * 1024 * 1024)
})

test('text of a response can be stored: NUL and bytes that are not UTF-8 are replaced', async () => {
  receiver.answer = (_received, response) => void response.end(Buffer.from([0x61, 0, 0xff, 0x62]))
  expect((await send(network, webhook(), messageOf())).body).toBe('a\uFFFD\uFFFDb')
})

test('an endpoint that does not answer in time fails, whatever it does meanwhile', async () => {
  const hold = { timeoutMs: 300 }
  receiver.answer = () => {}
  const silent = await send(network, webhook(), messageOf(), hold)
  expect(silent).toMatchObject({ succeeded: false, statusCode: 0, isSlow: true })
  expect(silent.errorDetail).toBe('There was no response within 0.3 seconds.')
  // Informational responses are none.
  receiver.answer = (_received, response) => {
    const timer = setInterval(() => response.writeProcessing(), 50)
    response.on('close', () => clearInterval(timer))
  }
  expect(await send(network, webhook(), messageOf(), hold)).toMatchObject({ statusCode: 0, isSlow: true })
})

test('a success whose body never ends is a success', async () => {
  receiver.answer = (_received, response) => void response.writeHead(202).write('begun')
  const outcome = await send(network, webhook(), messageOf(), { timeoutMs: 500 })
  expect(outcome).toMatchObject({ succeeded: true, statusCode: 202, body: 'begun', isSlow: true })
})

test.each([200, 500])('a body that drips after a status of %i is cut off soon', async (status) => {
  receiver.answer = (_received, response) => {
    response.writeHead(status)
    const timer = setInterval(() => response.write('x'), 50)
    response.on('close', () => clearInterval(timer))
  }
  const outcome = await send(network, webhook(), messageOf())
  expect(outcome).toMatchObject({ succeeded: status === 200, statusCode: status, isSlow: true })
  expect(outcome.body).toMatch(/^x+$/)
  expect(outcome.processingTimeS).toBeLessThan(3)
})

test('a server that stops ends its attempts', async () => {
  receiver.answer = () => {}
  const stopping = new AbortController()
  const sending = send(network, webhook(), messageOf(), { signal: stopping.signal })
  await until(async () => receiver.requests[0])
  stopping.abort(new Error('The server stops.'))
  expect(await sending).toMatchObject({ succeeded: false, isSlow: false })
})

test.each([
  ['closes the connection', '', 'The connection was closed before the response.'],
  ['is not HTTP', 'SSH-2.0-OpenSSH\r\n', /Parse Error|Expected HTTP/],
  [
    'changes the protocol',
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n',
    notA2xx,
  ],
  ['has headers without end', `HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(40_000)}`, /headers/],
  [
    'announces a response again and again',
    'HTTP/1.1 100 Continue\r\n\r\n'.repeat(40_000),
    /only statuses of 1xx/,
  ],
])('a receiver that %s fails', async (_what, text, detail) => {
  const odd = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end(text))
  })
  await new Promise<void>((done) => odd.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(odd.address() as AddressInfo).port}`
  const outcome = await send(network, { type: 'webhook', url }, messageOf(), { timeoutMs: 3_000 })
  expect(outcome).toMatchObject({ succeeded: false, isSlow: false })
  expect(outcome.errorDetail).toMatch(detail)
  await new Promise((done) => odd.close(done))
})

test('one or two statuses of 1xx before a response change nothing', async () => {
  receiver.answer = (_received, response) => {
    response.writeContinue()
    response.writeEarlyHints({ link: '</style.css>; rel=preload' })
    response.end()
  }
  expect(await send(network, webhook(), messageOf())).toMatchObject({ succeeded: true, statusCode: 200 })
})

test('a response is read in short pieces, since all of a piece is parsed at once', async () => {
  const secure = await openReceiver({ isSecure: true })
  for (const { url } of [receiver, secure]) {
    receiver.answer = secure.answer = (_received, response) => void response.end('x'.repeat(100_000))
    const { protocol } = new URL(url)
    const options = { agent: network.agents[protocol], rejectUnauthorized: false }
    const lengths = await new Promise<readonly number[]>((done, fail) => {
      const request = (protocol === 'https:' ? https : http).get(url, options, async (answer) => {
        const chunks: Buffer[] = await answer.toArray()
        done(chunks.map(({ length }) => length))
      })
      request.on('error', fail)
    })
    expect(lengths.reduce((sum, length) => sum + length)).toBe(100_000)
    expect(Math.max(...lengths)).toBeLessThanOrEqual(2_048)
  }
  await secure.close()
})

test('a refused connection and a secret that no header can have fail', async () => {
  const closed = { type: 'webhook', url: 'http://127.0.0.1:1/' } as const
  expect((await send(network, closed, messageOf())).errorDetail).toBe('The connection was refused.')
  const outcome = await send(network, webhook({ secret_key: 'two\nlines' }), messageOf())
  expect(outcome.errorDetail).toBe('The secret key has characters that a header cannot have.')
  expect(receiver.requests.length).toBe(0)
})

test('connections are used again, and a request on one that was closed meanwhile is sent again', async () => {
  const own = await openReceiver()
  const target = { type: 'webhook', url: own.url } as const
  for (let n = 0; n < 3; n++) expect((await send(network, target, messageOf())).succeeded).toBe(true)
  expect(own.connections()).toBe(1)
  // It reads the request on the old connection, and closes it without an answer.
  let isFirst = true
  own.answer = (_received, response) => {
    if (isFirst) response.destroy()
    else response.end()
    isFirst = false
  }
  expect((await send(network, target, messageOf())).succeeded).toBe(true)
  expect(own.connections()).toBe(2)
  await own.close()
})

test('a certificate that nobody trusts is refused, and a trusted one is accepted', async () => {
  const secure = await openReceiver({ isSecure: true })
  const target = { type: 'webhook', url: secure.url } as const
  const refused = await send(network, target, messageOf())
  expect(refused).toMatchObject({ succeeded: false, statusCode: 0 })
  // Node's own text has advice for whoever starts the server.
  expect(refused.errorDetail).toBe('The host has a self-signed certificate.')
  const plain = await send(
    network,
    { type: 'webhook', url: receiver.url.replace('http:', 'https:') },
    messageOf(),
  )
  expect(plain.errorDetail).toMatch(/^The host does not speak TLS/)
  const usual = tls.getCACertificates('default')
  tls.setDefaultCACertificates([...usual, ownCertificate.cert])
  const trusting = openNetwork(() => true)
  expect(await send(trusting, target, messageOf())).toMatchObject({ succeeded: true, statusCode: 200 })
  tls.setDefaultCACertificates(usual)
  trusting.close()
  await secure.close()
})
