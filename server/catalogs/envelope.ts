import type { Envelope } from '../kernel/shape/envelope.ts'

/** Catalogs, their rules and what is published of them. */
export const catalogEnvelope: Envelope = {
  times: 'fields',
  digits: 3,
  fields: 'attributes',
  links: 'single',
  href: 'absolute',
  pageLinks: 'existing',
}
