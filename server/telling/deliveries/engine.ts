import { setTimeout as sleep } from 'node:timers/promises'
import { atMost } from '../../kernel/at-most.ts'
import { type FeedChange, readChangesAt } from '../../kernel/feed/changes.ts'
import { isTemporary } from '../../kernel/storage/database.ts'
import type { Instance, Work } from '../../kernel/work/context.ts'
import { Slots } from '../../kernel/work/slots.ts'
import type { Network } from '../targets/network.ts'
import { type ClaimedJob, claim, endpointOf, findDue, type Wish } from './claim.ts'
import { deliver } from './deliver.ts'
import { countDelivery } from './delivery-metrics.ts'
import { type Endpoint, findEndpoints } from './endpoints.ts'
import { EventContents } from './event-contents.ts'
import { AttemptRecorder, type DeliveryAttempt } from './record-attempts.ts'
import { leaseMs } from './schedule.ts'
import { workOfDeliveries } from './work-of-deliveries.ts'

/** How many messages may be under way, of which endpoints. */
const slotLimits = {
  shared: 64,
  forLong: 16,
  perOwner: 16,
  // Bounds the sockets of the process.
  total: 2_000,
} as const

/** How soon jobs are noticed that become due, or that another process has made. */
const pollMs = 500
/** Integrations in one claim. */
const wishesMax = 200
const stoppingMaxMs = 3_000

type Owner = Pick<Wish, 'storeId' | 'integrationId'>

/** Sends the jobs that are due, in this process. */
export class Engine {
  readonly #instance: Instance
  readonly #network: Network
  readonly #slots = new Slots(slotLimits)
  readonly #contents = new EventContents()
  readonly #recorder: AttemptRecorder
  readonly #stopping = new AbortController()
  /** Integrations that may have jobs to do, the longest waiting first. */
  readonly #ready = new Map<string, Owner>()
  readonly #sending = new Set<Promise<void>>()
  #returned: ClaimedJob[] = []
  #isStopped = false
  #claiming: Promise<void> | undefined
  #timer: NodeJS.Timeout

