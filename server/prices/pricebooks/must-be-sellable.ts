import { instantOf, isInCalendar } from '../../kernel/body/days.ts'
import { Problem } from '../../kernel/errors.ts'
import type { ByKey, StoredAmount, StoredCurrencies, StoredSale } from './stored-prices.ts'

/** Checks of amounts and sales that schemas cannot express. `includes_tax` is added where it is missing. */

const refuse = (source: string, detail: string) =>
  new Problem('unprocessable', `${source}: ${detail}`, { source, title: 'Failed Validation' })

export function completeCurrencies(currencies: StoredCurrencies, at: string): StoredCurrencies {
  mustNotConflict(currencies, at)
  return mapped(
    currencies,
    (amount): StoredAmount => ({ ...amount, includes_tax: amount.includes_tax ?? false }),
  )
}

const mapped = <T>(bag: ByKey<T>, edit: (value: T, key: string) => T): ByKey<T> =>
  Object.fromEntries(Object.entries(bag).map(([key, value]) => [key, edit(value, key)]))

/**
 * The tiers of a currency begin at different quantities. Tiers of one name begin at the same quantity in all
 * currencies.
 */
function mustNotConflict(currencies: StoredCurrencies, at: string): void {
  const begins = new Map<string, number>()
  for (const [code, { tiers = {} }] of Object.entries(currencies)) {
    const named = new Map<number, string>()
    for (const [name, { minimum_quantity }] of Object.entries(tiers)) {
      const source = `${at}.${code}.tiers.${name}.minimum_quantity`
      const [other, elsewhere] = [named.get(minimum_quantity), begins.get(name) ?? minimum_quantity]
      if (other !== undefined)
        throw refuse(
          source,
          `the tier ${other} already begins at ${minimum_quantity}. Each tier of a currency needs a minimum_quantity of its own.`,
        )
      if (elsewhere !== minimum_quantity) {
        throw refuse(
          source,
          `the tier ${name} begins at ${elsewhere} in another currency. A tier has the same minimum_quantity in all currencies.`,
        )
      }
      named.set(minimum_quantity, name)
      begins.set(name, minimum_quantity)
    }
  }
}

/** Refuses two sales with the same schedule, because neither would take precedence. */
export function completeSales(sales: ByKey<StoredSale>, at: string): ByKey<StoredSale> {
  const taken = new Map<string, string>()
  return mapped(sales, (sent, name) => {
    const sale = withTidySchedule(sent)
    const span = spanOf(sale, `${at}.${name}.schedule`)
    const other = taken.get(span)
    if (other !== undefined) {
      const hint =
        span === '/' ? 'Only one sale may have no schedule.' : 'Each sale needs a schedule of its own.'
      throw refuse(`${at}.${name}.schedule`, `the sale ${other} has the same schedule. ${hint}`)
    }
    taken.set(span, name)
    const { bundle_ids, currencies } = sale
    return {
      ...sale,
      ...(bundle_ids && { bundle_ids: bundle_ids.map((id) => id.toLowerCase()) }),
      ...(currencies && { currencies: completeCurrencies(currencies, `${at}.${name}.currencies`) }),
    }
  })
}

/** Times are stored as they are sent, or in UTC if they have no offset. */
function withTidySchedule({ schedule, ...sale }: StoredSale): StoredSale {
  if (!schedule) return { ...sale, ...(schedule === null && { schedule }) }
  const { valid_form, valid_from = valid_form, valid_to } = schedule
  return {
    ...sale,
    schedule: {
      ...(valid_from !== undefined && { valid_from: withOffset(valid_from) }),
      ...(valid_to !== undefined && { valid_to: withOffset(valid_to) }),
    },
  }
}

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/

const withOffset = (time: string | null): string | null =>
  time === null || timestamp.test(time) ? time : new Date(instantOf(time)).toISOString()

/** The instants at which a sale begins and ends; `/` where it has no schedule. */
function spanOf({ schedule }: StoredSale, at: string): string {
  const [from, to] = (['valid_from', 'valid_to'] as const).map((bound) => {
    const time = schedule?.[bound]
    const instant = time ? Date.parse(time) : undefined
    // For example a leap second, or the last hours of the year 9999 west of Greenwich.
    if (instant !== undefined && !isInCalendar(instant))
      throw refuse(`${at}.${bound}`, `${time} must be an instant in the years 1 to 9999.`)
    return instant
  })
  if (from !== undefined && to !== undefined && from >= to) {
    throw refuse(`${at}.valid_to`, 'valid_to must be later than valid_from.')
  }
  return `${from ?? ''}/${to ?? ''}`
}
