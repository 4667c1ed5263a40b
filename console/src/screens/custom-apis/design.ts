import { useQuery } from '@tanstack/react-query'
import { send } from '../../api/client.ts'
import { pageIn } from '../../api/objects.ts'
import type { Question, RuleName } from './field-rules.ts'

/** The fields of a custom API, the oldest first. It can have at most 100. */
export const useFields = (itemPath: string) =>
  useQuery({
    queryKey: ['list', `${itemPath}/fields`],
    queryFn: async ({ signal }) =>
      pageIn((await send({ path: `${itemPath}/fields?sort=created_at&page[limit]=100`, signal })).body).rows,
  })

/** How many entries a custom API has that match a filter. */
export async function countEntries(itemPath: string, filter: string, signal: AbortSignal): Promise<number> {
  const query = new URLSearchParams({ 'page[limit]': '0', ...(filter && { filter }) })
  const { body } = await send({ path: `${itemPath}/entries?${query}`, signal })
  return pageIn(body).total ?? 0
}

/** How many entries break a rule; undefined if the API cannot be asked. */
export interface Broken {
  readonly rule: RuleName
  readonly n: number | undefined
}

export async function countBroken(
  itemPath: string,
  questions: readonly Question[],
  signal: AbortSignal,
): Promise<{ readonly total: number; readonly broken: readonly Broken[] }> {
  const total = await countEntries(itemPath, '', signal)
  const broken = questions.map(async ({ rule, breaking, keeping, known }): Promise<Broken> => {
    if (known) return { rule, n: known === 'all' ? total : 0 }
    if (breaking !== undefined) return { rule, n: await countEntries(itemPath, breaking, signal) }
    if (keeping !== undefined) return { rule, n: total - (await countEntries(itemPath, keeping, signal)) }
    return { rule, n: undefined }
  })
  return { total, broken: await Promise.all(broken) }
}
