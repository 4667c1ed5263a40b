import { type Resource, resource } from '../../kernel/declare/resource.ts'
import { choice, group, integer, text } from '../../kernel/shape/fields.ts'
import { walks } from '../../kernel/shape/model.ts'
import { linkTo, readOnly, relationshipTo, shown } from '../../kernel/shape/shown.ts'
import { isoTime } from '../../kernel/storage/expressions.ts'
import { integrationEnvelope } from '../integrations/integration-envelope.ts'

/** What has become of a job. */
const jobStates = ['waiting', 'succeeded', 'dead', 'dropped'] as const

export type JobState = (typeof jobStates)[number]

const shownOnly = { required: true, readOnly: true } as const
const time = (about: string) => text({ readOnly: true, format: 'date-time', about })

const shownAs = (row: string): string =>
  `json_strip_nulls(json_build_object('state', ${row}state, 'attempt', ${row}attempt, 'due_at', ${isoTime(`${row}due_at`)}, ` +
  `'reason', ${row}reason, 'event', json_build_object('id', ${row}event_id, 'key', ${row}key), ` +
  `'resource_id', ${row}subject_id, 'position', ${row}position, 'relationships', ` +
  `json_build_object('integration', json_build_object('data', json_build_object('type', 'integration', 'id', ${row}integration_id)))))`

/** One event that one integration observes. `deliveries` makes it, and ends it. */
export const integrationJobs: Resource = resource({
  type: 'integration-job',
  noun: ['integration-job', 'integration-jobs'],
  about: 'One event on its way to one integration.',
  path: '/v2/integrations/:integration_id/jobs',
  table: 'integration_jobs',
  scope: { columns: ['integration_id'] },
  fields: {
    state: choice(jobStates, {
      ...shownOnly,
      about:
        'Whether it waits for its next attempt, has succeeded, is `dead` after its last attempt, or was `dropped` before it could be sent.',
    }),
    attempt: integer({ ...shownOnly, about: 'How many attempts there were.' }),
    due_at: time(
      'When the next attempt begins. Absent when there is none, or while an earlier event of the same object waits.',
    ),
    reason: text({ readOnly: true, about: 'Why it is dead or dropped.' }),
    event: group(
      {
        id: text({
          required: true,
          about: 'The id of the event, the same for all integrations and attempts.',
        }),
        key: text({ required: true, about: 'The key of the event.', example: 'order.paid' }),
      },
      { ...shownOnly, about: 'What happened.' },
    ),
    resource_id: text({ ...shownOnly, format: 'uuid', about: 'The object that it happened to.' }),
    position: integer({ ...shownOnly, about: 'The position of the change in the feed.' }),
    relationships: readOnly(shown.group({ integration: relationshipTo(linkTo('integration')) }), {
      about: 'The integration.',
    }),
  },
  filter: { created_at: walks.created_at },
  sort: ['created_at'],
  shownAs,
  operations: [],
  area: 'integrations',
  envelope: { ...integrationEnvelope, links: 'none' },
})
