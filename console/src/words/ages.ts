import { words } from './words.ts'

const units = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const

/** How long ago a time of the API was, in its largest unit: "2 days ago". */
export function ageText(iso: string, nowMs = Date.now()): string {
  const seconds = (Date.parse(iso) - nowMs) / 1000
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? (['second', 1] as const)
  const format = new Intl.RelativeTimeFormat(words.language, { numeric: 'auto' })
  return format.format(Math.trunc(seconds / size), unit)
}
