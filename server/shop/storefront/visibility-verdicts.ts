import {
  always,
  type Cause,
  cause,
  firstCause,
  type PriceFacts,
  priceVerdict,
  type Verdict,
} from '../../prices/index.ts'

/** Explains whether a shopper sees a product and can buy it. It does no I/O. */

/** Everything that the verdicts depend on. */
export interface VisibilityFacts {
  /** What the rules choose for the shopper: this catalog, another one, or none. */
  readonly chosen: 'this' | 'another' | 'none'
  /** The rule that will apply to the shopper once its price books are in the release, if there is one. */
  readonly waitingRule?:
    | { readonly name: string; readonly id: string; readonly pricebooks: readonly string[] }
    | undefined
  /** The rule that chooses this catalog, if the release ignores its price books. */
  readonly ruleOfIgnoredBooks?: { readonly name: string; readonly id: string } | undefined
  readonly status: 'live' | 'draft'
  /** How many nodes have the product or its live parent. */
  readonly nodes: number
  /** How many of these are in the catalog's hierarchies. */
  readonly nodesOfCatalog: number
  /** The release that the shopper sees; undefined where there is none. */
  readonly release?: {
    /** The product in the release. */
    readonly product?: PublicationFacts
  }
  /** When the product was last changed. */
  readonly updatedAt: string
}

interface PublicationFacts {
  readonly listed: boolean
  readonly updatedAt: string
  /** Whether it has child products, which carts take in its place. */
  readonly isBase: boolean
  readonly price: PriceFacts
  /** How many can be sold; undefined where stock is not tracked. */
  readonly available: number | undefined
}

const named = (rule: { readonly name: string; readonly id: string } | undefined) =>
  rule && `${JSON.stringify(rule.name)} (${rule.id})`

const isListed = ({ release }: VisibilityFacts) => release?.product?.listed === true
const isPublished = ({ release }: VisibilityFacts) => release?.product !== undefined

/** A condition on a product in the release. */
const published = (applies: (product: PublicationFacts) => boolean) => (facts: VisibilityFacts) =>
  facts.release?.product !== undefined && applies(facts.release.product)

const notPublished = (what: string): Cause<VisibilityFacts> =>
  cause(
    'not_in_release',
    'later',
    (facts) => !isPublished(facts),
    `The release does not have the product, so there is no ${what} to check.`,
  )

/**
 * The checks in the order of the answer, with all states of each. The first row that applies is the verdict of the
 * check.
 */
