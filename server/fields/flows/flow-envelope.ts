import type { Envelope } from '../../kernel/shape/envelope.ts'

/** The envelope of flows, their fields and entries. */
export const flowEnvelope: Envelope = {
  times: 'meta.timestamps',
  digits: 3,
  fields: 'top',
  links: 'inside',
  href: 'absolute',
}
