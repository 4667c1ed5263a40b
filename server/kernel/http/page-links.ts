import type { Page } from '../query/page.ts'
import { limits } from '../query/parse.ts'

/** A page without its rows, of which only the number counts. */
export type PageNumbers = Omit<Page, 'rows'> & { readonly rows: readonly unknown[] }

/** The numbers of `meta.page` and `meta.results`. */
export function pageMeta({ total, limit, offset }: PageNumbers) {
  const pages = limit === 0 ? 0 : Math.ceil(total / limit)
  const current = limit === 0 || total === 0 ? 1 : Math.floor(offset / limit) + 1
  return { page: { limit, offset, current, total: pages }, results: { total } }
}

/** The path and the raw query of a list request. */
export interface ListAddress {
  readonly path: string
  readonly query: string
}

/** The links of a page, absolute. Links to missing pages are null, or left out. */
interface PageLinks {
  readonly current: string
  readonly first: string
  readonly last?: string
  readonly next?: string | null
  readonly prev?: string | null
}

export function pageLinks(page: PageNumbers, baseUrl: string, at: ListAddress): PageLinks {
  const links = allLinks(page, baseUrl, at)
  if (!page.onlyExisting) return links
  const { last, next, prev, ...others } = links
  return { ...others, ...(next && { last, next }), ...(prev && { prev }) }
}

function allLinks(page: PageNumbers, baseUrl: string, { path, query }: ListAddress): Required<PageLinks> {
  const { total, limit, offset, cursors, offsets } = page
  const otherParameters = queryWithoutPage(query)
  // No request may ask for a page as long as a whole list, so links use a shorter one.
  const length = Math.min(limit, limits.pageMax)
  const prefix = `${baseUrl}${path}?${otherParameters}${otherParameters && '&'}page%5Blimit%5D=${length}&`
  const link = (direction: string, token = '') => `${prefix}page%5B${direction}%5D=${token}`
  if (cursors) {
    return {
      current: `${baseUrl}${path}?${encode(query)}`,
      first: link('after'),
      last: link('before'),
      next: cursors.next === undefined ? null : link('after', cursors.next),
      prev: cursors.prev === undefined ? null : link('before', cursors.prev),
    }
  }
  const at = (start: number) => `${prefix}page%5Boffset%5D=${start}`
  const isFar = (start: number) => offsets !== undefined && start > offsets.max
  const nextOffset = offset + limit
  const lastOffset = limit === 0 || total === 0 ? 0 : Math.floor((total - 1) / length) * length
  const whole = page.isWhole ? `${baseUrl}${path}${otherParameters && `?${otherParameters}`}` : undefined
  return {
    current: whole ?? at(offset),
    first: whole ?? at(0),
    last: (total <= limit ? whole : undefined) ?? (isFar(lastOffset) ? link('before') : at(lastOffset)),
    next:
      limit === 0 || nextOffset >= total
        ? null
        : isFar(nextOffset)
          ? link('after', offsets?.onward)
          : at(nextOffset),
    prev: offset > 0 ? at(Math.max(0, Math.min(offset - limit, lastOffset))) : null,
  }
}

const pageParameter = /^page(\[|%5B)(limit|offset|after|before)(\]|%5D)=/i

/** The query in links: all parameters except the position of the page. */
const queryWithoutPage = (query: string): string =>
  query
    .split('&')
    .filter((pair) => pair && !pageParameter.test(pair))
    .map(encode)
    .join('&')

/** RFC 3986 §3.4: clients send brackets, bars and quotes raw, which links must not contain. */
const encode = (query: string): string =>
  query.replace(/[^\w\-.~!$&'()*+,;=:@/?%]/gu, (character) => encodeURIComponent(character))

const relations = ['first', 'prev', 'next', 'last'] as const

// Every link repeats the filter, and proxies and clients reject long headers. The body has the same links.
const linkHeaderCharsMax = 2048

/** The same links as a header (RFC 8288). */
export function linkHeader(links: PageLinks): { link?: string } {
  let link = ''
  for (const rel of relations) if (links[rel]) link += `${link && ', '}<${links[rel]}>; rel="${rel}"`
  return link.length > linkHeaderCharsMax ? {} : { link }
}
