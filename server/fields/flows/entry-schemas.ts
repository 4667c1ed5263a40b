import type { Resource } from '../../kernel/declare/resource.ts'
import { shownSchema } from '../../kernel/declare/shown-schema.ts'
import { chosenIdMax } from '../../kernel/ids.ts'
import { namedSchema } from '../../kernel/openapi/named-schemas.ts'
import { withoutOwnWords } from '../../kernel/openapi/own-words.ts'
import { listFacts } from '../../kernel/openapi/parameters.ts'
import { changesSchema, newSchema } from '../../kernel/openapi/schemas.ts'
import type { JsonSchema } from '../../kernel/shape/fields.ts'
import { listOf, object } from '../../kernel/shape/schemas.ts'
import { shown } from '../../kernel/shape/shown.ts'
import { entries } from './entries.ts'
import { withValueFilters } from './entry-filters.ts'
import type { FlowKind } from './kinds.ts'

/** The schemas of entries: of any flow, and of a single flow. */

interface EntrySchemas {
  readonly shown: JsonSchema
  readonly created: JsonSchema
  readonly changed: JsonSchema
}

const names = { shown: 'FlowEntry', created: 'NewFlowEntry', changed: 'FlowEntryChanges' } as const

const id: JsonSchema = {
  type: 'string',
  minLength: 1,
  maxLength: chosenIdMax,
  description:
    'In a template the id of the product, in a core flow the id of the object. Other entries get a new id.',
}
/** Clients choose the ids of some objects, and so of the entries that are part of them. */
const shownId: JsonSchema = { type: 'string' }
const values = { description: 'The fields of the flow, by slug.' }
const link = object({ id: { type: 'string' }, type: { type: 'string' } })
const relationships: JsonSchema = {
  type: 'object',
  description: 'The links, by the slug of their field.',
  additionalProperties: {
    type: 'object',
    properties: { data: { anyOf: [link, listOf(link), { type: 'null' }] } },
  },
}

type SchemaMembers = Readonly<Record<string, JsonSchema>>

const withMembers = (schema: JsonSchema, members: SchemaMembers): JsonSchema => ({
  ...schema,
  properties: { ...(schema.properties as SchemaMembers), ...members },
})

// Generators of code take an object whose members are constants for a constant, whatever its free keys are.
const type: JsonSchema = { enum: [entries.type] }

/** The schema of entries of any flow: their values are beside these members, so their own type cannot be given. */
const free = (schema: JsonSchema, members: SchemaMembers = {}): JsonSchema => ({
  ...withMembers(schema, { type, ...members }),
  additionalProperties: values,
})

const any: EntrySchemas = {
  shown: free(shownSchema(entries), { relationships, id: shownId }),
  created: free(newSchema(entries), { id }),
  changed: free(changesSchema(entries)),
}

/** The schemas of entries of any flow. */
export const entrySchemas: EntrySchemas = {
  shown: namedSchema(names.shown, any.shown),
  created: namedSchema(names.created, any.created),
  changed: namedSchema(names.changed, any.changed),
}

/** An entry of any flow, in responses. */
export const flowEntry = shown.as(entrySchemas.shown)

/** For the API document: the body of a request that sends such an entry. */
export const bodyWith = (data: JsonSchema) => ({
  'application/json': { type: 'object', required: ['data'], properties: { data } },
})

/** A flow of a store. `own` is the resource of its entries, with the fields of the flow. */
export interface FlowDescription {
  readonly slug: string
  readonly kind: FlowKind
  readonly own: Resource
}

function schemasOf({ kind, own }: FlowDescription): EntrySchemas {
  const links = own.added?.fields.some(({ holdsLinks }) => holdsLinks) ? { relationships } : {}
  // An entry of a core flow exists with its object, so a create updates it.
  const created = kind === 'core' ? changesSchema(own) : newSchema(own)
  const required = [...((created.required ?? []) as readonly string[]), 'id']
  return {
    shown: withMembers(shownSchema(own), { ...links, ...(kind === 'core' && { id: shownId }) }),
    created: kind === 'custom' ? created : { ...withMembers(created, { id }), required },
    changed: changesSchema(own),
  }
}

interface FlowDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly components: { readonly schemas?: Readonly<Record<string, unknown>> }
}

const path = '/v2/flows/{flow_id}/entries'

/**
 * Adds the operations on the entries of each flow to the document, with the slug in the path and the types of its
 * fields.
 */
export function withEntriesOf<D extends FlowDocument>(document: D, flows: readonly FlowDescription[]): D {
  const paths: Record<string, Readonly<Record<string, unknown>>> = { ...document.paths }
  const schemas: Record<string, unknown> = { ...document.components.schemas }
  const texts = [path, `${path}/{id}`].flatMap((at) =>
    document.paths[at] ? [[at, JSON.stringify(document.paths[at])] as const] : [],
  )
  for (const flow of flows) {
    // Slugs of templates have signs that names of components, or the files that generators make of them, cannot have.
    const suffix = `_${flow.slug.replace(/[().]/g, (sign) => `_${sign.charCodeAt(0).toString(16)}_`)}`
    for (const [part, schema] of Object.entries(schemasOf(flow)))
      schemas[names[part as keyof EntrySchemas] + suffix] = schema
    for (const [at, text] of texts) {
      const item = Object.values(names).reduce(
        (edited, name) => edited.replaceAll(`schemas/${name}"`, `schemas/${name}${suffix}"`),
        text,
      )
      paths[at.replace('{flow_id}', flow.slug)] = atOwnAddress(JSON.parse(item), flow)
    }
  }
  return { ...document, paths, components: { ...document.components, schemas: withoutOwnWords(schemas) } }
}

interface DocumentedOperation {
  readonly operationId: string
  readonly summary: string
  readonly parameters: readonly { readonly name?: string }[]
}

const atOwnAddress = (
  item: Readonly<Record<string, DocumentedOperation>>,
  { slug, kind, own }: FlowDescription,
) =>
  Object.fromEntries(
    Object.entries(item).map(([method, operation]) => [
      method,
      {
        ...operation,
        operationId: `${operation.operationId}-of-${slug}`,
        summary: `${operation.summary} of ${slug}`,
        parameters: operation.parameters.filter(({ name }) => name !== 'flow_id'),
        // The entries of other flows are parts of objects, which have lists of their own.
        ...(kind === 'custom' &&
          operation.operationId === 'list-flow-entries' && {
            'x-sutler-list': listFacts(withValueFilters(own)),
          }),
      },
    ]),
  )
