import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, inject } from 'vitest'
import { readConfig } from '../../server/config.ts'
import { type RunningServer, type Swaps, start } from '../../server/main.ts'
import { type Client, clientOf, hangUp } from './client.ts'
import { copyDataDirectory } from './copy-data-directory.ts'

/** A server as an operator runs it: a process of its own. */
export interface Process {
  readonly child: ChildProcess
  readonly output: () => string
  readonly exit: Promise<number | null>
  /** The address that it prints. */
  readonly ready: Promise<string>
}

const entryOfSutler = fileURLToPath(new URL('../../command/sutler.ts', import.meta.url))
const started: ChildProcess[] = []
const startedHere: RunningServer[] = []
const directories: string[] = []

/** The key of a process, unless a test wants the one that the server creates. */
export const key = {
  SUTLER_CLIENT_ID: 'journey',
  SUTLER_CLIENT_SECRET: 'the secret of all journeys, long enough',
}

/** Stops the processes and servers of a test when it ends. */
export function stopAfterEach(): void {
  afterEach(async () => {
    for (const child of started.splice(0)) await stop(child)
    if (startedHere.length > 0) hangUp()
    for (const server of startedHere.splice(0)) await server.stop()
    for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true })
  })
}

/**
 * The environment of every process. The compile cache saves each process from stripping the types of the whole server
 * again.
 */
export const environment = {
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
}

export function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'sutler-journey-'))
  directories.push(directory)
  return directory
}

/** A data directory after its first start: the next start only opens it. */
export function startedDirectory(): string {
  const directory = newDirectory()
  copyDataDirectory(inject('dataDirectory'), directory)
  return directory
}

/** `entry` is the file to run: the server, unless a test serves more. */
export function serve(
  dataDir: string,
  settings: Record<string, string> = {},
  entry = entryOfSutler,
): Process {
  const configuration = {
    SUTLER_DATA_DIR: dataDir,
    PORT: '0',
    HOST: '127.0.0.1',
    LOG_LEVEL: 'error',
    ...settings,
  }
  const child = spawn(process.execPath, [entry, 'start'], {
    env: { ...environment, ...configuration },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  started.push(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text) => {
      output += text
    })
  }
  const exit = new Promise<number | null>((done) => child.once('exit', (code) => done(code)))
  const ready = new Promise<string>((done, failed) => {
    child.stdout.on('data', () => {
      const match = /ready at (\S+)/.exec(output)
      if (match?.[1]) done(match[1].replace('localhost', '127.0.0.1'))
    })
    exit.then(() => failed(new Error(`stopped before it was ready: ${output}`)))
  })
  ready.catch(() => {})
  return { child, output: () => output, exit, ready }
}

/**
 * A server in this process, for a test that neither kills it nor reads what it prints: a process takes five times as
 * long to start.
 */
export async function startHere(
  settings: Record<string, string>,
  { dataDir = newDirectory(), ...swaps }: Swaps & { readonly dataDir?: string } = {},
): Promise<RunningServer> {
  const own = { SUTLER_DATA_DIR: dataDir, PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'error' }
  const server = await start(readConfig({ ...own, ...settings }), swaps)
  startedHere.push(server)
  return server
}

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = new Promise((done) => child.once('exit', done))
  child.kill('SIGTERM')
  await exited
}

/** A caller of the server with an application key. */
export async function adminOf(
  url: string,
  id = key.SUTLER_CLIENT_ID,
  secret = key.SUTLER_CLIENT_SECRET,
): Promise<Client> {
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: secret })
  const answer = await fetch(`${url}/oauth/access_token`, { method: 'POST', body })
  return clientOf(url, ((await answer.json()) as { access_token: string }).access_token)
}
