import type { Components, Product } from '../products/index.ts'
import { type BundleOptions, bundleOptions } from './bundle-options.ts'
import { type CurrentVariations, shownChildVariations, shownVariations } from './current-variations.ts'

/** A step of the way from a hierarchy down to a node. */
export interface Step {
  readonly id: string
  readonly name: string
  readonly slug?: string | undefined
}

/** A node that a product is in: the way there, itself last, and the product's place in it. */
export interface Assignment {
  readonly way: readonly Step[]
  readonly place: string
  readonly curated: boolean
}

/** What only the server knows of a product, as far as shoppers are shown it. */
type Known =
  | 'product_type'
  | 'parent_id'
  | 'variations'
  | 'variation_matrix'
  | 'child_variations'
  | 'custom_relationships'
  | 'relationships'

/** All that is published of a product is made of. */
export interface ProductSource {
  readonly id: string
  readonly createdAt: string
  readonly updatedAt: string
  /** As the merchant is shown them, with what templates say. */
  readonly attributes: { readonly components?: Components | null; readonly [name: string]: unknown }
  readonly known: { readonly [K in Known]?: Product[K] | undefined }
  /** Of the catalog's hierarchies, the newest first. */
  readonly assignments: readonly Assignment[]
  /** Of a child: its parent, if that is live. */
  readonly parent?:
    | { readonly sku: string | undefined; readonly assignments: readonly Assignment[] }
    | undefined
  /** Of a parent: its children that are live. */
  readonly liveChildren: ReadonlySet<string>
  /** Whether a bundle that is listed has it among its options, or its parent. */
  readonly isOption: boolean
  /** Of a bundle: the options that can be bought. */
  readonly optionsForSale: ReadonlySet<string>
  /** Its variations, and others, as they are now. */
  readonly variations: CurrentVariations
  readonly files: readonly { readonly id: string; readonly created_at: string }[]
  /** Of a child: which price modifiers its options name, in the order of its variations. */
  readonly priceModifiers: readonly string[]
  /** The products it leads to by a custom relationship: by its slug, in their order. */
  readonly related: Readonly<Record<string, readonly string[]>>
}

/** What shoppers may see of a product, but for prices and stock, and what its row is found by. */
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

/** What whoever shows a published product needs beside its document. */
export interface PublishedFacts {
  /** Whether it is in the catalog's lists: an option of a bundle may be there only for that. */
  readonly listed: boolean
  /** Of a child: the SKU whose price it has where it has none. */
  readonly parent_sku?: string | undefined
  /** Of a bundle that cannot be bought: its components with fewer options for sale than their `min`. */
  readonly unfilled?: readonly string[] | undefined
  /** Of a bundle: the options that cannot be bought. */
  readonly not_for_sale?: readonly string[] | undefined
  readonly locales?: unknown
  /** By depth: the names on the ways to its nodes, as a search front end writes them. */
  readonly categories: Readonly<Record<string, readonly string[]>>
  /** The slugs of all nodes and hierarchies on these ways. Products that an older version published have none. */
  readonly node_slugs?: readonly string[]
}

/** More levels of a way are not shown with a product. */
const crumbsMax = 10

/** What only the merchant sees, and what shoppers see elsewhere or under another name. */
const unpublished = new Set(['admin_attributes', 'build_rules', 'locales', 'mpn'])

/** What is published of a product in a catalog; undefined when shoppers cannot come to it. */
export function publishedProduct(source: ProductSource, catalogId: string): PublishedProduct | undefined {
  const { attributes, known, parent, isOption } = source
  if (attributes.status !== 'live') return undefined
  const assignments = withInherited(source.assignments, parent?.assignments ?? [])
  const listed = assignments.length > 0
  if (!listed && !isOption) return undefined
  const relations = relationsOf(source)
  const bundle =
    attributes.components && bundleOptions(attributes.components, (id) => source.optionsForSale.has(id))
  return {
    doc: {
      attributes: {
        ...shownAttributes(attributes),
        base_product: known.product_type === 'parent',
        base_product_id: known.parent_id,
        price_modifiers: source.priceModifiers.length ? source.priceModifiers : undefined,
      },
      meta: { catalog_id: catalogId, catalog_source: 'pim', ...metaOf(source, assignments, bundle) },
      relationships: {
        parent: known.parent_id && { data: { type: 'product', id: known.parent_id } },
        files: {
          data: source.files.map(({ id, created_at }) => ({ type: 'file', id, created_at })),
        },
        main_image: known.relationships?.main_image && {
          data: { type: 'main_image', id: known.relationships.main_image.data.id },
        },
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

/** A child is found where its parent is, too. */
function withInherited(own: readonly Assignment[], inherited: readonly Assignment[]): readonly Assignment[] {
  const known = new Set(own.map(({ way }) => way.at(-1)?.id))
  return [...own, ...inherited.filter(({ way }) => !known.has(way.at(-1)?.id))]
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
  { known, liveChildren, variations: current }: ProductSource,
  assignments: readonly Assignment[],
  bundle: BundleOptions | null | undefined,
) {
  const { variations, child_variations, custom_relationships, product_type } = known
  const nodes = assignments.map(({ way }) => way.map(({ id }) => id).slice(-crumbsMax - 1))
  return {
    product_types: [product_type],
    bread_crumbs: nodes.length
      ? Object.fromEntries(nodes.map((ids) => [ids.at(-1), ids.slice(0, -1)]))
      : undefined,
    bread_crumb_nodes: nodes.length ? nodes.map((ids) => ids.at(-1)) : undefined,
    variation_matrix:
      product_type === 'parent' ? liveMatrix(known.variation_matrix, liveChildren) : undefined,
    variations: product_type === 'parent' ? shownVariations(variations ?? [], current) : undefined,
    child_option_ids: child_variations?.map(({ option }) => option.id),
    child_variations: child_variations && shownChildVariations(child_variations, current),
    custom_relationships: custom_relationships?.length ? custom_relationships : undefined,
    bundle_configuration: bundle ? { selected_options: bundle.selected } : undefined,
  }
}

type Matrix = NonNullable<Product['variation_matrix']>

/** Without the children that shoppers do not see, and what is empty then. */
function liveMatrix(matrix: Matrix | undefined, live: ReadonlySet<string>): Matrix {
  const left = Object.entries(matrix ?? {}).flatMap(([option, below]): [string, Matrix | string][] => {
    if (typeof below === 'string') return live.has(below) ? [[option, below]] : []
    const inside = liveMatrix(below, live)
    return Object.keys(inside).length ? [[option, inside]] : []
  })
  return Object.fromEntries(left)
}

/** `lvl0`: the hierarchies, `lvl1`: what is below them, with the way there; and so on. */
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

/** Where it is listed: in its own nodes, and once in each hierarchy that they are in. */
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

/** The name under which a bundle leads to its options. */
export const componentProducts = 'component_products'

function relationsOf({ attributes, related }: ProductSource): PublishedProduct['relations'] {
  const options = Object.values(attributes.components ?? {}).flatMap((component) =>
    component.options.map(({ id }) => id),
  )
  const relations = Object.entries(related).map(([name, ids]) => ({ name, ids }))
  const parts = options.length ? [{ name: componentProducts, ids: [...new Set(options)] }] : []
  return [...parts, ...relations].filter(({ ids }) => ids.length)
}
