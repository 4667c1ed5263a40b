import type { Envelope } from '../../kernel/shape/envelope.ts'

/** The envelope of accounts, account members and customers. */
export const accountEnvelope: Envelope = {
  times: 'meta.timestamps',
  digits: 3,
  fields: 'top',
  links: 'beside',
  href: 'absolute',
}
