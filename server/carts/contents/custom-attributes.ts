import { Problem } from '../../kernel/errors.ts'
import { field, type JsonSchema } from '../../kernel/shape/fields.ts'
import type { CustomAttribute } from '../../promotions/index.ts'

export type CustomAttributes = Readonly<Record<string, CustomAttribute>>

/** The types of attributes, with what their values are. */
const types: Readonly<Record<string, { accepts: string; has: (value: unknown) => boolean }>> = {
  string: { accepts: 'a string', has: (value) => typeof value === 'string' },
  integer: { accepts: 'a whole number', has: Number.isSafeInteger },
  boolean: { accepts: 'true or false', has: (value) => typeof value === 'boolean' },
  float: { accepts: 'a number', has: Number.isFinite },
}

/** An attribute with its type, for sellers: `{ "gift": { "type": "boolean", "value": true } }`. */
const customAttribute: JsonSchema = {
  type: 'object',
  required: ['type', 'value'],
  properties: {
    type: { enum: Object.keys(types) },
    value: { type: ['string', 'number', 'boolean'], maxLength: 1000 },
  },
}

/** Attributes of a cart, or of one of its items. */
export const customAttributesField = (about: string) =>
  field<CustomAttributes | undefined>(
    {
      type: 'object',
      maxProperties: 20,
      propertyNames: { type: 'string', minLength: 1, maxLength: 255 },
      additionalProperties: customAttribute,
    },
    { about },
  )

/** Refuses a custom attribute whose value is not of its type. */
export function checkTypes(attributes: CustomAttributes | undefined, source: string): void {
  for (const [name, { type, value }] of Object.entries(attributes ?? {})) {
    if (types[type]?.has(value)) continue
    const at = `${source}.${name}.value`
    const detail = `${at} must be ${types[type]?.accepts}, because its type is ${type}.`
    throw new Problem('invalid_field', detail, { source: at })
  }
}
