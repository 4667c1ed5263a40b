import { Unavailable } from '../../platform/faults.ts'
import type { Resource } from '../declare/resource.ts'
import { shownSchema } from '../declare/shown-schema.ts'
import { Problem } from '../errors.ts'
import { feedPosition } from '../feed/sequence.ts'
import { columnsOf, headerLine, objectLine } from '../http/csv-line.ts'
import { file } from '../http/file.ts'
import { LineStream } from '../http/line-stream.ts'
import { objectText } from '../http/object-text.ts'
import { pageInParts } from '../http/page-answer.ts'
import type { ListAddress, PageNumbers } from '../http/page-links.ts'
import {
  areUniform,
  CsvRowLines,
  inOneLine,
  JsonRowLines,
  lineColumns,
  type RowLines,
} from '../http/row-lines.ts'
import { currentDefinition } from '../query/definitions.ts'
import { everyRowSql } from '../query/every-row.ts'
import { mergeThreshold, requestMerge } from '../query/merge-totals.ts'
import { fetchListed, fetchPage, planPage } from '../query/page.ts'
import { parse } from '../query/parse.ts'
import type { Plan } from '../query/plan.ts'
import { portionsOf } from '../query/portions.ts'
import type { Source } from '../query/sql.ts'
import type { Answer, LineFormat } from '../shape/answer.ts'
import type { Field, Fields } from '../shape/fields.ts'
import type { ListQuery } from '../shape/list-query.ts'
import { hasWatermark, type Row } from '../shape/model.ts'
import type { Ctx } from '../work/context.ts'
import type { ExportLimits } from '../work/exports.ts'

/** A list, and the objects that it shows for its rows. */
interface ListView<F extends Fields = Fields> {
  readonly source: Source<F> & { readonly resource: Resource<F> }
  /** The JSON of these objects, in their order, in one or more portions. Default: the rows themselves. */
  readonly show?: (ctx: Ctx, rows: readonly Row<F>[]) => Texts
  /** What they are. Default: the resource of the rows. */
  readonly shown?: Resource | Field
}

type Texts = readonly string[] | Promise<readonly string[]> | AsyncIterable<readonly string[]>

interface More<F extends Fields> {
  /** Default: that of the request. */
  readonly query?: ListQuery
  /** More members of the `meta` of a page. */
  readonly meta?: (page: PageNumbers) => Record<string, unknown>
  /** Members beside the `data` of a page, after a comma. */
  readonly beside?: (
    portions: () => AsyncIterable<readonly Row<F>[]>,
    page: PageNumbers,
  ) => AsyncIterable<string> | readonly string[]
}

/** A page of a list, or all of it as lines if the request prefers that. */
export async function answerList<F extends Fields>(
  ctx: Ctx,
  call: ListAddress,
  view: ListView<F>,
  { query = parse(call.query), meta, beside }: More<F> = {},
): Promise<Answer> {
  if (ctx.lines) return exportList(ctx, query, view)
  const page = await fetchListed(ctx, view.source, query)
  if (page.unmerged > mergeThreshold) requestMerge(ctx)
  const portions = () => portionsOf(page.rows)
  async function* texts() {
    for await (const rows of portions()) yield* textsOf(ctx, view, rows)
  }
  return pageInParts(texts(), page, ctx, call, meta?.(page), beside?.(portions, page))
}

async function* textsOf<F extends Fields>(
  ctx: Ctx,
  { source: { resource }, show }: ListView<F>,
  rows: readonly Row<F>[],
): AsyncGenerator<readonly string[]> {
  const shown = show?.(ctx, rows) ?? rows.map((row) => objectText(resource, row, ctx, true))
  if (Symbol.asyncIterator in shown) yield* shown
  else yield await shown
}

const types: Readonly<Record<LineFormat, string>> = {
  ndjson: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8; header=present',
}

/**
 * All rows of a list as lines, in the form that the request prefers. They are of one snapshot, and are read as fast as
 * the client takes them. See docs/decisions/0066-list-exports.md.
 */
