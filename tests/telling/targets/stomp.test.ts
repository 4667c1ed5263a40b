import tls from 'node:tls'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openNetwork } from '../../../server/telling/index.ts'
import type { StompTarget } from '../../../server/telling/targets/message.ts'
import type { Network } from '../../../server/telling/targets/network.ts'
import { send } from '../../../server/telling/targets/send.ts'
import { messageOf, shows } from '../../builders/telling/messages.ts'
import { ownCertificate } from '../../support/own-certificate.ts'
import {
  type BrokerFault,
  brokerUser,
  openStompBroker,
  type StompBroker,
} from '../../support/stomp-broker.ts'

let network: Network
let broker: StompBroker
beforeAll(async () => {
  network = openNetwork(() => true)
  broker = await openStompBroker()
})
beforeEach(() => {
  broker.faults = []
})
afterAll(async () => {
  network.close()
  await broker.close()
})

const targetOf = (changes: Partial<StompTarget> = {}): StompTarget => ({
  ...{ type: 'stomp', addresses: [broker.address], destination: '/queue/orders:paid\\new' },
  ...{ username: brokerUser.login, password: brokerUser.passcode, ...changes },
})

test('a broker gets a CloudEvent, and the server waits for its receipt', async () => {
  const message = messageOf()
  const before = broker.messages.length
  expect(await send(network, targetOf(), message)).toMatchObject({
    succeeded: true,
    statusCode: 200,
    errorDetail: '',
  })
  const [got] = broker.messages.slice(before)
  expect(got?.destination).toBe('/queue/orders:paid\\new')
  expect(JSON.parse(got?.body ?? '')).toMatchObject({
    id: message.eventId,
    specversion: '1.0',
    data: JSON.parse(message.content.payload),
  })
})

test('messages follow each other in order', async () => {
  const before = broker.messages.length
  const messages = [messageOf(), messageOf(), messageOf()]
  for (const message of messages) await send(network, targetOf(), message)
  expect(broker.messages.slice(before).map(({ id }) => id)).toEqual(messages.map(({ eventId }) => eventId))
})

test.each<[BrokerFault, RegExp, boolean]>([
  ['no receipt', /no response within 0\.5 seconds/, true],
  ['close', /closed the connection/, false],
  ['error', /The broker answered with an error: queue full/, false],
  ['endless', /sends more than a receipt/, false],
  ['not stomp', /closed the connection/, false],
])('a broker with the fault "%s" fails the attempt', async (fault, detail, isSlow) => {
  broker.faults = [fault]
  const outcome = await send(network, targetOf(), messageOf(), { timeoutMs: 500 })
  expect(outcome).toMatchObject({ succeeded: false, isSlow, isFinal: false })
  expect(outcome.errorDetail).toMatch(detail)
  expect((await send(network, targetOf(), messageOf())).succeeded).toBe(true)
})

test('a wrong password is refused by the broker, in its words', async () => {
  const outcome = await send(network, targetOf({ password: 'wrong' }), messageOf())
  expect(outcome).toMatchObject({ succeeded: false, body: 'Access refused for user' })
  expect(outcome.errorDetail).toBe('The broker answered with an error: Bad CONNECT')
})

test('the next address is tried when a broker is away', async () => {
  const addresses = ['stomp://127.0.0.1:1', broker.address]
  expect((await send(network, targetOf({ addresses }), messageOf())).succeeded).toBe(true)
  const away = await send(network, targetOf({ addresses: ['stomp://127.0.0.1:1'] }), messageOf())
  expect(away.errorDetail).toBe('The connection was refused.')
  expect((await send(network, targetOf({ addresses: [] }), messageOf())).errorDetail).toMatch(/no address/)
})

test('a setting of two lines adds no header to a frame', async () => {
  const connections = broker.connections()
  const outcome = await send(network, targetOf({ username: `${brokerUser.login}\nhost:other` }), messageOf())
  expect(outcome).toMatchObject({ succeeded: false, isFinal: true })
  expect(broker.connections()).toBe(connections)
})

test('a message that is too long fails for good', async () => {
  const outcome = await send(network, targetOf(), messageOf(shows({ name: 'x'.repeat(300_000) })))
  expect(outcome).toMatchObject({ succeeded: false, isFinal: true })
})

test('stomp+ssl checks the certificate', async () => {
  const secure = await openStompBroker(true)
  const target = targetOf({ addresses: [secure.address] })
  expect((await send(network, target, messageOf())).errorDetail).toMatch(/self-signed certificate/)
  const usual = tls.getCACertificates('default')
  tls.setDefaultCACertificates([...usual, ownCertificate.cert])
  expect((await send(network, target, messageOf())).succeeded).toBe(true)
  tls.setDefaultCACertificates(usual)
  await secure.close()
})
