import type { Envelope } from '../kernel/shape/envelope.ts'
import { choice } from '../kernel/shape/fields.ts'

/** Flows, their fields and entries. */
export const flowEnvelope: Envelope = {
  times: 'meta.timestamps',
  digits: 3,
  fields: 'top',
  links: 'inside',
  href: 'absolute',
}

/** What is in `meta` of all of them. */
export const flowMeta = {
  fields: { owner: choice(['store', 'organization'], { about: 'The owner.' }) },
  of: () => ({ owner: 'store' as const }),
}
