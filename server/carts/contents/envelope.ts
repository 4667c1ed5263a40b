import type { Envelope } from '../../kernel/shape/envelope.ts'

export const cartEnvelope: Envelope = {
  times: 'meta.timestamps',
  digits: 0,
  fields: 'top',
  links: 'inside',
  href: 'absolute',
}
