import { checker } from '../../kernel/body/checker.ts'
import { Problem } from '../../kernel/errors.ts'
import type { Values } from '../../kernel/shape/fields.ts'
import { products } from '../products/products.ts'
import { inJson, partsOf } from './modifier-types.ts'
import type { ModifierFields } from './modifiers.ts'

type ModifierValues = Values<ModifierFields>
type Member = 'value' | 'seek' | 'set' | 'reference_name'

/** Refuses values that do not suit the type of the modifier, and drops members that the type does not use. */
export function mustSuit(values: ModifierValues): void {
  const { field, operation } = partsOf(values.type)
  const members = membersOf(operation)
  for (const member of ['value', 'seek', 'set', 'reference_name'] as const) {
    if (!members.includes(member)) delete values[member]
    else if (!values[member])
      throw refusal(member, `${member} can not be empty: a modifier of the type ${values.type} needs it`)
  }
  if (field === 'slug') mustSuitUrl(values, members)
  else if (operation === 'equals') mustSuitField(values, field)
}

function membersOf(operation: string): readonly Member[] {
  if (operation === 'builder') return ['seek', 'set']
  return operation === 'refer' ? ['reference_name'] : ['value']
}

const refusal = (member: Member, detail: string) =>
  new Problem('unprocessable', detail, { source: `data.attributes.${member}`, title: 'Failed Validation' })

/** Braces mark the placeholders of a slug. */
function mustSuitUrl(values: ModifierValues, members: readonly Member[]): void {
  for (const member of members) {
    const allowed = member === 'seek' ? /^[A-Za-z0-9._{}-]+$/ : /^[A-Za-z0-9._-]+$/
    if (allowed.test(values[member] ?? '')) continue
    const type = `the ${member} of a modifier of the type ${values.type}`
    throw refusal(member, `${type} must contain only letters, digits, hyphens, underscores and full stops`)
  }
}

/** A modifier sets only values that the field of a product accepts. */
function mustSuitField({ type, value }: ModifierValues, field: string): void {
  const schema = products.fields[field as keyof typeof products.fields]?.schema
  if (!schema) return
  try {
    checker(schema, 'data.attributes.value')(inJson.includes(field) ? JSON.parse(value ?? '') : value)
  } catch (error) {
    const reason = error instanceof Problem ? error.detail : `${field} must be JSON.`
    throw refusal('value', `of the type ${type}: ${reason}`)
  }
}
