import { spawn } from 'node:child_process'
import * as fs from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { emptyDatabase } from '../support/own-database.ts'
import { asUser, whyNotAs } from './other-user.ts'

/** A user id that no system gives a name to. */
const nameless = 54_321

const entry = join(import.meta.dirname, '../../command/sutler.ts')
const place = fs.mkdtempSync(join(tmpdir(), 'sutler-nameless-'))
fs.chmodSync(place, 0o777)
afterAll(() => fs.rmSync(place, { recursive: true, force: true }))

/** Starts a server as a user without a name and without HOME, and ends it when it is ready. */
async function startAsNameless(folder: string, settings: Record<string, string>) {
  const dataDir = join(place, folder)
  fs.mkdirSync(dataDir)
  fs.chownSync(dataDir, nameless, nameless)
  const env = { PATH: process.env.PATH, SUTLER_DATA_DIR: dataDir, PORT: '0', HOST: '127.0.0.1', ...settings }
  const [file = '', ...args] = [...asUser(nameless), process.execPath, entry]
  const child = spawn(file, args, { cwd: place, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text) => {
      output += text
      if (output.includes('ready at')) child.kill('SIGTERM')
    })
  }
  const code = await new Promise((done) => child.once('close', done))
  return { code, output }
}

const whyNot = whyNotAs(nameless)

describe.skipIf(whyNot)(`a user id without a name${whyNot ? ` (not here: ${whyNot})` : ''}`, () => {
  test('starts a server on a PostgreSQL elsewhere, without HOME', async () => {
    const database = await emptyDatabase()
    // The socket of the tests is for its owner.
    const [, folder = ''] = /[?&]host=([^&]+)/.exec(database.url) ?? []
    const socket = join(decodeURIComponent(folder), '.s.PGSQL.5432')
    const proxy = createServer((client) => {
      const server = connect(socket)
      for (const one of [client, server]) one.on('error', () => {})
      client.pipe(server).pipe(client)
    })
    await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done))
    const { port } = proxy.address() as { readonly port: number }
    const DATABASE_URL = `postgres://sutler@127.0.0.1:${port}/${database.name}`
    const { code, output } = await startAsNameless('elsewhere', { DATABASE_URL })
    proxy.close()
    expect([code, output]).toEqual([0, expect.stringContaining('Sutler is ready at')])
    await database.drop()
  })

  test('is told in one line why it cannot have the PostgreSQL that comes along', async () => {
    const { code, output } = await startAsNameless('embedded', {})
    expect([code, output]).toEqual([
      1,
      `sutler: PostgreSQL cannot create a database for the user id ${nameless}, which has no name on this system: ` +
        'set DATABASE_URL, or run as a user with a name (10001 in the image)\n',
    ])
  })
})
