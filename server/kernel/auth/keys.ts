import { hkdfSync } from 'node:crypto'
import { errors, type JWTPayload, type JWTVerifyOptions, jwtVerify } from 'jose'

/** The secrets of an installation: the current one, and a previous one that older data may still need. */
export type KeySecrets = readonly [current: string, ...previous: string[]]

/** The keys for one purpose. The first makes everything new; all of them verify and open. */
export type Keys = readonly [current: Uint8Array, ...previous: Uint8Array[]]

/** Derives one key for each purpose from the secrets, so that no key can replace another. */
export function deriveKeys(
  [current, ...previous]: KeySecrets,
  use: 'access-token' | `shopper-token ${string}` | 'cursor' | 'link' | 'sealed-values' | 'fingerprint',
): Keys {
  const derive = (secret: string) => new Uint8Array(hkdfSync('sha256', secret, 'sutler', use, 32))
  return [derive(current), ...previous.map(derive)]
}

/**
 * The claims of a token that one of the keys signed. Throws the error of jose if no key verifies it, or it is not
 * valid.
 */
export async function verifyToken<T>(
  [current, ...previous]: Keys,
  token: string,
  options: JWTVerifyOptions,
): Promise<T & JWTPayload> {
  try {
    return (await jwtVerify<T>(token, current, { ...options, algorithms: ['HS256'] })).payload
  } catch (error) {
    const [next, ...rest] = previous
    if (!next || !(error instanceof errors.JWSSignatureVerificationFailed)) throw error
    return verifyToken([next, ...rest], token, options)
  }
}
