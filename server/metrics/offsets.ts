const monthMs = 30 * 86_400_000
/** For longer periods the answer is that there may be others. */
const monthsMax = 600

/**
 * Whether the clocks of a time zone differ from UTC by whole hours all the time. Zones change their offset at most a
 * few times a year, so it is enough to look at each month.
 */
export function hasWholeHours(timeZone: string, fromMs: number, toMs: number): boolean {
  if (timeZone === 'UTC') return true
  if (toMs - fromMs > monthsMax * monthMs) return false
  const minuteAt = minutesIn(timeZone)
  if (!minuteAt) return false
  for (let at = fromMs - monthMs; at < toMs + monthMs; at += monthMs) {
    const hour = Math.floor(at / 3_600_000) * 3_600_000
    if (minuteAt(hour) !== '0') return false
  }
  return true
}

/** Reads the minutes of the clock of a zone. Undefined for a name that only the database knows. */
function minutesIn(timeZone: string): ((atMs: number) => string) | undefined {
  try {
    const format = new Intl.DateTimeFormat('en', { timeZone, minute: 'numeric' })
    return (atMs) => format.format(atMs)
  } catch {
    return undefined
  }
}
