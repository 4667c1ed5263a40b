import type { FieldValueType } from '../../fields/index.ts'
import { isDay } from '../../kernel/body/days.ts'
import { Problem } from '../../kernel/errors.ts'

/** How dates are written in a file. Without a locale they are written as in requests. */
const locales = { 'en-US': ['month', 'day'], 'en-GB': ['day', 'month'], 'en-CA': ['day', 'month'] } as const

export type Locale = keyof typeof locales

/** The locale with this name, if it is supported. */
export const findLocale = (name: string | null): Locale | undefined =>
  name !== null && Object.hasOwn(locales, name) ? (name as Locale) : undefined

const booleans = new Map([
  ['true', true],
  ['false', false],
])

/** The value of a cell. Text that is not of the type stays text, and the check of the values refuses it. */
export function parseCell(type: FieldValueType, cell: string, locale?: Locale): unknown {
  if (type === 'string') return cell
  const text = cell.trim()
  if (text === '') return null
  if (type === 'boolean') return booleans.get(text.toLowerCase()) ?? text
  if (type === 'date') return parseDay(text, locale)
  return isNumber(text) ? Number(text) : text
}

/** Whether a text is a decimal number: `12`, `-1.5e3`, `.5`. A scan takes linear time, even for a long cell. */
function isNumber(text: string): boolean {
  let at = isSign(text[0]) ? 1 : 0
  const digits = () => {
    const from = at
    while (isDigit(text.charCodeAt(at))) at += 1
    return at - from
  }
  let count = digits()
  if (text[at] === '.') {
    at += 1
    count += digits()
  }
  if (!count) return false
  if (text[at] === 'e' || text[at] === 'E') {
    at += isSign(text[at + 1]) ? 2 : 1
    if (!digits()) return false
  }
  return at === text.length
}

const isSign = (character: string | undefined): boolean => character === '+' || character === '-'
const isDigit = (code: number): boolean => code >= 48 && code <= 57

/** A day, and with it a time of day or none, as spreadsheets write them. */
const form = /^(\d\d?)\/(\d\d?)\/(\d{4}|\d\d)(?: (\d\d?):(\d\d)(?::(\d\d))?)?$/

/** A date as values have it: `2026-01-31 09:30:00`, or `2026-01-31`. */
function parseDay(text: string, locale: Locale | undefined): string {
  if (!locale) {
    // What is no date of any locale is refused with the other values, by their fields.
    if (!form.test(text)) return text
    throw new Problem(
      'unprocessable',
      'must be a date like 2026-01-31 or 2026-01-31 15:04:05, or as the query parameter `locale` says (en-US, en-GB ' +
        `or en-CA), not ${JSON.stringify(text.slice(0, 60))}.`,
    )
  }
  const [, one, other, year = '', hour, minute, second = '00'] = form.exec(text) ?? []
  const [month, day] = locales[locale][0] === 'month' ? [one, other] : [other, one]
  const two = (digits = '') => digits.padStart(2, '0')
  const time = hour ? ` ${two(hour)}:${two(minute)}:${two(second)}` : ''
  const read = one ? `${completeYear(year)}-${two(month)}-${two(day)}${time}` : text
  if (isDay(read)) return read
  const forms = locale === 'en-US' ? '1/31/2026 or 1/31/26 15:04' : '31/1/2026 or 31/1/26 15:04'
  throw new Problem(
    'unprocessable',
    `must be a date as ${locale} writes it (${forms}) or like 2026-01-31, not ${JSON.stringify(text.slice(0, 60))}.`,
  )
}

/** Two-digit years from 69 to 99 are in the last century, as in POSIX. */
const completeYear = (year: string): string =>
  year.length === 4 ? year : String(Number(year) + (Number(year) >= 69 ? 1900 : 2000))
