import { copyTemplateEntries } from '../../fields/index.ts'
import { action } from '../../kernel/declare/action.ts'
import type { Link } from '../../kernel/declare/relationship.ts'
import type { Resource } from '../../kernel/declare/resource.ts'
import { Problem } from '../../kernel/errors.ts'
import { objectAnswer } from '../../kernel/http/object-answer.ts'
import { newId } from '../../kernel/ids.ts'
import { lockedDefinition } from '../../kernel/query/definitions.ts'
import { findByName } from '../../kernel/query/find.ts'
import type { Work } from '../../kernel/work/context.ts'
import { runInSteps } from '../../kernel/work/in-turns.ts'
import { change } from '../../kernel/write/by-rules.ts'
import { pimJob, pimJobs, startPimJob } from '../../store/index.ts'
import type { ProductFields } from '../product-fields/product-fields.ts'
import { leaveBundles, nameBundlesOf } from '../products/bundles.ts'
import { products } from '../products/products.ts'
import {
  type BuildPlan,
  type BuildVariation,
  type Child,
  childOf,
  combinationOf,
  planBuild,
} from './build-plan.ts'
import { Unbuildable } from './build-rules.ts'
import { findLinked } from './product-variations.ts'

/** Builds the children of a product from its variations, modifiers and build rules, in one transaction. */
export const buildChildren = pimJob<{ readonly productId: string }>({
  type: 'child-products',
  run: async (work, { payload: { productId } }) => {
    const definition = await lockedDefinition(work, products, [])
    // The lock makes other changes of the product and its children wait.
    await work.store.lock(products, productId)
    const { parent, variations } = await mustBeBuildable(work, productId)
    const children = await lockChildren(work, productId)
    await applyPlan(work, definition, parent, children, await planOrRefuse(parent, variations, children))
    return undefined
  },
})

async function lockChildren(work: Work, parentId: string): Promise<readonly Child[]> {
  const idRows = await work.store.run(
    `SELECT id FROM ${products.table} WHERE store_id = $1 AND parent_id = $2 ORDER BY id`,
    parentId,
  )
  const children: Child[] = []
  for (const batch of batchesOf(idRows)) {
    const rows = await work.store.lockWhole(
      products,
      batch.map(([id]) => id as string),
    )
    children.push(...rows.map(childOf))
  }
  return children
}

/** The most children in one statement. Between statements, Node answers other requests. */
export const batchMax = 250

function* batchesOf<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < all.length; from += batchMax) yield all.slice(from, from + batchMax)
}

async function planOrRefuse(
  parent: Child,
  variations: Parameters<typeof planBuild>[1],
  children: readonly Child[],
): Promise<BuildPlan> {
  try {
    return await runInSteps(planBuild(parent, variations, children, newId))
  } catch (error) {
    if (!(error instanceof Unbuildable)) throw error
    throw new Problem('unprocessable', error.message + describeCombination(error, variations), {
      cause: error,
    })
  }
}

/** Describes the invalid combination by the names of its options. */
function describeCombination(
  { combination }: Unbuildable,
  variations: Parameters<typeof planBuild>[1],
): string {
  if (!combination) return ''
  const named = combination.map((id, i) => {
    const option = variations[i]?.options.find((option) => option.id === id)
    return `${variations[i]?.name}: ${option?.name}`
  })
  return ` (${named.join(', ')})`
}

async function applyPlan(
  work: Work,
  definition: Resource<ProductFields>,
  parent: Child,
  children: readonly Child[],
  plan: BuildPlan,
): Promise<void> {
  const { store } = work
  const { added, changed, removedIds, matrix, variations } = plan
  if (removedIds.length) {
    await leaveBundles(work, removedIds)
    await store.removeAll(products, (bind) => `r.id = ANY(${bind(removedIds)}::uuid[])`)
  }
  // A child may take the SKU or slug of another one, so free these values first.
  for (const batch of batchesOf(findBlockers(children, changed))) {
    await store.updateAll(
      definition,
      batch.map(({ id, values }) => ({ id, values: { ...values, sku: null, slug: null } })),
    )
  }
  for (const batch of batchesOf(changed)) await write(work, batch, () => store.updateAll(definition, batch))
  for (const batch of batchesOf(added)) await write(work, batch, () => store.insertAll(definition, batch))
  await copyTemplates(work, parent, children, plan)
  await change(work, products, [], parent.id, { variations, variation_matrix: matrix })
}

