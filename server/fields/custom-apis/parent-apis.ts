import { invalidField } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import type { Work } from '../../kernel/work/context.ts'
import { change } from '../../kernel/write/by-rules.ts'
import type { customApis } from './custom-apis.ts'

interface ParentLink {
  readonly id: string
  readonly type: 'custom_api' | 'api_location'
}

interface Relationships {
  readonly parent_apis: { readonly data: readonly ParentLink[] }
}

/** The maximum depth of nested custom APIs. */
const depthMax = 2
const apiLocation = '/v2/extensions'
const refuse = (detail: string) => invalidField('data.relationships.parent_apis', detail)

/** Refuses parents that do not exist, that create a cycle, or that nest too deep. */
export async function mustNest(work: Work, id: string, { parent_apis }: Relationships): Promise<void> {
  for (const link of parent_apis.data) {
    if (link.type === 'api_location' && link.id !== apiLocation) {
      throw refuse(`must have the id ${apiLocation} if its type is api_location, not ${link.id}`)
    }
  }
  const parents = parent_apis.data.filter(({ type }) => type === 'custom_api').map((link) => link.id)
  if (parents.length === 0) return
  const parentsOf = await readParents(work)
  const unknown = parents.find((parent) => !isId(parent) || !parentsOf.has(parent))
  if (unknown)
    throw refuse(`must contain ids of custom APIs of this store; there is none with the id ${unknown}`)
  parentsOf.set(id, parents)
  for (const api of parentsOf.keys()) {
    if (heightOver(api, parentsOf) > depthMax) {
      throw refuse(`must not create a cycle, or nest custom APIs deeper than ${depthMax} levels`)
    }
  }
}

/** The length of the longest path to the top. A cycle is longer than any limit. */
function heightOver(api: string, parentsOf: ReadonlyMap<string, readonly string[]>): number {
  let height = 0
  for (let level = new Set(parentsOf.get(api)); level.size > 0 && height <= depthMax; height++) {
    level = new Set([...level].flatMap((parent) => parentsOf.get(parent) ?? []))
  }
  return height
}

async function readParents(work: Work): Promise<Map<string, readonly string[]>> {
  const rows = await work.store.run(`SELECT id, doc->'relationships' FROM custom_apis WHERE store_id = $1`)
  return new Map(
    rows.map(([id, relationships]) => {
      const { parent_apis } = JSON.parse(relationships as string) as Relationships
      return [
        id as string,
        parent_apis.data.filter((link) => link.type === 'custom_api').map((link) => link.id),
      ]
    }),
  )
}

/** Removes a deleted custom API from the lists of parents. */
export async function withoutParent(work: Work, apis: typeof customApis, parent: string): Promise<void> {
  const children = [...(await readParents(work))].filter(([, parents]) => parents.includes(parent))
  for (const [child] of children) {
    const row = await work.store.find(apis, child)
    const links = row?.doc.relationships.parent_apis.data ?? []
    const relationships: Relationships = { parent_apis: { data: links.filter(({ id }) => id !== parent) } }
    if (row) await change(work, apis, [], child, { relationships })
  }
}
