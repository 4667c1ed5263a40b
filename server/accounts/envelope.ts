import type { Envelope } from '../kernel/shape/envelope.ts'

/** Accounts, their members, and whoever else buys. */
export const accountEnvelope: Envelope = {
  times: 'meta.timestamps',
  digits: 3,
  fields: 'top',
  links: 'beside',
  href: 'absolute',
}
