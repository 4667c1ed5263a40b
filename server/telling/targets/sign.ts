import { createHmac } from 'node:crypto'
import type { RequestBody } from './network.ts'

const prefix = 'whsec_'
const bytes = { min: 24, max: 64 }

/** The key in a secret of the form that Standard Webhooks gives it: `whsec_` and 24 to 64 bytes in base64. */
function keyOf(secret: string): Buffer | undefined {
  const text = secret.startsWith(prefix) ? secret.slice(prefix.length) : ''
  const key = Buffer.from(text, 'base64')
  const isWhole = key.toString('base64').replace(/=+$/, '') === text.replace(/=+$/, '')
  return isWhole && key.length >= bytes.min && key.length <= bytes.max ? key : undefined
}

export const isSigningSecret = (text: string): boolean => keyOf(text) !== undefined

/** The headers of Standard Webhooks (version 1, HMAC-SHA256), made of the id, the time and the body. */
export function signatureHeaders(
  secret: string,
  id: string,
  at: Date,
  body: RequestBody,
): Readonly<Record<string, string>> {
  const key = keyOf(secret)
  if (!key) throw new Error('The signing secret must be whsec_ followed by 24 to 64 bytes in base64.')
  const seconds = String(Math.floor(at.getTime() / 1000))
  const hmac = createHmac('sha256', key).update(`${id}.${seconds}.`)
  for (const part of body) hmac.update(part)
  const signature = hmac.digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': `v1,${signature}` }
}
