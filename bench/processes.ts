import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type OwnServer, startOwnServer } from './own-server.ts'
import { median, printLoad, printRow } from './pairs.ts'

/**
 * `node bench/processes.ts [rounds seconds kind]`: what one process and two serve on one database, in turns, and what
 * they take of the processor for each request. `wrk` sends the requests, from the same cores, so on two cores the
 * requests a second cannot double: the processor time of each says what more cores would serve. Then what processes
 * take that have nothing to do. Cells are medians of the rounds.
 */
const [rounds = 3, seconds = 4] = process.argv.slice(2, 4).map(Number)
const onlyKind = process.argv[4]
/** The first round is as many times as long: each process compiles its code for itself. */
const warmRounds = 4
const connections = 32
const idleSeconds = 30
/** The kernel counts hundredths of a second. */
const tickUs = 10_000
const folder = mkdtempSync(join(tmpdir(), 'sutler-wrk-'))
if (spawnSync('wrk', ['--version']).error) throw new Error('install wrk: it sends the requests')
setPriority(5)

const startWith = (processes: number, beside?: OwnServer) => {
  process.env.SUTLER_PROCESSES = String(processes)
  return startOwnServer(undefined, beside && { beside })
}

/** Runs the database, which has connections for both. */
const two = await startWith(2)
const one = await startWith(1, two)
try {
  const { id } = await makeAccounts(two)
  const account = JSON.stringify({ data: { type: 'account', name: 'Bench' } })
  const kinds = {
    'no database (`/healthz`)': { path: '/healthz' },
    'get an account': { path: `/v2/accounts/${id}` },
    'list ten accounts': { path: '/v2/accounts?page[limit]=10' },
    'create an account': { path: '/v2/accounts', body: account },
  }
  printLoad()
  printRow([
    'requests',
    'processes',
    'requests/s',
    'node µs',
    'PostgreSQL µs',
    'wrk µs',
    'node cores',
    'times one',
  ])
  printRow([':--', '--:', '--:', '--:', '--:', '--:', '--:', '--:'])
  for (const [kind, request] of Object.entries(kinds)) {
    if (kind !== (onlyKind ?? kind)) continue
    const runs: Record<1 | 2, Run[]> = { 1: [], 2: [] }
    for (let round = -1; round < rounds; round++)
      for (const processes of round % 2 ? ([2, 1] as const) : ([1, 2] as const)) {
        const run = await load(
          processes === 1 ? one : two,
          request,
          round < 0 ? warmRounds * seconds : seconds,
        )
        if (round >= 0) runs[processes].push(run)
      }
    const cell = (processes: 1 | 2, of: (run: Run) => number) => median(runs[processes].map(of))
    for (const processes of [1, 2] as const)
      printRow([
        ...[kind, processes, cell(processes, (run) => run.perSecond).toFixed(0)],
        ...(['nodeUs', 'postgresUs', 'wrkUs'] as const).map((of) =>
          cell(processes, (run) => run[of]).toFixed(0),
        ),
        cell(processes, (run) => run.nodeCores).toFixed(2),
        (cell(processes, (run) => run.perSecond) / cell(1, (run) => run.perSecond)).toFixed(2),
      ])
  }
  printLoad()
} finally {
  await one.stop()
  await two.stop()
}
if (!onlyKind) await measureIdle()
rmSync(folder, { recursive: true, force: true })

interface Run {
  readonly perSecond: number
  readonly nodeUs: number
  readonly postgresUs: number
  readonly wrkUs: number
  /** How many cores the processes of the server had. */
  readonly nodeCores: number
}

async function load(
  server: OwnServer,
  { path, body }: { readonly path: string; readonly body?: string },
  forS: number,
): Promise<Run> {
  const script = join(folder, 'post.lua')
  writeFileSync(
    script,
    body
      ? `wrk.method = "POST"\nwrk.body = [[${body}]]\nwrk.headers["content-type"] = "application/json"\n`
      : '',
  )
  const before = spentBy(server)
  const beganMs = performance.now()
  const wrk = spawn('wrk', [
    ...['-t1', `-c${connections}`, `-d${forS}s`, '--timeout', '60s', '-s', script],
    ...['-H', `Authorization: Bearer ${server.token}`, server.url + path],
  ])
  let [output, wrkUs] = ['', 0]
  wrk.stdout.on('data', (text: Buffer) => {
    output += text
  })
  const ticks = setInterval(() => {
    wrkUs = statOf(String(wrk.pid))?.us ?? wrkUs
  }, 20)
  await new Promise((done) => wrk.once('close', done))
  clearInterval(ticks)
  const after = spentBy(server)
  const tookUs = (performance.now() - beganMs) * 1000
  const [, count = '0'] = /(\d+) requests in/.exec(output) ?? []
  if (/Non-2xx|Socket errors/.test(output)) throw new Error(output)
  return {
    perSecond: Number(/Requests\/sec: +([\d.]+)/.exec(output)?.[1]),
    nodeUs: (after.nodeUs - before.nodeUs) / Number(count),
    postgresUs: (after.postgresUs - before.postgresUs) / Number(count),
    wrkUs: wrkUs / Number(count),
    nodeCores: (after.nodeUs - before.nodeUs) / tookUs,
  }
}

async function makeAccounts({ call }: OwnServer): Promise<{ readonly id: string }> {
  let last = { id: '' }
  for (let i = 0; i < 50; i++) {
    const made = await call<{ readonly data: { readonly id: string } }>(
      ...(['POST', '/v2/accounts', { type: 'account', name: `A ${i}` }, 201] as const),
    )
    last = made.data
  }
  return last
}

/** What a server takes that nobody asks anything. */
async function measureIdle(): Promise<void> {
  printRow(['idle processes', 'node, % of a core', 'PostgreSQL, % of a core', 'resident MB of node'])
  printRow(['--:', '--:', '--:', '--:'])
  for (const processes of [1, 2, 4]) {
    const server = await startWith(processes)
    await sleep(10_000)
    const before = spentBy(server)
    await sleep(idleSeconds * 1000)
    const after = spentBy(server)
    const share = (us: number) => (us / idleSeconds / 10_000).toFixed(2)
    const resident = ownProcesses(server).map((pid) => residentMbOf(pid).toFixed(0))
    printRow([
      ...[processes, share(after.nodeUs - before.nodeUs), share(after.postgresUs - before.postgresUs)],
      resident.join(' + '),
    ])
    await server.stop()
  }
}

/** Of a server and the database of `two`, or its own. */
function spentBy(server: OwnServer): { readonly nodeUs: number; readonly postgresUs: number } {
  const sum = (pids: readonly string[]) => pids.reduce((all, pid) => all + (statOf(pid)?.us ?? 0), 0)
  const directory = server === one ? two.directory : server.directory
  const [postmaster = ''] = readFileSync(join(directory, 'postgres/postmaster.pid'), 'utf8').split('\n')
  return { nodeUs: sum(ownProcesses(server)), postgresUs: sum([postmaster, ...childrenOf(postmaster)]) }
}

/** The process that was started, and those that it has started to serve. */
function ownProcesses({ pid }: OwnServer): readonly string[] {
  const workers = childrenOf(String(pid)).filter((child) =>
    readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('worker.ts'),
  )
  return [String(pid), ...workers]
}

function childrenOf(parent: string): readonly string[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && statOf(name)?.parent === parent)
}

function residentMbOf(pid: string): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1000
}

function statOf(pid: string): { readonly parent: string; readonly us: number } | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return { parent: fields[1] ?? '', us: (Number(fields[11]) + Number(fields[12])) * tickUs }
  } catch {
    return undefined
  }
}
