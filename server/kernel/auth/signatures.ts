import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Keys } from './keys.ts'

/** 132 bits in letters that stand in any URL. */
const sign = (key: Uint8Array, text: string): string =>
  createHmac('sha256', key).update(text).digest('base64url').slice(0, 22)

/** What shows that a text comes from us when it is back. */
export const signatureOf = ([key]: Keys, text: string): string => sign(key, text)

/** Whether the signature is one of the text, with any of the keys. */
export const isSigned = (keys: Keys, text: string, signature: string): boolean =>
  keys.some((key) => {
    const [actual, expected] = [Buffer.from(signature), Buffer.from(sign(key, text))]
    return actual.length === expected.length && timingSafeEqual(actual, expected)
  })
