import cluster from 'node:cluster'
import type { ClosingLimits } from '../sockets/connections.ts'
import type { Fault } from './messages.ts'
import { CrewSlot, type SlotEnd } from './slot.ts'

/** What the processes of a crew run, and who hears of them. */
interface CrewPlan {
  readonly size: number
  /** The file that each process runs. */
  readonly program: string
  /** What a process is told when it starts. `isFirst`: no process has served yet. */
  readonly placeOf: (slot: number, isFirst: boolean) => object
  readonly onEnd: (end: SlotEnd) => void
  readonly onReady: (slot: number, pid: number | undefined) => void
}

/**
 * Processes that serve one port. This process accepts the connections and hands them out in turns, so the port stays
 * open while one of them is replaced. When this process ends, in whatever way, the others do.
 */
export class Crew {
  readonly #slots: readonly CrewSlot[]
  readonly #failed = Promise.withResolvers<Fault>()
  #hasServed = false
  #isStopped = false
  #replacing: Promise<void> = Promise.resolve()

  constructor({ size, program, placeOf, onEnd, onReady }: CrewPlan) {
    cluster.setupPrimary({ exec: program, args: [] })
    const owner = {
      placeOf: (slot: number) => placeOf(slot, !this.#hasServed),
      ...{ onEnd, onReady },
      onFault: this.#failed.resolve,
    }
    this.#slots = Array.from({ length: size }, (_, i) => new CrewSlot(i + 1, owner))
  }

  /** Settles with a reason when the server cannot go on. */
  get failed(): Promise<Fault> {
    return this.#failed.promise
  }

  /**
   * Starts the first process, which prepares the database, and then the others. Returns what the first one says. Throws
   * a fault if it cannot start.
   */
  async start(): Promise<object> {
    const [first, ...others] = this.#slots as [CrewSlot, ...CrewSlot[]]
    const ready = await first.begin()
    this.#hasServed = true
    await Promise.all(others.map((slot) => slot.keep()))
    return ready
  }

  /** Replaces one process after the other. Throws a fault if a new one cannot start; the old ones then go on. */
  async replace(limits: ClosingLimits): Promise<void> {
    const before = this.#replacing
    const work = before.then(async () => {
      for (const slot of this.#slots) if (!this.#isStopped) await slot.replace(limits)
    })
    this.#replacing = work.catch(() => {})
    await work
  }

  /** What each process that serves answers, by its slot. */
  async ask(): Promise<readonly { readonly slot: number; readonly answer: unknown }[]> {
    const answers = this.#slots.map(async ({ number, current }) => ({
      slot: number,
      answer: await current?.ask(),
    }))
    return (await Promise.all(answers)).filter(({ answer }) => answer !== undefined)
  }

  async stop(limits: ClosingLimits): Promise<void> {
    this.#isStopped = true
    await Promise.all(this.#slots.map((slot) => slot.stop(limits)))
  }
}
