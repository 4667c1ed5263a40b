import type { Envelope } from '../../kernel/shape/envelope.ts'

/** The envelope of realms, their users and their credentials. */
export const identityEnvelope: Envelope = {
  times: 'meta',
  digits: 3,
  fields: 'top',
  links: 'beside',
  href: 'absolute',
}
