import { choice, integer, text } from '../kernel/shape/fields.ts'
import { productEnvelope } from '../products/index.ts'

/** What variations, their options and the modifiers of these have in common. */
export const variationEnvelope = { ...productEnvelope, links: 'none' } as const

export const owned = {
  fields: { owner: choice(['store', 'organization'], { about: 'The owner.' }) },
  of: () => ({ owner: 'store' as const }),
}

export const nameField = (about: string, example: string) =>
  text({ required: true, min: 1, max: 255, about, example })

export const sortOrder = integer({
  nullable: true,
  about:
    'The position: the highest first, then those without a position, by name. An update with other attributes but without this one clears it.',
})

interface Sorted {
  readonly values: { sort_order: number | null | undefined }
  readonly changes?: object
}

/** What is left out of an update of something else is cleared, as null is. */
export function clearSortOrder({ values, changes }: Sorted): void {
  const leftOut = changes && Object.keys(changes).length > 0 && !('sort_order' in changes)
  if (leftOut || values.sort_order === null) values.sort_order = undefined
}
