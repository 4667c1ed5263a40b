import { withIds } from './body.ts'
import type { Copy } from './copier.ts'
import type { CopiedObject } from './copy-state.ts'
import { detailOf, type Json } from './read-answer.ts'
import type { Remote } from './remote.ts'
import type { LinkStep } from './steps.ts'
import { walk, whole } from './walk.ts'

interface FoundLink {
  readonly id: string
  readonly type: string
  readonly meta?: Json
}

/** The links at an address, in their order. */
async function readLinks(
  remote: Remote,
  path: string,
  { type, isPaged, meta: names }: LinkStep,
): Promise<readonly FoundLink[]> {
  const links: FoundLink[] = []
  for await (const { id, meta } of isPaged ? walk(remote, path, undefined) : whole(remote, path)) {
    const own = names.length && meta ? pick(meta, names) : {}
    links.push({ type, id, ...(Object.keys(own).length > 0 && { meta: own }) })
  }
  return links
}

const pick = (value: Json, names: readonly string[]): Json =>
  Object.fromEntries(names.filter((name) => value[name] != null).map((name) => [name, value[name]]))

/** The links of an owner on both servers, with the ids of the new one. */
export async function linksOnBoth({ from, to, state }: Copy, link: LinkStep, owner: CopiedObject) {
  const { fromPath, toPath } = owner
  const wanted: readonly FoundLink[] = withIds(await readLinks(from, fromPath + link.list, link), state.ids)
  return { toPath: toPath + link.change, wanted, present: await readLinks(to, toPath + link.list, link) }
}

const keyOf = ({ id, meta }: FoundLink) => JSON.stringify([id, meta ?? null])
export const sameLinks = (some: readonly FoundLink[], others: readonly FoundLink[]): boolean =>
  JSON.stringify(some.map(keyOf).sort()) === JSON.stringify(others.map(keyOf).sort())

/** Gives an owner the links that it has on the other server. */
export async function copyLinks(copy: Copy, link: LinkStep, owner: CopiedObject): Promise<void> {
  const { name, holds, operations } = link
  const { toPath, wanted, present } = await linksOnBoth(copy, link, owner)
  if (!wanted.length && !present.length) return
  copy.report.read(name)
  if (sameLinks(wanted, present)) return
  const some = (links: readonly FoundLink[]) => ({ data: holds === 'one' ? (links[0] ?? null) : links })
  const missing = wanted.filter((one) => !present.some((other) => keyOf(one) === keyOf(other)))
  const extra = present.filter((one) => !wanted.some(({ id }) => id === one.id))
  const sends: (readonly [string, unknown])[] = []
  if (operations.replace && (extra.length || !operations.add)) sends.push(['PUT', some(wanted)])
  else {
    if (extra.length && operations.remove) sends.push(['DELETE', some(extra)])
    if (missing.length) sends.push(['POST', some(missing)])
  }
  for (const [method, body] of sends) {
    const answer = await copy.to.send(method, toPath, body)
    if (answer.status >= 300) return copy.report.skip(name, detailOf(answer), owner.from)
  }
  copy.report.changed(name)
}
