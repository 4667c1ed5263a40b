import { createHmac } from 'node:crypto'
import { traceHeaders } from '../../kernel/traces/trace-context.ts'
import { readableText } from './describe-failure.ts'
import {
  deliveredResult,
  failedResult,
  type Limits,
  type Result,
  type TargetMessage,
  type WebhookTarget,
} from './message.ts'
import { exchange, type Network, type RequestBody } from './network.ts'

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
function signatureHeaders(
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

/** The body of a webhook, in the form of the public contract: its parts, since what is shown is shared. */
function webhookBody(target: WebhookTarget, message: TargetMessage): RequestBody {
  const { eventId, key, attempt, integration, content, storeId, organisationId } = message
  const { url, secret_key } = target
  const begin = JSON.stringify({ id: eventId, triggered_by: key, attempt, integration })
  const end = JSON.stringify({
    configuration: { url, ...(secret_key && { secret_key }) },
    ...{ store_id: storeId, org_id: organisationId },
  })
  return [`${begin.slice(0, -1)},`, content.members, `,${end.slice(1)}`]
}

/** Sends a message as an HTTP request. Every status from 200 to 299 is a success. */
export async function sendWebhook(
  network: Network,
  target: WebhookTarget,
  message: TargetMessage,
  { bodyBytesMax, bodyMs, signal }: Limits,
): Promise<Result> {
  const body = webhookBody(target, message)
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Sutler',
    ...traceHeaders(),
    ...(target.secret_key && { 'x-moltin-secret-key': target.secret_key }),
    ...(target.signing_secret && signatureHeaders(target.signing_secret, message.eventId, message.at, body)),
  }
  const request = { url: new URL(target.url), method: 'POST', headers, body }
  const response = await exchange(network, request, { bytesMax: bodyBytesMax, bodyMs }, signal)
  const { status: statusCode, isSlow } = response
  const text = readableText(response.body)
  if (statusCode >= 200 && statusCode < 300) return deliveredResult(statusCode, text, isSlow)
  return failedResult('Received a status code outside of 2xx range - treating webhook as a fail', {
    ...{ statusCode, body: text, isSlow },
  })
}
