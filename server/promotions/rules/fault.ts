import { Problem } from '../../kernel/errors.ts'

/** A refusal of the value at `path`. */
export const fault = (path: string, expectation: string): Problem =>
  new Problem('invalid_field', `${path} ${expectation}.`, { source: path })
