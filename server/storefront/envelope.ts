import type { Envelope } from '../kernel/shape/envelope.ts'

/** The envelope of published objects. Their times are among the fields. */
export const storefrontEnvelope: Envelope = {
  times: 'none',
  digits: 3,
  fields: 'attributes',
  links: 'single',
  href: 'absolute',
  pageLinks: 'existing',
}
