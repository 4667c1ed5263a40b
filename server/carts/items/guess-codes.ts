import { limitAttempts } from '../../kernel/attempts/attempts.ts'
import { isSeller } from '../../kernel/auth/principal.ts'
import { Problem } from '../../kernel/errors.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import type { NewItem } from './new-lines.ts'

/** Unknown codes in 15 minutes from one address. */
const wrongMax = 50

/** In one request. */
const codesMax = 10

/** Runs the check of a code, which returns undefined for a code that the shopper cannot know of. */
export type Guess = <T>(check: () => Promise<T | undefined>) => Promise<T | undefined>

/**
 * Counts the unknown codes of shoppers. After too many, all codes get a 429. Sellers may read all codes. Nothing counts
 * by cart: a caller who guesses takes a new one, and a stranger could keep the shopper of a cart from entering codes.
 */
export const guessesOf = (ctx: Ctx): Guess =>
  isSeller(ctx.who)
    ? (check) => check()
    : (check) => limitAttempts(ctx, { action: 'promotion-code', max: wrongMax }, check)

/** Refuses a request with more codes than a shopper has at hand. */
export function mustHaveFewCodes(items: readonly NewItem[]): void {
  const count = items.filter(({ kind }) => kind === 'promotion_item').length
  if (count <= codesMax) return
  const detail = `A request enters at most ${codesMax} codes, not ${count}. Send the others in a request of their own.`
  throw new Problem('unprocessable', detail, { title: 'Limit Reached', source: 'data' })
}
