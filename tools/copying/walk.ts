import type { Resource } from '../../server/kernel/declare/resource.ts'
import { type Json, objectsOf, type RemoteAnswer, UnreadableAnswer } from './read-answer.ts'
import type { Remote } from './remote.ts'

/** The lists of the public contract have pages of at most a hundred objects, and no page beyond the ten thousandth. */
const pageMax = 100
const offsetMax = 10_000

/**
 * All objects of a list. Where the list can be walked by id, each object is read once, whatever is written meanwhile;
 * other lists are read page by page.
 */
export async function* walk(
  remote: Remote,
  path: string,
  resource: Resource | undefined,
): AsyncGenerator<Json> {
  if (resource && canWalk(resource)) {
    const first = await remote.get(walkUrl(path, firstId))
    if (first.status === 200) {
      yield* walkById(remote, path, first)
      return
    }
  }
  yield* pages(remote, path)
}

const firstId = '00000000-0000-0000-0000-000000000000'

function canWalk({ filter = {}, sort = [], fields }: Resource): boolean {
  const { id } = filter
  const ops: readonly string[] = Array.isArray(id) ? id : ((id as { ops?: readonly string[] })?.ops ?? [])
  return ops.includes('gt') && sort.includes('id') && fields.id === undefined
}

const walkUrl = (path: string, last: string) =>
  `${path}?sort=id&page%5Blimit%5D=${pageMax}&filter=${encodeURIComponent(`gt(id,${last})`)}`

async function* walkById(remote: Remote, path: string, first: RemoteAnswer): AsyncGenerator<Json> {
  for (let [answer, before]: [RemoteAnswer, string] = [first, firstId]; ; ) {
    const objects = objectsOf(path, answer)
    for (const { id } of objects) {
      if (typeof id !== 'string' || id <= before)
        throw new UnreadableAnswer(
          `${path} cannot be walked: after ${before} comes ${id}, so it may have no end`,
        )
      before = id
    }
    yield* objects
    // The page length may be less than was asked for.
    if (!objects.length) return
    answer = await remote.get(walkUrl(path, before))
  }
}

/** A list that has no pages. */
export async function* whole(remote: Remote, path: string): AsyncGenerator<Json> {
  yield* objectsOf(path, await remote.get(path))
}

async function* pages(remote: Remote, path: string): AsyncGenerator<Json> {
  const seen = new Set<string>()
  for (let offset = 0; offset <= offsetMax; ) {
    const mark = path.includes('?') ? '&' : '?'
    const answer = await remote.get(`${path}${mark}page%5Blimit%5D=${pageMax}&page%5Boffset%5D=${offset}`)
    const objects = objectsOf(path, answer)
    const fresh = objects.filter(({ id }) => typeof id !== 'string' || !seen.has(id))
    for (const { id } of fresh) if (typeof id === 'string') seen.add(id)
    yield* fresh
    const total = answer.body?.meta?.results?.total
    offset += objects.length
    // A list without pages answers the same objects again.
    if (!fresh.length || (typeof total === 'number' ? offset >= total : objects.length < pageMax)) return
  }
  throw new UnreadableAnswer(`only the first ${offsetMax + pageMax} objects of ${path} can be read`)
}