export async function exportList<F extends Fields>(
  ctx: Ctx,
  query: ListQuery,
  view: ListView<F>,
): Promise<Answer> {
  const format = ctx.lines ?? 'ndjson'
  refuseParts(query)
  // Refuses other faults of the query before the export counts.
  planPage(ctx, view.source.resource, query)
  // Known before the snapshot, which has all that is below it.
  const watermark = lacksWatermark(view.source) ? undefined : ctx.instance.watermark()
  return sendLines(ctx, format, (begin, write) =>
    inSnapshot(ctx, async (inside) => {
      const headers = headersOf({ ...(await startOf(inside, query, view)), watermark })
      for await (const chunk of chunksOf(inside, format, query, view)) {
        begin(headers)
        await write(chunk)
      }
      begin(headers)
    }),
  )
}

/** What objects that are no rows of a list are sent as. */
interface Batches {
  /** The schema of an object. */
  readonly shown: Field
  /** The position of the change feed up to which they are complete. */
  readonly position: number
  /** The JSON of the next objects, again and again. */
  read(inside: Ctx): AsyncIterable<readonly string[]>
}

/** Lines of objects that are no rows of a list, and may be many: read as fast as the client takes them. */
export function exportBatches(ctx: Ctx, { shown, position, read }: Batches): Promise<Answer> {
  const format = ctx.lines ?? 'ndjson'
  const columns = columnsOf(shown.schema)
  const headers = headersOf({ position })
  return sendLines(ctx, format, async (begin, write) => {
    const reads = ctx.instance.collectReads(ctx)
    let lines = format === 'csv' ? headerLine(columns) : ''
    try {
      for await (const texts of read(ctx.collecting(reads))) {
        for (const text of texts)
          lines += format === 'csv' ? objectLine(columns, text) : `${inOneLine(text)}\n`
        begin(headers)
        if (lines) await write({ bytes: Buffer.from(lines), count: texts.length })
        lines = ''
        await reads.flush()
      }
      begin(headers)
      if (lines) await write({ bytes: Buffer.from(lines), count: 0 })
    } finally {
      await reads.flush(true)
    }
  })
}

type ResponseHeaders = Readonly<Record<string, string>>

/**
 * Counts an export, and sends what `run` writes. The response begins with the headers that `run` gives to `begin`; an
 * error before that is a refusal.
 */
async function sendLines(
  { instance: { exports }, who }: Ctx,
  format: LineFormat,
  run: (begin: (headers: ResponseHeaders) => void, write: (chunk: Chunk) => Promise<void>) => Promise<void>,
): Promise<Answer> {
  const end = exports.begin(who)
  const lines = new LineStream(exports.limits)
  const timer = setTimeout(() => lines.destroy(tooLong(exports.limits)), exports.limits.maxMs)
  const { promise: begun, resolve, reject } = Promise.withResolvers<ResponseHeaders>()
  let sent = 0
  const write = ({ bytes, count }: Chunk) => {
    sent += count
    return lines.write(bytes)
  }
  const over = () => {
    clearTimeout(timer)
    end()
  }
  run(resolve, write).then(
    () => {
      over()
      return lines.finish()
    },
    (error: Error) => {
      over()
      reject(error)
      lines.destroy(error)
    },
  )
  return {
    ...file(lines, types[format], await begun),
    trailers: { 'sutler-sent-count': () => String(sent) },
  }
}

/** The lines of objects that are not rows of a list, and are few. */
export async function exportObjects(
  ctx: Ctx,
  query: ListQuery,
  texts: readonly string[],
  shown: Field,
): Promise<Answer> {
  refuseParts(query)
  const format = ctx.lines ?? 'ndjson'
  const columns = columnsOf(shown.schema)
  const lines =
    format === 'csv'
      ? [headerLine(columns), ...texts.map((text) => objectLine(columns, text))]
      : texts.map((text) => `${inOneLine(text)}\n`)
  const start = { total: texts.length, position: await feedPosition(ctx.store) }
  return file(Buffer.from(lines.join('')), types[format], headersOf(start))
}

const tooLong = ({ maxMs }: ExportLimits) => new Unavailable(`an export may take ${maxMs / 1000} seconds`)

/** An export has all rows, and only rows. */
function refuseParts({ isPaged, include }: ListQuery): void {
  if (isPaged)
    throw new Problem(
      'bad_page',
      'A list of lines (application/x-ndjson, text/csv) has all rows: send it without page[limit], page[offset], page[after] and page[before].',
      { source: 'page' },
    )
  if (include.length)
    throw new Problem(
      'bad_request',
      'A list of lines (application/x-ndjson, text/csv) has no included objects: send it without include.',
      { source: 'include' },
    )
}

