import { Problem } from '../../errors.ts'

/** Deeper JSON is never real data, and could exhaust the stack of a recursive function. */
const depthMax = 64

const [quote, backslash, comma, colon, dot, plus, minus] = [34, 92, 44, 58, 46, 43, 45]
const [openBrace, closeBrace, openBracket, closeBracket] = [123, 125, 91, 93]

const isDigit = (code: number): boolean => code >= 48 && code <= 57
const isOfNumber = (code: number): boolean =>
  isDigit(code) || code === dot || code === plus || code === minus || (code | 32) === 101

/** What one look at a JSON text finds. */
interface Scan {
  /** How many values it has, or a few more. */
  readonly values: number
  /** The refusal of the first thing that cannot be stored as it was sent. */
  readonly fault: Problem | undefined
}

/**
 * Looks once at a text that may be JSON, without the values: a parsed body can be twenty times as large as its text.
 * The fault counts only if the text is JSON.
 */
export function scanJson(text: string): Scan {
  // Of each open container: where the current key begins, or -1 less the index of the current item.
  const places: number[] = []
  let fault: Problem | undefined
  let values = 1
  let isKey = false
  for (let at = 0; at < text.length && !fault; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      if (isKey) places[places.length - 1] = at
      const { end, isStorable } = scanString(text, at)
      if (!isStorable) fault = unstorable(pathOf(text, isKey ? places.slice(0, -1) : places))
      at = end
    } else if (code === openBrace || code === openBracket) {
      if (places.length >= depthMax) fault = tooDeep(pathOf(text, places))
      places.push(code === openBrace ? at : -1)
      isKey = code === openBrace
      values += 1
    } else if (code === closeBrace || code === closeBracket) {
      places.pop()
      isKey = false
    } else if (code === comma) {
      const last = places.length - 1
      isKey = (places[last] ?? -1) >= 0
      if (!isKey && last >= 0) places[last] = (places[last] as number) - 1
      values += 1
    } else if (code === colon) isKey = false
    else if (code === minus || isDigit(code)) {
      const end = endOfNumber(text, at)
      if (!isExact(text.slice(at, end))) fault = inexact(pathOf(text, places), text.slice(at, end))
      at = end - 1
    }
  }
  return { values, fault }
}

/** The end of a string that begins at `from`, and whether its escapes are characters that PostgreSQL can store. */
function scanString(text: string, from: number): { readonly end: number; readonly isStorable: boolean } {
  let isStorable = true
  let at = from + 1
  for (; at < text.length && text.charCodeAt(at) !== quote; at++) {
    if (text.charCodeAt(at) !== backslash) continue
    const unit = escapedUnit(text, at)
    if (unit === undefined) at += 1
    else if (isHighSurrogate(unit) && isLowSurrogate(escapedUnit(text, at + 6))) at += 11
    else {
      if (unit === 0 || isHighSurrogate(unit) || isLowSurrogate(unit)) isStorable = false
      at += 5
    }
  }
  return { end: at, isStorable }
}

/** The code unit of an escape like `\u0041`; undefined if there is none. */
function escapedUnit(text: string, at: number): number | undefined {
  if (text.charCodeAt(at) !== backslash || text[at + 1] !== 'u') return undefined
  const unit = Number.parseInt(text.slice(at + 2, at + 6), 16)
  return Number.isNaN(unit) ? undefined : unit
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00
const isLowSurrogate = (unit: number | undefined): boolean =>
  unit !== undefined && unit >= 0xdc00 && unit < 0xe000

function endOfNumber(text: string, from: number): number {
  let end = from + 1
  while (isOfNumber(text.charCodeAt(end))) end++
  return end
}

/** Shorter numbers without an exponent have at most 15 digits, which a double always keeps. */
const safeLength = 15

/** Whether a number keeps its value: a double drops digits of large numbers, and has no number beyond 1.8e308. */
function isExact(number: string): boolean {
  if (number.length <= safeLength && !/e/i.test(number)) return true
  const value = Number(number)
  // Every client rounds fractions to the nearest double.
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER && value !== 0) return true
  return digitsOf(number) === digitsOf(String(value))
}

/** The digits of a number, without the zeros at both ends. */
function digitsOf(number: string): string {
  const digits = number.replace(/e.*/i, '').replace(/[-.]/g, '')
  let [start, end] = [0, digits.length]
  while (digits[start] === '0') start++
  while (end > start && digits[end - 1] === '0') end--
  return digits.slice(start, end)
}

/** The dotted path of a place in a JSON text. */
const pathOf = (text: string, places: readonly number[]): string =>
  places.map((place) => (place < 0 ? -1 - place : keyAt(text, place))).join('.')

function keyAt(text: string, at: number): string {
  try {
    return JSON.parse(text.slice(at, scanString(text, at).end + 1))
  } catch {
    // The text is not JSON, so nobody reads the path.
    return ''
  }
}

const tooDeep = (source: string): Problem =>
  new Problem('bad_request', `The body must not be nested deeper than ${depthMax} levels.`, { source })

/** The refusal of a text that PostgreSQL cannot store. */
export const unstorable = (path: string): Problem =>
  new Problem(
    'invalid_field',
    `${path || 'The body'} must not contain a NUL character or an unpaired surrogate.`,
    { source: path },
  )

const shownMax = 40

function inexact(path: string, number: string): Problem {
  const shown = number.length > shownMax ? `${number.slice(0, shownMax)}…` : number
  const detail = `${path || 'The body'} must be a number that keeps its value as a double (IEEE 754): whole numbers up to ${Number.MAX_SAFE_INTEGER} do, ${shown} does not. Send it as a string.`
  return new Problem('invalid_field', detail, { source: path })
}
