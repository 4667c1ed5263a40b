import cluster, { type Worker } from 'node:cluster'
import type { ClosingLimits } from '../sockets/connections.ts'
import type { CrewOrder, CrewReport, Fault } from './messages.ts'
import { returnConnection } from './return-connection.ts'

const answerMaxMs = 2000
/** How much longer than its limit for requests a process may take to stop. */
const stoppingMaxMs = 30_000

/** A process of a crew, from its start to its end. */
export class CrewMember {
  /** What it says when it serves. Rejects with a fault if it cannot. */
  readonly ready: Promise<object>
  /** Settles with how it ended. */
  readonly ended: Promise<string>
  /** Settles if it says that it cannot go on. */
  readonly failed: Promise<Fault>
  readonly #worker: Worker
  readonly #answers = new Map<number, (answer: unknown) => void>()
  #asked = 0
  #readyAtMs: number | undefined

  constructor(place: object) {
    const worker = cluster.fork()
    this.#worker = worker
    returnConnection(worker)
    const [ready, failed] = [Promise.withResolvers<object>(), Promise.withResolvers<Fault>()]
    this.ready = ready.promise
    this.failed = failed.promise
    this.ready.catch(() => {})
    this.ended = new Promise((done) => {
      worker.once('exit', (code, signal) => done(signal ? `signal ${signal}` : `exit code ${code}`))
    })
    void this.ended.then((how) =>
      ready.reject({ name: 'StartupError', message: `a process ended before it was ready (${how})` }),
    )
    worker.on('message', (message: CrewReport) => {
      if (message.report === 'answer') return this.#answers.get(message.id)?.(message.answer)
      if (message.report === 'ready') {
        this.#readyAtMs = performance.now()
        return ready.resolve(message.ready)
      }
      ready.reject(message.fault)
      failed.resolve(message.fault)
    })
    // What cannot be sent is for a process that has ended, which `ended` says.
    worker.on('error', () => {})
    this.#tell({ order: 'start', place })
  }

  get pid(): number | undefined {
    return this.#worker.process.pid
  }

  /** How long it has served. */
  get servedMs(): number {
    return this.#readyAtMs === undefined ? 0 : performance.now() - this.#readyAtMs
  }

  /** What it answers to the one question there is; undefined if it does not answer in time. */
  async ask(): Promise<unknown> {
    const id = this.#asked++
    let late: NodeJS.Timeout | undefined
    const answer = await Promise.race([
      new Promise((done) => this.#answers.set(id, done)),
      new Promise((done) => {
        late = setTimeout(done, answerMaxMs)
      }),
      this.ended.then(() => undefined),
      this.#tell({ order: 'ask', id }),
    ])
    clearTimeout(late)
    this.#answers.delete(id)
    return answer
  }

  /** Lets it finish its requests, and ends it if it does not end by itself. */
  async stop(limits: ClosingLimits): Promise<void> {
    this.#tell({ order: 'stop', limits })
    const late = setTimeout(
      () => this.#worker.process.kill('SIGKILL'),
      limits.idleMs + limits.requestsMs + stoppingMaxMs,
    )
    await this.ended
    clearTimeout(late)
  }

  /** Never settles: an answer, or the end of the process, tells more. */
  #tell(order: CrewOrder): Promise<never> {
    if (this.#worker.isConnected()) this.#worker.send(order, () => {})
    return new Promise(() => {})
  }
}
