import type { Envelope } from '../../kernel/shape/envelope.ts'

/** The envelope of catalogs, catalog rules and releases. */
export const catalogEnvelope: Envelope = {
  times: 'fields',
  digits: 3,
  fields: 'attributes',
  links: 'single',
  href: 'absolute',
  pageLinks: 'existing',
}
