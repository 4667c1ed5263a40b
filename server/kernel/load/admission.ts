import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import { isReport, weightOf, weights } from '../attempts/request-weight.ts'
import type { Operation } from '../declare/operation.ts'
import { Problem } from '../errors.ts'
import type { Reading } from '../metrics/metrics.ts'
import type { Timings } from '../traces/timings.ts'
import type { Instance } from '../work/context.ts'
import { RefusalPace } from './refusal-pace.ts'
import { WorkLimit, WorkPlace } from './work-limit.ts'

/** Requests that do not take each other's places: they use other connections of the database. */
const kinds = ['reads', 'writes', 'searches'] as const

type Kind = (typeof kinds)[number]

/** Beyond these the server refuses requests. */
export type AdmissionLimits = Pick<
  ConstructorParameters<typeof WorkLimit>[0],
  'calmMax' | 'waitMaxMs' | 'standing'
>

const usualLimits: AdmissionLimits = { calmMax: 64, waitMaxMs: 10_000, standing: { waitMs: 20, forMs: 800 } }

/** Writes keep a connection and a processor busy; reads wait for each other's turns of the event loop. */
const overloadedMins: Readonly<Record<Kind, number>> = { reads: 12, writes: 3, searches: 3 }

const clock = {
  nowMs: () => performance.now(),
  after: (ms: number, run: () => void) => void setTimeout(run, ms).unref(),
}

/** Refuses requests while more come than the server can serve, so that the others are answered in time. */
export class Admission {
  readonly #limits: Readonly<Record<Kind, WorkLimit>>
  /** How many of these are overloaded. */
  #overloaded = 0
  readonly #pace = new RefusalPace(clock.nowMs)

  constructor(log: Instance['log'], limits: AdmissionLimits = usualLimits) {
    const limitOf = (kind: Kind) =>
      new WorkLimit({
        ...limits,
        overloadedMin: Math.min(limits.calmMax, overloadedMins[kind]),
        clock,
        onOverload: (isOverloaded) => {
          this.#overloaded += isOverloaded ? 1 : -1
          if (isOverloaded) log.warn(`more ${kind} come than this server can serve: it refuses some with 503`)
          else log.info(`the server can serve all ${kind} again`)
        },
      })
    this.#limits = { reads: limitOf('reads'), writes: limitOf('writes'), searches: limitOf('searches') }
  }

  /** The refusal of a request before its body is read; undefined if it may come in. */
  refusalOf(operation: Operation, request: FastifyRequest): Promise<Problem> | undefined {
    // Almost always nothing more is to be done.
    if (this.#overloaded === 0) return undefined
    return this.#limitOf(operation, request)?.refuses() ? this.#refuse() : undefined
  }

  /**
   * A place for a request, which it waits for if need be. Undefined if it needs none. Throws a Problem (503) if it is
   * refused.
   */
  enter(
    operation: Operation,
    request: FastifyRequest,
    timings: Timings,
  ): WorkPlace | undefined | Promise<WorkPlace> {
    const limit = this.#limitOf(operation, request)
    if (!limit) return undefined
    timings.isSlowRead = limit === this.#limits.searches
    const entered = limit.enter(operation.id)
    return entered instanceof WorkPlace ? entered : this.#orRefuse(entered)
  }

  async #orRefuse(entered: Promise<WorkPlace | undefined> | undefined): Promise<WorkPlace> {
    const place = await entered
    if (!place) throw await this.#refuse()
    return place
  }

  async #refuse(): Promise<Problem> {
    const heldMs = this.#pace.nextMs()
    if (heldMs > 0) await sleep(heldMs)
    return overloaded()
  }

  /**
   * Undefined where all are served: what other servers report is not lost, an upload takes as long as its client does,
   * and exports have a limit of their own, since one may take minutes.
   */
  #limitOf(operation: Operation, { url, headers }: FastifyRequest): WorkLimit | undefined {
    if (isReport(operation) || isUpload(operation)) return undefined
    const weight = weightOf(operation, url, headers)
    if (weight === weights.export) return undefined
    return this.#limits[weight === weights.read ? 'reads' : weight === weights.write ? 'writes' : 'searches']
  }

  /** For metrics. */
  read(of: 'atWork' | 'max'): readonly Reading[] {
    return kinds.map((kind) => ({ labels: { kind }, value: this.#limits[kind][of] }))
  }
}

const isUpload = ({ of }: Operation): boolean => of.is === 'action' && of.action.upload !== undefined

const overloaded = () =>
  new Problem('unavailable', 'The server has more requests than it can serve; try again in a moment.', {
    headers: { 'retry-after': '1' },
    reason: 'overloaded',
  })
