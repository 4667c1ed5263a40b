import { fork } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { heapFlags } from '../command/heap-flags.ts'
import { Database } from '../server/kernel/storage/database.ts'
import { findRunning } from '../server/platform/postgres/embedded.ts'

/** A server process on an embedded PostgreSQL of its own, and its administrator. */
export interface OwnServer {
  readonly url: string
  /** Of its process. */
  readonly pid: number
  readonly directory: string
  readonly databaseUrl: string
  readonly database: Database
  /** Of the administrator. */
  readonly token: string
  /** What the token was given for. */
  readonly key: typeof credentials
  /** A request whose response must have the status `expected`. */
  call<T>(method: string, path: string, data?: object, expected?: number): Promise<T>
  /** The status of a POST. */
  post(path: string, body: string): Promise<number>
  /** Sends a message to its process, for what was loaded into it. */
  tell(message: string): void
  /** The same, and the answer. */
  ask<T>(message: string): Promise<T>
  stop(): Promise<void>
}

const credentials = { client_id: 'bench', client_secret: 'the secret of the bench, long enough' }

interface OwnServerOptions {
  /** Uses the database of that server. */
  readonly beside?: Pick<OwnServer, 'databaseUrl'>
  /** Settings in place of the usual ones. */
  readonly env?: Readonly<Record<string, string>>
  /** Flags of Node that load something before the program. */
  readonly preload?: readonly string[]
}

/** `checkout`: the directory of another commit, whose server starts in place of this one's. */
export async function startOwnServer(
  checkout = resolve(import.meta.dirname, '..'),
  { beside, env = {}, preload = [] }: OwnServerOptions = {},
): Promise<OwnServer> {
  const directory = mkdtempSync(join(tmpdir(), 'sutler-bench-'))
  const { entry, command, flags } = programOf(checkout)
  const child = fork(join(checkout, entry), [command], {
    execArgv: [...flags, ...preload],
    env: {
      ...process.env,
      DATABASE_URL: beside?.databaseUrl.split('&options=')[0] ?? '',
      PORT: '0',
      HOST: '127.0.0.1',
      LOG_LEVEL: 'error',
      SUTLER_PROVIDER_NETWORKS: 'loopback',
      SUTLER_WEBHOOK_NETWORKS: 'loopback',
      SUTLER_DATA_DIR: directory,
      SUTLER_SECRET: 'bench secret bench secret bench secret',
      SUTLER_CLIENT_ID: credentials.client_id,
      SUTLER_CLIENT_SECRET: credentials.client_secret,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const url = await new Promise<string>((done, fail) => {
    child.once('exit', () => fail(new Error('the server did not start')))
    child.stdout?.on('data', (text: Buffer) => {
      const match = /ready at (\S+)/.exec(String(text))
      if (match?.[1]) done(match[1].replace('localhost', '127.0.0.1'))
    })
  })
  // What a bench inserts has the times that it says, however old.
  const databaseUrl =
    beside?.databaseUrl ??
    `${findRunning(directory) ?? ''}&options=${encodeURIComponent('-c sutler.keep_times=on')}`
  const database = new Database(databaseUrl, 10)
  const form = new URLSearchParams({ grant_type: 'client_credentials', ...credentials })
  const issued = await fetch(`${url}/oauth/access_token`, { method: 'POST', body: form })
  const { access_token } = (await issued.json()) as { access_token: string }
  const headers = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' }

  return {
    url,
    pid: child.pid as number,
    directory,
    databaseUrl,
    database,
    token: access_token,
    key: credentials,
    async call<T>(method: string, path: string, data?: object, expected = 200) {
      const body = data && JSON.stringify({ data })
      const answer = await fetch(url + path, { method, headers, ...(body && { body }) })
      const text = await answer.text()
      if (answer.status !== expected) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
      return (text ? JSON.parse(text) : undefined) as T
    },
    async post(path, body) {
      const answer = await fetch(url + path, { method: 'POST', headers, body })
      await answer.arrayBuffer()
      return answer.status
    },
    tell: (message) => void child.send(message),
    ask: (message) => {
      const answer = new Promise((done) => child.once('message', done))
      child.send(message)
      return answer as Promise<never>
    },
    async stop() {
      await database.close()
      const exited = new Promise((done) => child.once('exit', done))
      child.kill('SIGTERM')
      await exited
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** How the server of a checkout starts. Those of before have another command. */
function programOf(checkout: string) {
  const entry = 'command/sutler.ts'
  if (existsSync(join(checkout, entry))) return { entry, command: 'start', flags: heapFlags }
  const file = join(checkout, 'scripts/heap-flags.json')
  const flags: readonly string[] = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : []
  return { entry: 'server/main.ts', command: 'serve', flags }
}

/** The id of the realm of a store's customers. */
export async function customerRealmOf({ call }: OwnServer): Promise<string> {
  const settings = await call<Settings>('GET', '/v2/settings/customer-authentication')
  return settings.data.relationships['authentication-realm'].data.id
}

interface Settings {
  readonly data: {
    readonly relationships: { readonly 'authentication-realm': { readonly data: CreatedObject } }
  }
}

export interface CreatedObject {
  readonly id: string
}
