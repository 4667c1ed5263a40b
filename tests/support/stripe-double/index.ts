import { createHmac, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import {
  authenticate,
  cancelIntent,
  captureIntent,
  confirmIntent,
  createIntent,
  expireHold,
  failRefund,
  type Intent,
  Refusal,
  refundIntent,
  shown,
  updateIntent,
} from './intents.ts'

/** A fault of the network or of Stripe, at a call: `create`, `confirm`, `capture`, `cancel`, `refund` or `read`. */
export interface Fault {
  readonly at: string
  /**
   * The response is lost after the call took effect, or the request before it; or Stripe answers 500 after the effect,
   * or without one. Stripe keeps a 500 for its key. Or something between answers after the effect, with `body`.
   */
  readonly is: 'response lost' | 'request lost' | 'error after' | 'error before' | 'response replaced'
  readonly body?: string
  readonly status?: number
  /** How many requests it meets. */
  times: number
}

interface Result {
  readonly status: number
  readonly body: object
}

interface StripeEvent {
  readonly id: string
  readonly object: 'event'
  readonly type: string
  readonly data: { readonly object: { readonly id: string; readonly payment_intent?: string } }
}

/** A webhook, signed. */
export interface Webhook {
  readonly body: string
  readonly signature: string
}

/** Stripe's payment intents, on this machine. */
export class StripeDouble {
  readonly key = `sk_test_${randomUUID()}`
  readonly intents = new Map<string, Intent>()
  /** The calls that arrived, in order. */
  readonly calls: string[] = []
  faults: Fault[] = []
  /** The banks take no refunds. */
  failsRefunds = false
  /** The calls that have moved, held or released money, in order. */
  readonly effects: string[] = []
  readonly #ordersOfEffects: string[] = []
  /** All requests are lost until it ends, or all responses are. */
  isAway: 'before' | 'after' | undefined
  /** Called when a request about a payment of an order, or of a cart, arrives, before its effect. */
  onRequest: (call: string, ownerId: string) => Promise<void> | void = () => {}
  /** Called after its effect, before the response. */
  onEffect: (call: string, ownerId: string) => Promise<void> | void = () => {}
  readonly #carriedOut: { readonly call: string; readonly ownerId: string }[] = []
  readonly #brokenRefunds: (() => void)[] = []
  readonly #events: StripeEvent[] = []
  readonly #results = new Map<string, { readonly request: string; readonly result: Result }>()
  readonly #server = createServer((request, response) => void this.#respond(request, response))

  static async open(): Promise<StripeDouble> {
    const double = new StripeDouble()
    await new Promise<void>((done) => double.#server.listen(0, '127.0.0.1', done))
    return double
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((done) => this.#server.close(done))
  }

  /** What all intents have received, less what was refunded. */
  get received(): number {
    return [...this.intents.values()].reduce((sum, one) => sum + one.amount_received - one.refunded, 0)
  }

  /** The shopper chooses how to pay in the browser, which knows the secret of the intent. */
  payInBrowser(id: string, method = 'pm_card_visa'): void {
    try {
      confirmIntent(this.intents.get(id) as Intent, new URLSearchParams({ payment_method: method }))
      this.#note('confirm', id)
    } catch (error) {
      // The form shows a decline, and takes another card.
      if (!(error instanceof Refusal) || error.status !== 402) throw error
    }
    this.#tell(id)
  }

  /** The hold ends after some days. */
  expireHold(id: string): void {
    expireHold(this.intents.get(id) as Intent)
    this.#tell(id)
  }

  /** Stripe completes the refunds that it has answered with a 500 before. */
  completeRefunds(): void {
    for (const complete of this.#brokenRefunds.splice(0)) complete()
  }

  /** The shopper answers the challenge of their bank in the browser. */
  authenticate(id: string, isRight: boolean): void {
    authenticate(this.intents.get(id) as Intent, isRight)
    this.#tell(id)
  }

  /** The merchant captures a part in Stripe's own dashboard. */
  captureInDashboard(id: string, amount: number): void {
    captureIntent(this.intents.get(id) as Intent, new URLSearchParams({ amount_to_capture: String(amount) }))
    this.#tell(id)
  }

  /** The merchant refunds a part in Stripe's own dashboard. */
  refundInDashboard(id: string, amount: number): void {
    refundIntent(this.intents.get(id), new URLSearchParams({ amount: String(amount) }))
    this.#tell(id)
  }

  /** The bank of the shopper does not take the last refund, days after Stripe has taken it. */
  failRefund(id: string, { isStillCounted = false } = {}): void {
    const refund = failRefund(this.intents.get(id) as Intent, isStillCounted)
    this.#events.push({
      ...{ id: `evt_${randomUUID()}`, object: 'event', type: 'refund.failed', data: { object: refund } },
    })
  }

  /** The events so far as webhooks, in the order of their creation. */
  webhooks(secret: string, at: Date = new Date()): readonly Webhook[] {
    return this.#events.map((event) => this.sign(event, secret, at))
  }

  /** The last event of an intent as a webhook. */
  lastWebhook(id: string, secret: string): Webhook {
    const event = this.#events.findLast(({ data: { object } }) =>
      [object.id, object.payment_intent].includes(id),
    )
    if (!event) throw new Error(`nothing has happened to ${id}`)
    return this.sign(event, secret)
  }

  /** An event as a webhook. */
  sign(event: object, secret: string, at: Date = new Date()): Webhook {
    const body = JSON.stringify(event)
    const seconds = Math.floor(at.getTime() / 1000)
    const mac = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')
    return { body, signature: `t=${seconds},v1=${mac}` }
  }

  /** Forgets the keys of requests, as Stripe does after a day. */
  forgetKeys(): void {
    this.#results.clear()
  }

  forgetEvents(): void {
    this.#events.length = 0
  }

  /** The calls that have moved, held or released money of an order. */
  effectsOf(orderId: string): readonly string[] {
    return this.effects.filter((_, i) => this.#ordersOfEffects[i] === orderId)
  }

  /** The calls about an order or a cart that were carried out. Reads and repetitions of a key are not among them. */
  carriedOutFor(ownerId: string): readonly string[] {
    return this.#carriedOut.flatMap((one) => (one.ownerId === ownerId ? one.call : []))
  }

  #note(call: string, id: string): void {
    this.effects.push(call)
    this.#ordersOfEffects.push(this.intents.get(id)?.metadata.order_id ?? '')
  }

  #tell(id: string): void {
    const intent = this.intents.get(id) as Intent
    const type = `payment_intent.${intent.status}`
    const object = { ...structuredClone(shown(intent, false)), id }
    this.#events.push({ id: `evt_${randomUUID()}`, object: 'event', type, data: { object } })
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request)
    const [call, id] = callOf(request)
    this.calls.push(call)
    const ownerId = this.#ownerOf(id, new URLSearchParams(body))
    await this.onRequest(call, ownerId)
    if (this.isAway === 'before') return void request.socket.destroy()
    const fault = this.faults.find((one) => one.at === call && one.times > 0)
    if (fault) fault.times -= 1
    if (fault?.is === 'request lost') return void request.socket.destroy()
    const run = () => {
      if (fault?.is !== 'error before') return this.#carryOut(call, id, request, body)
      if (call === 'refund') this.#brokenRefunds.push(() => this.#carryOut(call, id, request, body))
      return broken
    }
    const { result, isReplayed } = this.#once(request, body, () => {
      const done = run()
      return fault?.is === 'error after' ? broken : done
    })
    await this.onEffect(call, ownerId)
    if (this.isAway === 'after' || fault?.is === 'response lost') return void request.socket.destroy()
    response.writeHead(fault?.status ?? result.status, {
      'content-type': 'application/json',
      'request-id': `req_${randomUUID()}`,
      ...(isReplayed && { 'idempotent-replayed': 'true' }),
    })
    response.end(fault?.is === 'response replaced' ? fault.body : JSON.stringify(result.body))
  }

  /** The order or the cart that a request is about, by what Sutler has told Stripe. */
  #ownerOf(id: string, params: URLSearchParams): string {
    const { order_id: orderId, cart_id: cartId } =
      this.intents.get(params.get('payment_intent') ?? id)?.metadata ?? {}
    const sent = params.get('metadata[order_id]') ?? params.get('metadata[cart_id]')
    return sent ?? orderId ?? cartId ?? ''
  }

  /** The first result for a key is that of all requests with it. */
  #once(
    request: IncomingMessage,
    body: string,
    run: () => Result,
  ): { readonly result: Result; readonly isReplayed: boolean } {
    const key = request.headers['idempotency-key']
    if (typeof key !== 'string' || request.method === 'GET') return { result: run(), isReplayed: false }
    const same = `${request.url} ${body}`
    const earlier = this.#results.get(key)
    if (earlier && earlier.request !== same) {
      const other = refused(400, { type: 'idempotency_error', message: 'Other parameters.' })
      return { result: other, isReplayed: false }
    }
    const result = earlier?.result ?? run()
    // A request that fails validation has not been carried out, and leaves nothing behind.
    if (result.status !== 400) this.#results.set(key, { request: same, result })
    return { result, isReplayed: earlier !== undefined }
  }

  #carryOut(call: string, id: string, request: IncomingMessage, body: string): Result {
    if (request.headers.authorization !== `Bearer ${this.key}`) {
      return refused(401, { type: 'invalid_request_error', message: 'Invalid API Key provided' })
    }
    const params = new URLSearchParams(body)
    try {
      const done = { status: 200, body: this.#perform(call, id, params, request) }
      if (request.method !== 'GET') this.#carriedOut.push({ call, ownerId: this.#ownerOf(id, params) })
      return done
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      if (error.status === 402) this.#tell(id)
      return refused(error.status, error.error)
    }
  }

  #perform(call: string, id: string, params: URLSearchParams, request: IncomingMessage): object {
    if (call === 'create') {
      const intent = createIntent(params)
      this.intents.set(intent.id, intent)
      this.#tell(intent.id)
      return shown(intent, false)
    }
    if (call === 'refund') {
      const of = params.get('payment_intent') ?? ''
      const refund = refundIntent(this.intents.get(of), params, this.failsRefunds)
      this.#note(call, of)
      return refund
    }
    if (call === 'list refunds') {
      const intent = new URL(request.url ?? '', this.url).searchParams.get('payment_intent') ?? ''
      return { object: 'list', data: this.intents.get(intent)?.refunds ?? [], has_more: false }
    }
    const intent = this.intents.get(id)
    if (!intent)
      throw new Refusal(404, {
        type: 'invalid_request_error',
        code: 'resource_missing',
        message: `No such payment_intent: '${id}'`,
      })
    if (call === 'read') return shown(intent, /expand/.test(request.url ?? ''))
    if (call === 'confirm') confirmIntent(intent, params)
    else if (call === 'capture') captureIntent(intent, params)
    else if (call === 'update') updateIntent(intent, params)
    else cancelIntent(intent, params)
    if (call === 'update') return shown(intent, false)
    if (call !== 'confirm' || intent.status !== 'requires_action') this.#note(call, id)
    this.#tell(id)
    return shown(intent, false)
  }
}

const refused = (status: number, error: object): Result => ({ status, body: { error } })
const broken = refused(500, { type: 'api_error', message: 'Something went wrong on the end of the service.' })

/** The name of a call, and the id of its intent. */
function callOf({ method, url = '' }: IncomingMessage): readonly [call: string, id: string] {
  const [, , place, id = '', verb] = url.replace(/\?.*/, '').split('/')
  if (place === 'refunds') return [method === 'GET' ? 'list refunds' : 'refund', '']
  if (id === '') return ['create', '']
  return [method === 'GET' ? 'read' : (verb ?? 'update'), id]
}
