import { hasSecret, type Principal } from '../auth/principal.ts'
import type { RateKind, RequestRates } from '../auth/request-rates.ts'
import type { ActiveKey } from '../auth/tokens.ts'
import { Problem } from '../errors.ts'
import type { Instance } from '../work/context.ts'
import { perInstance } from '../work/per-instance.ts'
import { networkOf } from './attempts.ts'
import { Buckets, bounded, isOpen, secondsUntilFull, secondsUntilOpen, take, unitsLeft } from './buckets.ts'

/** What a request is counted by. */
interface RatedRequest extends Pick<ActiveKey, 'reservedRate'> {
  readonly who: Principal
  readonly rates: RequestRates
  readonly clientAddress: string
  readonly weight: number
  /** Another server reports something: the store's rate does not count. */
  readonly isReport: boolean
}

/** One bucket that a request is counted in. */
interface Allowance {
  readonly kind: RateKind | 'reserved'
  readonly bucket: string
  /** The rate that all processes grant together. */
  readonly rate: number
}

const bucketsMax = 100_000

/** The buckets of this process. Shoppers and addresses, of which there may be any number, displace no others. */
const processBuckets = perInstance(({ clock }) => ({
  // Small numbers are precise.
  beganMs: clock.now().getTime(),
  store: new Buckets(bucketsMax),
  key: new Buckets(bucketsMax),
  reserved: new Buckets(bucketsMax),
  shopper: new Buckets(bucketsMax),
  address: new Buckets(bucketsMax),
}))

type RateHeaders = Readonly<Record<string, string>>

/**
 * Counts a request, and gives `setHeaders` what its response says about it. Throws a Problem (429) if there were too
 * many; a refused request counts for nothing. See docs/decisions/0117-rates.md.
 */
export function countRequest(
  instance: Instance,
  request: RatedRequest,
  setHeaders: (headers: RateHeaders) => void,
): void {
  const now = new Instant(instance)
  const allowances = allowancesOf(request)
  const reserved = reservedOf(request)
  const isReserved = reserved !== undefined && now.isOpen(reserved)
  const closed = allowances.filter((one) => !now.isOpen(one) && !(isReserved && one.kind === 'store'))
  if (closed.length === 0) {
    for (const one of allowances) now.take(one, request.weight)
    if (isReserved) now.take(reserved, request.weight)
  }

  const waitS = (one: Allowance) =>
    one.kind === 'store' && reserved ? Math.min(now.waitS(one), now.waitS(reserved)) : now.waitS(one)
  const shown = (reserved ? [...allowances, reserved] : allowances).filter(
    (one) => isShownTo(request.who, one) || closed.includes(one),
  )
  if (shown.length > 0) {
    setHeaders({
      'ratelimit-policy': shown.map(({ kind, rate }) => `"${kind}";q=${rate};w=1`).join(', '),
      ratelimit: shown
        .map((one) => `"${one.kind}";r=${now.left(one)};t=${waitS(one) || now.fullInS(one)}`)
        .join(', '),
    })
  }
  if (closed.length > 0) throw refusalOf(closed, Math.max(...closed.map(waitS)))
}

/** The buckets of this process at an instant. A process grants its share of each rate. */
class Instant {
  readonly #buckets: ReturnType<typeof processBuckets>
  readonly #nowMs: number
  readonly #share: number

  constructor(instance: Instance) {
    this.#buckets = processBuckets(instance)
    this.#nowMs = instance.clock.now().getTime() - this.#buckets.beganMs
    this.#share = 1 / instance.processCount()
  }

  isOpen(allowance: Allowance): boolean {
    return isOpen(this.#fullAtMs(allowance), this.#nowMs)
  }

  take(allowance: Allowance, weight: number): void {
    const { kind, bucket, rate } = allowance
    const fullAtMs = take(this.#fullAtMs(allowance), weight, rate * this.#share, this.#nowMs)
    this.#buckets[kind].set(bucket, fullAtMs, this.#nowMs)
  }

  left(allowance: Allowance): number {
    const left = unitsLeft(this.#fullAtMs(allowance), allowance.rate * this.#share, this.#nowMs)
    return Math.max(0, Math.floor(left))
  }

  waitS(allowance: Allowance): number {
    return secondsUntilOpen(this.#fullAtMs(allowance), this.#nowMs)
  }

  fullInS(allowance: Allowance): number {
    return secondsUntilFull(this.#fullAtMs(allowance), this.#nowMs)
  }

  #fullAtMs({ kind, bucket, rate }: Allowance): number {
    const stored = this.#buckets[kind].get(bucket)
    const fullAtMs = bounded(stored, rate * this.#share, this.#nowMs)
    if (fullAtMs < stored) this.#buckets[kind].set(bucket, fullAtMs, this.#nowMs)
    return fullAtMs
  }
}

/** The buckets that must have something left, the narrowest first. */
function allowancesOf(request: RatedRequest): readonly Allowance[] {
  const { who, rates, reservedRate, clientAddress, isReport } = request
  const allowances: Allowance[] = []
  const add = (kind: RateKind, bucket: string, rate = rates[kind]) => {
    if (rate !== undefined) allowances.push({ kind, bucket, rate })
  }
  // A server that has the secret of a key calls for many people.
  if (!hasSecret(who)) {
    if (who.shopper && rates.shopper !== undefined) add('shopper', `${who.storeId} ${who.shopper.id}`)
    else add('address', `${who.storeId} ${networkOf(clientAddress)}`)
  }
  if (who.keyId && rates.key !== undefined) add('key', who.keyId, Math.max(rates.key, reservedRate))
  if (!isReport) add('store', who.storeId)
  return allowances
}

/** What the key has of the store's rate for itself. */
const reservedOf = ({ who, rates, reservedRate }: RatedRequest): Allowance | undefined =>
  reservedRate > 0 && rates.store !== undefined
    ? { kind: 'reserved', bucket: who.keyId, rate: reservedRate }
    : undefined

/** How busy a store is says how it is used, so shoppers learn only of their own rate, and of one that refuses them. */
const isShownTo = (who: Principal, { kind }: Allowance): boolean =>
  hasSecret(who) || kind === 'shopper' || kind === 'address'

const nouns: Readonly<Record<Allowance['kind'], string>> = {
  ...{ store: 'store', key: 'application key', reserved: 'application key' },
  ...{ shopper: 'shopper', address: 'address' },
}

function refusalOf(closed: readonly Allowance[], seconds: number): Problem {
  const whose = closed.map(({ kind }) => nouns[kind]).join(' and this ')
  const wait = `${seconds} ${seconds === 1 ? 'second' : 'seconds'}`
  return new Problem('rate_limited', `There are too many requests of this ${whose}; try again in ${wait}.`, {
    headers: { 'retry-after': String(seconds) },
    reason: 'rate',
  })
}
