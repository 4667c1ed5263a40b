import { copyTemplateEntries } from '../flows/index.ts'
import { pimJob } from '../jobs/index.ts'
import type { Resource } from '../kernel/declare/resource.ts'
import { Problem } from '../kernel/errors.ts'
import { newId } from '../kernel/ids.ts'
import { lockedDefinition } from '../kernel/query/definitions.ts'
import type { Work } from '../kernel/work/context.ts'
import { runInSteps } from '../kernel/work/in-turns.ts'
import { change } from '../kernel/write/by-rules.ts'
import { leaveBundles, type ProductFields, products } from '../products/index.ts'
import { type Child, childOf, combinationOf, type Plan, planBuild } from './build-plan.ts'
import { Unbuildable } from './build-rules.ts'
import { mustBeBuildable } from './must-be-buildable.ts'

/** Makes the children of a product what its variations, their modifiers and its build rules say: all, or nothing. */
export const buildChildren = pimJob<{ readonly productId: string }>({
  type: 'child-products',
  run: async (work, { payload: { productId } }) => {
    const own = await lockedDefinition(work, products, [])
    // Whoever changes the product or one of its children meanwhile waits.
    await work.store.lock(products, productId)
    const { parent, variations } = await mustBeBuildable(work, productId)
    const children = await holdChildren(work, productId)
    await carryOut(work, own, parent, children, await planned(parent, variations, children))
    return undefined
  },
})

async function holdChildren(work: Work, parentId: string): Promise<readonly Child[]> {
  const found = await work.store.run(
    `SELECT id FROM ${products.table} WHERE store_id = $1 AND parent_id = $2 ORDER BY id`,
    parentId,
  )
  const held: Child[] = []
  for (const some of partsOf(found)) {
    const rows = await work.store.lockWhole(
      products,
      some.map(([id]) => id as string),
    )
    held.push(...rows.map(childOf))
  }
  return held
}

/** So many children are read or written by one statement: Node has others to answer before it makes the next. */
export const partMax = 250

function* partsOf<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < all.length; from += partMax) yield all.slice(from, from + partMax)
}

async function planned(
  parent: Child,
  variations: Parameters<typeof planBuild>[1],
  children: readonly Child[],
): Promise<Plan> {
  try {
    return await runInSteps(planBuild(parent, variations, children, newId))
  } catch (error) {
    if (!(error instanceof Unbuildable)) throw error
    throw new Problem('unprocessable', error.message + atFault(error, variations), { cause: error })
  }
}

/** The combination at fault, by the names of its options. */
function atFault({ combination }: Unbuildable, variations: Parameters<typeof planBuild>[1]): string {
  if (!combination) return ''
  const named = combination.map((id, i) => {
    const option = variations[i]?.options.find((option) => option.id === id)
    return `${variations[i]?.name}: ${option?.name}`
  })
  return ` (${named.join(', ')})`
}

async function carryOut(
  work: Work,
  own: Resource<ProductFields>,
  parent: Child,
  children: readonly Child[],
  plan: Plan,
): Promise<void> {
  const { store } = work
  const { made, changed, gone, matrix, variations } = plan
  if (gone.length) {
    await leaveBundles(work, gone)
    await store.removeAll(products, (bind) => `r.id = ANY(${bind(gone)}::uuid[])`)
  }
  // One may be given what another gives up: all give it up first.
  for (const some of partsOf(inTheWay(children, changed))) {
    await store.updateAll(
      own,
      some.map(({ id, values }) => ({ id, values: { ...values, sku: null, slug: null } })),
    )
  }
  for (const some of partsOf(changed)) await write(work, some, () => store.updateAll(own, some))
  for (const some of partsOf(made)) await write(work, some, () => store.insertAll(own, some))
  await copyTemplates(work, parent, children, plan)
  await change(work, products, [], parent.id, { variations, variation_matrix: matrix })
}

/** Writes children. When another product has the SKU or slug of one of them, the refusal says which, and of which. */
async function write(work: Work, children: readonly Child[], run: () => Promise<unknown>): Promise<void> {
  try {
    await work.store.attempt(run)
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'unprocessable') throw error
    throw (await takenOf(work, children)) ?? error
  }
}

async function takenOf({ store }: Work, children: readonly Child[]): Promise<Problem | undefined> {
  for (const field of ['sku', 'slug'] as const) {
    const byValue = new Map(children.map((child) => [child.values[field], child]))
    const [taken] = await store.run(
      `SELECT p.id, p.${field} FROM ${products.table} p
       WHERE p.store_id = $1 AND p.${field} = ANY($2::text[]) AND NOT p.id = ANY($3::uuid[]) LIMIT 1`,
      children.flatMap(({ values }) => values[field] ?? []),
      children.map(({ id }) => id),
    )
    const child = byValue.get(taken?.[1])
    if (!taken || !child) continue
    const path = `data.attributes.${field}`
    const its = `The child of ${combinationOf(child)} would have ${JSON.stringify(taken[1])}`
    const detail = `${path}: Must be unique amongst products. ${its}, which already belongs to the product ${taken[0]}.`
    return new Problem('unprocessable', detail, { source: path })
  }
  return undefined
}

/** What templates say of a parent they say of its children, but for those that have an entry of their own. */
async function copyTemplates(
  work: Work,
  parent: Child,
  children: readonly Child[],
  { made, gone }: Plan,
): Promise<void> {
  const left = new Set(gone)
  const old = children.map(({ id }) => id).filter((id) => !left.has(id))
  const given = new Set(await copyTemplateEntries(work, parent.id, [...old, ...made.map(({ id }) => id)]))
  const shown = old.filter((id) => given.has(id))
  if (shown.length) await work.store.touchAll(products, (bind) => `r.id = ANY(${bind(shown)}::uuid[])`)
}

/** Those whose SKU or slug another of them is to have. */
function inTheWay(children: readonly Child[], changed: readonly Child[]): readonly Child[] {
  const before = new Map(children.map(({ id, values }) => [id, values]))
  const isWanted = (['sku', 'slug'] as const).map((field) => {
    const wanted = new Set(changed.map(({ values }) => values[field]))
    return ({ id, values }: Child) => {
      const had = before.get(id)?.[field]
      return had != null && had !== values[field] && wanted.has(had)
    }
  })
  return changed.filter((child) => isWanted.some((is) => is(child)))
}
