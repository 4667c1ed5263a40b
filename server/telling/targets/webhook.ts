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
import { signatureHeaders } from './sign.ts'

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
