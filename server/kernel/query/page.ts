import type { Keys } from '../auth/keys.ts'
import { isSigned, signatureOf } from '../auth/signatures.ts'
import { Problem } from '../errors.ts'
import { Memory } from '../memory.ts'
import type { Fields } from '../shape/fields.ts'
import type { ListQuery } from '../shape/list-query.ts'
import { hasWatermark, type Model, ownOrderOf, type Row, shownIdOf } from '../shape/model.ts'
import type { Work } from '../work/context.ts'
import { perInstance } from '../work/per-instance.ts'
import { casts, type Window } from './page-text.ts'
import { limits } from './parse.ts'
import { listKey } from './places.ts'
import { plan } from './plan.ts'
import { pageSql, type Source } from './sql.ts'

/** A page of a list, and its position in the list. */
export interface Page<F extends Fields = Fields> {
  readonly rows: readonly Row<F>[]
  /** Of the whole list after filters, from the same snapshot as the rows. */
  readonly total: number
  readonly limit: number
  readonly offset: number
  /** For a walk by cursor: the tokens of the pages before and after. */
  readonly cursors?: { readonly next: string | undefined; readonly prev: string | undefined }
  /** For a list with an `offsetMax`: the highest offset, and the cursor of the page after it. */
  readonly offsets?: { readonly max: number; readonly onward: string | undefined }
  /** The page is a whole list, because the public contract does not page it. */
  readonly isWhole?: boolean
  /** Links to pages that do not exist are left out (`pageLinks` of the envelope); by default they are null. */
  readonly onlyExisting?: boolean
  /** Changes of the list's counter that are not merged yet. */
  readonly unmerged: number
  /** What is missing on this page, or changes later, will have a time that is not before this one. */
  readonly watermark?: string | undefined
}

const pageLengthDefault = 25
// Only a guess: each page reads the setting in its own snapshot, and is read again if the guess was wrong.
const pageLengths = perInstance(() => new Memory<string, number>(10_000))

/** Fetches the page that `query` describes. This is the last stage of the query engine, and the only one with I/O. */
export async function fetchPage<F extends Fields>(
  work: Work,
  source: Source<F>,
  query: ListQuery,
): Promise<Page<F>> {
  const { filter, sort, walk, cursor } = planPage(work, source.resource, query)
  const lengths = pageLengths(work.instance)
  const backwards = query.cursor?.direction === 'before'
  const isWhole = source.resource.whole === true && !query.isPaged
  const fixed = isWhole ? limits.wholeMax : query.limit
  // Taken before the snapshot of the page. A row may begin to meet a further condition without a write.
  const watermark = source.where || !hasWatermark(source.resource) ? undefined : work.instance.watermark()
  for (let guess = fixed ?? lengths.get(work.store.id) ?? pageLengthDefault; ; ) {
    const window: Window = {
      // A walk by cursor reads one row more to know whether there is another page.
      limit: query.cursor ? guess + 1 : guess,
      offset: query.cursor ? 0 : query.offset,
      column: sort.column,
      descending: sort.descending !== backwards,
      ...(isWhole && { whole: true }),
      ...(cursor && { behind: { value: cursor.value, id: cursor.id, cast: casts[sort.type] } }),
    }
    const tuples = await work.store.page(pageSql(source, filter, window, work.store.id))
    const first = tuples[0]
    const setting = first?.[2] == null ? pageLengthDefault : Number(first[2])
    if (fixed === undefined && setting !== guess) {
      lengths.set(work.store.id, setting)
      guess = setting
      continue
    }
    const rows = first?.[3] == null ? [] : await work.store.rowsOf(source.resource, tuples, 3)
    if (!rows) continue
    const page = {
      total: Number(first?.[0]),
      unmerged: Number(first?.[1]),
      limit: guess,
      watermark,
      ...(isWhole && { isWhole }),
      onlyExisting: source.resource.envelope.pageLinks === 'existing',
    }
    const seal = (row: Row | undefined, position: number) =>
      row && sealCursor({ value: sortValue(source.resource, row, sort.field), id: row.id, position }, walk)
    if (!query.cursor) {
      const { offset } = query
      const max = source.resource.offsetMax
      const offsets = max === undefined ? undefined : { max, onward: seal(rows.at(-1), offset + rows.length) }
      return { ...page, rows, offset, ...(offsets && { offsets }) }
    }
    const more = rows.length > guess
    const shown = rows.slice(0, guess)
    if (backwards) shown.reverse()
    const start = cursor?.position ?? (backwards ? page.total : 0)
    const offset = backwards ? Math.max(0, start - shown.length) : start
    const hasNext = backwards ? cursor !== undefined : more
    const hasPrev = backwards ? more : cursor !== undefined
    return {
      ...page,
      rows: shown,
      offset,
      cursors: {
        next: hasNext ? seal(shown.at(-1), offset + shown.length) : undefined,
        prev: hasPrev ? seal(shown[0], offset) : undefined,
      },
    }
  }
}

/** Plans a page, and refuses what the list does not allow. Needs no I/O, so callers can check a page beforehand. */
export function planPage(work: Work, resource: Model, query: ListQuery) {
  const { filter, sort } = plan(query, resource)
  const walk: Walk = {
    keys: work.instance.cursorKeys,
    list: [listKey(resource), sort.field, sort.descending],
  }
  return {
    filter,
    sort,
    walk,
    cursor: query.cursor?.token ? openCursor(query.cursor.token, walk) : undefined,
  }
}

function sortValue(resource: Model, row: Row, field: string): string {
  if (field === 'id') return shownIdOf(resource, row)
  if (field === 'created_at') return row.createdAt
  if (field === 'updated_at') return row.updatedAt
  if (row.place !== undefined && field === ownOrderOf(resource)) return row.place
  return String(row.doc[field] ?? row.hidden[field])
}

/** The position of a walk: the row at the edge of a page, and the number of rows before that edge. */
interface Cursor {
  readonly value: string
  readonly id: string
  readonly position: number
}

/** The signature covers the list and its order, so a cursor works only in the walk that made it. */
interface Walk {
  readonly keys: Keys
  readonly list: readonly unknown[]
}

const textToSign = (body: string, { list }: Walk) => JSON.stringify([...list, body])

function sealCursor({ value, id, position }: Cursor, walk: Walk): string {
  const body = Buffer.from(JSON.stringify([value, id, position])).toString('base64url')
  return `${body}.${signatureOf(walk.keys, textToSign(body, walk))}`
}

function openCursor(token: string, walk: Walk): Cursor {
  const [body = '', signature = ''] = token.split('.')
  if (!isSigned(walk.keys, textToSign(body, walk), signature)) {
    throw new Problem(
      'bad_page',
      'page[after] and page[before] must be a cursor from a link of this list, in the same order and with the same filter.',
      {
        source: 'page[after]',
      },
    )
  }
  const [value, id, position] = JSON.parse(Buffer.from(body, 'base64url').toString()) as [
    string,
    string,
    number,
  ]
  return { value, id, position }
}
