import type { Envelope } from '../../kernel/shape/envelope.ts'

/** The envelope of hierarchies and nodes. Only their relationships have links. */
export const hierarchyEnvelope: Envelope = {
  times: 'meta',
  digits: 3,
  fields: 'attributes',
  links: 'none',
  href: { after: '/pcm' },
  pageLinks: 'existing',
}
