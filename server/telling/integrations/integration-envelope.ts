import type { Envelope } from '../../kernel/shape/envelope.ts'

/** The envelope of integrations, and of their jobs and logs. */
export const integrationEnvelope: Envelope = {
  times: 'meta.timestamps',
  digits: 3,
  fields: 'top',
  links: 'inside',
  href: 'absolute',
  pageLinks: 'existing',
}
