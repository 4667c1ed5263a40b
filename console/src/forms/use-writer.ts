import { useRef } from 'react'
import { type Response, send } from '../api/client.ts'
import type { Write } from '../api/document.ts'
import { ApiProblem } from '../api/problem.ts'

export interface Writer {
  /** `at`: in place of the path. */
  write(body: unknown, etag: string | undefined, at?: string): Promise<Response>
  /** What the server would answer. Nothing changes. */
  rehearse(body: unknown, etag: string | undefined, signal?: AbortSignal, at?: string): Promise<Response>
}

/**
 * Sends the writes of a form. A second click, and another try after silence, have the key of the first, so the server
 * carries them out once.
 */
export function useWriter({ method, ifMatch, keyed }: Write, path: string): Writer {
  const last = useRef({ text: '', key: '' })
  const headersOf = (etag: string | undefined) => (ifMatch && etag ? { 'if-match': etag } : {})
  return {
    async write(body, etag, at = path) {
      const text = JSON.stringify(body) ?? ''
      if (last.current.text !== text || last.current.key === '') last.current = { text, key: newKey() }
      const { key } = last.current
      try {
        return await send({
          ...{ method, path: at, body },
          headers: { ...headersOf(etag), ...(keyed && { 'idempotency-key': key }) },
        })
      } catch (error) {
        // An answer ends the try. Without one nobody knows what the server did.
        if (error instanceof ApiProblem && error.status !== 0) last.current = { text: '', key: '' }
        throw error
      }
    },
    rehearse: (body, etag, signal, at = path) =>
      send({
        ...{ method, path: at, body, headers: { ...headersOf(etag), prefer: 'dry-run' } },
        ...(signal && { signal }),
      }),
  }
}

/** `crypto.randomUUID` is missing on pages that come without TLS. */
export const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
