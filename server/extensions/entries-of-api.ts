import type { Resource } from '../kernel/declare/resource.ts'
import { Problem } from '../kernel/errors.ts'
import type { Work } from '../kernel/work/context.ts'
import { findDefinition } from './definition.ts'

/** The resource of the entries of a custom API; undefined if it has been deleted. */
export async function entriesOfApi(work: Work, customApiId: string): Promise<Resource | undefined> {
  try {
    return (await findDefinition(work, { column: 'id', value: customApiId })).entries
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') return undefined
    throw error
  }
}
