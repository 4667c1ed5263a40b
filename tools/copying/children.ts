import { setTimeout as sleep } from 'node:timers/promises'
import { type Copy, copyLinksOf, copyObject } from './copier.ts'
import type { CopiedObject } from './copy-state.ts'
import { detailOf, type Json } from './read-answer.ts'
import type { CopyPlan } from './steps.ts'
import { walk } from './walk.ts'

const pollMs = 250
const buildMaxMs = 600_000

/**
 * The ids of child products, by the options of their parents. The new server builds the children, so their ids differ
 * from those of the other server.
 */
type Children = ReadonlyMap<string, string>

/**
 * Builds the child products that the new server does not have yet, and gives them the values that they have on the
 * other one. It needs the variations, and all products that are not children.
 */
export async function buildChildren(copy: Copy, plan: CopyPlan): Promise<void> {
  const { from, state, report } = copy
  const step = plan.steps.find(({ name }) => name === 'products')
  if (!step) return
  const built = new Map<string, string>()
  for await (const object of walk(from, step.path, step.resource)) {
    const children = childrenIn(object)
    const parent = state.find(step.name, String(object.id))
    if (!parent || children.values().every((id) => state.find(step.name, id))) continue
    const links = plan.links.filter(({ owner, type }) => owner === step && type === 'product-variation')
    for (const link of links) await copyLinksOf(copy, link, parent)
    const result = await build(copy, parent)
    if (typeof result === 'string') report.skip('child products', result, String(object.id))
    else
      for (const [options, id] of children)
        matchChild(copy, built, id, result.get(toOptionsHere(copy, options)))
  }
  if (!built.size) return
  copy.report.remarks.add('child products: they were built, and have other ids than on the other server')
  for await (const object of walk(from, step.path, step.resource)) {
    const id = built.get(String(object.id))
    if (id === undefined) continue
    const paths = { fromPath: `${step.path}/${object.id}`, toPath: `${step.path}/${id}` }
    state.add({ step: step.name, from: String(object.id), to: id, ...paths, isFound: true })
    report.read('child products')
    const refusal = await copyObject(copy, step, object, step.path, step.path)
    if (refusal) report.skip('child products', refusal, String(object.id))
  }
}

function matchChild(
  { state, report }: Copy,
  built: Map<string, string>,
  from: string,
  to: string | undefined,
) {
  if (state.find('products', from)) return
  if (to === undefined)
    report.skip('child products', 'the new server has built no child for its options', from)
  else built.set(from, to)
}

/** The children of a product by their options. */
function childrenIn({ meta }: Json): Children {
  const children = new Map<string, string>()
  const visit = (matrix: Json, options: readonly string[]): void => {
    if (typeof matrix === 'string') children.set([...options].sort().join(), matrix)
    else for (const [option, below] of Object.entries<Json>(matrix ?? {})) visit(below, [...options, option])
  }
  visit(meta?.variation_matrix ?? {}, [])
  return children
}

const toOptionsHere = ({ state }: Copy, options: string): string =>
  options
    .split(',')
    .map((id) => state.ids.get(id) ?? id)
    .sort()
    .join()

/** Builds the children of a product on the new server. Returns them, or why there are none. */
async function build({ to }: Copy, { toPath }: CopiedObject): Promise<Children | string> {
  const begun = await to.send('POST', `${toPath}/build`, undefined)
  if (begun.status >= 300) return detailOf(begun)
  for (let waitedMs = 0; waitedMs < buildMaxMs; waitedMs += pollMs) {
    const { body } = await to.get(`/pcm/jobs/${begun.body?.data?.id}`)
    const { completed_at, status } = body?.data?.attributes ?? {}
    if (completed_at && status !== 'success') return `its build has ended as ${status}`
    if (completed_at) return childrenIn((await to.get(toPath)).body?.data ?? {})
    await sleep(pollMs)
  }
  return 'its build has not ended in time'
}
