import type { JsonSchema } from '../shape/fields.ts'

/** The id of no object: readers put one of theirs in its place. */
export const exampleId = '00000000-0000-4000-8000-000000000000'

const texts: Readonly<Record<string, string>> = {
  uuid: exampleId,
  email: 'ada@example.com',
  uri: 'https://example.com/',
  day: '2026-01-31',
  'date-time': '2026-01-31T00:00:00.000Z',
}

/** A text that only its store knows. */
const exampleText = 'Example'

const isOfId = (name: string): boolean => /(^|_)ids?$/.test(name)

/** The value that a declaration shows, or the simplest one that its schema describes; of a member of this name. */
export function exampleOf(schema: JsonSchema, name = ''): unknown {
  const { examples = [], default: fallback, const: constant, enum: choices = [] } = schema
  const shown = [...(examples as readonly unknown[]), constant, fallback, ...(choices as readonly unknown[])]
  const known = shown.find((one) => one !== undefined)
  if (known !== undefined) return known
  const { anyOf, oneOf } = schema as Readonly<Record<string, readonly JsonSchema[] | undefined>>
  const [first] = anyOf ?? oneOf ?? []
  return first ? exampleOf(first, name) : simplest(schema, name)
}

function simplest(schema: JsonSchema, name: string): unknown {
  const { type, format = '', minimum = 1, items = {} } = schema as Readonly<Record<string, never>>
  switch ([type].flat()[0] as unknown) {
    case 'object':
      return exampleOfMembers(schema)
    case 'array':
      return [exampleOf(items, name)]
    case 'string':
      return texts[format] ?? (isOfId(name) ? exampleId : exampleText)
    case 'integer':
    case 'number':
      return minimum
    case 'boolean':
      return true
    default:
      return undefined
  }
}

/** The required members, and others that their declarations show. */
function exampleOfMembers({ properties = {}, required = [] }: JsonSchema): object {
  const needed = new Set(required as readonly string[])
  const members = Object.entries(properties as Readonly<Record<string, JsonSchema>>)
    .filter(([name, one]) => !one.readOnly && (needed.has(name) || one.examples !== undefined))
    .map(([name, one]) => [name, exampleOf(one, name)])
  return Object.fromEntries(members)
}
