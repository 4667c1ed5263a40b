import type { Resource } from '../declare/resource.ts'
import type { Page } from '../query/page.ts'
import { type Answer, etagOf, twoPartTag } from '../shape/answer.ts'
import { linksBeside } from '../shape/envelope.ts'
import type { Row } from '../shape/model.ts'
import type { Ctx } from '../work/context.ts'
import { answerInParts, joined } from './in-parts.ts'
import { linksText, objectText } from './object-text.ts'
import { type ListAddress, linkHeader, type PageNumbers, pageLinks, pageMeta } from './page-links.ts'

/** A single object in its envelope, with its entity tag. What it includes changes without the object. */
export function objectAnswer(status: number, resource: Resource, row: Row, ctx: Ctx, more = ''): Answer {
  const data = objectText(resource, row, ctx, false)
  const links = linksBeside(resource.envelope) ? `,"links":${linksText(resource, row, ctx)}` : ''
  const body = `{"data":${data}${links}${more}}`
  return { status, body, headers: { etag: resource.computed || more ? twoPartTag(row, body) : etagOf(row) } }
}

/** The response with further members in its `data`. */
export function withData(answer: Answer, members: Record<string, unknown>): Answer {
  const body = JSON.parse(answer.body as string) as { data: object }
  return { ...answer, body: JSON.stringify({ ...body, data: { ...body.data, ...members } }) }
}

/** A page in its envelope: `data`, `meta` and `links`, with RFC 8288 links in the header too. */
export function listAnswer(
  resource: Resource,
  page: Page,
  ctx: Ctx,
  at: ListAddress,
  moreMeta: Record<string, unknown> = {},
  more = '',
): Answer {
  const data = page.rows.map((row) => objectText(resource, row, ctx, true)).join(',')
  return pageAnswer(200, data, page, ctx, at, moreMeta, more)
}

/** As `listAnswer`, for other objects than those of the page: `data` is their JSON, separated by commas. */
export function pageAnswer(
  status: number,
  data: string,
  page: PageNumbers,
  ctx: Ctx,
  at: ListAddress,
  moreMeta: Record<string, unknown> = {},
  more = '',
): Answer {
  const { around, headers } = envelopeOf(page, ctx, at, moreMeta)
  return { status, body: `{"data":[${data}]${around}${more}}`, headers }
}

/** As `pageAnswer`, for objects that may be long together: the response is made while it is sent. */
export function pageInParts(
  data: AsyncIterable<readonly string[]>,
  page: PageNumbers,
  ctx: Ctx,
  at: ListAddress,
  moreMeta: Record<string, unknown> = {},
  more: AsyncIterable<string> | readonly string[] = [],
): Promise<Answer> {
  const { around, headers } = envelopeOf(page, ctx, at, moreMeta)
  async function* parts() {
    yield '{"data":['
    yield* joined(data)
    yield `]${around}`
    yield* more
    yield '}'
  }
  return answerInParts({ status: 200, headers }, parts())
}

/** What is beside the data of a page, in the body and in the headers. */
function envelopeOf(page: PageNumbers, ctx: Ctx, at: ListAddress, moreMeta: Record<string, unknown>) {
  const links = pageLinks(page, ctx.baseUrl, at)
  const { page: numbers, results } = pageMeta(page)
  const { results: moreResults, ...otherMeta } = moreMeta as { results?: object }
  const meta = { page: numbers, results: { ...results, ...moreResults }, ...otherMeta }
  return {
    around: `,"meta":${JSON.stringify(meta)},"links":${JSON.stringify(links)}`,
    headers: {
      ...linkHeader(links),
      ...(page.watermark && { 'sutler-watermark': page.watermark }),
    },
  }
}
