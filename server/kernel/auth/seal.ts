import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { Keys } from './keys.ts'

const [nonceBytes, tagBytes] = [12, 16]

/**
 * Encrypts what the server must read again, such as a provider's client secret (AES-256-GCM: nonce, tag, ciphertext).
 */
export function seal([key]: Keys, text: string): string {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
  const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]).toString('base64url')
}

/** The sealed text; undefined if none of the keys sealed it, or it has been altered. */
export function tryOpen(keys: Keys, sealed: string): string | undefined {
  for (const key of keys) {
    const text = openWith(key, sealed)
    if (text !== undefined) return text
  }
  return undefined
}

/** As `tryOpen`, but throws. */
export function open(keys: Keys, sealed: string): string {
  const text = tryOpen(keys, sealed)
  if (text === undefined) throw new Error('it was sealed with a secret that the server does not have')
  return text
}

export const isSealedWith = (key: Uint8Array, sealed: string): boolean => openWith(key, sealed) !== undefined

function openWith(key: Uint8Array, sealed: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url')
  if (bytes.length < nonceBytes + tagBytes) return undefined
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  })
  decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
  const text = decipher.update(bytes.subarray(nonceBytes + tagBytes))
  try {
    return Buffer.concat([text, decipher.final()]).toString('utf8')
  } catch {
    return undefined
  }
}
