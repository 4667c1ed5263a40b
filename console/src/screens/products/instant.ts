const partNames = ['year', 'month', 'day', 'hour', 'minute', 'second'] as const

/** How far the clocks of a zone are before UTC at an instant. */
function offsetMs(atMs: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat('en', {
    ...{ timeZone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
  })
  const parts = new Map(format.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]))
  const [year = 0, month = 1, ...rest] = partNames.map((name) => parts.get(name) ?? 0)
  return Date.UTC(year, month - 1, ...rest) - Math.floor(atMs / 1000) * 1000
}

/**
 * The instant at which the clocks of a zone show a time such as `2026-12-24T18:00`; undefined if that is no time. The
 * first offset is a guess: near a change of the clocks the second one is right.
 */
export function instantOf(local: string, timeZone: string): string | undefined {
  const utcMs = Date.parse(`${local}Z`)
  if (Number.isNaN(utcMs)) return undefined
  const guessMs = utcMs - offsetMs(utcMs, timeZone)
  return new Date(utcMs - offsetMs(guessMs, timeZone)).toISOString()
}
