import { afterAll, beforeAll, expect, test } from 'vitest'
import { isIn, isPublic, rangesOf } from '../../../server/platform/sockets/addresses.ts'
import { nameResolver } from '../../../server/platform/sockets/resolve-name.ts'
import { openNetwork } from '../../../server/telling/index.ts'
import { failureOf } from '../../../server/telling/targets/describe-failure.ts'
import type { MessageTarget } from '../../../server/telling/targets/message.ts'
import { send } from '../../../server/telling/targets/send.ts'
import { messageOf } from '../../builders/telling/messages.ts'
import { type NameServer, openNameServer } from '../../support/name-server.ts'
import { openReceiver, type Receiver } from '../../support/receiver.ts'

/** Something on this machine that merchants must not reach. */
let neighbour: Receiver
let names: NameServer
beforeAll(async () => {
  neighbour = await openReceiver({ host: '::' })
  names = await openNameServer()
})
afterAll(async () => {
  await neighbour.close()
  await names.close()
})

const resolver = () => nameResolver([names.address])
const at = (host: string): MessageTarget => ({ type: 'webhook', url: `http://${host}:${neighbour.port}/` })

test.each([
  '127.0.0.1',
  'localhost',
  'shop.localhost',
  '[::1]',
  '2130706433',
  '0x7f000001',
  '0177.0.0.1',
  '127.1',
  '0',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[64:ff9b::127.0.0.1]',
  '%31%32%37.0.0.1',
  '１２７.0.0.1',
  '169.254.169.254',
  '10.1.2.3',
  '100.64.0.1',
  '192.168.0.1',
  '[fd00::1]',
  '[fe80::1]',
  'inside.example',
  'INSIDE.example.',
])('%s is refused without a connection', async (host) => {
  names.names.set('inside.example', ['127.0.0.1'])
  const network = openNetwork(isPublic, resolver())
  const before = neighbour.connections()
  const outcome = await send(network, at(host), messageOf())
  expect(outcome).toMatchObject({ succeeded: false, statusCode: 0, isSlow: false })
  expect(outcome.errorDetail).toMatch(/is not (at )?a public address\. .*SUTLER_WEBHOOK_NETWORKS/)
  expect(neighbour.connections()).toBe(before)
  network.close()
})

test('merchants do not read which private addresses a name has', async () => {
  names.names.set('payroll.example', ['10.20.30.40', '192.168.7.8'])
  const targets: readonly MessageTarget[] = [
    at('payroll.example'),
    { ...at('payroll.example'), type: 'stomp', addresses: ['stomp://payroll.example'], destination: '/q' },
  ]
  const network = openNetwork(isPublic, resolver())
  for (const target of targets) {
    const { errorDetail } = await send(network, target, messageOf())
    expect(errorDetail).toMatch(/^payroll\.example is not at a public address/)
    expect(errorDetail).not.toMatch(/10\.20|192\.168|uniquelocal/)
  }
  network.close()
})

test.each([
  ['ECONNREFUSED', 'connect'],
  ['ETIMEDOUT', 'connect'],
  ['EADDRNOTAVAIL', 'connect'],
  ['ECONNABORTED', 'write'],
])('a failure of the system (%s) is told without the address', (code, syscall) => {
  const error = Object.assign(new Error(`${syscall} ${code} 10.20.30.40:443`), { code, syscall })
  expect(failureOf(error, 1_000).errorDetail).toMatch(/^The [^0-9]+\.$/)
})

test.each([
  ['aws_sqs', { url: 'https://HOST/1/q', aws_access_key_id: 'a', aws_secret_access_key: 'b', region: 'x' }],
  ['stomp', { addresses: ['stomp://HOST', 'stomp+ssl://HOST'], destination: '/queue/a' }],
])('%s refuses what a webhook refuses', async (type, settings) => {
  const network = openNetwork(isPublic, resolver())
  for (const host of [`127.0.0.1:${neighbour.port}`, `localhost:${neighbour.port}`, '[::ffff:10.0.0.1]:80']) {
    const target = JSON.parse(JSON.stringify({ type, ...settings }).replaceAll('HOST', host)) as MessageTarget
    const before = neighbour.connections()
    const { errorDetail } = await send(network, target, messageOf())
    expect(errorDetail).toMatch(/is not (at )?a public address/)
    expect(neighbour.connections()).toBe(before)
  }
  network.close()
})

