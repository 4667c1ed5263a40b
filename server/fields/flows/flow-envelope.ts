import type { Envelope } from '../../kernel/shape/envelope.ts'
import { choice } from '../../kernel/shape/fields.ts'

/** The envelope of flows, their fields and entries. */
export const flowEnvelope: Envelope = {
  times: 'meta.timestamps',
  digits: 3,
  fields: 'top',
  links: 'inside',
  href: 'absolute',
}

/** The members of `meta` that all of them have. */
export const flowMeta = {
  fields: { owner: choice(['store', 'organization'], { about: 'The owner.' }) },
  of: () => ({ owner: 'store' as const }),
}
