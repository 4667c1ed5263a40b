import { named } from '../../kernel/openapi/named-schemas.ts'
import { object, uuid } from '../../kernel/openapi/shapes.ts'
import { field, type JsonSchema } from '../../kernel/shape/fields.ts'

const string = { type: 'string' }

// Which values a reason has, and of which type, depends on its verdict.
const needs: JsonSchema = {
  description: 'What the promotion asks for: a number, a text or a list, depending on the verdict.',
}
const has: JsonSchema = { description: 'What the cart or its shopper has instead of it.' }

/** Why a promotion takes nothing. */
export const reasonSchema: JsonSchema = named('PromotionReason', {
  ...object({ verdict: string, detail: string, needs, has }, ['verdict', 'detail']),
  additionalProperties: true,
})

export const verdictSchema: JsonSchema = named('PromotionVerdict', {
  ...object(
    {
      source: { enum: ['standard', 'rule'] },
      id: uuid,
      name: string,
      code: string,
      verdict: string,
      detail: string,
      amount: { type: 'integer' },
      shipping: { type: 'integer' },
      uses: { type: 'integer' },
      needs,
      has,
    },
    ['source', 'id', 'name', 'verdict'],
  ),
  additionalProperties: true,
})

export const verdictsField = field<unknown>(
  { type: 'array', items: verdictSchema },
  {
    about:
      'For each promotion of the store, in the order of application: what it takes off, or why it takes nothing. Present if the request has `Prefer: explain`.',
  },
)
