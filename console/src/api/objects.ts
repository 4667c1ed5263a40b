/** An object of the API, of which the document says the rest. */
export type Item = Readonly<Record<string, unknown>>

export const isItem = (value: unknown): value is Item =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value at a path such as `attributes.name`. */
export const valueAt = (item: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((at, name) => (isItem(at) ? at[name] : undefined), item)

/** An object with these values at their paths. */
export function objectOf(values: readonly (readonly [path: string, value: unknown])[]): Item {
  const root: Record<string, unknown> = {}
  for (const [path, value] of values) {
    const names = path.split('.')
    const last = names.pop() as string
    let at = root
    for (const name of names) {
      const inside = isItem(at[name]) ? { ...at[name] } : {}
      at[name] = inside
      at = inside
    }
    at[last] = value
  }
  return root
}

/** An object with another value at a path; without it if that is undefined. */
export function withValue(item: Item, path: string, value: unknown): Item {
  const [name = '', ...rest] = path.split('.')
  const inside = item[name]
  const next = rest.length ? withValue(isItem(inside) ? inside : {}, rest.join('.'), value) : value
  const { [name]: _, ...others } = item
  const isNone = next === undefined || (rest.length > 0 && isItem(next) && Object.keys(next).length === 0)
  return isNone ? others : { ...item, [name]: next }
}

/** A page of a list. */
export interface Page {
  readonly rows: readonly Item[]
  readonly total: number | undefined
  readonly limit: number
}

export function pageIn(body: unknown): Page {
  const data = valueAt(body, 'data')
  const rows = Array.isArray(data) ? data.filter(isItem) : []
  const total = valueAt(body, 'meta.results.total')
  const limit = valueAt(body, 'meta.page.limit')
  return {
    rows,
    total: typeof total === 'number' ? total : undefined,
    limit: typeof limit === 'number' ? limit : rows.length,
  }
}
