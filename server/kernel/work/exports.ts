import { actsAsSeller, type Principal } from '../auth/principal.ts'
import { Problem } from '../errors.ts'
import { exportsMax } from '../storage/database.ts'

/** What an export may take: its snapshot keeps the database from removing old rows. */
export interface ExportLimits {
  /** How long it may last. */
  readonly maxMs: number
  /** How long the server waits for a client that takes less than `bytesPerSecondMin`. */
  readonly slowMaxMs: number
  readonly bytesPerSecondMin: number
}

const exportLimits: ExportLimits = {
  maxMs: 3_600_000,
  slowMaxMs: 30_000,
  bytesPerSecondMin: 65_536,
}

/** How many exports a store has at once in a process, and how many of all are for shoppers. */
const ofServersMax = 2
const ofShoppersMax = 1
const ofAllShoppersMax = exportsMax / 2

const retryAfterS = '10'

/** The exports that are in progress in a process. Shoppers do not use up those of their store's own servers. */
export class Exports {
  readonly limits: ExportLimits
  readonly #underWay = new Map<string, number>()

  constructor(limits: ExportLimits = exportLimits) {
    this.limits = limits
  }

  /** Counts an export until the returned function is called; refuses one too many. */
  begin(who: Pick<Principal, 'storeId' | 'grant' | 'sessionId' | 'shopper'>): () => void {
    const { storeId } = who
    const isServer = actsAsSeller(who)
    const names = [
      isServer ? `server ${storeId}` : `shopper ${storeId}`,
      ...(isServer ? [] : ['shoppers']),
      'all',
    ]
    const [ofStore = '', ...ofProcess] = names
    const storeMax = isServer ? ofServersMax : ofShoppersMax
    if (this.#count(ofStore) >= storeMax) {
      const many = storeMax === 1 ? 'An export is' : `${storeMax} exports are`
      const detail = `${many} in progress for this store already; try again when one has ended.`
      throw new Problem('rate_limited', detail, { headers: { 'retry-after': retryAfterS } })
    }
    if (ofProcess.some((name) => this.#count(name) >= (name === 'all' ? exportsMax : ofAllShoppersMax)))
      throw new Problem('unavailable', 'Too many exports are in progress; try again in a moment.')
    for (const name of names) this.#underWay.set(name, this.#count(name) + 1)
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      for (const name of names) this.#end(name)
    }
  }

  /** How many are in progress. */
  get running(): number {
    return this.#count('all')
  }

  #count(name: string): number {
    return this.#underWay.get(name) ?? 0
  }

  #end(name: string): void {
    const left = this.#count(name) - 1
    if (left > 0) this.#underWay.set(name, left)
    else this.#underWay.delete(name)
  }
}
