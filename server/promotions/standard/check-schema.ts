import { missingField, Problem } from '../../kernel/errors.ts'
import type { StandardType } from '../discounts/standard/standard-document.ts'
import { charactersMax } from './promotion-document.ts'
import { type SchemaMember, type StandardSchema, schemaMembers } from './schema-field.ts'

/** What each type of promotion has in its `schema`, beside the catalogs. */
interface MembersOfType {
  readonly needs: readonly SchemaMember[]
  readonly takes?: readonly SchemaMember[]
  /** What `currencies` have. */
  readonly priced?: 'amount' | 'percentage'
  /** Whether it is for items that the schema names. */
  readonly hasTargets?: true
}

const targets = ['targets', 'target_nodes', 'target_attributes', 'target_conditions'] as const
const ofItems = { takes: [...targets, 'exclude'], hasTargets: true } as const

const membersOf: Readonly<Record<StandardType, MembersOfType>> = {
  fixed_discount: { needs: ['currencies'], takes: ['exclude'], priced: 'amount' },
  percent_discount: { needs: ['currencies'], takes: ['exclude'], priced: 'percentage' },
  item_fixed_discount: { ...ofItems, needs: ['currencies'], priced: 'amount' },
  item_percent_discount: {
    ...{ needs: [], takes: [...ofItems.takes, 'percent', 'currencies'] },
    ...{ priced: 'percentage', hasTargets: true },
  },
  x_for_y: { ...ofItems, needs: ['x', 'y'] },
  x_for_amount: { ...ofItems, needs: ['x', 'currencies'], priced: 'amount' },
  bundle_fixed_discount: { needs: ['requirements', 'currencies'], priced: 'amount' },
  bundle_gift: { needs: ['requirements', 'gifts'], takes: ['auto_add_free_gift'] },
}

type SchemaValues = Readonly<Record<string, unknown>>

/** Refuses a schema that the type of promotion cannot have. The shape of its members is known to be right. */
export function checkSchema(type: StandardType, schema: StandardSchema): void {
  try {
    checkMembers(type, schema)
  } catch (fault) {
    if (!(fault instanceof Problem) || fault.source === undefined) throw fault
    // The fault may be the type's.
    throw refusal(fault.source, `${fault.detail} The promotion_type is ${type}.`)
  }
}

function checkMembers(type: StandardType, schema: StandardSchema): void {
  const { needs, takes = [], priced, hasTargets } = membersOf[type]
  const has = schema as SchemaValues
  for (const name of needs) if (has[name] === undefined) throw missing(`data.schema.${name}`)
  const accepted = ['target_catalogs', ...needs, ...takes]
  for (const name of schemaMembers) {
    if (accepted.includes(name) || isEmpty(has[name])) continue
    const detail = `data.schema.${name} must be left out: the type ${type} accepts ${accepted.join(', ')}.`
    throw refusal(`data.schema.${name}`, detail)
  }
  if (type === 'item_percent_discount' && has.percent === undefined && has.currencies === undefined) {
    throw missing('data.schema.percent')
  }
  if (hasTargets) checkTargets(has)
  checkAttributes(has, 'data.schema', 'target_attributes', 'target_conditions')
  if (has.exclude)
    checkAttributes(has.exclude as SchemaValues, 'data.schema.exclude', 'attributes', 'conditions')
  if (has.percent !== undefined) checkPercentage(has.percent as number, 'data.schema.percent')
  if (priced) checkPrices((has.currencies ?? []) as readonly SchemaValues[], priced)
  if (type === 'x_for_y' && (has.y as number) >= (has.x as number)) {
    throw refusal('data.schema.y', `data.schema.y must be less than x (${has.x}), not ${has.y}.`)
  }
  const { length } = JSON.stringify(schema)
  if (length > charactersMax) {
    throw refusal(
      'data.schema',
      `data.schema must be at most ${charactersMax} characters of JSON, not ${length}.`,
    )
  }
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return !value.length
  if (typeof value === 'object' && value !== null) return Object.values(value).every(isEmpty)
  return value === undefined || value === false
}

function checkTargets(has: SchemaValues): void {
  const all = (has.targets as readonly string[] | undefined)?.includes('all')
  if (all && !isEmpty(has.target_nodes)) {
    const detail = 'data.schema.target_nodes must be empty if data.schema.targets is for all products.'
    throw refusal('data.schema.target_nodes', detail)
  }
  if (!targets.every((name) => isEmpty(has[name]))) return
  const detail =
    'data.schema.targets must name items or be ["all"], unless target_nodes, target_attributes or target_conditions name them.'
  throw refusal('data.schema.targets', detail)
}

/** An attribute is itself, or below `attribute`. In a condition it may also be a node. */
function checkAttributes(has: SchemaValues, path: string, listed: string, conditioned: string): void {
  for (const [index, target] of ((has[listed] ?? []) as readonly SchemaValues[]).entries()) {
    const at = `${path}.${listed}.${index}`
    if (target.attribute) checkAttribute(target.attribute as SchemaValues, `${at}.attribute`)
    else checkAttribute(target, at)
  }
  const { or = [] } = (has[conditioned] ?? {}) as { or?: readonly { and: readonly SchemaValues[] }[] }
  for (const [n, { and }] of or.entries()) {
    for (const [m, { node, attribute }] of and.entries()) {
      const at = `${path}.${conditioned}.or.${n}.and.${m}`
      if (!node === !attribute) throw refusal(at, `${at} must have either node or attribute.`)
      if (attribute) checkAttribute(attribute as SchemaValues, `${at}.attribute`)
    }
  }
}

function checkAttribute(attribute: SchemaValues, path: string): void {
  for (const name of ['template', 'field', 'type']) {
    if (attribute[name] === undefined) throw missing(`${path}.${name}`)
  }
  const values = [attribute.value ?? [], attribute.values ?? []].flat()
  if (!values.length) throw missing(`${path}.value`)
}

function checkPrices(currencies: readonly SchemaValues[], priced: 'amount' | 'percentage'): void {
  const before = new Set<unknown>()
  for (const [index, entry] of currencies.entries()) {
    const at = `data.schema.currencies.${index}`
    const value = entry[priced]
    if (value === undefined) throw missing(`${at}.${priced}`)
    if (priced === 'percentage') checkPercentage(value as number, `${at}.percentage`)
    if (before.has(entry.currency)) {
      throw refusal(
        `${at}.currency`,
        `${at}.currency must not be ${entry.currency} again: a currency has one entry.`,
      )
    }
    before.add(entry.currency)
  }
}

function checkPercentage(value: number, source: string): void {
  if (Number(value.toFixed(6)) === value) return
  throw refusal(source, `${source} must have at most 6 decimal places, not ${value}.`)
}

const refusal = (source: string, detail: string): Problem => new Problem('unprocessable', detail, { source })

function missing(source: string): Problem {
  const { message } = missingField(source)
  return refusal(source, message)
}
