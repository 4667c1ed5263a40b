import { Problem } from '../../kernel/errors.ts'

/** The refusal of a file that is not imported at all. */
export const invalidFile = (detail: string, source?: string): Problem =>
  new Problem('unprocessable', detail, { title: 'Failed Validation', ...(source && { source }) })
