import { chmodSync, cpSync } from 'node:fs'
import { join } from 'node:path'

/** Copies the data directory of a stopped server. */
export function copyDataDirectory(from: string, to: string): void {
  cpSync(from, to, { recursive: true })
  // PostgreSQL does not start in a directory that others can read.
  chmodSync(join(to, 'postgres'), 0o700)
}
