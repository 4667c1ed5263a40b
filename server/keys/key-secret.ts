import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { verify } from '@node-rs/argon2'

/** A name or secret of 42 characters, 168 bits. */
export const newCredential = (): string => randomBytes(21).toString('hex')

/** What an operator chooses must be as hard to guess as what we make up. */
export const secretCharsMin = 32

const fast = 'sha256'

/**
 * What is stored of a secret. Nobody can try all that it might be, so a hash that is made in a moment keeps it as well
 * as a slow one, and asking for a token costs a stranger nothing that others then wait for.
 */
export function hashOf(secret: string, salt = randomBytes(16).toString('base64url')): string {
  return `${fast}$${salt}$${createHash('sha256').update(`${salt}$${secret}`).digest('base64url')}`
}

/** Of an earlier version: any secret was taken, and hashed with argon2id. */
export const isSlow = (hashed: string): boolean => !hashed.startsWith(`${fast}$`)

/** Whether it is the secret. Where `isSlow`, that takes a while of a processor. */
export async function isSecretOf(hashed: string, secret: string): Promise<boolean> {
  if (isSlow(hashed)) return verify(hashed, secret)
  const [, salt] = hashed.split('$')
  return timingSafeEqual(Buffer.from(hashed), Buffer.from(hashOf(secret, salt)))
}

/** What takes the place of a slow hash once the secret is known; undefined where it is too short for a fast one. */
export const renewed = (hashed: string, secret: string): string | undefined =>
  isSlow(hashed) && secret.length >= secretCharsMin ? hashOf(secret) : undefined
