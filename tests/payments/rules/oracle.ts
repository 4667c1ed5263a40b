/**
 * Follows docs/payments.md coin by coin. Each unit of an order's total is a coin, and each transaction moves the coins
 * that it has taken. Nothing is added up before the end.
 */

type Place = 'owed' | 'awaited' | 'pending' | 'held' | 'received' | 'returned'

interface Coin {
  place: Place
  /** The transaction that has taken it. */
  by: number | undefined
}

/** Of an order that costs nothing, by where its payment of nothing is. */
const states: Partial<Record<Place, string>> = { held: 'authorized', received: 'paid', returned: 'refunded' }
const statuses: Record<string, string> = { unpaid: 'incomplete', authorized: 'processing' }

export class Purse {
  readonly #coins: Coin[]
  /** Payments of nothing, of orders that cost nothing. */
  #emptyPayment: Place | undefined

  constructor(total: number) {
    this.#coins = Array.from({ length: total }, () => ({ place: 'owed', by: undefined }))
  }

  count(...places: readonly Place[]): number {
    return this.#coins.filter(({ place }) => places.includes(place)).length
  }

  countOf(by: number, ...places: readonly Place[]): number {
    return this.#coins.filter((coin) => coin.by === by && places.includes(coin.place)).length
  }

  take(by: number, amount: number, place: 'awaited' | 'pending'): void {
    for (let left = amount; left > 0; left--) {
      const coin = this.#coins.find((one) => one.place === 'owed')
      if (!coin) throw new Error('nothing is owed')
      Object.assign(coin, { place, by })
    }
    if (amount === 0) this.#emptyPayment = place
  }

  move(by: number, from: readonly Place[], to: Place, most = Number.POSITIVE_INFINITY): void {
    let left = most
    for (const coin of this.#coins) {
      if (coin.by !== by || !from.includes(coin.place) || left === 0) continue
      coin.place = to
      if (to === 'owed') coin.by = undefined
      left--
    }
    if (this.#coins.length === 0 && from.includes(this.#emptyPayment as Place)) this.#emptyPayment = to
  }

  /** The table of chapter 3, in terms of coins. */
  payment(): string {
    if (this.#coins.length === 0) return states[this.#emptyPayment ?? 'owed'] ?? 'unpaid'
    const [received, returned, held] = [this.count('received'), this.count('returned'), this.count('held')]
    const isCovered = received + returned + held === this.#coins.length
    if (returned && !received && !held) return 'refunded'
    if (!received && !returned && !held) return 'unpaid'
    if (held)
      return isCovered ? 'authorized' : received + returned ? 'partially_paid' : 'partially_authorized'
    return isCovered ? 'paid' : 'partially_paid'
  }

  status(): string {
    if (this.#coins.length === 0) return statuses[this.payment()] ?? 'complete'
    if (this.count('received', 'returned', 'held') < this.#coins.length) return 'incomplete'
    return this.count('held') ? 'processing' : 'complete'
  }
}