/**
 * Runs the export with a snapshot, and its reads collected. It cannot run twice: the client may have read something.
 */
async function inSnapshot(ctx: Ctx, run: (inside: Ctx) => Promise<void>): Promise<void> {
  const reads = ctx.instance.collectReads(ctx)
  let hasBegun = false
  try {
    await ctx.collecting(reads).snapshot(async (inside) => {
      if (hasBegun) throw new Error('an export cannot begin again')
      hasBegun = true
      await run(inside)
    }, 'export')
  } finally {
    await reads.flush(true)
  }
}

/** What the headers say: the position of the change feed that the lines include, and their number, if it is known. */
interface Start {
  readonly position: number
  readonly total?: number
}

const lacksWatermark = ({ where, resource }: Source): boolean =>
  where !== undefined || !hasWatermark(resource)

const headersOf = ({ position, total, watermark }: Start & { readonly watermark?: string | undefined }) => ({
  ...(total !== undefined && { 'sutler-total-count': String(total) }),
  'sutler-feed-position': String(position),
  ...(watermark && { 'sutler-watermark': watermark }),
})

async function startOf<F extends Fields>(
  inside: Ctx,
  query: ListQuery,
  { source }: ListView<F>,
): Promise<Start> {
  const position = await feedPosition(inside.store)
  const { total, unmerged } = await fetchPage(inside, source, { ...query, limit: 0, isPaged: true })
  if (unmerged > mergeThreshold) requestMerge(inside)
  return { position, total }
}

interface Chunk {
  readonly bytes: Uint8Array
  readonly count: number
}

async function* chunksOf<F extends Fields>(
  inside: Ctx,
  format: LineFormat,
  query: ListQuery,
  view: ListView<F>,
): AsyncGenerator<Chunk> {
  const { scope, resource: declared } = view.source
  const resource = await currentDefinition(inside, declared as Resource, scope)
  const plan = planPage(inside, resource, query)
  const { shown = resource } = view
  const columns =
    format === 'csv'
      ? columnsOf(
          isResource(shown) ? shownSchema(await currentDefinition(inside, shown, scope)) : shown.schema,
        )
      : undefined
  if (columns) yield { bytes: Buffer.from(headerLine(columns)), count: 0 }
  if (!view.show && areUniform(resource) && (inside.reads?.takesIds(resource) ?? true)) {
    const hasReads = resource.personal !== undefined
    const lines = columns
      ? new CsvRowLines(columns, resource, scope, inside, hasReads)
      : new JsonRowLines(resource, scope, inside, hasReads)
    yield* uniformLinesOf(inside, plan, { ...view.source, resource }, lines)
  } else {
    yield* linesOf(inside, plan, view, (text) =>
      columns ? objectLine(columns, text) : `${inOneLine(text)}\n`,
    )
  }
}

const isResource = (shown: Resource | Field): shown is Resource => 'envelope' in shown

/** The lines of any objects. */
async function* linesOf<F extends Fields>(
  inside: Ctx,
  plan: Plan,
  view: ListView<F>,
  lineOf: (text: string) => string,
): AsyncGenerator<Chunk> {
  const { source } = view
  for await (const tuples of inside.store.inBatches(everyRowSql(source, plan, inside.store.id))) {
    const rows = await inside.store.rowsOf(source.resource, tuples)
    if (!rows) throw new Error('the added fields have changed within a snapshot')
    for await (const texts of textsOf(inside, view, rows)) {
      await inside.reads?.flush()
      let lines = ''
      for (const text of texts) lines += lineOf(text)
      yield { bytes: Buffer.from(lines), count: texts.length }
    }
  }
}

/** The lines of rows that become objects without being parsed. */
async function* uniformLinesOf(
  inside: Ctx,
  plan: Plan,
  source: Source & { readonly resource: Resource },
  lines: RowLines,
): AsyncGenerator<Chunk> {
  const { resource, scope } = source
  const { store, reads } = inside
  const sql = everyRowSql(source, plan, store.id, lineColumns(resource, 'p.'))
  for await (const _ of store.bytesInBatches(sql, lines.take)) {
    const { chunks, count, ids } = lines.cut()
    if (ids.length) reads?.addIds(resource, ids, scope)
    await reads?.flush()
    for (const [i, bytes] of chunks.entries()) {
      yield { bytes, count: i === 0 ? count : 0 }
      lines.reuse(bytes)
    }
  }
}
