import type { Envelope } from '../../kernel/shape/envelope.ts'
import { text } from '../../kernel/shape/fields.ts'

/** The envelope of price books, their prices and their modifiers. */
export const pricebookEnvelope: Envelope = {
  times: 'fields',
  digits: 3,
  fields: 'attributes',
  links: 'single',
  href: { after: '' },
  pageLinks: 'existing',
}

export const externalRef = text({ nullable: true, max: 2048, about: 'The id in another system.' })

/** The title that the public contract has for duplicates. */
export const conflict = { code: 'conflict', title: 'conflict' } as const
