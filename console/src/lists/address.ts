import type { Resource } from '../api/document.ts'

/** What the address of a list says: everything that is needed to see the same again. */
export interface ListSearch {
  readonly page?: number
  readonly limit?: number
  readonly sort?: string
  readonly filter?: string
  /** The paths of the columns, with commas between. */
  readonly columns?: string
  /** The form over a list or an object. */
  readonly form?: 'new' | 'edit'
  /** The path of a field of the form that has a value already, and that value. */
  readonly preset?: string
  readonly value?: string
  /** The screen that the form leads back to. */
  readonly back?: string
  /** The tab of an object's page. */
  readonly tab?: string
}

export const pageSizes = [25, 50, 100] as const

const text = (value: unknown): string | undefined =>
  (typeof value === 'string' && value !== '') || typeof value === 'number' ? String(value) : undefined

const whole = (value: unknown): number | undefined =>
  Number.isSafeInteger(Number(value)) && Number(value) > 0 ? Number(value) : undefined

/** Reads an address. What makes no sense in it counts as not there. */
export function readSearch(raw: Readonly<Record<string, unknown>>): ListSearch {
  const page = whole(raw.page)
  const limit = pageSizes.find((size) => size === whole(raw.limit))
  const [sort, filter, columns] = [text(raw.sort), text(raw.filter), text(raw.columns)]
  const [preset, value, back, tab] = [text(raw.preset), text(raw.value), text(raw.back), text(raw.tab)]
  const form = raw.form === 'new' || raw.form === 'edit' ? raw.form : undefined
  return {
    ...(page !== undefined && { page }),
    ...(limit !== undefined && { limit }),
    ...(sort !== undefined && { sort }),
    ...(filter !== undefined && { filter }),
    ...(columns !== undefined && { columns }),
    ...(form !== undefined && { form }),
    ...(preset !== undefined && { preset }),
    ...(value !== undefined && { value }),
    ...(back?.startsWith('/') && !back.startsWith('//') && { back }),
    ...(tab !== undefined && { tab }),
  }
}

export const limitOf = ({ limit = 25 }: ListSearch): number => limit

/** The last page that the API leads to: some lists skip only so many rows. */
export const lastReachable = ({ offsetMax = Number.POSITIVE_INFINITY }: Resource, limit: number): number =>
  Math.floor(offsetMax / limit) + 1

/** The request of a list, as its address asks for it. */
export function listRequest(
  path: string,
  search: ListSearch,
  { isWhole }: Pick<Resource, 'isWhole'>,
): string {
  if (isWhole) return path
  const limit = limitOf(search)
  const query = new URLSearchParams({
    'page[limit]': String(limit),
    'page[offset]': String(((search.page ?? 1) - 1) * limit),
    ...(search.sort && { sort: search.sort }),
    ...(search.filter && { filter: search.filter }),
  })
  return `${path}?${query}`
}
