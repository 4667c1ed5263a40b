import type { Components, Product } from '../../assortment/index.ts'
import { type BundleOptions, bundleOptions } from './bundle-options.ts'
import { type CurrentVariations, shownChildVariations, shownVariations } from './current-variations.ts'

/** A step on the path from a hierarchy to a node. */
export interface NodeStep {
  readonly id: string
  readonly name: string
  readonly slug?: string | undefined
}

/** A node of a product: the path to it, with the node last, and the place of the product in it. */
export interface Assignment {
  readonly way: readonly NodeStep[]
  readonly place: string
  readonly curated: boolean
}

/** The internal fields of a product that publishing uses. */
type InternalField =
  | 'product_type'
  | 'parent_id'
  | 'variations'
  | 'variation_matrix'
  | 'child_variations'
  | 'custom_relationships'
  | 'relationships'

/** The data from which a product is published. */
export interface ProductSource {
  readonly id: string
  readonly createdAt: string
  readonly updatedAt: string
  /** As the merchant sees them, with the fields of templates. */
  readonly attributes: { readonly components?: Components | null; readonly [name: string]: unknown }
  readonly internal: { readonly [K in InternalField]?: Product[K] | undefined }
  /** In the catalog's hierarchies, newest first. */
  readonly assignments: readonly Assignment[]
  /** Of a child: its parent, if it is live. */
  readonly parent?:
    | {
        readonly sku: string | undefined
        readonly assignments: readonly Assignment[]
        readonly mainImageId: string | undefined
        readonly files: ProductSource['files']
      }
    | undefined
  /** Of a parent: its live children. */
  readonly liveChildren: ReadonlySet<string>
  /** Whether it, or its parent, is an option of a listed bundle. */
  readonly isOption: boolean
  /** Of a bundle: the options that can be bought. */
  readonly optionsForSale: ReadonlySet<string>
  /** Current variations, including its own. */
  readonly variations: CurrentVariations
  readonly files: readonly { readonly id: string; readonly created_at: string }[]
  /** Of a child: the price modifiers that its options name, in the order of its variations. */
  readonly priceModifiers: readonly string[]
  /** The related products, by the slug of the custom relationship, in order. */
  readonly related: Readonly<Record<string, readonly string[]>>
}

/** The published row of a product: its document without prices and stock, and its keys. */
export interface PublishedProduct {
  readonly doc: {
    readonly attributes: Readonly<Record<string, unknown>>
    readonly meta: Readonly<Record<string, unknown>>
    readonly relationships: Readonly<Record<string, unknown>>
  }
  readonly hidden: PublishedFacts
  readonly nodes: readonly { readonly node: string; readonly place: string; readonly curated: boolean }[]
  readonly relations: readonly { readonly name: string; readonly ids: readonly string[] }[]
}

/** Facts that answers need beside the document. */
export interface PublishedFacts {
  /** Whether lists of the catalog have it. An unlisted product is only an option of bundles. */
  readonly listed: boolean
  /** Of a child: the SKU of its parent. */
  readonly parent_sku?: string | undefined
  /** Of a bundle that cannot be bought: its components with fewer options for sale than their `min`. */
  readonly unfilled?: readonly string[] | undefined
  /** Of a bundle: the options that cannot be bought. */
  readonly not_for_sale?: readonly string[] | undefined
  readonly locales?: unknown
  /** The names on the paths to its nodes, by depth, in the notation of search front ends. */
  readonly categories: Readonly<Record<string, readonly string[]>>
  /** The slugs of all nodes and hierarchies on these paths. Absent in rows of older versions. */
  readonly node_slugs?: readonly string[]
}

/** Longer paths are cut. */
const crumbsMax = 10

/** Attributes that are only for the merchant, or published elsewhere or under another name. */
const unpublished = new Set(['admin_attributes', 'build_rules', 'locales', 'mpn'])

/** Makes the published row of a product; undefined if shoppers cannot reach it. */
export function publishedProduct(source: ProductSource, catalogId: string): PublishedProduct | undefined {
  const { attributes, internal, parent, isOption } = source
  if (attributes.status !== 'live') return undefined
  const assignments = withInherited(source.assignments, parent?.assignments ?? [])
  const listed = assignments.length > 0
  if (!listed && !isOption) return undefined
  const relations = relationsOf(source)
  const { mainImageId, files } = picturesOf(source)
  const bundle =
    attributes.components && bundleOptions(attributes.components, (id) => source.optionsForSale.has(id))
  return {
    doc: {
      attributes: {
        ...shownAttributes(attributes),
        base_product: internal.product_type === 'parent',
        base_product_id: internal.parent_id,
        price_modifiers: source.priceModifiers.length ? source.priceModifiers : undefined,
      },
      meta: { catalog_id: catalogId, catalog_source: 'pim', ...metaOf(source, assignments, bundle) },
      relationships: {
        parent: internal.parent_id && { data: { type: 'product', id: internal.parent_id } },
        files: {
          data: files.map(({ id, created_at }) => ({ type: 'file', id, created_at })),
        },
        main_image: mainImageId && { data: { type: 'main_image', id: mainImageId } },
      },
    },
    hidden: {
      listed,
      parent_sku: parent?.sku,
      unfilled: bundle?.unfilled.length ? bundle.unfilled : undefined,
      not_for_sale: bundle?.notForSale.length ? bundle.notForSale : undefined,
      locales: attributes.locales ?? undefined,
      categories: categoriesOf(assignments),
      node_slugs: [...new Set(assignments.flatMap(({ way }) => way.flatMap(({ slug }) => slug ?? [])))],
    },
    nodes: listed ? placesOf(source) : [],
    relations,
  }
}

