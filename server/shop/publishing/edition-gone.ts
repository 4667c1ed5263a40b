import { Problem } from '../../kernel/errors.ts'

/**
 * The edition was rolled back while it was read, because its release was deleted. The rows may be from two editions.
 */
export class EditionGone extends Problem {
  constructor() {
    super('unavailable', 'The release was deleted while it was read. Send the request again.')
  }
}
