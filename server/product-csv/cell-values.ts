import type { ValueType } from '../flows/index.ts'
import { Problem } from '../kernel/errors.ts'
import { isDay } from '../kernel/shape/days.ts'

/** How days are written in a file; without one, as they are in requests. */
const locales = { 'en-US': ['month', 'day'], 'en-GB': ['day', 'month'], 'en-CA': ['day', 'month'] } as const

export type Locale = keyof typeof locales

/** The locale of a name; undefined where it is none that is known. */
export const localeOf = (name: string | null): Locale | undefined =>
  name !== null && Object.hasOwn(locales, name) ? (name as Locale) : undefined

const booleans = new Map([
  ['true', true],
  ['false', false],
])

/** The value of a type that a cell is. Text that cannot be read as one stays text: whoever checks values refuses it. */
export function valueOfCell(type: ValueType, cell: string, locale?: Locale): unknown {
  if (type === 'string') return cell
  const text = cell.trim()
  if (text === '') return null
  if (type === 'boolean') return booleans.get(text.toLowerCase()) ?? text
  if (type === 'date') return locale ? dayOf(text, locale) : text
  return isNumber(text) ? Number(text) : text
}

/** Whether a text is a decimal number: `12`, `-1.5e3`, `.5`. A scan, so that a long cell takes linear time. */
function isNumber(text: string): boolean {
  let at = isSign(text[0]) ? 1 : 0
  const digits = () => {
    const from = at
    while (isDigit(text.charCodeAt(at))) at += 1
    return at - from
  }
  let found = digits()
  if (text[at] === '.') {
    at += 1
    found += digits()
  }
  if (!found) return false
  if (text[at] === 'e' || text[at] === 'E') {
    at += isSign(text[at + 1]) ? 2 : 1
    if (!digits()) return false
  }
  return at === text.length
}

const isSign = (character: string | undefined): boolean => character === '+' || character === '-'
const isDigit = (code: number): boolean => code >= 48 && code <= 57

const longForm = /^(\d\d?)\/(\d\d?)\/(\d{4}) (\d\d?):(\d\d):(\d\d)$/
const shortForm = /^(\d\d?)\/(\d\d?)\/(\d\d) (\d\d?):(\d\d)$/

/** A day as values have it: `2026-01-31 09:30:00`. */
function dayOf(text: string, locale: Locale): string {
  const [, one, other, year = '', hour, minute, second = '00'] =
    longForm.exec(text) ?? shortForm.exec(text) ?? []
  const [month, day] = locales[locale][0] === 'month' ? [one, other] : [other, one]
  const two = (digits = '') => digits.padStart(2, '0')
  const read = one
    ? `${wholeYear(year)}-${two(month)}-${two(day)} ${two(hour)}:${two(minute)}:${two(second)}`
    : text
  if (isDay(read)) return read
  const forms = locale === 'en-US' ? '1/31/2026 15:04:05, 1/31/26 15:04' : '31/1/2026 15:04:05, 31/1/26 15:04'
  throw new Problem(
    'unprocessable',
    `must be a day as ${locale} writes it (${forms}) or as 2026-01-31, not ${JSON.stringify(text.slice(0, 60))}.`,
  )
}

/** Of a year of two digits: 69 to 99 are of the last century, as POSIX has it. */
const wholeYear = (year: string): string =>
  year.length === 4 ? year : String(Number(year) + (Number(year) >= 69 ? 1900 : 2000))
