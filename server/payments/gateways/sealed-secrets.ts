import type { Keys } from '../../kernel/auth/keys.ts'
import { seal, tryOpen } from '../../kernel/auth/seal.ts'

/** The secrets of a gateway by name: keys and passwords of the merchant at the service. */
type Secrets = Readonly<Record<string, string>>

export const sealSecrets = (keys: Keys, secrets: Secrets): string => seal(keys, JSON.stringify(secrets))

/** The secrets; none if they were sealed with a secret that the server no longer has. */
export function openSecrets(keys: Keys, sealed: string | undefined): Secrets {
  const text = sealed === undefined ? undefined : tryOpen(keys, sealed)
  return text === undefined ? {} : (JSON.parse(text) as Secrets)
}
