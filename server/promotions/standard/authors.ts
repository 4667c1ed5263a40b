import { text } from '../../kernel/shape/fields.ts'
import type { Work } from '../../kernel/work/context.ts'

/** Who wrote a promotion: the ids of application keys. */
export const authorFields = {
  created_by: text({ readOnly: true, about: 'The application key that created the promotion.' }),
  updated_by: text({ readOnly: true, about: 'The application key that last changed the promotion.' }),
}

interface Authors {
  created_by: string | undefined
  updated_by: string | undefined
}

/** Call it after the other rules: the author of an update that changes nothing is not stored. */
export function completeAuthors({ who }: Work, values: Authors, isChanged: boolean): void {
  values.created_by ??= who.actor
  if (isChanged) values.updated_by = who.actor
}
