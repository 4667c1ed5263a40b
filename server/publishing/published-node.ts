import type { Step } from './published-product.ts'

/** All that is published of a node, or a hierarchy, is made of. */
export interface NodeSource {
  readonly parentId: string | undefined
  /** As the merchant is shown them. */
  readonly attributes: Readonly<Record<string, unknown>>
  /** The way from its hierarchy, itself last. */
  readonly breadcrumbs: readonly Step[]
  readonly hasChildren: boolean
  /** Among its siblings; of a hierarchy, in the catalog: the highest first. */
  readonly place: string
}

/** What shoppers see of a node, and what its row is found by. */
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
    /** The way to it: what is published of the products in it says so too. */
    readonly way: readonly Step[]
  }
}

const unpublished = new Set(['admin_attributes', 'locales'])

/** What is published of a node, or of a hierarchy. */
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
