import type { Resource } from '../declare/resource.ts'
import type { Page } from '../query/page.ts'
import type { Answer } from '../shape/answer.ts'
import type { Ctx } from '../work/context.ts'
import { answerInParts, joined } from './in-parts.ts'
import { objectText } from './object-text.ts'
import { type ListAddress, linkHeader, type PageNumbers, pageLinks, pageMeta } from './page-links.ts'

/** A page in its envelope: `data`, `meta` and `links`, with RFC 8288 links in the header too. */
export function listAnswer(
  resource: Resource,
  page: Page,
  ctx: Ctx,
  at: ListAddress,
  moreMeta: Record<string, unknown> = {},
  more = '',
): Answer {
  let data = ''
  // Not joined: the text is copied once, when it is sent.
  for (const row of page.rows) data += `${data && ','}${objectText(resource, row, ctx, true)}`
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
