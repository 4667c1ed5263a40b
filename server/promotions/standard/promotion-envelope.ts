import type { Envelope } from '../../kernel/shape/envelope.ts'

/** Promotions of both kinds, and what belongs to them. */
export const promotionEnvelope: Envelope = {
  times: 'meta.timestamps',
  digits: 3,
  fields: 'top',
  links: 'none',
  href: 'absolute',
}
