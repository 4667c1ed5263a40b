/**
 * A day as people write it, `2026-01-31`, that may have a time of day: `2026-01-31 09:30:00`, or a timestamp (RFC
 * 3339). Without an offset it is UTC.
 */

const form =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.\d{1,9})?)?(?:Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)?)?$/

/** The form, for readers who do not know the format `day`. It also accepts a day that its month does not have. */
export const dayPattern = form.source

export function isDay(text: string): boolean {
  const [, year, month, day] = form.exec(text) ?? []
  if (!year) return false
  // `Date` turns 31 February into a day of March.
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return false
  return isInCalendar(instantOf(text))
}

const [first, last] = [Date.parse('0001-01-01'), Date.parse('9999-12-31T23:59:59.999Z')]

/** Whether an instant is in the years 1 to 9999 of UTC: PostgreSQL and clients cannot read others. */
export const isInCalendar = (atMs: number): boolean => first <= atMs && atMs <= last

/** Negative if the first is earlier. If one of them has no time of day, only the days are compared. */
export function compareDays(one: string, other: string): number {
  const [first, second] = [instantOf(one), instantOf(other)]
  if (one.length > 10 && other.length > 10) return first - second
  return Math.floor(first / dayMs) - Math.floor(second / dayMs)
}

const dayMs = 86_400_000

/** The instant in milliseconds since the epoch. A day without a time of day counts from its beginning. */
export function instantOf(text: string): number {
  const zoned = /(?:Z|[+-]\d\d:?\d\d)$/i.test(text.slice(10))
  const iso = text
    .replace(' ', 'T')
    .replace(/([+-]\d\d)(\d\d)$/, (match, hours, minutes) =>
      text.length > 10 ? `${hours}:${minutes}` : match,
    )
  return Date.parse(text.length > 10 && !zoned ? `${iso}Z` : iso)
}
