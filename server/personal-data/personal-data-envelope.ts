import type { Envelope } from '../kernel/shape/envelope.ts'

/** The envelope of lists about a person or an account. Their times are fields of their own. */
export const personalDataEnvelope: Envelope = {
  times: 'none',
  digits: 3,
  fields: 'top',
  links: 'none',
  href: 'absolute',
}
