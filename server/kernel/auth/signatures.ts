import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Keys } from './keys.ts'

/** 132 bits in characters that are safe in URLs. */
const sign = (key: Uint8Array, text: string): string =>
  createHmac('sha256', key).update(text).digest('base64url').slice(0, 22)

/** A signature that proves later that this server issued the text. */
export const signatureOf = ([key]: Keys, text: string): string => sign(key, text)

export const isSigned = (keys: Keys, text: string, signature: string): boolean =>
  keys.some((key) => {
    const [actual, expected] = [Buffer.from(signature), Buffer.from(sign(key, text))]
    return actual.length === expected.length && timingSafeEqual(actual, expected)
  })
