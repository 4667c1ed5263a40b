import type { FieldFacts } from '../api/document.ts'
import { words } from '../words/words.ts'

/**
 * The description of a field for somebody who types into it: amounts are typed in the main unit of their currency, and
 * texts stand one on each line.
 */
export function helpOf({ kind, choices, about = '' }: FieldFacts): string {
  const isAmount = kind === 'money' || kind === 'amounts'
  const text = about.replaceAll('`', '')
  const told = isAmount ? text.replace(/,? ?in the smallest unit of (the|its) currency/i, '') : text
  const lines = kind === 'words' && !choices ? words.fields.onePerLine : ''
  return [told.replace(/^\.\s*/, ''), lines].filter(Boolean).join(' ')
}
