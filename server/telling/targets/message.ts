/**
 * What an event shows, in the forms that targets take. It may be megabytes, so messages of one event to several targets
 * share it.
 */
export class EventContent {
  /** The object as it was after the change: JSON, as webhooks show it. Of a deleted one, its type and its id. */
  readonly payload: string
  /** The same as queues show it, and in place of what is too long for them. */
  readonly data: { readonly whole: string; readonly short: string }
  readonly isDeletion: boolean
  #members: Uint8Array | undefined

  constructor(payload: string, data: EventContent['data'], isDeletion: boolean) {
    this.payload = payload
    this.data = data
    this.isDeletion = isDeletion
  }

  /** The members of a webhook that show it. */
  get members(): Uint8Array {
    // Deprecated: JSON inside of JSON, except for what is gone.
    const resources = () => (this.isDeletion ? this.payload : JSON.stringify(this.payload))
    this.#members ??= Buffer.from(`"payload":${this.payload},"resources":${resources()}`)
    return this.#members
  }
}

/** One attempt to tell a target about an event. */
export interface TargetMessage {
  /** The id of the event: the same for all attempts, targets and replays. */
  readonly eventId: string
  /** The key of the event, such as `order.paid`. */
  readonly key: string
  /** The object of the event: a queue that keeps an order keeps that of its events. */
  readonly subject: string
  /** From 1. */
  readonly attempt: number
  /** The time of the attempt. */
  readonly at: Date
  readonly integration: {
    readonly id: string
    readonly integration_type: string
    readonly name: string
    readonly description: string
  }
  readonly content: EventContent
  readonly storeId: string
  readonly organisationId: string
  /** The URL of the server that the event is from. */
  readonly source: string
}

export interface WebhookTarget {
  readonly type: 'webhook'
  readonly url: string
  /** Sent as it is, in a header and in the body. */
  readonly secret_key?: string | undefined
  /** Signs the message: see `signature`. */
  readonly signing_secret?: string | undefined
}

export interface SqsTarget {
  readonly type: 'aws_sqs'
  /** The URL of the queue. Its host is the endpoint. */
  readonly url: string
  readonly aws_access_key_id: string
  readonly aws_secret_access_key: string
  readonly region: string
}

export interface StompTarget {
  readonly type: 'stomp'
  /** Tried in this order until a broker answers. */
  readonly addresses: readonly string[]
  readonly destination: string
  readonly username?: string | undefined
  readonly password?: string | undefined
}

export type MessageTarget = WebhookTarget | SqsTarget | StompTarget

/** How an attempt ended. */
export interface SendOutcome {
  /** Whether the target has taken the message. */
  readonly succeeded: boolean
  /** The HTTP status of the response; 0 if there was none. */
  readonly statusCode: number
  /** The beginning of the response. */
  readonly body: string
  /** Why it failed; empty if it succeeded. */
  readonly errorDetail: string
  readonly processingTimeS: number
  /** Whether the target took too long: it sent no response in time, or a body that does not end. */
  readonly isSlow: boolean
  /** Whether each further attempt would fail in the same way. */
  readonly isFinal: boolean
}

/** What an adapter returns; `send` adds the time. */
export type Result = Omit<SendOutcome, 'processingTimeS'>

export const deliveredResult = (statusCode: number, body: string, isSlow = false): Result => ({
  ...{ succeeded: true, statusCode, body, errorDetail: '', isSlow, isFinal: false },
})

export const failedResult = (errorDetail: string, more: Partial<Result> = {}): Result => ({
  ...{ succeeded: false, statusCode: 0, body: '', errorDetail, isSlow: false, isFinal: false, ...more },
})

/** What an attempt may take. */
export interface Limits {
  readonly timeoutMs: number
  /** How long a body may take whose status has arrived. */
  readonly bodyMs: number
  /** How much of a response is read and stored. */
  readonly bodyBytesMax: number
  /** Ends the attempt. */
  readonly signal: AbortSignal
}

export const usualLimits = { timeoutMs: 10_000, bodyMs: 1_000, bodyBytesMax: 4 * 1024 } as const
