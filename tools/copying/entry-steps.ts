import type { Resource } from '../../server/kernel/declare/resource.ts'
import type { Copy } from './copier.ts'
import type { CopiedObject } from './copy-state.ts'
import { objectOf, objectsOf, pathPartOf } from './read-answer.ts'
import type { CopyPlan, CopyStep } from './steps.ts'

/** The lists whose objects the store itself has defined: the entries of its custom APIs and of its flows. */
export async function entrySteps(copy: Copy, plan: CopyPlan): Promise<readonly CopyStep[]> {
  const steps: CopyStep[] = []
  for (const api of copy.state.all('custom-apis')) {
    const { api_type, slug } = objectOf(api.fromPath, await copy.from.get(api.fromPath))
    if (typeof api_type === 'string') steps.push(stepOf(`entries of ${slug}`, api_type, api, ''))
  }
  for (const flow of copy.state.all('flows')) {
    const slug = pathPartOf(objectOf(flow.fromPath, await copy.from.get(flow.fromPath)).slug)
    if (slug === undefined || plan.extended.has(slug)) continue
    const path = `/v2/flows/${slug}`
    if (await hasOwnEntries(copy, path)) {
      steps.push(stepOf(`entries of ${slug}`, 'entry', { ...flow, fromPath: path, toPath: path }, ''))
    }
  }
  return steps
}

/** The entries of some flows are objects of other lists, which are copied there. */
async function hasOwnEntries({ from }: Copy, path: string): Promise<boolean> {
  const answer = await from.get(`${path}/entries?page%5Blimit%5D=1`)
  if (answer.status !== 200) return false
  const [first] = objectsOf(path, answer)
  return first?.type === 'entry'
}

function stepOf(name: string, type: string, { fromPath, toPath }: CopiedObject, below: string): CopyStep {
  return {
    name,
    path: `${fromPath}/entries${below}`,
    at: [`${fromPath}/entries${below}`, `${toPath}/entries${below}`],
    resource: entries(type),
    parent: undefined,
    creates: true,
    updates: true,
  }
}

/** All that is known of entries without their definition: their values are at the top, and lists can be walked. */
const entries = (type: string): Resource =>
  ({
    ...{ type, noun: ['entry', 'entries'], fields: {}, addedUnder: 'entries' },
    ...{ filter: { id: ['gt'] }, sort: ['id'], envelope: { fields: 'top' } },
  }) as unknown as Resource
