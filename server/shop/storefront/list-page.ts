import type { Resource } from '../../kernel/declare/resource.ts'
import { pageInParts } from '../../kernel/http/page-answer.ts'
import type { ListAddress } from '../../kernel/http/page-links.ts'
import { fetchListed, type Page } from '../../kernel/query/page.ts'
import { parse } from '../../kernel/query/parse.ts'
import { portionsOf } from '../../kernel/query/portions.ts'
import { exportList } from '../../kernel/request/export-list.ts'
import type { Answer } from '../../kernel/shape/answer.ts'
import type { Field, Fields } from '../../kernel/shape/fields.ts'
import type { ListQuery } from '../../kernel/shape/list-query.ts'
import type { Row } from '../../kernel/shape/model.ts'
import type { ListedRow } from '../../kernel/storage/listed-rows.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { type PublishedRow, publishedRowOf } from '../shown/published-row.ts'
import { type Particulars, showProducts } from '../shown/show-products.ts'
import type { View } from '../view/view.ts'
import { pin } from '../view/views.ts'
import { explanationOf } from './explanation.ts'
import { includedParts } from './included.ts'
import { showNode } from './show-nodes.ts'

/** A list of what is published. */
export interface PublishedList {
  readonly resource: Resource
  /** The id of the object that it is below, if it is not of the whole catalog. */
  readonly below: readonly string[]
  /** A condition on its rows, if it does not have all of them. */
  readonly where?: (bind: (value: unknown) => string) => string
}

/** A page of published products. */
export async function productPage(
  ctx: Ctx,
  view: View,
  list: PublishedList,
  call: ListAddress,
  particulars: Particulars = {},
): Promise<Answer> {
  const query = parse(call.query)
  if (ctx.lines) {
    return linesOf(ctx, view, list, query, (inside, rows) =>
      showProducts(inside, view, rows.map(publishedRowOf), particulars),
    )
  }
  const page = await pageOf(ctx, view, list, query)
  const show = (rows: readonly PublishedRow[]) => showProducts(ctx, view, rows, particulars)
  const portions = () => publishedPortions(page)
  const included = includedParts(ctx, view, query.include, portions)
  return answerOf(ctx, view, page, call, shownPortions(portions(), show), included)
}

/** The rows of a page, in portions. */
export async function* publishedPortions(
  page: Page<Fields, ListedRow>,
): AsyncGenerator<readonly PublishedRow[]> {
  for await (const rows of portionsOf(page.rows)) yield rows.map(publishedRowOf)
}

async function* shownPortions<R>(
  portions: AsyncIterable<readonly R[]>,
  show: (rows: readonly R[]) => Promise<readonly object[]> | readonly object[],
): AsyncGenerator<readonly string[]> {
  for await (const rows of portions) yield (await show(rows)).map((one) => JSON.stringify(one))
}

/** A page of published nodes, or of hierarchies. */
export async function nodePage(
  ctx: Ctx,
  view: View,
  list: PublishedList,
  call: ListAddress,
): Promise<Answer> {
  const query = parse(call.query)
  if (ctx.lines) {
    return linesOf(ctx, view, list, query, async (_, rows) => rows.map((row) => showNode(row, view)))
  }
  const page = await pageOf(ctx, view, list, query)
  const shown = shownPortions(portionsOf(page.rows), (rows) => rows.map((row) => showNode(row, view)))
  return answerOf(ctx, view, page, call, shown)
}

export const pageOf = (
  ctx: Ctx,
  view: View,
  list: PublishedList,
  query: ListQuery,
): Promise<Page<Fields, ListedRow>> => fetchListed(ctx, sourceOf(view, list, query), query)

function sourceOf({ published }: View, { resource, below, where }: PublishedList, query: ListQuery) {
  const { catalogId, edition } = published
  // The indexes of filters begin with the catalog, which the scope of some lists only implies.
  const narrowed = where ?? (query.filter && inCatalog(catalogId))
  return { resource, scope: [catalogId, ...below, String(edition)], ...(narrowed && { where: narrowed }) }
}

/** All rows of the list, each shown as an object. */
export const linesOf = (
  ctx: Ctx,
  view: View,
  list: PublishedList,
  query: ListQuery,
  show: (inside: Ctx, rows: readonly Row[]) => Promise<readonly object[]>,
  shown?: Field,
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
  page: Page<Fields, ListedRow>,
  call: ListAddress,
  shown: AsyncIterable<readonly string[]>,
  more?: AsyncIterable<string>,
): Promise<Answer> {
  const explanation = explanationOf(view)
  return pageInParts(shown, page, ctx, pinned(view, call), explanation && { explanation }, more)
}

function pinned({ pinned, published }: View, { path, query }: ListAddress): ListAddress {
  if (!pinned) return { path, query }
  const others = query.split('&').filter((pair) => pair && !pair.startsWith(`${pin}=`))
  return { path, query: [...others, `${pin}=${published.releaseId}`].join('&') }
}
