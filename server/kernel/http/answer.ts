import { hash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { Resource, Row } from '../declare/resource.ts'
import type { Page } from '../query/page.ts'
import { linksBeside } from '../shape/envelope.ts'
import type { Ctx } from '../work/context.ts'
import { linksText, objectText } from './object-text.ts'
import { type Address, linkHeader, pageLinks, pageMeta } from './page-links.ts'

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
 * The tag of an answer that shows what is computed (`computed`): the version of the row, which If-Match compares, and
 * the state of the answer. What is computed anew makes another tag without another version.
 */
const twoPartTag = (row: Row, body: string): string =>
  weak(`${etagId(row)}-${hash('sha256', body).slice(0, 32)}`)

/** The tag of a state that is told by these. */
export const entityTag = (...told: readonly unknown[]): string => weak(hash('sha256', told.join(' ')))

/** RFC 9110 §8.8.3: weak, because the text of the representation may differ where the object does not. */
const weak = (opaque: string): string => `W/"${opaque}"`

/** A single object in its envelope, with its entity tag. */
export function objectAnswer(status: number, resource: Resource, row: Row, ctx: Ctx, more = ''): Answer {
  const data = objectText(resource, row, ctx, false)
  const links = linksBeside(resource.envelope) ? `,"links":${linksText(resource, row, ctx)}` : ''
  const body = `{"data":${data}${links}${more}}`
  return { status, body, headers: { etag: resource.computed ? twoPartTag(row, body) : etagOf(row) } }
}

/** The answer with further members in its `data`. */
export function withData(answer: Answer, members: Record<string, unknown>): Answer {
  const body = JSON.parse(answer.body as string) as { data: object }
  return { ...answer, body: JSON.stringify({ ...body, data: { ...body.data, ...members } }) }
}

/** A page in its envelope: `data`, `meta` and `links`, with RFC 8288 links in the header too. */
export function listAnswer(
  resource: Resource,
  page: Page,
  ctx: Ctx,
  at: Address,
  moreMeta: Record<string, unknown> = {},
  more = '',
): Answer {
  const data = page.rows.map((row) => objectText(resource, row, ctx, true)).join(',')
  return pageAnswer(200, data, page, ctx, at, moreMeta, more)
}

/** As `listAnswer`, around other objects than the page's own: `data` is their JSON, separated by commas. */
export function pageAnswer(
  status: number,
  data: string,
  page: Page,
  ctx: Ctx,
  at: Address,
  moreMeta: Record<string, unknown> = {},
  more = '',
): Answer {
  const links = pageLinks(page, ctx.baseUrl, at)
  const { page: numbers, results } = pageMeta(page)
  const { results: moreResults, ...otherMeta } = moreMeta as { results?: object }
  const meta = { page: numbers, results: { ...results, ...moreResults }, ...otherMeta }
  return {
    status,
    body: `{"data":[${data}],"meta":${JSON.stringify(meta)},"links":${JSON.stringify(links)}${more}}`,
    headers: linkHeader(links),
  }
}
