import type { Envelope } from '../../kernel/shape/envelope.ts'

export const orderEnvelope: Envelope = {
  times: 'meta.timestamps',
  digits: 0,
  fields: 'top',
  links: 'own',
  href: 'absolute',
}
