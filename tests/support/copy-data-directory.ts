import { chmodSync, cpSync } from 'node:fs'
import { join } from 'node:path'

/** Copies the data directory of a server that is stopped. */
export function copyDataDirectory(from: string, to: string): void {
  cpSync(from, to, { recursive: true })
  // PostgreSQL opens none that others may look into.
  chmodSync(join(to, 'postgres'), 0o700)
}
