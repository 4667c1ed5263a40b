import { clientsIdOf, type FeedChange } from '../../kernel/feed/changes.ts'
import { chosenIdMax } from '../../kernel/ids.ts'
import { object } from '../../kernel/openapi/shapes.ts'
import type { JsonSchema } from '../../kernel/shape/fields.ts'

const time: JsonSchema = { type: 'string', format: 'date-time' }

/** The object of a change. */
const changedObject = object({
  type: { type: 'string' },
  id: {
    type: 'string',
    maxLength: chosenIdMax,
    description: 'The id of the object, as its own response shows it.',
  },
  parent: {
    type: ['string', 'null'],
    format: 'uuid',
    description: 'The id of the innermost parent in its path.',
  },
})

/** The members that changes and entries of the audit share. */
export const changeFacts = {
  position: { type: 'integer', minimum: 1 },
  event: { type: 'string', description: '`created`, `updated` or `deleted`, or the name of an event.' },
  at: time,
  request_id: { type: 'string', description: 'The id of the request: X-Request-Id of its response.' },
  object: changedObject,
}

export const storedSchema = (description: string): JsonSchema => ({
  type: ['object', 'null'],
  additionalProperties: true,
  description,
})

export const changeSchema = object({
  type: { const: 'change' },
  ...changeFacts,
  actor: {
    type: 'string',
    description: 'The id of the application key or the shopper; `system` for the server.',
  },
  data: storedSchema('The fields of the object as they were stored then; null for a deletion.'),
})

/** The members that changes and entries of the audit share, of one change. */
export const factsOf = (change: FeedChange) => {
  const { position, event, at, requestId, type, scope } = change
  return {
    ...{ position, event, at },
    request_id: requestId,
    object: { type, id: clientsIdOf(change), parent: scope ?? null },
  }
}

/** The JSON of a change. What it says of the object is text already. */
export function changeText(change: FeedChange): string {
  const facts = JSON.stringify({ type: 'change', ...factsOf(change), actor: change.actor })
  return `${facts.slice(0, -1)},"data":${shownDoc(change) ?? 'null'}}`
}

const isWrite = (event: string) => event === 'created' || event === 'updated' || event === 'deleted'

/** What the feed has of the object, on one line. Events may hold a sealed secret for the service that delivers them. */
export function shownDoc({ event, doc }: Pick<FeedChange, 'event' | 'doc'>): string | undefined {
  if (doc === undefined || isWrite(event)) return doc?.replace(/[\r\n]+/g, ' ')
  const members = Object.entries(JSON.parse(doc) as object).filter(([name]) => !name.startsWith('sealed_'))
  return JSON.stringify(Object.fromEntries(members))
}
