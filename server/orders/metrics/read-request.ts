import { instantOf, isDay } from '../../kernel/body/days.ts'
import { Problem } from '../../kernel/errors.ts'
import { condition } from '../../kernel/query/condition.ts'
import { parse } from '../../kernel/query/parse.ts'
import { plan } from '../../kernel/query/plan.ts'
import { choice, text } from '../../kernel/shape/fields.ts'
import type { Binds } from '../../kernel/storage/binds.ts'
import { measuredOrders } from './order-filters.ts'

/** From `fromMs` on, until before `toMs`. */
export interface MeasuredPeriod {
  readonly fromMs: number
  readonly toMs: number
}

/** Which orders are measured. */
export interface OrderSelection extends MeasuredPeriod {
  readonly currency: string
  /** The condition of a filter on rows of `orders`. */
  readonly filter: ((bind: Binds['bind']) => string) | undefined
}

/** How a period is divided. */
export interface Division {
  readonly interval: Interval
  readonly timeZone: string
}

const intervals = { '1hr': 3_600_000, '1d': 86_400_000, '1wk': 604_800_000 } as const
export type Interval = keyof typeof intervals

const intervalsMax = 10_000

const day = 'a day or a timestamp (RFC 3339), such as 2026-01-31 or 2026-01-31T09:30:00.000Z'

export const periodQuery = {
  start_date: text({
    required: true,
    about: `The beginning of the period: ${day}.`,
    example: '2026-01-01T00:00:00.000Z',
  }),
  end_date: text({
    required: true,
    about: 'The end of the period, which is not included. It must be after `start_date`.',
    example: '2026-02-01T00:00:00.000Z',
  }),
}

export const selectionQuery = {
  ...periodQuery,
  currency: text({
    required: true,
    min: 3,
    max: 3,
    about: 'The code of a currency. Only orders in this currency count.',
    example: 'USD',
  }),
  filter: text({
    about:
      '`contains` of `product_ids`, `product_skus`, `promotion_ids` or `promotion_codes`. It selects whole orders.',
    example: 'contains(product_skus,shirt-M)',
  }),
}

export const divisionQuery = {
  interval: choice(['1hr', '1d', '1wk'], {
    required: true,
    about: `The length of the buckets: an hour, a day, or a week from Monday on. A period has at most ${intervalsMax} of them.`,
    example: '1d',
  }),
  timezone: text({
    about: 'The time zone in which hours, days and weeks begin. Default: UTC.',
    example: 'Europe/London',
  }),
}

export function readPeriod(query: string): MeasuredPeriod {
  const parameters = new URLSearchParams(query)
  const [fromMs, toMs] = [readTime(parameters, 'start_date'), readTime(parameters, 'end_date')]
  if (toMs > fromMs) return { fromMs, toMs }
  throw new Problem('bad_request', "The 'end_date' must be after 'start_date'.", { source: 'end_date' })
}

export function readSelection(query: string): OrderSelection {
  const parameters = new URLSearchParams(query)
  const period = readPeriod(query)
  const currency = readOne(parameters, 'currency')
  if (!/^[A-Za-z]{3}$/.test(currency)) {
    throw refuse('currency', `must be the three letters of a currency, not ${show(currency)}`)
  }
  const { filter } = plan({ ...parse(query), sort: undefined, offset: 0 }, measuredOrders)
  return {
    ...period,
    currency: currency.toUpperCase(),
    filter: filter && ((bind) => condition(filter, { bind })),
  }
}

export function readDivision(query: string, { fromMs, toMs }: MeasuredPeriod): Division {
  const parameters = new URLSearchParams(query)
  const interval = readOne(parameters, 'interval')
  if (!isInterval(interval)) {
    throw refuse('interval', `must be ${Object.keys(intervals).join(' or ')}, not ${show(interval)}`)
  }
  if (toMs - fromMs > intervalsMax * intervals[interval]) {
    throw refuse(
      'interval',
      `must divide the period into at most ${intervalsMax} parts: choose a longer one, or an earlier end_date`,
    )
  }
  return { interval, timeZone: parameters.has('timezone') ? readZone(parameters) : 'UTC' }
}

const isInterval = (name: string): name is Interval => Object.hasOwn(intervals, name)

/** The forms of names; the database knows which names there are. */
const zoneName = /^[A-Za-z]{2,}(?:[/_+-][A-Za-z0-9]+)*$/

function readZone(parameters: URLSearchParams): string {
  const zone = readOne(parameters, 'timezone')
  if (zoneName.test(zone) && zone.length <= 64) return zone
  throw refuseZone(zone)
}

export const refuseZone = (zone: string): Problem =>
  refuse('timezone', `must be the name of a time zone, such as Europe/London, not ${show(zone)}`)

function readTime(parameters: URLSearchParams, name: 'start_date' | 'end_date'): number {
  // A raw + in a URL becomes a space: restore the one before a UTC offset.
  const text = readOne(parameters, name).replace(/(:\d\d(?:\.\d+)?) (\d\d:?\d\d)$/, '$1+$2')
  if (!isDay(text)) throw refuse(name, `must be ${day}, not ${show(text)}`)
  const atMs = instantOf(text)
  // Orders have whole milliseconds: the next one is the first that is not before the instant.
  return /\.\d{3}\d*[1-9]/.test(text) ? atMs + 1 : atMs
}

function readOne(parameters: URLSearchParams, name: string): string {
  const [value, ...others] = parameters.getAll(name)
  if (value === undefined) throw refuse(name, 'is required')
  if (others.length) throw refuse(name, 'must be sent only once')
  return value
}

const show = (value: string) => JSON.stringify(value.slice(0, 40))

const refuse = (source: string, fault: string) =>
  new Problem('bad_request', `${source} ${fault}.`, { source })
