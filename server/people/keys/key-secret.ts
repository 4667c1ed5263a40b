import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { verify } from '@node-rs/argon2'

/** A random client id or secret of 42 characters, 168 bits. */
export const newCredential = (): string => randomBytes(21).toString('hex')

/** A secret that an operator chooses must be as hard to guess as a random one. */
export const secretCharsMin = 32

const fastAlgorithm = 'sha256'

/**
 * The hash to store for a secret. Secrets are too long to guess, so a fast hash is as safe as a slow one, and
 * strangers who request tokens cannot use up the processor.
 */
export function hashOf(secret: string, salt = randomBytes(16).toString('base64url')): string {
  return `${fastAlgorithm}$${salt}$${createHash('sha256').update(`${salt}$${secret}`).digest('base64url')}`
}

/** Whether an earlier version stored this hash. That version accepted short secrets and hashed them with argon2id. */
export const isSlowHash = (hash: string): boolean => !hash.startsWith(`${fastAlgorithm}$`)

/** Whether this is the hash of the secret. A slow hash takes much processor time. */
export async function matchesSecret(hash: string, secret: string): Promise<boolean> {
  if (isSlowHash(hash)) return verify(hash, secret)
  const [, salt] = hash.split('$')
  return timingSafeEqual(Buffer.from(hash), Buffer.from(hashOf(secret, salt)))
}

/** The fast hash that replaces a slow one; undefined if the hash is fast, or the secret too short for a fast one. */
export const upgradeHash = (hash: string, secret: string): string | undefined =>
  isSlowHash(hash) && secret.length >= secretCharsMin ? hashOf(secret) : undefined
