import type { Envelope } from '../../kernel/shape/envelope.ts'

/** The envelope of products and of the resources that belong to them. */
export const productEnvelope: Envelope = {
  times: 'meta',
  digits: 3,
  fields: 'attributes',
  links: 'inside',
  href: { after: '/pcm' },
  pageLinks: 'existing',
}
