import type { Envelope } from '../kernel/shape/envelope.ts'

/** Lists of what is known of someone: their times are fields of their own. */
export const personalDataEnvelope: Envelope = {
  times: 'none',
  digits: 3,
  fields: 'top',
  links: 'none',
  href: 'absolute',
}
