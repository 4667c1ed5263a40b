import type { Envelope } from '../kernel/shape/envelope.ts'

/** Whatever a merchant knows about what they sell. */
export const productEnvelope: Envelope = {
  times: 'meta',
  digits: 3,
  fields: 'attributes',
  links: 'inside',
  href: { after: '/pcm' },
  pageLinks: 'existing',
}
