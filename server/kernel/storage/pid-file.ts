import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartupError } from '../errors.ts'

/**
 * Makes this process the only Sutler on a data directory, by a pid file, or refuses if the process named in
 * the one found is alive. Returns the function that gives the directory up.
 */
export async function claim(home: string): Promise<() => void> {
  const file = join(home, 'sutler.pid')
  const own = `${process.pid} ${identify(process.pid)}\n`
  const release = () => {
    if (readOr(file, '') === own) fs.rmSync(file, { force: true })
  }
  while (!write(file, own)) {
    const [, pid, identity] = /^(\d+) (.*)\n$/.exec(readOr(file, '')) ?? []
    // A number alone proves nothing: after a crash the system may have given it to another process.
    if (pid && isAlive(Number(pid)) && identify(Number(pid)) === identity) {
      throw new StartupError(`data directory ${home} is in use by another Sutler process (pid ${pid})`)
    }
    fs.rmSync(file, { force: true })
    // Another start may have found the same stale file, and now remove this one in its place: the last wins.
    if (!write(file, own)) continue
    await sleep(100)
    if (readOr(file, '') === own) break
  }
  return release
}

/** Appears whole or not at all, and only where no file is. */
function write(file: string, content: string): boolean {
  const draft = `${file}.${process.pid}`
  try {
    fs.writeFileSync(draft, content)
    fs.linkSync(draft, file)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw new StartupError(`cannot write in the data directory ${dirname(file)}: ${(error as Error).message}`)
  } finally {
    fs.rmSync(draft, { force: true })
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

/** What a process has that a later one with its number does not: when it started, and in which boot. */
function identify(pid: number): string {
  try {
    const boot = fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field, in parentheses, is the program's name and may hold anything; the start is the 22nd.
    return `${boot} ${stat.slice(stat.lastIndexOf(')')).split(' ')[20]}`
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

export const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code
