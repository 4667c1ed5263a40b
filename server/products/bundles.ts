import { isDeepStrictEqual } from 'node:util'
import { Problem } from '../kernel/errors.ts'
import type { Draft } from '../kernel/shape/model.ts'
import type { Work } from '../kernel/work/context.ts'
import { faultIn } from './bundle-rules.ts'
import type { Components, ProductFields } from './product-fields.ts'
import { products } from './products.ts'

const at = 'data.attributes.components'

const refuse = (detail: string, path = ''): Problem =>
  new Problem('unprocessable', detail, { source: path ? `${at}.${path}` : at })

/** Refuses components that make no bundle, or a bundle of what cannot be in one. */
export async function mustBeBundle(work: Work, { id, values, before }: Draft<ProductFields>): Promise<void> {
  const { components = {}, sku } = values
  if (!Object.keys(components).length) return
  const isSame = isDeepStrictEqual(before?.doc.components, components)
  // One that was stored before there was a rule is not refused for a change of something else.
  if (isSame && (before?.doc.sku == null) === (sku == null)) return
  const fault = faultIn(components, sku != null)
  if (fault) throw refuse(fault.detail, fault.path)
  if (isSame) return
  if (before?.hidden.product_type === 'parent' || values.parent_id) {
    throw refuse(`A ${before?.hidden.product_type} product cannot have components.`)
  }
  await takeTurn(work)
  const ids = Object.values(components).flatMap(({ options }) => options.map((option) => option.id))
  const found = await work.store.keep(products, ...new Set(ids))
  for (const { path, option } of optionsOf(components)) {
    if (option.id === id) throw refuse('A bundle cannot be an option of itself.', path)
    if (!found.has(option.id)) throw refuse(`could not find product ${option.id}`, path)
  }
  await mustBeFlat(work, id, ids)
}

/** What is in which bundle stays as it is seen from here on. */
const takeTurn = ({ store }: Work) => store.takeTurn('bundles')

const optionsOf = (components: Components) =>
  Object.entries(components).flatMap(([key, { options }]) =>
    options.map((option, i) => ({ option, path: `${key}.options.${i}.id` })),
  )

/** How many bundles one goes through from here: none, one, or (`next` is there) two and more. */
const steps = (next: string) => `CASE WHEN count(${next}) > 0 THEN 2 ELSE least(count(*), 1) END`

/** A bundle may be in a bundle, and that one in no other. So no bundle is in itself either. */
async function mustBeFlat({ store }: Work, id: string, ids: readonly string[]): Promise<void> {
  const [facts = []] = await store.glance(
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
  const [above, below] = facts.slice(0, 2).map(Number) as [number, number]
  const [, , outer, inner] = facts
  if (above + below <= 1) return
  throw refuse(
    [
      'A bundle may be an option of another bundle, but only one level deep.',
      ...(inner ? [`The option ${inner} is a bundle.`] : []),
      ...(outer ? [`The product is an option of the bundle ${outer} itself.`] : []),
    ].join(' '),
  )
}

/** More bundles are not named in a refusal. */
const namedMax = 3

/** The bundles that a product is an option of, in words; undefined where it is in none. */
export async function bundlesOf({ store }: Work, id: string): Promise<string | undefined> {
  const found = await store.glance(
    'SELECT bundle_id FROM product_components WHERE store_id = $1 AND id = $2 ORDER BY bundle_id LIMIT $3',
    id,
    namedMax + 1,
  )
  if (!found.length) return undefined
  const ids = found.slice(0, namedMax).map(([bundle]) => bundle)
  const more = found.length > namedMax ? ' and others' : ''
  return `${ids.length + Number(more !== '') > 1 ? 'the bundles' : 'the bundle'} ${ids.join(', ')}${more}`
}

/** Refuses to delete what a bundle consists of. */
export async function mustBeInNoBundle(work: Work, id: string): Promise<void> {
  const bundles = await bundlesOf(work, id)
  if (!bundles) return
  throw new Problem('unprocessable', `The product is an option of ${bundles}: take it out of there first.`)
}

/**
 * Takes products that are about to be deleted out of what bundles consist of. The components still name them, until
 * whoever sells the bundles mends them.
 */
export async function leaveBundles(work: Work, ids: readonly string[]): Promise<void> {
  await takeTurn(work)
  await work.store.bulk('DELETE FROM product_components WHERE store_id = $1 AND id = ANY($2::uuid[])', ids)
}