/** A child without a main image has that of its parent, and its files, too, if it has none. */
function picturesOf({ internal, files, parent }: ProductSource) {
  const own = internal.relationships?.main_image?.data.id
  if (own !== undefined || !parent) return { mainImageId: own, files }
  return { mainImageId: parent.mainImageId, files: files.length ? files : parent.files }
}

/** A child is also in the nodes of its parent. */
function withInherited(own: readonly Assignment[], inherited: readonly Assignment[]): readonly Assignment[] {
  const ownNodeIds = new Set(own.map(({ way }) => way.at(-1)?.id))
  return [...own, ...inherited.filter(({ way }) => !ownNodeIds.has(way.at(-1)?.id))]
}

function shownAttributes(attributes: ProductSource['attributes']): Record<string, unknown> {
  const shown = Object.entries(attributes).filter(([name, value]) => value != null && !unpublished.has(name))
  return {
    ...Object.fromEntries(shown),
    ...(attributes.mpn != null && { manufacturer_part_num: attributes.mpn }),
    external_ref: attributes.external_ref ?? null,
  }
}

function metaOf(
  { internal, liveChildren, variations: current }: ProductSource,
  assignments: readonly Assignment[],
  bundle: BundleOptions | null | undefined,
) {
  const { variations, child_variations, custom_relationships, product_type } = internal
  const nodes = assignments.map(({ way }) => way.map(({ id }) => id).slice(-crumbsMax - 1))
  return {
    product_types: [product_type],
    bread_crumbs: nodes.length
      ? Object.fromEntries(nodes.map((ids) => [ids.at(-1), ids.slice(0, -1)]))
      : undefined,
    bread_crumb_nodes: nodes.length ? nodes.map((ids) => ids.at(-1)) : undefined,
    variation_matrix:
      product_type === 'parent' ? liveMatrix(internal.variation_matrix, liveChildren) : undefined,
    variations: product_type === 'parent' ? shownVariations(variations ?? [], current) : undefined,
    child_option_ids: child_variations?.map(({ option }) => option.id),
    child_variations: child_variations && shownChildVariations(child_variations, current),
    custom_relationships: custom_relationships?.length ? custom_relationships : undefined,
    bundle_configuration: bundle ? { selected_options: bundle.selected } : undefined,
  }
}

type Matrix = NonNullable<Product['variation_matrix']>

/** Removes children that are not live, and branches that become empty. */
function liveMatrix(matrix: Matrix | undefined, live: ReadonlySet<string>): Matrix {
  const left = Object.entries(matrix ?? {}).flatMap(([option, below]): [string, Matrix | string][] => {
    if (typeof below === 'string') return live.has(below) ? [[option, below]] : []
    const inside = liveMatrix(below, live)
    return Object.keys(inside).length ? [[option, inside]] : []
  })
  return Object.fromEntries(left)
}

/** `lvl0` has the hierarchies, `lvl1` the nodes below them with their path, and so on. */
function categoriesOf(assignments: readonly Assignment[]): Record<string, readonly string[]> {
  const levels: Set<string>[] = []
  for (const { way } of assignments) {
    for (const depth of way.keys()) {
      levels[depth] ??= new Set()
      levels[depth].add(
        way
          .slice(0, depth + 1)
          .map(({ name }) => name)
          .join(' > '),
      )
    }
  }
  return Object.fromEntries(levels.map((names, depth) => [`lvl${depth}`, [...names]]))
}

/** The lists that have it: those of its own nodes, and of each hierarchy of these. */
function placesOf({ assignments, updatedAt }: ProductSource): PublishedProduct['nodes'] {
  const own = assignments.map(({ way, place, curated }) => ({
    node: way.at(-1)?.id as string,
    place,
    curated,
  }))
  const changed = String(Date.parse(updatedAt))
  const roots = new Set(assignments.map(({ way }) => way[0]?.id as string))
  return [
    ...own,
    ...[...roots]
      .filter((id) => !own.some(({ node }) => node === id))
      .map((id) => ({ node: id, place: changed, curated: false })),
  ]
}

/** The name of the relation from a bundle to its options. */
export const componentProducts = 'component_products'

function relationsOf({ attributes, related }: ProductSource): PublishedProduct['relations'] {
  const options = Object.values(attributes.components ?? {}).flatMap((component) =>
    component.options.map(({ id }) => id),
  )
  const relations = Object.entries(related).map(([name, ids]) => ({ name, ids }))
  const parts = options.length ? [{ name: componentProducts, ids: [...new Set(options)] }] : []
  return [...parts, ...relations].filter(({ ids }) => ids.length)
}
