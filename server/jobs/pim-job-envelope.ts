import type { Envelope } from '../kernel/shape/envelope.ts'

/** A job says among its attributes what sort of job it is. */
export const pimJobEnvelope: Envelope = {
  times: 'fields',
  digits: 3,
  fields: 'attributes',
  type: 'attributes',
  links: 'none',
  href: { after: '/pcm' },
  pageLinks: 'existing',
}
