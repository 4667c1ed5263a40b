import type { Envelope } from '../kernel/shape/envelope.ts'

/** Hierarchies and nodes: what links there are belong to their relationships. */
export const hierarchyEnvelope: Envelope = {
  times: 'meta',
  digits: 3,
  fields: 'attributes',
  links: 'none',
  href: { after: '/pcm' },
  pageLinks: 'existing',
}
