import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { run } from '../../builders/tools/run-command.ts'
import { newDirectory, stopAfterEach } from '../../support/process.ts'
import { type HostileServer, openHostileServer } from './hostile-server.ts'

stopAfterEach()

const copy = (from: string, to: string) => {
  const key = [
    '--client-id',
    'id',
    '--client-secret',
    'secret',
    '--to-client-id',
    'id',
    '--to-client-secret',
    'secret',
  ]
  const state = join(newDirectory(), 'copy.ndjson')
  return run(['copy', '--from', from, ...key, '--to', to, '--state', state], {})
}

/** A port of this machine where nobody listens. */
async function refusing(): Promise<string> {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as { port: number }
  await new Promise((done) => server.close(done))
  return `http://127.0.0.1:${port}`
}

test('a copy ends with the reason when one of the servers refuses connections, before it copies anything', async () => {
  const [nobody, somebody]: [string, HostileServer] = [await refusing(), await openHostileServer()]
  for (const [from, to] of [
    [nobody, somebody.url],
    [somebody.url, nobody],
  ] as const) {
    const { code, stdout, stderr } = await copy(from, to)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain(`sutler: ${nobody} does not answer: connect ECONNREFUSED`)
  }
  expect(somebody.requests).toEqual([])
  await somebody.close()
}, 30_000)
