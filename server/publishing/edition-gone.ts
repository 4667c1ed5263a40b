import { Problem } from '../kernel/errors.ts'

/** The edition was taken back while it was read: its release was deleted. What was read may be of two editions. */
export class EditionGone extends Problem {
  constructor() {
    super('unavailable', 'The release was deleted while it was read. Send the request again.')
  }
}
