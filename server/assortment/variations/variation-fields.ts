import { integer, text } from '../../kernel/shape/fields.ts'
import { productEnvelope } from '../product-fields/product-envelope.ts'

/** The envelope that variations, options and modifiers share. */
export const variationEnvelope = { ...productEnvelope, links: 'none' } as const

export const nameField = (about: string, example: string) =>
  text({ required: true, min: 1, max: 255, about, example })

export const sortOrder = integer({
  nullable: true,
  about:
    'The position. The highest comes first; those without a position come last, by name. An update of other attributes clears the position.',
})

/** A draft of an object with a position. */
interface SortableDraft {
  readonly values: { sort_order: number | null | undefined }
  readonly changes?: object
}

/** Clears the position if it is null, or if an update changes only other attributes. */
export function clearSortOrder({ values, changes }: SortableDraft): void {
  const leftOut = changes && Object.keys(changes).length > 0 && !('sort_order' in changes)
  if (leftOut || values.sort_order === null) values.sort_order = undefined
}
