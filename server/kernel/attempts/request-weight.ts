import { isList, type Operation } from '../declare/operation.ts'
import { lineFormatOf, type RequestHeaders } from '../http/prefer.ts'
import { weightMax } from './buckets.ts'

/** What requests weigh, in reads of one object. */
export const weights = { read: 1, write: 2, search: 3, export: weightMax } as const

/** How much a request counts for, by the declaration of its operation. */
export function weightOf(operation: Operation, url: string, { accept }: RequestHeaders): number {
  const { access, method, id } = operation
  if (isList(operation)) {
    if (typeof accept === 'string' && lineFormatOf(accept)) return weights.export
    return /[?&]filter=[^&]/.test(url) ? weights.search : weights.read
  }
  if (id.startsWith('export-')) return weights.export
  if (method === 'GET') return weights.read
  return access === 'read' ? weights.search : weights.write
}

/**
 * Another server reports what has happened there. Its requests have no token, and must not be refused because the store
 * is busy.
 */
export const isReport = ({ access, method }: Operation): boolean => access === 'open' && method !== 'GET'
