/** Why a shopper sees a product or does not, and may buy it or may not. Without I/O. */

/** All that it hangs on. */
export interface Facts {
  /** What the rules choose for the shopper: this catalog, another one, or none. */
  readonly chosen: 'this' | 'another' | 'none'
  readonly status: 'live' | 'draft'
  /** How many nodes it is in, itself or with its parent, if that is live. */
  readonly nodes: number
  /** How many of these are in the catalog's hierarchies. */
  readonly nodesOfCatalog: number
  /** What is published; undefined where nothing is. */
  readonly release?: {
    /** What of the product is in it. */
    readonly product?: { readonly listed: boolean; readonly updatedAt: string }
  }
  /** When the product was last changed. */
  readonly updatedAt: string
  readonly priced: boolean
  /** How many there are; undefined where nobody counts them. */
  readonly available: number | undefined
}

const sentences = {
  catalog: {
    chosen: 'The rules choose this catalog for the shopper.',
    another_catalog: 'The rules choose another catalog for the shopper.',
    no_catalog: 'The rules choose no catalog for the shopper, and none is published.',
  },
  status: { live: 'The product is live.', draft: 'The product is a draft: make it live.' },
  nodes: {
    in_a_node: 'The product, or its parent, is in a node.',
    in_no_node: 'Neither the product nor a parent of it that is live is in a node: put it in one.',
  },
  hierarchies: {
    in_the_catalog: 'A node that it is in is in a hierarchy of the catalog.',
    not_in_the_catalog: 'No node that it is in is in a hierarchy of the catalog.',
  },
  release: {
    published: 'The release has the product as it is.',
    changed_since: 'The release has the product as it was before its last change: publish the catalog.',
    only_in_bundles: 'The release has the product as an option of bundles only: it is in no list.',
    not_published: 'The release does not have the product: when it is to be seen, publish the catalog.',
    no_release: 'The catalog has no release: publish it.',
  },
  price: {
    priced: 'A price book has a price of it.',
    unpriced: 'No price book has a price of it: it is seen, and cannot be bought.',
  },
  stock: {
    available: 'There is stock.',
    not_counted: 'Its stock is not counted: any number may be bought.',
    out_of_stock: 'There is no stock: it is seen, and cannot be bought.',
  },
} as const

type Check = keyof typeof sentences
type VerdictOf<C extends Check> = keyof (typeof sentences)[C]

const judges: { readonly [C in Check]: (facts: Facts) => VerdictOf<C> } = {
  catalog: ({ chosen }) =>
    (({ this: 'chosen', another: 'another_catalog', none: 'no_catalog' }) as const)[chosen],
  status: ({ status }) => status,
  nodes: ({ nodes }) => (nodes ? 'in_a_node' : 'in_no_node'),
  hierarchies: ({ nodesOfCatalog }) => (nodesOfCatalog ? 'in_the_catalog' : 'not_in_the_catalog'),
  release: ({ release, updatedAt }) => {
    if (!release) return 'no_release'
    if (!release.product) return 'not_published'
    if (!release.product.listed) return 'only_in_bundles'
    return release.product.updatedAt < updatedAt ? 'changed_since' : 'published'
  },
  price: ({ priced }) => (priced ? 'priced' : 'unpriced'),
  stock: ({ available }) =>
    available === undefined ? 'not_counted' : available > 0 ? 'available' : 'out_of_stock',
}

/** What keeps a shopper from seeing it now, and what from buying it. The others say what the next release brings. */
const hides: readonly string[] = [
  'another_catalog',
  'no_catalog',
  'only_in_bundles',
  'not_published',
  'no_release',
]
const keeps: readonly string[] = ['unpriced', 'out_of_stock']
const passed: readonly string[] = [
  ...['chosen', 'live', 'in_a_node', 'in_the_catalog', 'published', 'priced', 'available', 'not_counted'],
]

export interface Verdict {
  readonly check: Check
  readonly verdict: string
  readonly passed: boolean
  readonly detail: string
}

/** Exactly one verdict for each check, in the order that one looks. */
export function verdictsOf(facts: Facts) {
  const checks = (Object.keys(sentences) as Check[]).map((check): Verdict => {
    const verdict = judges[check](facts)
    const detail = (sentences[check] as Readonly<Record<string, string>>)[verdict] as string
    return { check, verdict, passed: passed.includes(verdict), detail }
  })
  const visible = !checks.some(({ verdict }) => hides.includes(verdict))
  return { visible, purchasable: visible && !checks.some(({ verdict }) => keeps.includes(verdict)), checks }
}
