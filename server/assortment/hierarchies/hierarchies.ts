import { type Resource, resource } from '../../kernel/declare/resource.ts'
import type { Draft, Row } from '../../kernel/shape/model.ts'
import type { Work } from '../../kernel/work/context.ts'
import { crumbOf, renewBreadcrumbsBelow, sameCrumb } from './breadcrumbs.ts'
import { hierarchyEnvelope } from './hierarchy-envelope.ts'
import {
  changedAt,
  mustDifferFromChildren,
  mustKeepId,
  nodeFields,
  nodeMeta,
  relatedList,
  relationshipsField,
} from './node-fields.ts'
import { nodeFilters } from './node-filters.ts'

const fields = { ...nodeFields, relationships: relationshipsField }

/** A tree of nodes that organizes products. It is the root: the parent of the topmost nodes. */
export const hierarchies: Resource<typeof fields> = resource({
  type: 'hierarchy',
  noun: ['hierarchy', 'hierarchies'],
  about: 'A tree of nodes that organizes products.',
  path: '/pcm/hierarchies',
  table: 'nodes',
  // Nodes are rows of the same table, each in its hierarchy.
  scope: { columns: ['hierarchy_id'], of: ({ store }) => [store.id] },
  fields,
  filter: {
    ...nodeFilters(),
    hierarchy_id: { ops: ['eq', 'lt', 'le', 'gt', 'ge'], type: 'uuid', column: 'id' },
  },
  sort: ['created_at', 'id', 'updated_at'],
  area: 'hierarchies',
  envelope: hierarchyEnvelope,
  refusedWith: 422,
  meta: { fields: nodeMeta, of: ({ hidden }) => ({ owner: 'store', breadcrumbs: hidden.breadcrumbs }) },
  beforeWrite: renameHierarchy,
  afterWrite: renewBelow,
})

async function renameHierarchy(work: Work, draft: Draft<typeof fields>): Promise<void> {
  const { id, values, before } = draft
  mustKeepId(draft)
  values.relationships = { children: relatedList(`/hierarchies/${id}/children`) }
  values.changed_at = changedAt(work, fields, draft)
  if (before && sameCrumb(before.doc, values)) return
  values.breadcrumbs = [crumbOf(id, values)]
  if (!before) return
  await work.store.lockExclusive(hierarchies, id)
  await mustDifferFromChildren(work, id, values.name)
}

async function renewBelow(work: Work, row: Row<typeof fields>, before: Row<typeof fields> | undefined) {
  if (!before || sameCrumb(before.doc, row.doc)) return
  await renewBreadcrumbsBelow(work, hierarchies, row.id, [crumbOf(row.id, row.doc)])
}
