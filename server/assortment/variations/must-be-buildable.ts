import type { Link } from '../../kernel/declare/relationship.ts'
import { Problem } from '../../kernel/errors.ts'
import { findByName } from '../../kernel/query/find.ts'
import type { Work } from '../../kernel/work/context.ts'
import { nameBundlesOf } from '../products/bundles.ts'
import { products } from '../products/products.ts'
import { type BuildVariation, type Child, childOf } from './build-plan.ts'
import { findLinked } from './linked-variations.ts'

const refusal = (detail: string) => new Problem('unprocessable', detail, { title: 'Failed Validation' })

/** Returns a product and the variations of its children. Refuses a product that cannot have children. */
export async function mustBeBuildable(
  work: Work,
  productId: string,
): Promise<{ readonly parent: Child; readonly variations: readonly BuildVariation[] }> {
  const parent = childOf(await findByName(work, products, productId))
  const { product_type, relationships } = parent.values
  if (product_type === 'child' || product_type === 'bundle')
    throw refusal(`A ${product_type} product cannot have children.`)
  const bundles = product_type === 'standard' ? await nameBundlesOf(work, parent.id) : undefined
  if (bundles) throw refusal(`The product is an option of ${bundles}, so it cannot become a parent.`)
  const { variations: linked } = (relationships ?? {}) as { variations?: { data: readonly Link[] } }
  const variations = await findLinked(work, linked?.data ?? [])
  if (!variations.length) throw refusal('The product has no variations; link variations with options first.')
  const empty = variations.find(({ options }) => !options.length)
  if (empty) throw refusal(`The variation ${empty.name} has no options; add options first.`)
  return { parent, variations }
}
