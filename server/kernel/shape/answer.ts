import { hash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { Row } from './model.ts'

/** What a request is answered with: the body is JSON text, or empty, or the content of a file (see `file`). */
export interface Answer {
  readonly status: number
  readonly body: string | Uint8Array | Readable
  readonly headers?: Readonly<Record<string, string>>
}

export const json = (status: number, body: unknown): Answer => ({ status, body: JSON.stringify(body) })

export const noContent: Answer = { status: 204, body: '' }

/** Sends the client elsewhere: with another method (303), or with the one it used. */
export const redirect = (status: 303 | 307, location: string): Answer => ({
  status,
  body: '',
  headers: { location },
})

/**
 * The hash in a row's entity tag: another one after every write, also when a deleted id comes back, and when its store
 * has added other fields to the resource.
 */
export const etagId = ({ id, createdAt, version, added }: Row): string =>
  hash('sha256', `${id} ${createdAt} ${version}${added ? ` ${added.state}` : ''}`)

export const etagOf = (row: Row): string => weak(etagId(row))

/**
 * The tag of a `computed` resource: the version of the row, which If-Match compares, and a hash of the answer, which
 * changes with the computed values.
 */
export const twoPartTag = (row: Row, body: string): string =>
  weak(`${etagId(row)}-${hash('sha256', body).slice(0, 32)}`)

/** The tag of a state that is told by these. */
export const entityTag = (...facts: readonly unknown[]): string => weak(hash('sha256', facts.join(' ')))

/** RFC 9110 §8.8.3: weak, because the text of the representation may differ where the object does not. */
const weak = (opaque: string): string => `W/"${opaque}"`
