import { resource } from '../../kernel/declare/resource.ts'
import { invalidField } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { choice, flag, group, list, text } from '../../kernel/shape/fields.ts'
import { type Draft, indexed, type Row, walks } from '../../kernel/shape/model.ts'
import type { Work } from '../../kernel/work/context.ts'
import { change } from '../../kernel/write/by-rules.ts'
import { entries } from './entry-rows.ts'
import { exactTotals, extensionEnvelope } from './extension-envelope.ts'

const short = text({ max: 255 })
const parentLink = group(
  {
    id: text({ required: true, max: 255 }),
    type: choice(['custom_api', 'api_location'], { required: true }),
  },
  {},
)

const fields = {
  name: text({
    required: true,
    min: 1,
    max: 255,
    about: 'The name that people see.',
    example: 'Gift registries',
  }),
  description: text({ default: '', max: 255, about: 'The purpose of the entries.' }),
  slug: text({
    required: true,
    pattern: /^[a-z0-9_-]{1,63}$/,
    about: 'The last part of the address of its entries, /v2/extensions/…; unique in the store.',
    example: 'gift-registries',
  }),
  api_type: text({
    required: true,
    pattern: /^[a-z0-9_]{1,59}_ext$/,
    about: 'The type of its entries. It ends in _ext and is unique in the store.',
    example: 'gift_registry_ext',
  }),
  allow_upserts: flag({
    default: false,
    about: 'Whether a PUT to an entry that does not exist creates it.',
  }),
  presentation: group({ page: short, section: short }, { about: 'Where a console shows the custom API.' }),
  relationships: group(
    {
      parent_apis: group(
        { data: list(parentLink, { required: true, maxItems: 100 }) },
        { default: { data: [] } },
      ),
    },
    { default: {}, about: 'The custom APIs that this one is shown under.' },
  ),
}

export type CustomApi = Row<typeof fields>['doc']

export const customApis = resource({
  type: 'custom_api',
  noun: ['custom-api', 'custom-apis'],
  about: 'A type of object that the store has added to its API.',
  path: '/v2/settings/extensions/custom-apis',
  table: 'custom_apis',
  fields,
  filter: {
    ...walks,
    name: indexed('eq', 'like'),
    description: ['eq', 'like'],
    slug: indexed('eq', 'like'),
    api_type: indexed('eq', 'like'),
  },
  sort: ['api_type', 'created_at', 'id', 'name', 'slug', 'updated_at'],
  area: 'custom-apis',
  envelope: extensionEnvelope,
  listMeta: exactTotals,
  most: { n: 10_000, detail: (n) => `A store can have at most ${n} custom APIs.` },
  beforeWrite: mustFit,
  afterWrite: touchEntries,
  beforeDelete: deleteEntries,
  constraints: {
    custom_apis_slug_key: {
      code: 'conflict',
      detail: 'custom_api with the given slug already exists',
      source: 'data.slug',
    },
    custom_apis_api_type_key: {
      code: 'conflict',
      detail: 'custom_api with the given api_type already exists',
      source: 'data.api_type',
    },
  },
})

/** One write of custom APIs at a time in a store, so that counts and cycle checks still hold at commit. */
const waitForTurn = (work: Work): Promise<void> => work.store.advisoryLock('custom-apis')

async function mustFit(work: Work, { id, values }: Draft<typeof fields>): Promise<void> {
  await waitForTurn(work)
  await mustNest(work, id, values.relationships)
}

/** Makes new versions of all entries if the type changes, because they show it. */
async function touchEntries(
  work: Work,
  row: Row<typeof fields>,
  before: Row<typeof fields> | undefined,
): Promise<void> {
  if (!before || before.doc.api_type === row.doc.api_type) return
  await work.store.touchAll(entries, (bind) => `custom_api_id = ${bind(row.id)}`)
}

/** Deletes the entries first, while the change feed can still describe them. */
async function deleteEntries(work: Work, row: Row): Promise<void> {
  await waitForTurn(work)
  await work.store.lockExclusive(customApis, row.id)
  await work.store.removeAll(entries, (bind) => `custom_api_id = ${bind(row.id)}`)
  await leaveChildren(work, row.id)
}

interface ParentLink {
  readonly id: string
  readonly type: 'custom_api' | 'api_location'
}

interface ApiRelationships {
  readonly parent_apis: { readonly data: readonly ParentLink[] }
}

/** The maximum depth of nested custom APIs. */
const depthMax = 2
const apiLocation = '/v2/extensions'
const refuseParents = (detail: string) => invalidField('data.relationships.parent_apis', detail)

/** Refuses parents that do not exist, that create a cycle, or that nest too deep. */
async function mustNest(work: Work, id: string, { parent_apis }: ApiRelationships): Promise<void> {
  for (const link of parent_apis.data) {
    if (link.type === 'api_location' && link.id !== apiLocation) {
      throw refuseParents(`must have the id ${apiLocation} if its type is api_location, not ${link.id}`)
    }
  }
  const parents = parent_apis.data.filter(({ type }) => type === 'custom_api').map((link) => link.id)
  if (parents.length === 0) return
  const parentsOf = await readParents(work)
  const unknown = parents.find((parent) => !isId(parent) || !parentsOf.has(parent))
  if (unknown)
    throw refuseParents(`must contain ids of custom APIs of this store; there is none with the id ${unknown}`)
  parentsOf.set(id, parents)
  for (const api of parentsOf.keys()) {
    if (heightOver(api, parentsOf) > depthMax) {
      throw refuseParents(`must not create a cycle, or nest custom APIs deeper than ${depthMax} levels`)
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
      const { parent_apis } = JSON.parse(relationships as string) as ApiRelationships
      return [
        id as string,
        parent_apis.data.filter((link) => link.type === 'custom_api').map((link) => link.id),
      ]
    }),
  )
}

/** Removes a deleted custom API from the lists of parents. */
async function leaveChildren(work: Work, parent: string): Promise<void> {
  const children = [...(await readParents(work))].filter(([, parents]) => parents.includes(parent))
  for (const [child] of children) {
    const row = await work.store.find(customApis, child)
    const links = row?.doc.relationships.parent_apis.data ?? []
    const relationships: ApiRelationships = { parent_apis: { data: links.filter(({ id }) => id !== parent) } }
    if (row) await change(work, customApis, [], child, { relationships })
  }
}
