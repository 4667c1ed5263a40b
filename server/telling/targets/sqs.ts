import { createHash } from 'node:crypto'
import { cloudEvent, tooLong } from './cloud-event.ts'
import { readableText } from './describe-failure.ts'
import {
  deliveredResult,
  failedResult,
  type Limits,
  type Result,
  type SqsTarget,
  type TargetMessage,
} from './message.ts'
import { exchange, type HttpResponse, type Network } from './network.ts'

/** Of what a queue answers. It is a few hundred bytes. */
const answerBytesMax = 64 * 1024

/** The request of the SDK, as much of it as is used. */
interface SdkRequest {
  readonly protocol: string
  readonly hostname: string
  readonly port?: number
  readonly path: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

/** Sends a message to a queue of Amazon SQS, or of a service with the same API. */
export async function sendToSqs(
  network: Network,
  target: SqsTarget,
  message: TargetMessage,
  { bodyBytesMax, signal }: Limits,
): Promise<Result> {
  const MessageBody = cloudEvent(message)
  if (MessageBody === undefined) return failedResult(tooLong, { isFinal: true })
  // Imported here because it is large, and only this code needs it.
  const sqs = await import('@aws-sdk/client-sqs')
  const queue = new URL(target.url)
  let response: HttpResponse | undefined
  const client = new sqs.SQSClient({
    region: target.region,
    endpoint: queue.origin,
    credentials: { accessKeyId: target.aws_access_key_id, secretAccessKey: target.aws_secret_access_key },
    // Attempts are counted, delayed and logged elsewhere.
    maxAttempts: 1,
    requestHandler: {
      handle: async (request: SdkRequest) => {
        const { protocol, hostname, port, path, method, headers, body = '' } = request
        const url = new URL(`${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}`)
        response = await exchange(
          network,
          { url, method, headers, body: [body] },
          { bytesMax: answerBytesMax },
          signal,
        )
        return {
          response: { statusCode: response.status, headers: response.headers, body: response.body },
        }
      },
      destroy: () => {},
    },
  })
  const isFifo = queue.pathname.endsWith('.fifo')
  try {
    const command = new sqs.SendMessageCommand({
      QueueUrl: target.url,
      MessageBody,
      ...(isFifo && { MessageGroupId: groupOf(message.subject), MessageDeduplicationId: message.eventId }),
    })
    await client.send(command, { abortSignal: signal })
  } catch (error) {
    if (!response) throw error
    const { name, message: detail } = error as Error
    return failedResult(`${name}: ${detail}`, answerOf(response, bodyBytesMax))
  } finally {
    client.destroy()
  }
  const { statusCode, body } = answerOf(response, bodyBytesMax)
  return deliveredResult(statusCode, body)
}

const answerOf = (response: HttpResponse | undefined, bytesMax: number) => ({
  statusCode: response?.status ?? 0,
  isSlow: response?.isSlow ?? false,
  body: readableText(response?.body.subarray(0, bytesMax) ?? new Uint8Array()),
})

/** A group has at most 128 letters, digits and punctuation marks. */
const groupOf = (subject: string): string =>
  /^[!-~]{1,128}$/.test(subject) ? subject : createHash('sha256').update(subject).digest('hex')
