import { type ChildProcess, execFile, spawn } from 'node:child_process'
import * as fs from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { StartupError, StartupRefusal } from '../faults.ts'
import { syncDirectory } from './copy-tree.ts'
import { claim, codeOf, commandOf, exists, isAlive, processesIn, readOr } from './pid-file.ts'
import { findPrograms, linkLibraries, linkLibrariesIn, type Programs } from './programs.ts'
import { chooseLauncher, chooseOwner, giveTo, type Launcher, launch, type User } from './run-as.ts'
import { settings } from './settings.ts'

/** The PostgreSQL that comes with the server: a regular one from an npm package, on a Unix socket. */
export interface EmbeddedPostgres {
  /** For the `pg` package. The socket is in a private directory, so there is no password. */
  readonly url: string
  /** Settles, with one line for the log, only if PostgreSQL stops unexpectedly. */
  readonly exited: Promise<string>
  /** Ends all sessions and writes everything to disk. May be called more than once. */
  stop(): Promise<void>
}

type Settings = Readonly<Record<string, string | number>>

/** The major version of the package below; it cannot open clusters of other versions. */
const major = '18'
const superuser = 'sutler'
const limits = {
  startMs: 300_000, // crash recovery replays up to max_wal_size
  fastShutdownMs: 60_000,
  socketPathBytes: 107,
  logBytes: 10_000_000,
} as const

/**
 * Starts PostgreSQL on the cluster in a data directory. Creates the directory and the cluster if they are missing.
 * `others`: settings in place of the usual ones.
 */
export async function startEmbedded(dataDir: string, others: Settings = {}): Promise<EmbeddedPostgres> {
  const programs = findPrograms()
  const home = openDataDir(dataDir)
  const release = await claim(home)
  const cluster = join(home, 'postgres')
  const log = join(home, 'postgres.log')
  let socketDir: string | undefined
  try {
    await stopOrphan(cluster)
    await endSessions(cluster)
    removeLeftovers(cluster)
    const owner = chooseOwner(cluster)
    socketDir = makeSocketDir(home)
    const libraries = linkLibraries(programs) ? [] : linkLibrariesIn(join(socketDir, 'lib'), programs)
    if (owner) giveTo(owner, socketDir)
    const launcher = chooseLauncher(owner, programs.postgres, home, socketDir, libraries)
    if (!fs.existsSync(cluster)) {
      mustNotBeHalfRestored(home)
      mustHaveName()
      await createCluster(programs, cluster, owner, launcher)
    }
    checkVersion(cluster)
    const postgres = await startPostmaster(launcher, programs.postgres, cluster, socketDir, log, {
      ...settings,
      ...others,
    })
    return toEmbedded(postgres, socketDir, log, release)
  } catch (error) {
    if (socketDir) fs.rmSync(socketDir, { recursive: true, force: true })
    release()
    if (error instanceof StartupError) throw error
    throw new StartupError(`cannot start PostgreSQL in ${home}: ${lastLine(error)}`, { cause: error })
  }
}

/** The directory that a restore works in until it is complete. */
export const unfinishedRestore = 'restore.unfinished-'

/** Refuses a half-restored directory: a new, empty database would look as if the restore had lost the data. */
function mustNotBeHalfRestored(home: string): void {
  if (!fs.readdirSync(home).some((name) => name.startsWith(unfinishedRestore))) return
  throw new StartupRefusal(`a restore into ${home} did not finish: run sutler restore again`)
}

/** `initdb` looks up the name of its user, whatever the cluster is to be called. */
function mustHaveName(): void {
  const uid = process.getuid?.()
  if (uid === 0) return
  try {
    userInfo()
  } catch {
    throw new StartupError(
      `PostgreSQL cannot create a database for the user id ${uid}, which has no name on this system: ` +
        'set DATABASE_URL, or run as a user with a name (10001 in the image)',
    )
  }
}

const urlAt = (socketDir: string) =>
  `postgresql://${superuser}@/${superuser}?host=${encodeURIComponent(socketDir)}`

/** The URL of the PostgreSQL that runs on the cluster in a data directory, if it runs. */
export function findRunning(home: string): string | undefined {
  const cluster = join(home, 'postgres')
  const [pid, , , , socketDir] = readOr(join(cluster, 'postmaster.pid'), '').split('\n')
  return socketDir && runsOn(cluster, Number(pid)) ? urlAt(socketDir) : undefined
}

const runsOn = (cluster: string, pid: number) => isAlive(pid) && commandOf(pid).includes(` -D ${cluster} `)

