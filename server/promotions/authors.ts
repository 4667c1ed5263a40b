import { text } from '../kernel/shape/fields.ts'
import type { Work } from '../kernel/work/context.ts'

/** Who wrote a promotion: the ids of application keys. */
export const authorFields = {
  created_by: text({ readOnly: true, about: 'The application key that created the promotion.' }),
  updated_by: text({ readOnly: true, about: 'The application key that last changed the promotion.' }),
}

interface Authors {
  created_by: string | undefined
  updated_by: string | undefined
}

export function completeAuthors({ who }: Work, values: Authors): void {
  values.created_by ??= who.actor
  values.updated_by = who.actor
}
