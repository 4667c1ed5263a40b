import { expect } from 'vitest'
import type { Reply } from './client.ts'

/** What tests of all wings say of requests. */
// biome-ignore lint/suspicious/noExplicitAny: the shape of a response is what a test is about.
export type Any = any

export const body = (type: string, fields: object = {}) => ({ data: { type, ...fields } })

/** The id in the response to a create, which must be a 201. */
export async function idOf(reply: Promise<Reply>): Promise<string> {
  const { status, body } = await reply
  expect(status, JSON.stringify(body)).toBe(201)
  return body.data.id as string
}

/** How often each status came. */
export async function statuses(replies: readonly Promise<Reply>[]): Promise<Record<number, number>> {
  const counts: Record<number, number> = {}
  for (const { status } of await Promise.all(replies)) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

export const times = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i))
