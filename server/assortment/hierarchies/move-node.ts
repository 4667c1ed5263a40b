import { notFound, Problem } from '../../kernel/errors.ts'
import type { Work } from '../../kernel/work/context.ts'
import { change } from '../../kernel/write/by-rules.ts'
import { hierarchies } from './hierarchies.ts'
import { nodes, relationshipsOf } from './nodes.ts'

/** The new parent of a node: another node, or its hierarchy. Without `sortOrder`, the node keeps its position. */
interface Move {
  readonly id: string
  readonly parentId: string
  readonly sortOrder?: number | null | undefined
  /** The member of the request that holds this move. */
  readonly source: string
}

/** Moves nodes within their hierarchy, one after another. Needs a transaction. */
export async function moveNodes(work: Work, hierarchyId: string, moves: readonly Move[]): Promise<void> {
  await work.store.lockExclusive(hierarchies, hierarchyId)
  for (const move of moves) await moveNode(work, hierarchyId, move)
}

async function moveNode(work: Work, hierarchyId: string, { id, parentId, sortOrder, source }: Move) {
  if (id === parentId) {
    throw new Problem('unprocessable', 'A node cannot be its own parent.', { source })
  }
  if (!(await work.store.find(nodes, id, [hierarchyId]))) {
    throw notFound('node', id, { source })
  }
  try {
    await change(work, nodes, [hierarchyId], id, {
      relationships: relationshipsOf(hierarchyId, id, parentId),
      ...(sortOrder !== undefined && { sent_meta: { sort_order: sortOrder } }),
    })
  } catch (error) {
    if (!(error instanceof Problem) || !error.source?.startsWith('data.')) throw error
    // The path in the error is one of a node, which this request does not have. Point at the move instead.
    throw new Problem(error.code, error.detail, { source, cause: error })
  }
}