function toEmbedded(
  postgres: ChildProcess,
  socketDir: string,
  log: string,
  release: () => void,
): EmbeddedPostgres {
  let stopped: Promise<void> | undefined
  const ended = new Promise<string>((done) => {
    postgres.once('exit', (code, signal) => done(signal ? `signal ${signal}` : `exit code ${code}`))
  })
  return {
    url: urlAt(socketDir),
    exited: new Promise((done) => {
      ended.then((how) => {
        if (stopped) return
        const why = diskWasFull(log) ? ': its disk has no space left' : ''
        done(`PostgreSQL stopped unexpectedly (${how})${why}; see ${log}`)
      })
    }),
    stop() {
      stopped ??= (async () => {
        postgres.kill('SIGINT') // a fast shutdown
        const late = setTimeout(() => postgres.kill('SIGQUIT'), limits.fastShutdownMs)
        await ended
        clearTimeout(late)
        fs.rmSync(socketDir, { recursive: true, force: true })
        release()
      })()
      return stopped
    },
  }
}

// ---- The directory

function openDataDir(dataDir: string): string {
  try {
    fs.mkdirSync(dataDir, { recursive: true })
    fs.accessSync(dataDir, fs.constants.W_OK | fs.constants.X_OK)
    return fs.realpathSync(dataDir)
  } catch (error) {
    const reasons: Record<string, string> = {
      EEXIST: 'it is not a directory',
      ENOTDIR: 'part of its path is not a directory',
      ENOENT: 'it cannot be created there',
      EACCES: 'this user has no permission to write there',
      EROFS: 'the disk is read-only',
      ENOSPC: 'the disk is full',
    }
    const reason = reasons[codeOf(error) ?? ''] ?? (error as Error).message
    throw new StartupError(`cannot use the data directory ${resolve(dataDir)}: ${reason}`)
  }
}

// ---- What an earlier run may have left

/** Larger than any pid of a system. */
const impossiblePid = 99_999_999

/** Stops the PostgreSQL of a killed Sutler, so that this one can start its own. */
async function stopOrphan(cluster: string): Promise<void> {
  const pidFile = join(cluster, 'postmaster.pid')
  const lines = readOr(pidFile, '').split('\n')
  const pid = Number(lines[0])
  if (!pid) return
  const ours = () => runsOn(cluster, pid)
  for (const [signal, waitMs] of [
    ['SIGINT', limits.fastShutdownMs],
    ['SIGQUIT', 10_000],
  ] as const) {
    if (!ours()) break
    try {
      process.kill(pid, signal)
    } catch (error) {
      if (codeOf(error) === 'EPERM') break
    }
    for (const until = Date.now() + waitMs; ours() && Date.now() < until; ) await sleep(20)
  }
  if (ours())
    throw new StartupError(`cannot stop the PostgreSQL of an earlier run (pid ${pid}): stop it yourself`)
  // PostgreSQL believes that any process with this number owns its lock file, even a dead one. The rest of the file
  // must stay: it tells PostgreSQL whether sessions of the dead one are still running.
  if (exists(pid)) fs.writeFileSync(pidFile, [impossiblePid, ...lines.slice(1)].join('\n'))
  const socketDir = lines[4] ?? ''
  if (basename(socketDir).startsWith('sutler-')) fs.rmSync(socketDir, { recursive: true, force: true })
}

/**
 * Ends the sessions of a killed PostgreSQL. A session in a long statement does not notice the end, and holds the shared
 * memory that the next PostgreSQL needs. Its work is rolled back.
 */
async function endSessions(cluster: string): Promise<void> {
  for (const [signal, waitMs] of [
    ['SIGQUIT', 5_000],
    ['SIGKILL', 5_000],
  ] as const) {
    const left = () => processesIn(cluster).filter((pid) => commandOf(pid).startsWith('postgres'))
    for (const pid of left()) {
      try {
        process.kill(pid, signal)
      } catch {
        // It has ended, or belongs to another user; PostgreSQL will report that.
      }
    }
    for (const until = Date.now() + waitMs; left().length && Date.now() < until; ) await sleep(20)
    if (!left().length) return
  }
}

// ---- The cluster

const draftPrefix = 'postgres.init-'

