import { useState } from 'react'
import { type Response, send } from '../api/client.ts'
import type { Write } from '../api/document.ts'
import { keepPreference, keptPreference } from '../api/preferences.ts'
import { ApiProblem } from '../api/problem.ts'
import { newKey } from './use-writer.ts'

/** A write that was sent, and whose answer has not arrived. */
export interface Attempt {
  readonly key: string
  readonly body: unknown
  readonly sentAtMs: number
}

export interface Attempts {
  /** What was sent before, perhaps from a page that is gone; undefined if its answer has arrived. */
  readonly unknown: Attempt | undefined
  /** Sends a write once: the same body has the same key until there is an answer. */
  send(body: unknown): Promise<Response>
  /** What the server would answer. Nothing changes. */
  rehearse(body: unknown, signal?: AbortSignal): Promise<Response>
  /** Nobody waits for the answer of the attempt any more. */
  drop(): void
}

/** The server repeats its response to a key for a day. */
const keptMs = 23 * 3600 * 1000

function readAttempt(name: string, now = Date.now()): Attempt | undefined {
  const text = keptPreference(name)
  if (text === undefined) return undefined
  const attempt = JSON.parse(text) as Attempt
  return now - attempt.sentAtMs < keptMs ? attempt : undefined
}

/** Without an answer, or with a failure of the server, nobody knows what it did. So is a 409 about a request that was sent before: it may still be at work. */
const isUnknown = (error: unknown, isAgain: boolean): boolean =>
  !(error instanceof ApiProblem) ||
  error.status === 0 ||
  error.status >= 500 ||
  (isAgain && error.status === 409)

/** Writes whose effect must happen once, also across a reload, a way back and a browser that ends. */
export function useAttempt({ method }: Write, path: string): Attempts {
  const name = `attempt ${method} ${path}`
  const [unknown, setUnknown] = useState(() => readAttempt(name))
  const [nextKey, setNextKey] = useState(newKey)
  const end = () => {
    keepPreference(name, undefined)
    setUnknown(undefined)
    setNextKey(newKey())
  }
  return {
    unknown,
    async send(body) {
      // Another tab may have sent one meanwhile.
      const before = readAttempt(name)
      if (before && JSON.stringify(before.body) !== JSON.stringify(body)) {
        setUnknown(before)
        throw new ApiProblem(0, [])
      }
      const attempt = before ?? { key: nextKey, body, sentAtMs: Date.now() }
      keepPreference(name, JSON.stringify(attempt))
      try {
        const response = await send({ method, path, body, headers: { 'idempotency-key': attempt.key } })
        end()
        return response
      } catch (error) {
        if (isUnknown(error, before !== undefined)) setUnknown(attempt)
        else end()
        throw error
      }
    },
    rehearse: (body, signal) =>
      send({ ...{ method, path, body, headers: { prefer: 'dry-run' } }, ...(signal && { signal }) }),
    drop: end,
  }
}
