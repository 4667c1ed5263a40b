import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { firstKeyFile } from '../../server/announce.ts'
import { readSettings } from '../../server/config.ts'

/**
 * The address of the server that a command is for: as the settings say it, or else as its first start has stored it. A
 * command often runs without the PORT of its server.
 */
export function serverAddress(): string {
  const { config, settings } = readSettings()
  const isSet = settings.some(({ name, from }) => name === 'PORT' && from !== 'default')
  const stored = isSet ? undefined : storedAddress(config.dataDir)
  return config.baseUrl ?? stored ?? `http://localhost:${config.port}`
}

function storedAddress(dataDir: string): string | undefined {
  try {
    return parseEnv(readFileSync(firstKeyFile(dataDir), 'utf8')).SUTLER_URL
  } catch {
    // The first start was elsewhere: with another data directory, or on another machine.
    return undefined
  }
}
