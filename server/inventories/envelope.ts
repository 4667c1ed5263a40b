import type { Envelope } from '../kernel/shape/envelope.ts'

/** Stock, where it lies, and what happens to it. */
export const inventoryEnvelope: Envelope = {
  times: 'meta.timestamps',
  digits: 6,
  fields: 'attributes',
  links: 'none',
  href: 'absolute',
}
