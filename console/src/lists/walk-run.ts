import { open } from '../api/client.ts'
import { isItem, pageIn, valueAt } from '../api/objects.ts'
import { LineCounter, mediaTypes } from './lines.ts'
import { type Walked, type Way, type WholeList, walkPath } from './walk.ts'

export type Report = (walked: Walked) => void

/** Walks through a list to its end, and says after each page how far it has come. */
export const walk = (way: Way, list: WholeList, signal: AbortSignal, report: Report): Promise<void> =>
  way === 'export' ? readLines(list, signal, report) : readPages(way, list, signal, report)

async function readPages(way: Way, list: WholeList, signal: AbortSignal, report: Report): Promise<void> {
  let walked: Walked = { read: 0, requests: 0 }
  let path: string | undefined = walkPath(way, list)
  while (path !== undefined) {
    const response = await open({ path, signal })
    const body: unknown = await response.json()
    const { rows, total } = pageIn(body)
    const id = rows.at(-1)?.id
    const watermark = response.headers.get('sutler-watermark')
    walked = {
      ...(walked.requests === 0 && watermark !== null && { watermark }),
      ...(walked.requests === 0 && total !== undefined && { first: total }),
      ...walked,
      ...(typeof id === 'string' && { lastId: id }),
      read: walked.read + rows.length,
      requests: walked.requests + 1,
    }
    report(walked)
    path = rows.length === 0 ? undefined : nextPath(way, list, body, walked)
  }
}

function nextPath(way: Way, list: WholeList, body: unknown, { lastId }: Walked): string | undefined {
  if (way === 'ids') return walkPath(way, list, lastId)
  const next = valueAt(body, 'links.next')
  const href = isItem(next) ? next.href : next
  if (typeof href !== 'string') return undefined
  const { pathname, search } = new URL(href, location.origin)
  return pathname + search
}

async function readLines(list: WholeList, signal: AbortSignal, report: Report): Promise<void> {
  const headers = { accept: mediaTypes.ndjson }
  const response = await open({ path: walkPath('export', list), headers, signal })
  const total = response.headers.get('sutler-total-count')
  const position = response.headers.get('sutler-feed-position')
  const facts = {
    requests: 1,
    ...(total !== null && { first: Number(total) }),
    ...(position !== null && { position }),
  }
  const counter = new LineCounter('ndjson')
  report({ ...facts, read: 0 })
  const reader = response.body?.getReader()
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    counter.add(part.value)
    report({ ...facts, read: counter.lines })
  }
}
