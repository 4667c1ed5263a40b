import { named } from '../../kernel/openapi/named-schemas.ts'
import { about, optional, shown } from '../../kernel/shape/shown.ts'

// Which values a reason has, and of which type, depends on its verdict.
const needs = about(
  'What the promotion asks for: a number, a text or a list, depending on the verdict.',
  shown.as({}),
)
const has = about('What the cart or its shopper has instead of it.', shown.as({}))

/** Why a promotion takes nothing. */
export const reason = named(
  'PromotionReason',
  shown.openGroup({ verdict: shown.text, detail: shown.text, needs: optional(needs), has: optional(has) }),
)

export const verdict = named(
  'PromotionVerdict',
  shown.openGroup({
    source: shown.constant('standard', 'rule'),
    id: shown.uuid,
    name: shown.text,
    code: optional(shown.text),
    verdict: shown.text,
    detail: optional(shown.text),
    amount: optional(shown.integer),
    shipping: optional(shown.integer),
    uses: optional(shown.integer),
    needs: optional(needs),
    has: optional(has),
  }),
)

export const verdicts = optional(
  about(
    'For each promotion of the store, in the order of application: what it takes off, or why it takes nothing. Present if the request has `Prefer: explain`.',
    shown.list(verdict),
  ),
)
