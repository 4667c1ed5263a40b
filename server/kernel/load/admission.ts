import type { FastifyRequest } from 'fastify'
import { isReport, weightOf, weights } from '../attempts/request-weight.ts'
import type { Operation } from '../declare/operation.ts'
import { Problem } from '../errors.ts'
import type { Reading } from '../metrics/metrics.ts'
import { currentTimings } from '../traces/scopes.ts'
import type { Instance } from '../work/context.ts'
import { WorkLimit } from './work-limit.ts'

/** Requests that do not take each other's places: they use other connections of the database. */
const kinds = ['reads', 'writes', 'searches'] as const

type Kind = (typeof kinds)[number]

/** Beyond these the server refuses requests. */
export type AdmissionLimits = Pick<
  ConstructorParameters<typeof WorkLimit>[0],
  'calmMax' | 'waitMaxMs' | 'standingMs'
>

const usualLimits: AdmissionLimits = { calmMax: 64, waitMaxMs: 2000, standingMs: 100 }

/** Writes keep a connection and a processor busy; reads wait for each other's turns of the event loop. */
const overloadedMins: Readonly<Record<Kind, number>> = { reads: 32, writes: 4, searches: 4 }

const clock = {
  nowMs: () => performance.now(),
  after: (ms: number, run: () => void) => void setTimeout(run, ms).unref(),
}

/** Refuses requests while more come than the server can serve, so that the others are answered in time. */
export class Admission {
  readonly #limits: Readonly<Record<Kind, WorkLimit>>

  constructor(log: Instance['log'], limits: AdmissionLimits = usualLimits) {
    const limitOf = (kind: Kind) =>
      new WorkLimit({
        ...limits,
        overloadedMin: Math.min(limits.calmMax, overloadedMins[kind]),
        clock,
        onOverload: (isOverloaded) =>
          isOverloaded
            ? log.warn(`more ${kind} come than this server can serve: it refuses some with 503`)
            : log.info(`the server can serve all ${kind} again`),
      })
    this.#limits = { reads: limitOf('reads'), writes: limitOf('writes'), searches: limitOf('searches') }
  }

  /** The refusal of a request before its body is read; undefined if it may come in. */
  refusalOf(operation: Operation, { url, headers }: FastifyRequest): Problem | undefined {
    if (isAlwaysServed(operation)) return undefined
    return this.#limitOf(operation, url, headers).refuses() ? overloaded() : undefined
  }

  /** Runs a request when it has a place. */
  async run<T>(operation: Operation, { url, headers }: FastifyRequest, work: () => Promise<T>): Promise<T> {
    if (isAlwaysServed(operation)) return work()
    const entered = this.#limitOf(operation, url, headers).enter(operation.id)
    const place = entered instanceof Promise ? await entered : entered
    if (!place) throw overloaded()
    const timings = currentTimings()
    if (timings) timings.place = place
    try {
      return await work()
    } finally {
      if (timings) timings.place = undefined
      place.leave()
    }
  }

  #limitOf(operation: Operation, url: string, headers: FastifyRequest['headers']): WorkLimit {
    const weight = weightOf(operation, url, headers)
    return this.#limits[weight === weights.read ? 'reads' : weight === weights.write ? 'writes' : 'searches']
  }

  /** For metrics. */
  read(of: 'atWork' | 'max'): readonly Reading[] {
    return kinds.map((kind) => ({ labels: { kind }, value: this.#limits[kind][of] }))
  }
}

/** What other servers report is not lost, and an upload takes as long as its client does. */
const isAlwaysServed = (operation: Operation): boolean =>
  isReport(operation) || (operation.of.is === 'action' && operation.of.action.upload !== undefined)

const overloaded = () =>
  new Problem('unavailable', 'The server has more requests than it can serve; try again in a moment.', {
    headers: { 'retry-after': '1' },
    reason: 'overloaded',
  })
