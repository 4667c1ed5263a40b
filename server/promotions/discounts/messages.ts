import { type Reason, reasonOf } from './reasons.ts'
import type { Verdict } from './verdicts.ts'

/** What to tell shoppers about a promotion that takes nothing. */
export interface Message {
  readonly source: { readonly type: string; readonly id: string; readonly code: string }
  readonly title: string
  readonly description: string
  readonly reason: Reason
}

/** Undefined for a promotion that takes something, or whose code was not entered. */
export function toMessage(verdict: Verdict): Message | undefined {
  const reason = reasonOf(verdict)
  if (!reason || !verdict.code) return undefined
  const { id, code } = verdict
  const { type, title, description } = textsOf(reason)
  return { source: { type, id, code }, title, description, reason }
}

const fullyConsumed = {
  type: 'promotion_codes',
  title: 'Fully Consumed',
  description: "You've already fully consumed this promotion code",
}

function textsOf(reason: Reason) {
  switch (reason.verdict) {
    case 'not_stackable':
      return {
        type: 'promotion',
        title: "Couldn't Stack Promotion",
        description: 'Cannot apply promotion because non-stackable promotion applied first.',
      }
    case 'currency':
      return {
        type: 'promotion',
        title: 'currency mismatch',
        description: `discount unavailable in currency ${reason.has}`,
      }
    case 'code_spent':
      return reason.has > 0
        ? { type: 'promotion_codes', title: 'Promotion Not Applied', description: reason.detail }
        : fullyConsumed
    case 'limit_per_shopper':
      return fullyConsumed
    default:
      return { type: 'promotion', title: 'Promotion Not Applied', description: reason.detail }
  }
}
