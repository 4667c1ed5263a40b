import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartupError, StartupRefusal } from '../faults.ts'

/**
 * Makes this process the only Sutler on a data directory, or throws if there is another. Returns a function that
 * gives the directory up.
 */
export const claim = (home: string): Promise<() => void> =>
  claimFile(
    join(home, 'sutler.pid'),
    (pid) => `data directory ${home} is in use by another Sutler process (pid ${pid})`,
  )

/**
 * Writes a pid file, or throws if the process in the existing one is alive. Returns a function that removes the file.
 */
export async function claimFile(file: string, refusal: (pid: string) => string): Promise<() => void> {
  const own = `${process.pid} ${identify(process.pid)}\n`
  const release = () => {
    if (readOr(file, '') === own) fs.rmSync(file, { force: true })
  }
  while (!write(file, own)) {
    const [, pid, identity] = /^(\d+) (.*)\n$/.exec(readOr(file, '')) ?? []
    // The number alone proves nothing: after a crash the system may have reused it.
    if (pid && isAlive(Number(pid)) && identify(Number(pid)) === identity) {
      throw new StartupRefusal(refusal(pid))
    }
    fs.rmSync(file, { force: true })
    // Another start may have found the same stale file, and may now replace this one: the last one wins.
    if (!write(file, own)) continue
    await sleep(100)
    if (readOr(file, '') === own) break
  }
  return release
}

/** Creates the file completely or not at all, and only if it does not exist. */
function write(file: string, content: string): boolean {
  const draft = `${file}.${process.pid}`
  try {
    fs.writeFileSync(draft, content)
    fs.linkSync(draft, file)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw new StartupError(`cannot write in ${dirname(file)}: ${(error as Error).message}`)
  } finally {
    fs.rmSync(draft, { force: true })
  }
}

/** Whether a process with this number exists. One that has ended keeps its number until its parent collects it. */
export function exists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

/** Whether a process with this number is running. */
export const isAlive = (pid: number): boolean => exists(pid) && !stateOf(pid).startsWith('Z')

const stateOf = (pid: number): string => statOf(pid)?.[0] ?? ps(pid, 'stat')

/** The fields of /proc from the state on; undefined if there is no /proc. */
function statOf(pid: number): readonly string[] | undefined {
  const stat = readOr(`/proc/${pid}/stat`, '')
  // The second field, in parentheses, is the program's name, which may contain anything.
  return stat ? stat.slice(stat.lastIndexOf(')') + 2).split(' ') : undefined
}

/** The processes that run in a directory and that this user may see. */
export function processesIn(directory: string): readonly number[] {
  const pids = (readdirOr('/proc') ?? []).map(Number).filter((pid) => pid && pid !== process.pid)
  return pids.filter((pid) => isAlive(pid) && linkOr(`/proc/${pid}/cwd`) === directory)
}

/** What distinguishes a process from a later one with the same number: its start time and the boot. */
function identify(pid: number): string {
  try {
    const boot = fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    const stat = statOf(pid)
    // The start time is field 22, and the 20th from the state on.
    if (stat) return `${boot} ${stat[19]}`
    return ps(pid, 'lstart')
  } catch {
    return ps(pid, 'lstart')
  }
}

export function commandOf(pid: number): string {
  return readOr(`/proc/${pid}/cmdline`, '').replaceAll('\0', ' ') || ps(pid, 'command')
}

function ps(pid: number, column: string): string {
  try {
    const args = ['-ww', '-o', `${column}=`, '-p', String(pid)]
    return execFileSync('ps', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return ''
  }
}

export function readOr(file: string, fallback: string): string {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch {
    return fallback
  }
}

function readdirOr(directory: string): readonly string[] | undefined {
  try {
    return fs.readdirSync(directory)
  } catch {
    return undefined
  }
}

function linkOr(path: string): string | undefined {
  try {
    return fs.readlinkSync(path)
  } catch {
    return undefined
  }
}

export const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code
