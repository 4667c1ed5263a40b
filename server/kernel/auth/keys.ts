import { hkdfSync } from 'node:crypto'
import { errors, type JWTPayload, type JWTVerifyOptions, jwtVerify } from 'jose'

/** The secrets of an installation: the one in use, and one that what was made before may still need. */
export type Secrets = readonly [current: string, ...previous: string[]]

/** The keys of one use. All that is new is made with the first; what any of them made is good. */
export type Keys = readonly [current: Uint8Array, ...previous: Uint8Array[]]

/** What the secrets are stretched into: one key for each use, so that none can stand in for another. */
export function deriveKeys(
  [current, ...previous]: Secrets,
  use: 'access-token' | `shopper-token ${string}` | 'cursor' | 'link' | 'sealed-values' | 'fingerprint',
): Keys {
  const derive = (secret: string) => new Uint8Array(hkdfSync('sha256', secret, 'sutler', use, 32))
  return [derive(current), ...previous.map(derive)]
}

/** What a token says that one of the keys signed; throws what jose does when none has, or it is not good. */
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
