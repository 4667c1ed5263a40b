import type { CustomAttribute } from '../discounts/index.ts'
import { Problem } from '../kernel/errors.ts'
import { field, type JsonSchema } from '../kernel/shape/fields.ts'

export type CustomAttributes = Readonly<Record<string, CustomAttribute>>

/** An attribute with its type, for sellers: `{ "gift": { "type": "boolean", "value": true } }`. */
const customAttribute: JsonSchema = {
  type: 'object',
  required: ['type', 'value'],
  properties: {
    type: { enum: ['string', 'integer', 'boolean', 'float'] },
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

const isOf: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  integer: Number.isSafeInteger,
  float: Number.isFinite,
}

const words: Readonly<Record<string, string>> = {
  string: 'a string',
  boolean: 'true or false',
  integer: 'a whole number',
  float: 'a number',
}

/** Refuses a custom attribute whose value is not of its type. */
export function checkTypes(attributes: CustomAttributes | undefined, source: string): void {
  for (const [name, { type, value }] of Object.entries(attributes ?? {})) {
    if (isOf[type]?.(value)) continue
    const at = `${source}.${name}.value`
    throw new Problem('invalid_field', `${at} must be ${words[type]}, because its type is ${type}.`, {
      source: at,
    })
  }
}
