import type { KindsBody } from '../body/kinds.ts'
import type { JsonSchema } from '../shape/fields.ts'
import { namedSchema } from './named-schemas.ts'

const kindSchemas = new WeakMap<KindsBody, JsonSchema>()

/** The schema of `data` of a body of kinds. Operations that share the kinds share the schema. */
export function kindsSchema(kinds: KindsBody): JsonSchema {
  const schema = kindSchemas.get(kinds) ?? newSchema(kinds)
  kindSchemas.set(kinds, schema)
  return schema
}

function newSchema({ name, by, most, of, schemas }: KindsBody): JsonSchema {
  const all = Object.entries(schemas).map(([kind, schema]) => ({
    ...{ kind, schema: { ...schema, ...of[kind]?.rules } },
    name: name + kind.replace(/(?:^|[_-])(\w)/g, (_, letter: string) => letter.toUpperCase()),
  }))
  const mapping = Object.fromEntries(all.map(({ kind, name }) => [kind, `#/components/schemas/${name}`]))
  const one = namedSchema(name, {
    oneOf: all.map(({ name, schema }) => namedSchema(name, schema)),
    discriminator: { propertyName: by, mapping },
  })
  return most === 1 ? one : { oneOf: [one, { type: 'array', items: one, minItems: 1, maxItems: most }] }
}
