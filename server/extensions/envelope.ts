import type { Envelope } from '../kernel/shape/envelope.ts'

/** Custom APIs, their fields and entries: clients join the links to a base address that has the version. */
export const extensionEnvelope: Envelope = {
  times: 'meta.timestamps',
  digits: 3,
  fields: 'top',
  links: 'inside',
  href: { after: '/v2' },
}
