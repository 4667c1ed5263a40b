import type { ClosingLimits } from '../sockets/connections.ts'
import { CrewMember } from './member.ts'
import type { Fault } from './messages.ts'
import { Tries, triesMax } from './tries.ts'

/** What all slots of a crew share. */
interface CrewOwner {
  /** What a process of this slot is told when it starts. */
  placeOf(slot: number): object
  onEnd(end: SlotEnd): void
  onReady(slot: number, pid: number | undefined): void
  /** The server cannot go on. */
  onFault(fault: Fault): void
}

/** The end of a process that nobody has asked to end. */
export interface SlotEnd {
  readonly slot: number
  readonly pid: number | undefined
  readonly reason: string
  /** When the next one is started. */
  readonly againInMs: number
}

/** A place in a crew, with a process that is replaced when it ends. */
export class CrewSlot {
  readonly number: number
  readonly #owner: CrewOwner
  readonly #tries = new Tries()
  #current: CrewMember | undefined
  #starting: CrewMember | undefined
  #timer: NodeJS.Timeout | undefined
  /** One start after the other. */
  #turn: Promise<unknown> = Promise.resolve()
  #isStopped = false

  constructor(number: number, owner: CrewOwner) {
    this.number = number
    this.#owner = owner
  }

  /** The process that serves; undefined while there is none. */
  get current(): CrewMember | undefined {
    return this.#current
  }

  /** Starts a process, and returns what it says when it is ready. Throws a fault if it cannot start. */
  begin(): Promise<object> {
    return this.#inTurn(() => this.#start())
  }

  /** Starts a process, and tries again while that fails. */
  async keep(): Promise<void> {
    await this.#inTurn(async () => {
      // Another turn has put one here.
      if (this.#current || this.#isStopped) return
      await this.#start().catch((fault: Fault) => this.#again(undefined, fault.message, fault))
    })
  }

  /** Puts a new process in the place of the old one, which serves until the new one does. */
  replace(limits: ClosingLimits): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#isStopped) return
      clearTimeout(this.#timer)
      const old = this.#current
      await this.#start()
      await old?.stop(limits)
    })
  }

  async stop(limits: ClosingLimits): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    // One that still starts stops as soon as it can.
    await Promise.all([this.#current, this.#starting].map((member) => member?.stop(limits)))
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work)
    this.#turn = turn.catch(() => {})
    return turn
  }

  async #start(): Promise<object> {
    const member = new CrewMember(this.#owner.placeOf(this.number))
    this.#starting = member
    try {
      const ready = await member.ready
      this.#current = member
      this.#owner.onReady(this.number, member.pid)
      void member.failed.then((fault) => this.#owner.onFault(fault))
      void member.ended.then((how) => {
        if (this.#current !== member || this.#isStopped) return
        this.#current = undefined
        this.#again(member, how)
      })
      return ready
    } finally {
      this.#starting = undefined
    }
  }

  #again(member: CrewMember | undefined, reason: string, fault?: Fault): void {
    const againInMs = this.#tries.waitAfter(member?.servedMs ?? 0)
    if (againInMs === undefined) {
      const message = `process ${this.number} ended ${triesMax + 1} times in a row, at last with: ${reason}`
      this.#owner.onFault({ name: fault?.name ?? 'StartupError', message })
      return
    }
    this.#owner.onEnd({ slot: this.number, pid: member?.pid, reason, againInMs })
    this.#timer = setTimeout(() => void this.keep(), againInMs)
  }
}
