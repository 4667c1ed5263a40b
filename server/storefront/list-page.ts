import type { Resource } from '../kernel/declare/resource.ts'
import { pageAnswer } from '../kernel/http/object-answer.ts'
import type { Address } from '../kernel/http/page-links.ts'
import { fetchPage, type Page } from '../kernel/query/page.ts'
import { parse } from '../kernel/query/parse.ts'
import { exportList } from '../kernel/request/export-list.ts'
import type { Answer } from '../kernel/shape/answer.ts'
import type { JsonSchema } from '../kernel/shape/fields.ts'
import type { ListQuery } from '../kernel/shape/list-query.ts'
import type { Row } from '../kernel/shape/model.ts'
import type { Ctx } from '../kernel/work/context.ts'
import { explanationOf } from './explanation.ts'
import { includedText } from './included.ts'
import { publishedRowOf } from './published-row.ts'
import { showNode } from './show-nodes.ts'
import { type Particulars, showProducts } from './show-products.ts'
import type { View } from './view.ts'
import { pin } from './views.ts'

/** A list of what is published. */
interface PublishedList {
  readonly resource: Resource
  /** Its scope without the edition. */
  readonly scope: readonly string[]
  /** A condition on its rows, if it does not have all of them. */
  readonly where?: (bind: (value: unknown) => string) => string
}

/** A page of published products. */
export async function productPage(
  ctx: Ctx,
  view: View,
  list: PublishedList,
  call: Address,
  particulars: Particulars = {},
): Promise<Answer> {
  const query = parse(call.query)
  if (ctx.lines) {
    return linesOf(ctx, view, list, query, (inside, rows) =>
      showProducts(inside, view, rows.map(publishedRowOf), particulars),
    )
  }
  const page = await pageOf(ctx, view, list, query)
  const rows = page.rows.map(publishedRowOf)
  const shown = await showProducts(ctx, view, rows, particulars)
  return answerOf(ctx, view, page, shown, call, await includedText(ctx, view, query.include, rows))
}

/** A page of published nodes, or of hierarchies. */
export async function nodePage(ctx: Ctx, view: View, list: PublishedList, call: Address): Promise<Answer> {
  const query = parse(call.query)
  if (ctx.lines) {
    return linesOf(ctx, view, list, query, async (_, rows) => rows.map((row) => showNode(row, view)))
  }
  const page = await pageOf(ctx, view, list, query)
  return answerOf(
    ctx,
    view,
    page,
    page.rows.map((row) => showNode(row, view)),
    call,
  )
}

export const pageOf = (ctx: Ctx, view: View, list: PublishedList, query: ListQuery): Promise<Page> =>
  fetchPage(ctx, sourceOf(view, list, query), query)

function sourceOf({ published }: View, { resource, scope, where }: PublishedList, query: ListQuery) {
  // The indexes of filters begin with the catalog, which the scope of some lists only implies.
  const narrowed = where ?? (query.filter && inCatalog(published.catalogId))
  const source = { resource, scope: [...scope, String(published.edition)] }
  return { ...source, ...(narrowed && { where: narrowed }) }
}

/** All rows of the list, each shown as an object. */
export const linesOf = (
  ctx: Ctx,
  view: View,
  list: PublishedList,
  query: ListQuery,
  show: (inside: Ctx, rows: readonly Row[]) => Promise<readonly object[]>,
  shown?: JsonSchema,
): Promise<Answer> =>
  exportList(ctx, query, {
    source: sourceOf(view, list, query),
    show: async (inside, rows) => (await show(inside, rows)).map((one) => JSON.stringify(one)),
    ...(shown && { shown }),
  })

const inCatalog = (id: string) => (bind: (value: unknown) => string) => `catalog_id = ${bind(id)}::uuid`

/** Builds the answer of a page. Its links stay in the same release. */
export function answerOf(
  ctx: Ctx,
  view: View,
  page: Page,
  shown: readonly object[],
  call: Address,
  more = '',
): Answer {
  const data = shown.map((one) => JSON.stringify(one)).join(',')
  const explanation = explanationOf(view)
  return pageAnswer(200, data, page, ctx, pinned(view, call), explanation && { explanation }, more)
}

function pinned({ pinned, published }: View, { path, query }: Address): Address {
  if (!pinned) return { path, query }
  const others = query.split('&').filter((pair) => pair && !pair.startsWith(`${pin}=`))
  return { path, query: [...others, `${pin}=${published.releaseId}`].join('&') }
}
