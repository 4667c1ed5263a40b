import type { Copy } from './copier.ts'
import { detailOf, type Json, type RemoteAnswer } from './read-answer.ts'

/** What is available of a product, in each location and outside of them. */
interface Levels {
  readonly outside: number
  readonly locations: Readonly<Record<string, number>>
}

export function levelsOf(stock: Json): Levels {
  // A server may not know locations.
  const { available = 0, locations: places } = stock.attributes ?? stock
  const locations = Object.fromEntries(
    Object.entries<Json>(places ?? {}).map(([slug, level]) => [slug, Number(level?.available)]),
  )
  return { outside: available - Object.values(locations).reduce((sum, n) => sum + n, 0), locations }
}

const inLocations = (locations: Levels['locations']) =>
  Object.fromEntries(Object.entries(locations).map(([slug, available]) => [slug, { available }]))

/** A stock has the id of its product, and begins with what is available in each location. */
export async function createStock(copy: Copy, object: Json, to: string): Promise<RemoteAnswer> {
  const { outside, locations } = levelsOf(object)
  const hasLocations = Object.keys(locations).length > 0
  const attributes = {
    ...(hasLocations && { locations: inLocations(locations) }),
    ...((outside > 0 || !hasLocations) && { available: outside }),
  }
  const id = copy.state.ids.get(object.id) ?? object.id
  return copy.to.send('POST', `${to}/${id}`, { data: { type: 'stock', attributes } })
}

/** Gives a stock what is available on the other server now. Returns the reason if that is refused. */
export async function updateStock({ to }: Copy, object: Json, path: string): Promise<string | undefined> {
  const present = await to.get(path)
  if (present.status !== 200) return detailOf(present)
  const [wanted, here] = [levelsOf(object), levelsOf(present.body.data)]
  const slugs = new Set([...Object.keys(wanted.locations), ...Object.keys(here.locations)])
  const changed = [...slugs].filter((slug) => wanted.locations[slug] !== here.locations[slug])
  if (changed.length) {
    const levels = inLocations(wanted.locations)
    const locations = Object.fromEntries(changed.map((slug) => [slug, levels[slug] ?? null]))
    const answer = await to.send('PUT', path, { data: { type: 'stock', attributes: { locations } } })
    if (answer.status >= 300) return detailOf(answer)
  }
  const missing = wanted.outside - here.outside
  if (missing === 0) return undefined
  const action = missing > 0 ? 'increment' : 'decrement'
  const transaction = { type: 'stock-transaction', action, quantity: Math.abs(missing) }
  // Not twice, if its response is lost.
  const headers = { 'idempotency-key': `copy ${crypto.randomUUID()}` }
  const answer = await to.send('POST', `${path}/transactions`, { data: transaction }, headers)
  return answer.status >= 300 ? detailOf(answer) : undefined
}
