import { Problem } from '../../kernel/errors.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { foldedCode } from './folded-code.ts'
import type { Kind } from './promotion-kinds.ts'

type NewRow = Readonly<Record<string, unknown>> & { readonly code: string }

/** Stores new codes of a promotion and returns their ids, or says which of them are taken. */
export async function insertCodes(
  ctx: Ctx,
  kind: Kind,
  promotionId: string,
  codes: readonly NewRow[],
): Promise<readonly string[]> {
  const { store } = ctx
  const rows = codes.map((values) => ({ scope: [promotionId], values }))
  try {
    return await store.attempt(() => store.insertAll(kind.codes, rows))
  } catch (problem) {
    if (!(problem instanceof Problem) || problem.source !== 'data.codes') throw problem
    const names = codes.map(({ code }) => code)
    const taken = await findTaken(ctx, kind, promotionId, names)
    const refused = [...new Set([...taken, ...repeatedIn(names)])]
    const { code, title, source, detail } = problem
    throw new Problem(code, `${detail}: ${shown(refused)}`, { title, source, meta: { codes: refused } })
  }
}

/** The codes that are in the list before, in capitals or small letters. */
function repeatedIn(codes: readonly string[]): readonly string[] {
  const before = new Set<string>()
  return codes.filter((code) => before.size === before.add(code.toLowerCase()).size)
}

const shownMax = 10

const shown = (codes: readonly string[]) =>
  codes.slice(0, shownMax).join(', ') + (codes.length > shownMax ? ', …' : '')

/** The codes that the promotion has already, or that another promotion holds. */
async function findTaken(
  { store }: Ctx,
  { codes: { table }, holdsCodes }: Kind,
  promotionId: string,
  codes: readonly string[],
): Promise<readonly string[]> {
  const rows = await store.run(
    `SELECT v FROM unnest($3::text[]) v WHERE EXISTS (SELECT FROM ${table} c
       WHERE c.store_id = $1 AND c.code = ${foldedCode('v')} AND (c.promotion_id = $2${holdsCodes ? ' OR c.is_held' : ''}))`,
    promotionId,
    codes,
  )
  return rows.map(([code]) => code as string)
}
