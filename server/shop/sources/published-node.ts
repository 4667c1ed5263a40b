import type { NodeStep } from './published-product.ts'

/** The data from which a node or hierarchy is published. */
interface NodeSource {
  readonly parentId: string | undefined
  /** As the merchant sees them. */
  readonly attributes: Readonly<Record<string, unknown>>
  /** The path from its hierarchy, with itself last. */
  readonly breadcrumbs: readonly NodeStep[]
  readonly hasChildren: boolean
  /** The place among its siblings, or of a hierarchy in the catalog; highest first. */
  readonly place: string
}

/** The published row of a node: its document and its keys. */
export interface PublishedNode {
  readonly doc: {
    readonly attributes: Readonly<Record<string, unknown>>
    readonly meta: Readonly<Record<string, unknown>>
  }
  readonly hidden: {
    readonly hierarchy_id?: string | undefined
    readonly parent_id?: string | undefined
    readonly place: string
    readonly locales?: unknown
    /** The path to it, which its products publish too. */
    readonly way: readonly NodeStep[]
  }
}

const unpublished = new Set(['admin_attributes', 'locales'])

/** Makes the published row of a node or hierarchy. */
export function publishedNode(source: NodeSource): PublishedNode {
  const { parentId, attributes, breadcrumbs, hasChildren, place } = source
  const shown = Object.entries(attributes).filter(([name, value]) => value != null && !unpublished.has(name))
  const hierarchyId = parentId === undefined ? undefined : breadcrumbs[0]?.id
  const ids = breadcrumbs.map(({ id }) => id)
  return {
    doc: {
      attributes: Object.fromEntries(shown),
      meta: {
        breadcrumbs: breadcrumbs.map(({ id, name, slug }) => ({ id, name, slug })),
        ...(hierarchyId && { bread_crumb: ids }),
        has_children: hasChildren,
      },
    },
    hidden: {
      hierarchy_id: hierarchyId,
      parent_id: parentId,
      place,
      locales: attributes.locales ?? undefined,
      way: breadcrumbs.map(({ id, name, slug }) => ({ id, name, ...(slug !== undefined && { slug }) })),
    },
  }
}
