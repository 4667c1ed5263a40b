import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { app } from '../../server/app.ts'
import { action } from '../../server/kernel/declare/action.ts'
import { module } from '../../server/kernel/module.ts'
import { json } from '../../server/kernel/shape/answer.ts'
import { shown } from '../../server/kernel/shape/shown.ts'
import { openWorld, type World } from '../support/world.ts'

/** How many calls were begun, how many run now, and how many ran at the same time at most. */
const calls = { begun: 0, running: 0, most: 0 }

const data = shown.group({ text: shown.text })
const common = { area: 'accounts', about: 'Answers.', status: 200, shows: { data } } as const

const echoes = module({
  name: 'echoes',
  about: 'Answers that are long, or take a moment.',
  actions: [
    action({
      ...common,
      name: 'wait-a-moment',
      route: 'GET /v2/echoes/:id/moment',
      async run(_ctx, { params }) {
        calls.begun++
        calls.running++
        calls.most = Math.max(calls.most, calls.running)
        await sleep(2)
        calls.running--
        return json(200, { data: { text: `echo ${Number(params.id.slice(-4))}.` } })
      },
    }),
    action({
      ...common,
      name: 'answer-at-length',
      route: 'GET /v2/echoes/length',
      async run() {
        calls.begun++
        return json(200, { data: { text: 'x'.repeat(16 * 1024 * 1024) } })
      },
    }),
  ],
})

let world: World
beforeAll(async () => {
  world = await openWorld({ modules: [...app, echoes] })
})
afterAll(() => world.close())

/** A client that sends all requests in one packet. */
function sendAll(paths: readonly string[]): Socket {
  Object.assign(calls, { begun: 0, running: 0, most: 0 })
  const { hostname, port } = new URL(world.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  const head = `host: sutler\r\nauthorization: Bearer ${world.admin.token}\r\n\r\n`
  socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\n${head}`).join(''))
  return socket
}

const numbered = (count: number) => Array.from({ length: count }, (_, i) => `/v2/echoes/${idOf(i)}/moment`)
const idOf = (i: number) => `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`
const soon = { timeout: 20_000 }

test('requests that a client sends without waiting for responses run one after the other, in order', async () => {
  let answers = ''
  sendAll(numbered(40)).on('data', (chunk) => {
    answers += chunk
  })
  await expect.poll(() => answers, soon).toContain('echo 39.')
  expect([...answers.matchAll(/echo (\d+)\./g)].map(([, id]) => Number(id))).toEqual([...Array(40).keys()])
  expect(calls).toEqual({ begun: 40, running: 0, most: 1 })
})

test('the next request does not begin while the client does not read the previous response', async () => {
  const socket = sendAll(Array.from({ length: 20 }, () => '/v2/echoes/length'))
  socket.pause()
  await expect.poll(() => calls.begun, soon).toBe(1)
  await sleep(300)
  expect(calls.begun).toBe(1)
  socket.resume()
  await expect.poll(() => calls.begun, soon).toBeGreaterThan(1)
})

test('a connection with more waiting requests than any client sends is closed', async () => {
  const socket = sendAll(numbered(150))
  socket.resume()
  await new Promise((closed) => socket.once('close', closed))
  await sleep(50)
  expect(calls.begun).toBeLessThan(150)
})
