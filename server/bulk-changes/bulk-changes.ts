import { resource } from '../kernel/declare/resource.ts'
import type { Envelope } from '../kernel/shape/envelope.ts'
import { choice, field, group, integer, list, number, reference, text } from '../kernel/shape/fields.ts'
import { indexed, type Row, walks } from '../kernel/shape/model.ts'
import { forgetAfterDays } from '../kernel/work/every-store.ts'

/** How many objects one bulk change may have, and how many of them a request may name. */
export const rowsMax = 100_000
export const idsMax = 10_000

/** How long the text of a patch may be: each part of the work writes it again. */
export const patchCharsMax = 16_384

const adjustmentsMax = 10

export const endStatuses = ['success', 'failed', 'cancelled'] as const

const server = { readOnly: true } as const
const hidden = { readOnly: true, hidden: true } as const
const count = (about: string) => integer({ required: true, min: 0, about })

/** What clients send of a bulk change. */
export const bulkChangeInput = {
  list: text({
    required: true,
    min: 1,
    max: 1024,
    about: 'The path of the list whose objects change, such as `/pcm/products` or `/v2/extensions/wishes`.',
    example: '/pcm/products',
  }),
  filter: text({
    max: 8192,
    about:
      'The filter of the list, in its own language. Without it and without ids, all of its objects change.',
    example: 'eq(status,draft)',
  }),
  patch: field<Readonly<Record<string, unknown>> | undefined>(
    { type: 'object', additionalProperties: true },
    {
      about: `The \`data\` that an update of one object takes, without its id, and with its type if you like: at most ${patchCharsMax} characters.`,
      example: { attributes: { status: 'live' } },
    },
  ),
  adjust: list(
    group(
      {
        field: text({
          required: true,
          min: 1,
          max: 255,
          about: 'The member of `data` to change, a whole number, as a path of names.',
        }),
        times: number({ required: true, min: -1000, max: 1000, about: 'What it is multiplied by.' }),
        round_to: integer({
          default: 1,
          min: 1,
          max: 1_000_000_000,
          about: 'The result is the nearest multiple of this; one half goes away from zero.',
        }),
      },
      {},
    ),
    {
      maxItems: adjustmentsMax,
      about: 'Numbers of each object that change in proportion, such as prices.',
      example: [{ field: 'attributes.currencies.USD.amount', times: 1.1, round_to: 5 }],
    },
  ),
}

const fields = {
  ...bulkChangeInput,
  undo_of: reference('bulk_change', { ...server, about: 'The bulk change that this one puts back.' }),
  status: choice(['pending', 'started', ...endStatuses], {
    ...server,
    required: true,
    about:
      'The state of the work. It always ends; `success` says nothing about single objects: see `counts`.',
  }),
  counts: group(
    {
      chosen: count('How many objects there are to change.'),
      changed: count('How many have changed.'),
      unchanged: count('How many had these values already.'),
      refused: count(
        'How many were refused, or had changed since they were chosen: see the list of refusals.',
      ),
    },
    { ...server, about: 'How far the work is.' },
  ),
  started_at: text({ ...server, format: 'date-time', about: 'When the work began.' }),
  completed_at: text({ ...server, format: 'date-time', about: 'When the work ended.' }),
  waiting_for: text({
    ...server,
    about: 'Why the work waits for its next try. Present only while it waits.',
  }),
  // The part with which the work continues.
  next_part: integer({ ...hidden, min: 0 }),
}

export type BulkChangeFields = typeof fields
export type BulkChangeRow = Row<BulkChangeFields>
export type Counts = NonNullable<BulkChangeRow['doc']['counts']>
export type Adjustment = NonNullable<BulkChangeRow['doc']['adjust']>[number]

const envelope: Envelope = {
  times: 'meta.timestamps',
  digits: 3,
  fields: 'top',
  links: 'inside',
  href: { after: '' },
}

export const bulkChanges = resource({
  type: 'bulk_change',
  noun: ['bulk-change', 'bulk-changes'],
  about:
    'A change of many objects of a list. Each changes as by its own update. It is deleted 30 days after it ended, and can be put back until then.',
  path: '/v2/bulk-changes',
  table: 'bulk_changes',
  fields,
  filter: { ...walks, status: indexed('eq') },
  sort: ['created_at', 'id', 'updated_at'],
  area: 'bulk-changes',
  envelope,
  // The create is an action because it chooses the objects.
  operations: ['list', 'get'],
})

/** How many refusals of one bulk change are stored: the first. */
const refusalsMax = 10_000

const detailMax = 1000

const refusalFields = {
  object_id: text({
    ...server,
    format: 'uuid',
    about: 'The object that did not change; absent if all ended.',
  }),
  code: text({ ...server, required: true, about: 'The code of the refusal, as an update would answer it.' }),
  detail: text({ ...server, required: true, about: 'Why it was refused.' }),
  source: text({ ...server, about: 'The member of the update that was refused.' }),
}

export const bulkChangeRefusals = resource({
  type: 'bulk_change_refusal',
  noun: ['bulk-change-refusal', 'bulk-change-refusals'],
  about: `An object that a bulk change did not change, and why. The first ${refusalsMax} are stored.`,
  path: '/v2/bulk-changes/:bulk_change_id/refusals',
  parent: () => bulkChanges,
  table: 'bulk_change_refusals',
  fields: refusalFields,
  filter: walks,
  sort: ['created_at', 'id', 'updated_at'],
  order: 'created_at',
  area: 'bulk-changes',
  envelope,
  operations: ['list'],
})

export interface RefusedObject {
  readonly object_id: string | undefined
  readonly code: string
  readonly detail: string
  readonly source: string | undefined
}

/** As many of these refusals as there is room for, with their details cut. */
export const storedRefusals = (
  refusals: readonly RefusedObject[],
  stored: number,
): readonly RefusedObject[] =>
  refusals.slice(0, Math.max(0, refusalsMax - stored)).map(({ detail, ...others }) => ({
    ...others,
    detail: detail.length > detailMax ? `${detail.slice(0, detailMax - 1).toWellFormed()}…` : detail,
  }))

/** Deletes bulk changes 30 days after they ended, with their parts and refusals. */
export const forgetBulkChanges = forgetAfterDays(30, {
  name: 'bulk-changes:forget-bulk-changes',
  every: '47 3 * * *',
  statements: [
    `DELETE FROM ${bulkChanges.table} WHERE store_id = $1 AND updated_at < $2 AND doc->>'status' = ANY($3)`,
  ],
  values: [endStatuses],
})
