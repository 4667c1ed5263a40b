import type { Envelope } from '../../kernel/shape/envelope.ts'

/** The envelope of stocks, locations and transactions. */
export const inventoryEnvelope: Envelope = {
  times: 'meta.timestamps',
  digits: 6,
  fields: 'attributes',
  links: 'none',
  href: 'absolute',
}
