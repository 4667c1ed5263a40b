import type { Resource } from '../../server/kernel/declare/resource.ts'
import type { Work } from '../../server/kernel/work/context.ts'

/**
 * How many objects of the resource there may be in one list; undefined when there is no limit, and where it depends on
 * the store and there is no `work` to ask.
 */
export async function mostOf({ most }: Resource, work: Work | undefined): Promise<number | undefined> {
  if (typeof most?.n !== 'function') return most?.n
  return work && most.n(work)
}
