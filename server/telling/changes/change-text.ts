import { clientsIdOf, type FeedChange } from '../../kernel/feed/changes.ts'
import { chosenIdMax } from '../../kernel/ids.ts'
import type { ShownValues } from '../../kernel/shape/fields.ts'
import { about, orNull, shown } from '../../kernel/shape/shown.ts'

/** The object of a change. */
const changedObject = shown.group({
  type: shown.text,
  id: shown.as<string>({
    type: 'string',
    maxLength: chosenIdMax,
    description: 'The id of the object, as its own response shows it.',
  }),
  parent: about('The id of the innermost parent in its path.', orNull(shown.uuid)),
})

/** The members that changes and entries of the audit share. */
export const changeFacts = {
  position: shown.as<number>({ type: 'integer', minimum: 1 }),
  event: about('`created`, `updated` or `deleted`, or the name of an event.', shown.text),
  at: shown.time,
  request_id: about('The id of the request: X-Request-Id of its response.', shown.text),
  object: changedObject,
}

export const storedFields = orNull(shown.object)

export const shownChange = shown.group({
  type: shown.constant('change'),
  ...changeFacts,
  actor: about(
    'The id of the application key, the colleague or the shopper; `system` for the server.',
    shown.text,
  ),
  data: about('The fields of the object as they were stored then; null for a deletion.', storedFields),
})

/** The members that changes and entries of the audit share, of one change. */
export const factsOf = (change: FeedChange): ShownValues<typeof changeFacts> => {
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
