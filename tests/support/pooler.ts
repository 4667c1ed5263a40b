import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { chooseOwner } from '../../server/platform/postgres/run-as.ts'
import { freePort } from './free-port.ts'

/** PgBouncer 1.21. Older ones do not keep prepared statements in transaction mode. */
const minorMin = 21

/** A pgbouncer in front of a PostgreSQL, with all of its databases. */
export interface Pooler {
  /** The address of one of the databases. */
  urlOf(database: string): string
  readonly pid: number
  stop(): Promise<void>
}

const keepsStatements = (program: string): boolean =>
  Number(/PgBouncer 1\.(\d+)/.exec(execFileSync(program, ['--version'], { encoding: 'utf8' }))?.[1]) >=
  minorMin

/** A pgbouncer that keeps prepared statements, or does not: SUTLER_TEST_PGBOUNCER, or the one in PATH. */
export function findPooler(keeps = true): string | undefined {
  const inPath = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'].map((one) =>
    join(one, 'pgbouncer'),
  )
  return [process.env.SUTLER_TEST_PGBOUNCER ?? '', ...inPath].find(
    (program) => program && existsSync(program) && keepsStatements(program) === keeps,
  )
}

/** The socket directory in the URL of an embedded PostgreSQL. */
const socketsOf = (postgres: string) => new URL(postgres.replace('@/', '@x/')).searchParams.get('host') ?? ''

export async function startPooler(
  program: string,
  postgres: string,
  settings: Readonly<Record<string, string | number>> = {},
): Promise<Pooler> {
  const home = mkdtempSync(join(tmpdir(), 'sutler-pooler-'))
  const port = await freePort()
  const all = {
    ...{ listen_addr: '127.0.0.1', listen_port: port, unix_socket_dir: home, auth_type: 'any' },
    ...{ pool_mode: 'transaction', default_pool_size: 20, max_client_conn: 5000 },
    ...(keepsStatements(program) && { max_prepared_statements: 500 }),
    ...settings,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`)
  const file = join(home, 'pgbouncer.ini')
  const log = join(home, 'log')
  writeFileSync(
    file,
    [
      '[databases]',
      `* = host=${socketsOf(postgres)} user=sutler`,
      '[pgbouncer]',
      `logfile = ${log}`,
      ...lines,
      '',
    ].join('\n'),
  )
  // It refuses to run as root, as PostgreSQL does.
  const { uid, gid } = chooseOwner(join(home, 'none')) ?? {}
  chmodSync(home, 0o755)
  if (uid !== undefined && gid !== undefined) chownSync(home, uid, gid)
  const child = spawn(program, ['-q', file], {
    ...(uid !== undefined && { uid }),
    ...(gid !== undefined && { gid }),
    stdio: 'ignore',
  })
  await untilListens(child, port).catch((error: Error) => {
    throw new Error(`${error.message}: ${existsSync(log) ? readFileSync(log, 'utf8') : 'no log'}`)
  })
  return {
    pid: child.pid as number,
    urlOf: (database) => `postgres://sutler@/${database}?host=${encodeURIComponent(home)}&port=${port}`,
    async stop() {
      const ended = new Promise((done) => child.once('exit', done))
      child.kill('SIGTERM')
      setTimeout(() => child.kill('SIGKILL'), 2000).unref()
      await ended
      rmSync(home, { recursive: true, force: true })
    },
  }
}

async function untilListens(child: ChildProcess, port: number): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    if (child.exitCode !== null) throw new Error(`pgbouncer has ended with ${child.exitCode}`)
    const socket = connect(port, '127.0.0.1')
    const isOpen = await new Promise((done) =>
      socket.once('connect', () => done(true)).once('error', () => done(false)),
    )
    socket.destroy()
    if (isOpen) return
    await new Promise((done) => setTimeout(done, 25))
  }
  throw new Error('pgbouncer does not listen')
}