  constructor(instance: Instance, network: Network) {
    this.#instance = instance
    this.#network = network
    this.#recorder = new AttemptRecorder(instance, (attempts) =>
      this.#release(attempts.map(({ job }) => job)),
    )
    this.#timer = setTimeout(() => void this.#poll(), 0)
  }

  /** Looks for jobs of these integrations now. */
  wake(storeId: string, integrationIds: readonly string[]): void {
    for (const integrationId of integrationIds)
      this.#ready.set(endpointOf(storeId, integrationId), { storeId, integrationId })
    this.#claimSoon()
  }

  /** Lets attempts end for a while, and gives back the others. */
  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    await this.#claiming
    await atMost(stoppingMaxMs, this.#sent())
    this.#stopping.abort(new Error('The server stops.'))
    await this.#sent()
    await atMost(stoppingMaxMs, Promise.all([this.#recorder.idle(), this.#giveBack()])).catch(() => {})
  }

  async #sent(): Promise<void> {
    while (this.#sending.size) await Promise.all(this.#sending)
  }

  async #poll(): Promise<void> {
    try {
      const due = await findDue(this.#instance.database, this.#instance.clock.now())
      for (const owner of due) {
        const endpoint = endpointOf(owner.storeId, owner.integrationId)
        if (!this.#ready.has(endpoint)) this.#ready.set(endpoint, owner)
      }
      this.#claimSoon()
    } catch (error) {
      this.#note(error)
    }
    if (!this.#isStopped) this.#timer = setTimeout(() => void this.#poll(), pollMs)
  }

  #note(error: unknown): void {
    if (!isTemporary(error)) this.#instance.log.error({ err: error }, 'cannot look for jobs of integrations')
  }

  #claimSoon(): void {
    if (this.#isStopped) return
    this.#claiming ??= this.#claimAll()
      .catch(async (error: unknown) => {
        this.#note(error)
        await sleep(pollMs)
      })
      .finally(() => {
        this.#claiming = undefined
      })
  }

  /** Claims as long as some integration has jobs and a free slot. */
  async #claimAll(): Promise<void> {
    for (;;) {
      const wishes = this.#wishes()
      if (!wishes.length || this.#isStopped) return
      let jobs: readonly ClaimedJob[] = []
      try {
        jobs = await claim(this.#instance, wishes, this.#instance.clock.now(), leaseMs)
      } finally {
        this.#giveUnused(wishes, jobs)
      }
      await this.#begin(jobs)
    }
  }

  #wishes(): readonly Wish[] {
    const wishes: Wish[] = []
    for (const [endpoint, owner] of this.#ready) {
      if (wishes.length === wishesMax) break
      const most = this.#slots.take(endpoint, slotLimits.perOwner)
      if (!most) continue
      // Its turn comes again behind the others.
      this.#ready.delete(endpoint)
      wishes.push({ ...owner, most })
    }
    return wishes
  }

  #giveUnused(wishes: readonly Wish[], jobs: readonly ClaimedJob[]): void {
    const claimed = Map.groupBy(jobs, ({ storeId, integrationId }) => endpointOf(storeId, integrationId))
    for (const { storeId, integrationId, most } of wishes) {
      const endpoint = endpointOf(storeId, integrationId)
      const n = claimed.get(endpoint)?.length ?? 0
      if (n < most) this.#slots.give(endpoint, most - n)
      else this.#ready.set(endpoint, { storeId, integrationId })
    }
  }

  async #begin(jobs: readonly ClaimedJob[]): Promise<void> {
    for (const [storeId, some] of Map.groupBy(jobs, (job) => job.storeId)) {
      const work = workOfDeliveries(this.#instance, storeId)
      try {
        const endpoints = await findEndpoints(work, [...new Set(some.map((job) => job.integrationId))])
        const changes = await readChangesAt(work.store, [...new Set(some.map((job) => job.position))])
        for (const job of some)
          this.#send(work, job, changes.get(job.position), endpoints.get(job.integrationId))
      } catch (error) {
        this.#note(error)
        this.#release(some)
      }
    }
  }

  #send(work: Work, job: ClaimedJob, change: FeedChange | undefined, endpoint: Endpoint | undefined): void {
    const makeContent = this.#contents.begin(work, job)
    const sending = deliver(work, this.#network, job, change, endpoint, makeContent, this.#stopping.signal)
      .then((attempt) => this.#end(attempt))
      .catch((error: unknown) => {
        // Its lease ends, and it is tried again.
        this.#note(error)
        this.#release([job])
      })
      .finally(() => {
        this.#sending.delete(sending)
        this.#contents.end(job)
      })
    this.#sending.add(sending)
  }

  #end(attempt: DeliveryAttempt): void {
    const { job, outcome } = attempt
    if (this.#stopping.signal.aborted && !outcome?.succeeded) {
      this.#returned.push(job)
      return
    }
    countDelivery(attempt)
    if (outcome) this.#slots.note(endpointOf(job.storeId, job.integrationId), outcome)
    this.#recorder.add(attempt)
  }

  /** The slots of these jobs are free, and the next jobs of their objects may be due. */
  #release(jobs: readonly ClaimedJob[]): void {
    for (const { storeId, integrationId } of jobs) {
      const endpoint = endpointOf(storeId, integrationId)
      this.#slots.give(endpoint)
      if (!this.#ready.has(endpoint)) this.#ready.set(endpoint, { storeId, integrationId })
    }
    this.#claimSoon()
  }

  async #giveBack(): Promise<void> {
    const now = this.#instance.clock.now()
    for (const [storeId, jobs] of Map.groupBy(this.#returned.splice(0), (job) => job.storeId))
      await this.#instance.database.run({
        text: 'SELECT return_deliveries($1, $2, $3)',
        values: [storeId, JSON.stringify(jobs.map(({ id, lease }) => ({ id, lease }))), now],
      })
  }
}
