import { choice } from '../../kernel/shape/fields.ts'

/** The owner of an object, in its `meta`. It is always the store. */
export const ownerMeta = {
  fields: { owner: choice(['store', 'organization'], { about: 'The owner.' }) },
  of: () => ({ owner: 'store' as const }),
}