export const checks = {
  catalog: [
    cause(
      'another_catalog',
      'hides',
      ({ chosen }) => chosen === 'another',
      'The catalog rules choose another catalog for the shopper.',
    ),
    cause(
      'no_catalog',
      'hides',
      ({ chosen }) => chosen === 'none',
      'The shopper sees no catalog: no catalog rule applies, and no catalog is published.',
    ),
    cause('chosen', 'passes', always, 'The shopper sees this catalog.'),
  ],
  rule: [
    cause(
      'waits_for_pricebooks',
      'later',
      ({ waitingRule }) => waitingRule !== undefined,
      ({ waitingRule }) =>
        `The catalog rule ${named(waitingRule)} does not apply yet. Its price books are being added to the release ` +
        `(${waitingRule?.pricebooks.join(', ')}). Until then the shopper sees what they saw before.`,
    ),
    cause(
      'pricebooks_ignored',
      'later',
      ({ ruleOfIgnoredBooks }) => ruleOfIgnoredBooks !== undefined,
      ({ ruleOfIgnoredBooks }) =>
        `The price books of the catalog rule ${named(ruleOfIgnoredBooks)} are ignored: the release was published without ` +
        'enable_price_segmentation. Set it for the catalog, then publish the catalog.',
    ),
    cause('in_effect', 'passes', always, 'No catalog rule of the shopper waits for price books.'),
  ],
  status: [
    cause('live', 'passes', ({ status }) => status === 'live', 'The product is live.'),
    cause(
      'draft_since',
      'later',
      isListed,
      'The product has become a draft. The release still has it; the next release will not.',
    ),
    cause(
      'draft',
      'hides',
      always,
      'The product is a draft. Set its status to live, then publish the catalog.',
    ),
  ],
  nodes: [
    cause('in_a_node', 'passes', ({ nodes }) => nodes > 0, 'The product, or its live parent, is in a node.'),
    cause(
      'left_its_nodes',
      'later',
      isListed,
      'The product has left its nodes. The release still lists it; the next release will not.',
    ),
    cause(
      'in_no_node',
      'hides',
      always,
      'Neither the product nor a live parent of it is in a node. Add it to a node, then publish the catalog.',
    ),
  ],
  hierarchies: [
    cause(
      'in_the_catalog',
      'passes',
      ({ nodesOfCatalog }) => nodesOfCatalog > 0,
      'A node of the product is in a hierarchy of the catalog.',
    ),
    cause(
      'left_the_catalog',
      'later',
      isListed,
      'No node of the product is in a hierarchy of the catalog any more. The release still lists it; the next release will not.',
    ),
    cause(
      'not_in_the_catalog',
      'hides',
      always,
      'No node of the product is in a hierarchy of the catalog. Add the product to such a node, or the hierarchy to the catalog.',
    ),
  ],
  release: [
    cause('no_release', 'hides', ({ release }) => !release, 'The catalog has no release. Publish it.'),
    cause(
      'only_in_bundles',
      'hides',
      (facts) => isPublished(facts) && !isListed(facts),
      'The release has the product only as an option of bundles, so no list shows it.',
    ),
    cause(
      'cannot_be_published',
      'hides',
      (facts) => !isPublished(facts) && (facts.status === 'draft' || !facts.nodesOfCatalog),
      'The release does not have the product, and the next release will not list it. The checks before this one say why.',
    ),
    cause(
      'not_published',
      'hides',
      (facts) => !isPublished(facts),
      'The release does not have the product. Publish the catalog.',
    ),
    cause(
      'changed_since',
      'later',
      ({ release, updatedAt }) => (release?.product?.updatedAt ?? '') < updatedAt,
      'The release has the product as it was before its last change. Publish the catalog to show the change.',
    ),
    cause('published', 'passes', always, 'The release has the product as it is now.'),
  ],
  variation: [
    notPublished('variation'),
    cause(
      'base_product',
      'prevents_purchase',
      published(({ isBase }) => isBase),
      'The product is a base product: the shopper buys one of its child products.',
    ),
    cause('sold_itself', 'passes', always, 'The product is no base product: it is sold itself.'),
  ],
  price: [notPublished('price')],
  stock: [
    notPublished('stock'),
    cause(
      'not_counted',
      'passes',
      published(({ available }) => available === undefined),
      'The stock of the product is not tracked: any quantity can be bought.',
    ),
    cause(
      'out_of_stock',
      'prevents_purchase',
      published(({ available }) => available !== undefined && available <= 0),
      'The product is out of stock: the shopper sees it but cannot buy it.',
    ),
    cause('available', 'passes', always, 'The product is in stock.'),
  ],
} satisfies Readonly<Record<string, readonly Cause<VisibilityFacts>[]>>

type VisibilityCheck = keyof typeof checks

interface CheckVerdict {
  readonly check: VisibilityCheck
  readonly verdict: string
  readonly passed: boolean
  readonly detail: string
}

const buyable = { verdict: 'buyable', detail: 'The shopper sees the product and can buy it.' }

/** Returns one verdict for each check, in order, and the deciding one. */
export function verdictsOf(facts: VisibilityFacts) {
  const verdicts = (Object.keys(checks) as VisibilityCheck[]).map((check) => ({
    check,
    ...verdictOf(check, facts),
  }))
  const hiding = verdicts.find(({ effect }) => effect === 'hides')
  const preventing = verdicts.find(({ effect }) => effect === 'prevents_purchase')
  const { verdict, detail } = hiding ?? preventing ?? buyable
  return {
    visible: !hiding,
    purchasable: !hiding && !preventing,
    verdict,
    detail,
    checks: verdicts.map(
      ({ check, verdict, effect, detail }): CheckVerdict => ({
        check,
        verdict,
        passed: effect === 'passes',
        detail,
      }),
    ),
  }
}

function verdictOf(check: VisibilityCheck, facts: VisibilityFacts): Verdict {
  const price = check === 'price' ? facts.release?.product?.price : undefined
  return price ? priceVerdict(price) : firstCause(checks[check], facts)
}
