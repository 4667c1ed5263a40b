/** What requests are counted by. */
const kinds = ['store', 'key', 'shopper', 'address'] as const

export type RateKind = (typeof kinds)[number]

/** How many requests a second there may be of each. What is missing has no limit. */
export type RequestRates = Readonly<Partial<Record<RateKind, number>>>

/** What `parseRequestRates` accepts, in words. */
export const requestRatesAccepted =
  'rates such as store:200,key:100: each is one of store, key, shopper and address, with a whole number of requests a ' +
  'second from 1 to 99999; or none'

const ratePattern = new RegExp(`^\\s*(${kinds.join('|')})\\s*:\\s*([1-9]\\d{0,4})\\s*$`)

/** Undefined if the text is not a list of rates. */
export function parseRequestRates(text: string): RequestRates | undefined {
  if (text === 'none') return {}
  const rates: Partial<Record<RateKind, number>> = {}
  for (const part of text.split(',')) {
    const [, kind, rate] = ratePattern.exec(part) ?? []
    if (kind === undefined || rates[kind as RateKind] !== undefined) return undefined
    rates[kind as RateKind] = Number(rate)
  }
  return rates
}
