import type { FieldFacts } from '../api/document.ts'
import { words } from '../words/words.ts'

/** A value as its editor holds it. */
export function textOf({ kind }: FieldFacts, value: unknown): string {
  if (value === undefined || value === null) return ''
  if (kind === 'json') return JSON.stringify(value, null, 2)
  return String(value)
}

/** The value of a text; undefined for none. An emptied field becomes null where that is allowed. */
export function readText({ kind, nullable }: FieldFacts, text: string): unknown {
  if (text === '') return nullable ? null : undefined
  if (kind === 'number' || kind === 'integer') return Number(text)
  if (kind === 'boolean') return text === 'true'
  return kind === 'json' ? JSON.parse(text) : text
}

/** What is wrong with a text by the limits of the document; undefined if nothing is. */
export function faultOf(field: FieldFacts, text: string): string | undefined {
  const { kind, required, nullable } = field
  if (text === '') return required && !nullable ? words.form.isRequired : undefined
  if (kind === 'number' || kind === 'integer') return faultOfNumber(field, Number(text))
  if (kind === 'json') return isJson(text) ? undefined : words.form.notJson
  if (kind === 'time') return Number.isNaN(Date.parse(text)) ? words.form.notTime : undefined
  return kind === 'text' || kind === 'reference' ? faultOfText(field, text) : undefined
}

function faultOfNumber({ kind, min, max }: FieldFacts, value: number): string | undefined {
  const { notNumber, notInteger, tooSmall, tooLarge } = words.form
  if (!Number.isFinite(value)) return notNumber
  if (kind === 'integer' && !Number.isInteger(value)) return notInteger
  if (min !== undefined && value < min) return tooSmall(min)
  return max !== undefined && value > max ? tooLarge(max) : undefined
}

function faultOfText({ minLength, maxLength, pattern }: FieldFacts, text: string): string | undefined {
  const { tooShort, tooLong, notPattern } = words.form
  const { length } = [...text]
  if (minLength !== undefined && length < minLength) return tooShort(minLength)
  if (maxLength !== undefined && length > maxLength) return tooLong(maxLength)
  return pattern !== undefined && isCertainlyAgainst(pattern, text) ? notPattern : undefined
}

/** The server reads patterns as RE2. What this browser cannot read is left to the server. */
function isCertainlyAgainst(pattern: string, text: string): boolean {
  try {
    return !new RegExp(pattern, 'u').test(text)
  } catch {
    return false
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
