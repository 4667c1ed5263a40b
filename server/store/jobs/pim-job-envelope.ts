import type { Envelope } from '../../kernel/shape/envelope.ts'

/** The envelope of PIM jobs. The `type` among the attributes is the type of the job. */
export const pimJobEnvelope: Envelope = {
  times: 'fields',
  digits: 3,
  fields: 'attributes',
  type: 'attributes',
  links: 'none',
  href: { after: '/pcm' },
  pageLinks: 'existing',
}
