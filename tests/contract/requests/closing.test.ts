import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openWorld, type World } from '../../support/world.ts'

/** A stopping server answers requests that have arrived, or are on their way. */

let world: World
let stopped: Promise<void> | undefined
beforeEach(async () => {
  world = await openWorld({ alone: true })
  stopped = undefined
})
afterEach(async () => {
  await stopped
  await world.close()
})

const request = () =>
  `GET /v2/accounts HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${world.admin.token}\r\n\r\n`

/** All data until the other end closes the connection. */
async function heardFrom(socket: Socket): Promise<string> {
  let heard = ''
  socket.on('data', (data) => {
    heard += data
  })
  await once(socket, 'close')
  return heard
}

const open = () => connect({ port: Number(new URL(world.url).port), host: '127.0.0.1' })
const answered = /^HTTP\/1\.1 200 OK\r\n(.*\r\n)*connection: close\r\n/i

/** Opens a connection, uses it, and keeps it open. */
async function openIdle(): Promise<Socket> {
  const socket = open()
  socket.write(request())
  await once(socket, 'data')
  return socket
}

test('a request that has arrived on an idle connection is answered', async () => {
  const socket = await openIdle()
  // The stop comes before the server has read it.
  socket.write(request())
  stopped = world.server.stop()
  expect(await heardFrom(socket)).toMatch(answered)
})

test('a request that is on its way on an idle connection is answered', async () => {
  const socket = await openIdle()
  stopped = world.server.stop()
  await sleep(20)
  socket.write(request())
  expect(await heardFrom(socket)).toMatch(answered)
})

test('requests on connections that are not yet accepted are answered', async () => {
  const sockets = Array.from({ length: 20 }, () => open())
  for (const socket of sockets) socket.write(request())
  // Now the system has made the connections, and the server has not accepted them.
  await new Promise<void>((done) => process.nextTick(done))
  stopped = world.server.stop()
  const heard = await Promise.all(sockets.map(heardFrom))
  expect(heard.filter((one) => !answered.test(one))).toEqual([])
})

test('an idle connection does not delay the stop', async () => {
  const socket = await openIdle()
  stopped = world.server.stop()
  expect(await heardFrom(socket)).toBe('')
  await stopped
})
