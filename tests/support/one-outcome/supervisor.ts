import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/** What is killed: the server, its PostgreSQL with all sessions, or both. */
export const victims = ['server', 'postgres', 'both'] as const
export type Victim = (typeof victims)[number]

/** A server process that is started again whenever it ends, as an operator's supervisor does. */
export interface SupervisedServer {
  readonly url: string
  /** How often it has been started. */
  readonly starts: () => number
  kill(victim: Victim): void
  /** Settles when it answers. */
  ready(): Promise<void>
  stop(): Promise<void>
}

const sutler = fileURLToPath(new URL('../../../command/sutler.ts', import.meta.url))
/** Saves each start from stripping the types of the whole server again. */
const compiled = process.env.NODE_COMPILE_CACHE ?? join(tmpdir(), 'node-compile-cache')
/** Between the end of a process and the next start. */
const pauseMs = 100

export async function supervise(
  dataDir: string,
  settings: Record<string, string>,
): Promise<SupervisedServer> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  let [starts, isStopping] = [0, false]
  let child: ChildProcess | undefined
  const run = async () => {
    while (!isStopping) {
      starts += 1
      const env = { ...settings, SUTLER_DATA_DIR: dataDir, PORT: String(port), HOST: '127.0.0.1' }
      const own = spawn(process.execPath, [sutler, 'start'], {
        env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: compiled, ...env },
        stdio: 'ignore',
      })
      child = own
      await new Promise((done) => own.once('exit', done))
      await sleep(pauseMs)
    }
  }
  const running = run()
  return {
    url,
    starts: () => starts,
    kill(victim) {
      const postgres = victim === 'server' ? [] : postgresOf(dataDir)
      if (victim !== 'postgres') child?.kill('SIGKILL')
      for (const pid of postgres) killIfAlive(pid)
    },
    async ready() {
      for (;;) {
        const reply = await fetch(`${url}/readyz`).catch(() => undefined)
        await reply?.arrayBuffer()
        if (reply?.status === 200) return
        await sleep(pauseMs)
      }
    },
    async stop() {
      isStopping = true
      child?.kill('SIGTERM')
      await running
    },
  }
}

/** The postmaster and its children; nothing while it is not running. */
function postgresOf(dataDir: string): readonly number[] {
  try {
    const [pid = ''] = readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')
    const children = execFileSync('ps', ['-o', 'pid=', '--ppid', pid]).toString().split(/\s+/)
    return [pid, ...children].filter(Boolean).map(Number)
  } catch {
    return []
  }
}

function killIfAlive(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended with its postmaster.
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as { readonly port: number }
  await new Promise((done) => server.close(done))
  return port
}