/** Writes children. If another product has one of their SKUs or slugs, the error names the value and both products. */
async function write(work: Work, children: readonly Child[], run: () => Promise<unknown>): Promise<void> {
  try {
    await work.store.attempt(run)
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'unprocessable') throw error
    throw (await findConflict(work, children)) ?? error
  }
}

async function findConflict({ store }: Work, children: readonly Child[]): Promise<Problem | undefined> {
  for (const field of ['sku', 'slug'] as const) {
    const byValue = new Map(children.map((child) => [child.values[field], child]))
    const [holder] = await store.run(
      `SELECT p.id, p.${field} FROM ${products.table} p
       WHERE p.store_id = $1 AND p.${field} = ANY($2::text[]) AND NOT p.id = ANY($3::uuid[]) LIMIT 1`,
      children.flatMap(({ values }) => values[field] ?? []),
      children.map(({ id }) => id),
    )
    const child = byValue.get(holder?.[1])
    if (!holder || !child) continue
    const path = `data.attributes.${field}`
    const its = `The child of ${combinationOf(child)} would have ${JSON.stringify(holder[1])}`
    const detail = `${path}: Must be unique amongst products. ${its}, which already belongs to the product ${holder[0]}.`
    return new Problem('unprocessable', detail, { source: path })
  }
  return undefined
}

/** Copies the template entries of the parent to the children that have none of their own. */
async function copyTemplates(
  work: Work,
  parent: Child,
  children: readonly Child[],
  { added, removedIds }: BuildPlan,
): Promise<void> {
  const removed = new Set(removedIds)
  const remainingIds = children.map(({ id }) => id).filter((id) => !removed.has(id))
  const copiedIds = new Set(
    await copyTemplateEntries(work, parent.id, [...remainingIds, ...added.map(({ id }) => id)]),
  )
  const changedIds = remainingIds.filter((id) => copiedIds.has(id))
  if (changedIds.length)
    await work.store.touchAll(products, (bind) => `r.id = ANY(${bind(changedIds)}::uuid[])`)
}

/** The children whose SKU or slug moves to another child. */
function findBlockers(children: readonly Child[], changed: readonly Child[]): readonly Child[] {
  const before = new Map(children.map(({ id, values }) => [id, values]))
  const freesValue = (['sku', 'slug'] as const).map((field) => {
    const newValues = new Set(changed.map(({ values }) => values[field]))
    return ({ id, values }: Child) => {
      const oldValue = before.get(id)?.[field]
      return oldValue != null && oldValue !== values[field] && newValues.has(oldValue)
    }
  })
  return changed.filter((child) => freesValue.some((is) => is(child)))
}

const refusal = (detail: string) => new Problem('unprocessable', detail, { title: 'Failed Validation' })

/** Returns a product and the variations of its children. Refuses a product that cannot have children. */
async function mustBeBuildable(
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

export const buildChildProducts = action({
  name: 'build-child-products',
  route: 'POST /pcm/products/:product_id/build',
  about:
    'Starts a job that builds the children of a product: one for each combination of options of its variations that the build rules allow. The response is the job.',
  area: 'products',
  status: 201,
  shows: { resource: pimJobs },
  async run(ctx, { params }) {
    const { parent } = await mustBeBuildable(ctx, params.product_id)
    return objectAnswer(201, pimJobs, await startPimJob(ctx, buildChildren, { productId: parent.id }), ctx)
  },
})
