import type { Envelope } from '../kernel/shape/envelope.ts'

/** Catalogs, catalog rules and releases. */
export const catalogEnvelope: Envelope = {
  times: 'fields',
  digits: 3,
  fields: 'attributes',
  links: 'single',
  href: 'absolute',
  pageLinks: 'existing',
}
