import { join } from 'node:path'

/** V8 lets a server's garbage grow to a multiple of what it holds: see docs/decisions/0078-pages-in-parts.md. */
export const heapFlags = ['--max-semi-space-size=8', '--heap-growing-percent=100'] as const

/**
 * Makes Node begin again with more flags, in the same process: V8 reads those of the heap only when it starts. On a
 * system without `execve` it goes on without them.
 */
export function beginAgain(flags: readonly string[], words: readonly string[]): void {
  if (!process.execve || flags.every((flag) => process.execArgv.includes(flag))) return
  const entry = join(import.meta.dirname, `sutler${import.meta.filename.slice(-3)}`)
  const own = process.execArgv.filter((flag) => !flags.includes(flag))
  process.execve(process.execPath, [process.execPath, ...own, ...flags, entry, ...words])
}
