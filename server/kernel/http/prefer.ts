import type { LineFormat } from '../shape/answer.ts'

export type RequestHeaders = Readonly<Record<string, string | string[] | undefined>>

/** Whether the request has a preference (RFC 7240): `Prefer: explain, dry-run`. */
export const prefers = (headers: RequestHeaders, preference: string): boolean =>
  String(headers.prefer ?? '')
    .split(',')
    .some((one) => one.trim().toLowerCase() === preference)

const lineFormats: Readonly<Record<string, LineFormat>> = {
  'application/x-ndjson': 'ndjson',
  'text/csv': 'csv',
}

/** A longer `Accept` is not read. Real ones have some hundred characters. */
const charsMax = 2000

/**
 * The form that an `Accept` prefers to JSON; undefined if it does not. The client must name it: a wildcard means
 * JSON, as it always has. At equal quality, the more specific range wins, and then JSON.
 */
export function lineFormatOf(accept: string | undefined): LineFormat | undefined {
  if (accept === undefined || accept.length > charsMax) return undefined
  const ranges = accept.split(',').map(rangeOf)
  const best = (some: readonly MediaRange[]) => some.reduce((most, { quality }) => Math.max(most, quality), 0)
  const named = ranges.filter(({ type }) => Object.hasOwn(lineFormats, type))
  const quality = best(named)
  if (quality === 0) return undefined
  if (best(ranges.filter(({ type }) => type === 'application/json')) >= quality) return undefined
  if (best(ranges.filter(({ type }) => wildcards.includes(type))) > quality) return undefined
  return lineFormats[named.find((one) => one.quality === quality)?.type ?? '']
}

const wildcards = ['*/*', 'application/*']

interface MediaRange {
  readonly type: string
  readonly quality: number
}

/** Other parameters than the quality mean nothing here. */
function rangeOf(text: string): MediaRange {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  const q = parameters.find((one) => one.startsWith('q='))?.slice(2)
  const quality = q === undefined ? 1 : Number(q)
  return { type, quality: quality >= 0 && quality <= 1 ? quality : 0 }
}

/** The codings that responses may have (RFC 9110 §8.4.1), the best first. */
const codings = ['br', 'gzip'] as const

export type Coding = (typeof codings)[number]

/** The coding that an `Accept-Encoding` prefers; undefined for none. A client that names none wants none. */
export function codingFor(accepted: string | readonly string[] | undefined): Coding | undefined {
  if (typeof accepted !== 'string' || accepted.length > charsMax) return undefined
  const qualities = new Map(accepted.split(',').map((one) => [rangeOf(one).type, rangeOf(one).quality]))
  const qualityOf = (name: Coding) => qualities.get(name) ?? qualities.get('*') ?? 0
  const best = Math.max(...codings.map(qualityOf))
  if (best === 0 || best < (qualities.get('identity') ?? 0)) return undefined
  return codings.find((name) => qualityOf(name) === best)
}
