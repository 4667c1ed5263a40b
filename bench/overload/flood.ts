import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface FloodPlan {
  readonly url: string
  /** Whole requests, which are sent in this order, again and again. */
  readonly requests: readonly string[]
  readonly connections: number
  readonly seconds: number
  /** Undefined: each connection sends its next request when it has the response to the one before. */
  readonly perSecond?: number
}

export interface FloodReport {
  /** Requests for which the client had no free connection when their time came. */
  readonly unsent: number
  readonly answered: readonly TimedResponse[]
  readonly refused: readonly TimedResponse[]
  readonly failed: number
  /** How late the client itself sent each. */
  readonly lateMs: readonly number[]
}

export interface TimedResponse {
  /** When it was planned, from the begin of the flood. */
  readonly atMs: number
  /** From then until the response was read. */
  readonly ms: number
}

const openedAtOnce = 100
const giveUpAfterMs = 10_000
const headEnd = Buffer.from('\r\n\r\n')

process.on('message', async (plan: FloodPlan) => process.send?.(await run(plan)))
process.on('disconnect', () => process.exit())

/**
 * Sends requests by the clock, whether or not those before were answered. It writes prepared bytes to plain sockets,
 * and reads no more of a response than its status and where it ends.
 */
async function run({ url, requests, connections, seconds, perSecond }: FloodPlan): Promise<FloodReport> {
  const { hostname, port } = new URL(url)
  const bytes = requests.map((text) => Buffer.from(text))
  const idle: Connection[] = []
  const all: Connection[] = []
  const answered: TimedResponse[] = []
  const refused: TimedResponse[] = []
  const lateMs: number[] = []
  let [unsent, failed] = [0, 0]
  let beganMs = performance.now()
  let isOver = false
  let sent = 0
  const next = () => bytes[sent++ % bytes.length] as Buffer
  const onEnd = (connection: Connection, status: number, plannedMs: number) => {
    const response = { atMs: plannedMs - beganMs, ms: performance.now() - plannedMs }
    if (status === 503) refused.push(response)
    else if (status >= 200 && status < 300) answered.push(response)
    else failed += 1
    if (connection.isOpen && perSecond === undefined && !isOver)
      connection.send(next(), performance.now(), onEnd)
    else if (connection.isOpen) idle.push(connection)
  }
  while (all.length < connections) {
    const some = Array.from(
      { length: Math.min(openedAtOnce, connections - all.length) },
      () => new Connection(hostname, Number(port)),
    )
    await Promise.all(some.map(({ opened }) => opened))
    all.push(...some)
  }
  beganMs = performance.now()
  if (perSecond === undefined) for (const connection of all) connection.send(next(), performance.now(), onEnd)
  else idle.push(...all)

  let planned = 0
  for (let nowMs = beganMs; nowMs - beganMs < seconds * 1000; nowMs = performance.now()) {
    while (perSecond !== undefined && beganMs + (planned * 1000) / perSecond <= nowMs) {
      const plannedMs = beganMs + (planned++ * 1000) / perSecond
      const connection = idle.pop()
      if (!connection) unsent += 1
      else {
        lateMs.push(performance.now() - plannedMs)
        connection.send(next(), plannedMs, onEnd)
      }
    }
    await sleep(1)
  }
  isOver = true
  const endsMs = performance.now() + giveUpAfterMs
  while (all.some(({ isBusy }) => isBusy) && performance.now() < endsMs) await sleep(10)
  failed += all.filter(({ isBusy }) => isBusy).length
  for (const connection of all) connection.close()
  return { unsent, answered, refused, failed, lateMs }
}

type OnEnd = (connection: Connection, status: number, plannedMs: number) => void

class Connection {
  isBusy = false
  isOpen = true
  readonly opened: Promise<void>
  readonly #socket
  #plannedMs = 0
  #left = -1
  #status = 0
  #head: Buffer | undefined
  #onEnd: OnEnd = () => {}

  constructor(host: string, port: number) {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.opened = promise
    // One buffer for all: each part of a response is looked at, and forgotten.
    const onread = {
      buffer: shared,
      callback: (length: number, buffer: Uint8Array) => {
        this.#read(buffer.subarray(0, length) as Buffer)
        return true
      },
    }
    this.#socket = connect({ host, port, noDelay: true, onread }, resolve)
    this.#socket.on('error', () => {})
    this.#socket.once('close', () => {
      this.isOpen = false
      if (this.isBusy) this.#end(0)
    })
  }

  send(bytes: Buffer, plannedMs: number, onEnd: OnEnd): void {
    this.isBusy = true
    this.#plannedMs = plannedMs
    this.#onEnd = onEnd
    this.#left = -1
    this.#head = undefined
    this.#socket.write(bytes)
  }

  #read(bytes: Buffer): void {
    if (this.#left >= 0) this.#left -= bytes.length
    else {
      const head = this.#head ? Buffer.concat([this.#head, bytes]) : bytes
      const end = head.indexOf(headEnd)
      if (end < 0) {
        this.#head = Buffer.from(head)
        return
      }
      const text = head.toString('latin1', 0, end)
      this.#status = Number(text.slice(9, 12))
      this.#left = Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1] ?? 0) - (head.length - end - 4)
    }
    if (this.#left <= 0) this.#end(this.#status)
  }

  #end(status: number): void {
    this.isBusy = false
    this.#onEnd(this, status, this.#plannedMs)
  }

  close(): void {
    this.#socket.destroy()
  }
}

const shared = Buffer.alloc(64 * 1024)
