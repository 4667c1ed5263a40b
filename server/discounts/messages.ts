import type { Considered, Verdict } from './verdicts.ts'

/** What to tell shoppers about a promotion that takes nothing. */
export interface Message {
  readonly source: { readonly type: string; readonly id: string; readonly code: string }
  readonly title: string
  readonly description: string
}

/** Undefined for verdicts that shoppers need not know, and for promotions whose code they did not enter. */
export function toMessage(verdict: Verdict): Message | undefined {
  switch (verdict.verdict) {
    case 'not_stackable':
      return about(
        verdict,
        'promotion',
        "Couldn't Stack Promotion",
        'Cannot apply promotion because non-stackable promotion applied first.',
      )
    case 'currency':
      return about(
        verdict,
        'promotion',
        'currency mismatch',
        `discount unavailable in currency ${verdict.has}`,
      )
    case 'code_spent':
    case 'limit_per_shopper':
      return about(
        verdict,
        'promotion_codes',
        'Fully Consumed',
        "You've already fully consumed this promotion code",
      )
    default:
      return undefined
  }
}

const about = ({ id, code = '' }: Considered, type: string, title: string, description: string): Message => ({
  source: { type, id, code },
  title,
  description,
})
