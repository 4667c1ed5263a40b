import type { Envelope } from '../kernel/shape/envelope.ts'

/** What is published, as it is shown. Its times are among what was published. */
export const storefrontEnvelope: Envelope = {
  times: 'none',
  digits: 3,
  fields: 'attributes',
  links: 'single',
  href: 'absolute',
  pageLinks: 'existing',
}
