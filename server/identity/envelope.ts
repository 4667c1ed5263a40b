import type { Envelope } from '../kernel/shape/envelope.ts'

/** Realms, their users, and what these sign in with. */
export const identityEnvelope: Envelope = {
  times: 'meta',
  digits: 3,
  fields: 'top',
  links: 'beside',
  href: 'absolute',
}
