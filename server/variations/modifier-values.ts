import { checker } from '../kernel/body/checker.ts'
import { Problem } from '../kernel/errors.ts'
import type { Values } from '../kernel/shape/fields.ts'
import { products } from '../products/index.ts'
import { inJson, partsOf } from './modifier-types.ts'
import type { ModifierFields } from './modifiers.ts'

type Given = Values<ModifierFields>
type Member = 'value' | 'seek' | 'set' | 'reference_name'

/** Refuses what a modifier of its type cannot do, and drops what it does not look at. */
export function mustSuit(values: Given): void {
  const { field, operation } = partsOf(values.type)
  const wanted = membersOf(operation)
  for (const member of ['value', 'seek', 'set', 'reference_name'] as const) {
    if (!wanted.includes(member)) delete values[member]
    else if (!values[member])
      throw refusal(member, `${member} can not be empty: a modifier of the type ${values.type} needs it`)
  }
  if (field === 'slug') mustSuitUrl(values, wanted)
  else if (operation === 'equals') mustSuitField(values, field)
}

function membersOf(operation: string): readonly Member[] {
  if (operation === 'builder') return ['seek', 'set']
  return operation === 'refer' ? ['reference_name'] : ['value']
}

const refusal = (member: Member, detail: string) =>
  new Problem('unprocessable', detail, { source: `data.attributes.${member}`, title: 'Failed Validation' })

/** What of a slug remains to be filled in is in braces. */
function mustSuitUrl(values: Given, wanted: readonly Member[]): void {
  for (const member of wanted) {
    const allowed = member === 'seek' ? /^[A-Za-z0-9._{}-]+$/ : /^[A-Za-z0-9._-]+$/
    if (allowed.test(values[member] ?? '')) continue
    const type = `the ${member} of a modifier of the type ${values.type}`
    throw refusal(member, `${type} must contain only letters, digits, hyphens, underscores and full stops`)
  }
}

/** What a field is set to is what a product may be given there. */
function mustSuitField({ type, value }: Given, field: string): void {
  const schema = products.fields[field as keyof typeof products.fields]?.schema
  if (!schema) return
  try {
    checker(schema, 'data.attributes.value')(inJson.includes(field) ? JSON.parse(value ?? '') : value)
  } catch (error) {
    const reason = error instanceof Problem ? error.detail : `${field} must be JSON.`
    throw refusal('value', `of the type ${type}: ${reason}`)
  }
}