test('a redirect to this machine is not followed', async () => {
  const outside = await openReceiver({ host: '127.0.0.2' })
  outside.answer = (_received, response) =>
    void response.writeHead(307, { location: `http://127.0.0.1:${neighbour.port}/` }).end()
  const network = openNetwork((address) => address === '127.0.0.2' || isPublic(address))
  const before = neighbour.connections()
  const outcome = await send(network, { type: 'webhook', url: outside.url }, messageOf())
  expect([outcome.statusCode, neighbour.connections()]).toEqual([307, before])
  network.close()
  await outside.close()
})

/** Two receivers with one port, at two addresses. Something else may have the port at one of them. */
async function openAtOnePort(): Promise<{ readonly outside: Receiver; readonly inside: Receiver }> {
  const outside = await openReceiver({ host: '127.0.0.2' })
  const inside = await openReceiver({ port: outside.port }).catch(() => undefined)
  if (inside) return { outside, inside }
  await outside.close()
  return openAtOnePort()
}

test('a name that has another address a moment later reaches only the address that was checked', async () => {
  const { outside, inside } = await openAtOnePort()
  const url = `http://rebinding.example:${outside.port}/`
  names.names.set('rebinding.example', ['127.0.0.2', '127.0.0.1'])
  const network = openNetwork((address) => address === '127.0.0.2', resolver())
  expect((await send(network, { type: 'webhook', url }, messageOf())).succeeded).toBe(true)
  expect([outside.connections(), inside.connections()]).toEqual([1, 0])
  // A new connection asks again.
  outside.answer = (_received, response) => void response.setHeader('connection', 'close').end()
  await send(network, { type: 'webhook', url }, messageOf())
  const later = await send(network, { type: 'webhook', url }, messageOf())
  expect(later.errorDetail).toMatch(/^rebinding\.example is not at a public address/)
  expect(inside.connections()).toBe(0)
  network.close()
  await outside.close()
  await inside.close()
})

test('of several addresses only the allowed ones are used', async () => {
  const network = openNetwork(
    (address) => address === '127.0.0.1',
    async () => ['10.0.0.1', '127.0.0.1'],
  )
  expect((await send(network, at('mixed.example'), messageOf())).succeeded).toBe(true)
  network.close()
})

test('a setting allows networks', async () => {
  const allowed = rangesOf('loopback')
  const network = openNetwork((address) => isPublic(address) || isIn(allowed, address), resolver())
  for (const host of ['127.0.0.1', 'localhost', '[::1]'])
    expect((await send(network, at(host), messageOf())).succeeded).toBe(true)
  expect((await send(network, at('10.0.0.1'), messageOf())).errorDetail).toMatch(/NETWORKS=uniquelocal/)
  network.close()
})

test('names that nobody answers for delay no other name', async () => {
  for (let n = 0; n < 20; n++) names.names.set(`silent-${n}.example`, [undefined])
  names.names.set('quick.example', ['127.0.0.1'])
  const network = openNetwork(() => true, resolver())
  const silent = Array.from({ length: 20 }, (_, n) =>
    send(network, at(`silent-${n}.example`), messageOf(), { timeoutMs: 3_000 }),
  )
  let ended = 0
  for (const one of silent) void one.then(() => ended++)
  expect((await send(network, at('quick.example'), messageOf())).succeeded).toBe(true)
  expect(ended).toBe(0)
  for (const outcome of await Promise.all(silent)) expect(outcome.succeeded).toBe(false)
  network.close()
})

test('a name that does not exist fails', async () => {
  const network = openNetwork(() => true, resolver())
  const outcome = await send(network, at('missing.invalid'), messageOf())
  expect(outcome.errorDetail).toMatch(/no address|name server/)
  network.close()
})
