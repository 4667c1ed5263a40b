import { hash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { Row } from './model.ts'

/** A response: its body is JSON text, empty, or the content of a file (see `file`). */
export interface Answer {
  readonly status: number
  readonly body: string | Uint8Array | Readable
  readonly headers?: Readonly<Record<string, string>>
  /** The headers that follow the body of a stream. */
  readonly trailers?: Readonly<Record<string, () => string>>
}

/** A form in which a list shows all of its rows, one on each line. */
export type LineFormat = 'ndjson' | 'csv'

export const json = (status: number, body: unknown): Answer => ({ status, body: JSON.stringify(body) })

export const noContent: Answer = { status: 204, body: '' }

/** Redirects the client, with another method (303) or with the same one (307). */
export const redirect = (status: 303 | 307, location: string): Answer => ({
  status,
  body: '',
  headers: { location },
})

/**
 * The hash in a row's entity tag. It changes with every write, when a deleted id is created again, and when the store
 * changes the added fields.
 */
export const etagId = ({ id, createdAt, version, added }: Row): string =>
  hash('sha256', `${id} ${createdAt} ${version}${added ? ` ${added.state}` : ''}`)

export const etagOf = (row: Row): string => weak(etagId(row))

/**
 * The tag of a response that shows more than its row, such as computed values or included objects: the version of the
 * row, which If-Match compares, and a hash of the response.
 */
export const twoPartTag = (row: Row, body: string): string =>
  weak(`${etagId(row)}-${hash('sha256', body).slice(0, 32)}`)

/** The tag of a state with these facts. */
export const entityTag = (...facts: readonly unknown[]): string => weak(hash('sha256', facts.join(' ')))

/** RFC 9110 §8.8.3: weak, because the text may differ for the same object. */
const weak = (opaque: string): string => `W/"${opaque}"`
