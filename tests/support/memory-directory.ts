import { existsSync, mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'

const memory = '/dev/shm'
const name = 'sutler-tests-'
/** Several times what a run needs. A container has 64 MB there, unless it is told otherwise. */
const bytesMin = 6e9

/**
 * Moves the temporary directory of this process and its children into memory, where there is room. A run creates and
 * removes the files of hundreds of databases, and on a disk that costs more processor time than the tests of a chapter.
 */
export function useMemoryDirectory(): void {
  if (process.env.TMPDIR || !existsSync(memory)) return
  removeAbandoned()
  const { bavail, bsize } = statfsSync(memory)
  if (bavail * bsize < bytesMin) return
  const directory = join(memory, `${name}${process.pid}`)
  mkdirSync(directory)
  process.env.TMPDIR = directory
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }))
}

/** Removes what killed runs have left: it takes memory. */
function removeAbandoned(): void {
  for (const entry of readdirSync(memory)) {
    if (!entry.startsWith(name) || existsSync(`/proc/${entry.slice(name.length)}`)) continue
    rmSync(join(memory, entry), { recursive: true, force: true })
  }
}
