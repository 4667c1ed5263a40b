import { newId } from '../ids.ts'
import type { Row } from '../shape/model.ts'
import type { Work } from '../work/context.ts'

/** Something that happened to an object, other than a write of its row. */
interface FeedEvent {
  /** The name that webhooks subscribe to: `gadget.sold`. */
  readonly event: string
  readonly type: string
  /** The id of the object; a new one if there is no object. */
  readonly id?: string
  /** The table of the object; the type if there is no table. */
  readonly source?: string
  /** The id of the innermost parent in its path. */
  readonly scope?: string
  readonly personal?: boolean
  readonly doc: object
  /** What responses show of the hidden values of the object, and no secret. */
  readonly hidden?: object
  /** The row of the object, if the event shows it as it is now. */
  readonly row?: Pick<Row, 'version' | 'createdAt' | 'updatedAt'>
}

/**
 * Writes an event into the change feed. Changes of rows are recorded without it. Call it while the object's row is
 * locked, so that the event is in order with the changes of the object.
 */
export async function record({ store, who, requestId, clock }: Work, happening: FeedEvent): Promise<void> {
  const {
    event,
    type,
    id = newId(),
    source = type,
    scope = null,
    personal = false,
    doc,
    hidden,
    row,
  } = happening
  await store.later().run(
    `INSERT INTO fresh_changes (store_id, seq, at, event, type, source, id, scope, personal, actor, request_id, doc,
       version, created_at, hidden) OVERRIDING SYSTEM VALUE
     SELECT s.id, next_change(s.id), $2, $3, $4, $5, $6::uuid, $7::uuid, $8::boolean, $9, $10, $11::json, $12::integer,
       $13::timestamptz, $14::json FROM stores s WHERE s.id = $1`,
    row?.updatedAt ?? clock.now(),
    event,
    type,
    source,
    id,
    scope,
    personal,
    who.actor,
    requestId,
    JSON.stringify(doc),
    row?.version ?? null,
    row?.createdAt ?? null,
    hidden ? JSON.stringify(hidden) : null,
  )
}
