import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from './config.ts'
import type { FirstCredentials } from './first-start.ts'
import { StartupError } from './platform/faults.ts'

export const firstKeyFile = (dataDir: string): string => join(dataDir, 'first-key.env')

/**
 * Shows the first key once, beside the result of the command that makes the first start, and keeps it where only this
 * user can read it.
 */
export function announce(
  { clientId, clientSecret }: FirstCredentials,
  { dataDir, port, baseUrl }: Config,
): void {
  const file = firstKeyFile(dataDir)
  const url = baseUrl ?? `http://localhost:${port}`
  const lines = `SUTLER_URL=${url}\nSUTLER_CLIENT_ID=${clientId}\nSUTLER_CLIENT_SECRET=${clientSecret}\n`
  try {
    mkdirSync(dataDir, { recursive: true })
    writeFileSync(file, lines, { mode: 0o600, flush: true })
    chmodSync(file, 0o600)
  } catch (error) {
    throw new StartupError(`cannot write the first key to ${file}: ${(error as Error).message}`)
  }
  process.stderr.write(
    `\nThis is the first start. The store's first application key is shown once, and stored in ${file}:\n\n${lines}\n`,
  )
}