/** Removes the rest of an interrupted first start, and an empty directory that someone created for the cluster. */
function removeLeftovers(cluster: string): void {
  const home = dirname(cluster)
  for (const name of fs.readdirSync(home).filter((name) => name.startsWith(draftPrefix))) {
    fs.rmSync(join(home, name), { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    fs.rmdirSync(cluster)
  } catch {
    // Missing, or a cluster.
  }
}

/**
 * Creates the cluster under another name and renames it when it is complete, so that an interrupted start leaves none.
 */
async function createCluster(
  { initdb, postgres }: Programs,
  cluster: string,
  owner: User | undefined,
  by: Launcher,
) {
  const home = dirname(cluster)
  const draft = join(home, `${draftPrefix}${process.pid}`)
  fs.mkdirSync(draft, { mode: 0o700 })
  if (owner) giveTo(owner, draft)
  try {
    // Text sorts by code point, as with locale C, but case folding covers all of Unicode.
    const locale = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
    const identity = [`--username=${superuser}`, '--auth=trust', '--encoding=UTF8', ...locale]
    await runToEnd(by, [initdb, '-D', draft, ...identity, '--no-instructions'])
    await runToEnd(by, [postgres, '--single', '-D', draft, 'postgres'], `CREATE DATABASE ${superuser}\n`)
    fs.renameSync(draft, cluster)
  } catch (error) {
    fs.rmSync(draft, { recursive: true, force: true, maxRetries: 5 })
    throw error
  }
  syncDirectory(home)
}

async function runToEnd(by: Launcher, command: readonly string[], input = ''): Promise<void> {
  const { file, args, options } = launch(by, command)
  const running = promisify(execFile)(file, args, options)
  running.child.stdin?.end(input)
  const { stderr } = await running
  // The single-user mode reports a failed statement and goes on to exit with 0.
  if (/\b(ERROR|FATAL):/.test(stderr)) throw new Error(stderr)
}

function checkVersion(cluster: string): void {
  const version = readOr(join(cluster, 'PG_VERSION'), '').trim()
  if (version === major) return
  throw new StartupError(
    version
      ? `${cluster} was made by PostgreSQL ${version}, but this version of Sutler comes with PostgreSQL ${major}: ` +
          `export the data with the version that made it, or set DATABASE_URL to a PostgreSQL ${version}`
      : `${cluster} is not a PostgreSQL cluster: restore it, or move it away to start with a new cluster`,
  )
}

// ---- The running server

/** A private directory with a short path, which a socket needs; the data directory's path may be long. */
function makeSocketDir(home: string): string {
  let reason = 'the path is too long'
  for (const base of new Set([tmpdir(), '/tmp', home])) {
    const bytes = Buffer.byteLength(join(base, 'sutler-XXXXXX', '.s.PGSQL.5432'))
    if (bytes > limits.socketPathBytes) continue
    try {
      return fs.mkdtempSync(join(base, 'sutler-'))
    } catch (error) {
      reason = (error as Error).message
    }
  }
  throw new StartupError(`cannot create a directory for the database's socket: ${reason}`)
}

/** Starts PostgreSQL and waits until it accepts connections. After a crash that includes the recovery. */
async function startPostmaster(
  by: Launcher,
  program: string,
  cluster: string,
  socketDir: string,
  log: string,
  all: Settings,
) {
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  // The sessions of a killed postmaster need a moment to notice; until then they hold its memory.
  const deadline = Date.now() + limits.startMs
  for (let attemptsLeft = 50; ; attemptsLeft -= 1) {
    const from = rotate(log)
    const output = fs.openSync(log, 'a', 0o600)
    const { file, args, options } = launch(by, [program, '-D', cluster, '-k', socketDir, ...flags])
    // A process group of its own, so that Ctrl-C only reaches the server, which still has requests to finish.
    const postgres = spawn(file, args, { ...options, detached: true, stdio: ['ignore', output, output] })
    fs.closeSync(output)
    // If the server exits without stopping PostgreSQL, this does.
    const onExit = () => postgres.kill('SIGINT')
    process.once('exit', onExit)
    let failed: string | undefined
    postgres.once('error', (error) => {
      failed = error.message
    })
    postgres.once('exit', () => {
      process.off('exit', onExit)
      failed ??= lastLine(fs.readFileSync(log).subarray(from).toString())
    })
    while (failed === undefined) {
      const lines = readOr(join(cluster, 'postmaster.pid'), '').split('\n')
      if (Number(lines[0]) === postgres.pid && lines[7]?.trim() === 'ready') return postgres
      if (Date.now() > deadline) {
        postgres.kill('SIGQUIT')
        failed = `it was not ready after ${limits.startMs / 1000} s`
      } else await sleep(10)
    }
    if (!failed.includes('shared memory block') || attemptsLeft === 0) {
      throw new StartupError(`PostgreSQL did not start: ${failed}; see ${log}`)
    }
    await sleep(200)
  }
}

/** Whether PostgreSQL has reported a full disk since it was last ready. */
const diskWasFull = (log: string) =>
  readOr(log, '').split('ready to accept connections').at(-1)?.includes('No space left on device')

/** Keeps one older log, and returns the length of the current one. */
function rotate(log: string): number {
  const size = fs.statSync(log, { throwIfNoEntry: false })?.size ?? 0
  if (size < limits.logBytes) return size
  fs.renameSync(log, `${log}.1`)
  return 0
}

/** The line of a program's output that states the fault: the first error, else the last line. */
function lastLine(output: unknown): string {
  const { stderr, message } = output as { stderr?: string; message?: string }
  const lines = String(stderr || message || output)
    .split('\n')
    .filter((line) => line.trim() !== '')
  const line =
    lines.find((line) => /\b(FATAL|PANIC|ERROR|error):/.test(line)) ?? lines.at(-1) ?? 'no reason given'
  return line.replace(/^.*?\b(FATAL|PANIC|ERROR|error): +/, '').trim()
}
