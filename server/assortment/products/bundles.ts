import { isDeepStrictEqual } from 'node:util'
import { relationship } from '../../kernel/declare/relationship.ts'
import { Problem } from '../../kernel/errors.ts'
import type { Draft } from '../../kernel/shape/model.ts'
import type { Work } from '../../kernel/work/context.ts'
import { findFault } from '../product-fields/bundle-rules.ts'
import type { Components, ProductFields } from '../product-fields/product-fields.ts'
import { products } from './products.ts'

const at = 'data.attributes.components'

const refuse = (detail: string, path = ''): Problem =>
  new Problem('unprocessable', detail, { source: path ? `${at}.${path}` : at })

/** Refuses invalid components, and products that cannot be in a bundle. */
export async function mustBeBundle(work: Work, { id, values, before }: Draft<ProductFields>): Promise<void> {
  const { components = {}, sku } = values
  if (!Object.keys(components).length) return
  const isSame = isDeepStrictEqual(before?.doc.components, components)
  // A bundle that is older than a rule may still change elsewhere.
  if (isSame && (before?.doc.sku == null) === (sku == null)) return
  const fault = findFault(components, sku != null)
  if (fault) throw refuse(fault.detail, fault.path)
  if (isSame) return
  if (before?.hidden.product_type === 'parent' || values.parent_id) {
    throw refuse(`A ${before?.hidden.product_type} product cannot have components.`)
  }
  await lockBundles(work)
  const ids = Object.values(components).flatMap(({ options }) => options.map((option) => option.id))
  const existing = await work.store.lockShared(products, ...new Set(ids))
  for (const { path, option } of optionsOf(components)) {
    if (option.id === id) throw refuse('A bundle cannot be an option of itself.', path)
    if (!existing.has(option.id)) throw refuse(`could not find product ${option.id}`, path)
  }
  await mustBeFlat(work, id, ids)
}

/** From here on nobody else changes what is in which bundle. */
const lockBundles = ({ store }: Work) => store.advisoryLock('bundles')

const optionsOf = (components: Components) =>
  Object.entries(components).flatMap(([key, { options }]) =>
    options.map((option, i) => ({ option, path: `${key}.options.${i}.id` })),
  )

/** How many bundles follow on the way: none, one, or (if `next` exists) two or more. */
const steps = (next: string) => `CASE WHEN count(${next}) > 0 THEN 2 ELSE least(count(*), 1) END`

/** A bundle may be in a bundle that is in no other. So no bundle contains itself either. */
async function mustBeFlat({ store }: Work, id: string, ids: readonly string[]): Promise<void> {
  const [row = []] = await store.read(
    `SELECT (SELECT ${steps('u.bundle_id')} FROM product_components c
        LEFT JOIN product_components u ON u.store_id = c.store_id AND u.id = c.bundle_id
        WHERE c.store_id = $1 AND c.id = $2::uuid),
      (SELECT ${steps('u.id')} FROM product_components c
        LEFT JOIN product_components u ON u.store_id = c.store_id AND u.bundle_id = c.id
        WHERE c.store_id = $1 AND c.bundle_id = ANY($3::uuid[])),
      (SELECT min(c.bundle_id::text) FROM product_components c WHERE c.store_id = $1 AND c.id = $2::uuid),
      (SELECT min(c.bundle_id::text) FROM product_components c
        WHERE c.store_id = $1 AND c.bundle_id = ANY($3::uuid[]))`,
    id,
    ids,
  )
  const [above, below] = row.slice(0, 2).map(Number) as [number, number]
  const [, , outer, inner] = row
  if (above + below <= 1) return
  throw refuse(
    [
      'A bundle may be an option of another bundle, but only one level deep.',
      ...(inner ? [`The option ${inner} is a bundle.`] : []),
      ...(outer ? [`The product is an option of the bundle ${outer} itself.`] : []),
    ].join(' '),
  )
}

/** How many bundles a refusal names. */
const namedMax = 3

/** Names the bundles that a product is an option of; undefined if there are none. */
export async function nameBundlesOf({ store }: Work, id: string): Promise<string | undefined> {
  const rows = await store.read(
    'SELECT bundle_id FROM product_components WHERE store_id = $1 AND id = $2 ORDER BY bundle_id LIMIT $3',
    id,
    namedMax + 1,
  )
  if (!rows.length) return undefined
  const ids = rows.slice(0, namedMax).map(([bundle]) => bundle)
  const more = rows.length > namedMax ? ' and others' : ''
  return `${ids.length + Number(more !== '') > 1 ? 'the bundles' : 'the bundle'} ${ids.join(', ')}${more}`
}

/** Refuses to delete an option of a bundle. */
export async function mustBeInNoBundle(work: Work, id: string): Promise<void> {
  const bundles = await nameBundlesOf(work, id)
  if (!bundles) return
  throw new Problem('unprocessable', `The product is an option of ${bundles}. Remove it from there first.`)
}

/**
 * Removes products that are about to be deleted from the links of bundles. The components still name them until the
 * merchant changes the bundles.
 */
export async function leaveBundles(work: Work, ids: readonly string[]): Promise<void> {
  await lockBundles(work)
  await work.store.runLong('DELETE FROM product_components WHERE store_id = $1 AND id = ANY($2::uuid[])', ids)
}

export const componentProducts = relationship({
  name: 'component-products',
  about: 'The products of a bundle, which follow from its components.',
  path: '/pcm/products/:product_id/relationships/component_products',
  owner: () => products,
  target: () => products,
  holds: 'many',
  storage: { table: 'product_components', ownerColumn: 'bundle_id' },
  most: { n: 1500, detail: (n) => `A bundle has at most ${n} options.` },
  area: 'products',
  operations: { list: 200 },
})
