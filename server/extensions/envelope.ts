import type { Envelope } from '../kernel/shape/envelope.ts'

/**
 * The envelope of custom APIs, their fields and entries. Clients append the links to a base address that ends in the
 * version.
 */
export const extensionEnvelope: Envelope = {
  times: 'meta.timestamps',
  digits: 3,
  fields: 'top',
  links: 'inside',
  href: { after: '/v2' },
}
