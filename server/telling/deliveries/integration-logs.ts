import { listing } from '../../kernel/declare/listing.ts'
import { resource } from '../../kernel/declare/resource.ts'
import { linkTo, object, relationshipTo } from '../../kernel/openapi/shapes.ts'
import { flag, integer, number, readOnlyObject, text } from '../../kernel/shape/fields.ts'
import { walks } from '../../kernel/shape/model.ts'
import { integrationEnvelope } from '../integrations/integration-envelope.ts'

const shownOnly = { required: true, readOnly: true } as const

const fields = {
  succeeded: flag({ ...shownOnly, about: 'Whether the target has taken the event.' }),
  attempt: integer({ ...shownOnly, about: 'The number of the attempt, from 1.' }),
  body: text({ ...shownOnly, about: 'The beginning of the response, at most 4 KiB.' }),
  status_code: integer({ ...shownOnly, about: 'The status of the response; 0 without a response.' }),
  error_detail: text({ ...shownOnly, about: 'Why it failed. Empty if it succeeded.' }),
  processing_time: number({ ...shownOnly, about: 'How long the attempt took, in seconds.' }),
  relationships: readOnlyObject<LogLinks>(
    object({
      integration: relationshipTo(linkTo('integration')),
      job: relationshipTo(linkTo('integration-job')),
    }),
    { about: 'The integration and the job.' },
  ),
}

/** What a log links to. */
interface LogLinks {
  readonly integration: { readonly data: { readonly type: 'integration'; readonly id: string } }
  readonly job: { readonly data: { readonly type: 'integration-job'; readonly id: string } }
}

/** The logs of all integrations of the store. */
export const integrationLogs = resource({
  type: 'integration-log',
  noun: ['integration-log', 'integration-logs'],
  about: 'One attempt to send an event to an integration.',
  path: '/v2/integrations/logs',
  table: 'integration_logs',
  fields,
  filter: { created_at: walks.created_at },
  sort: ['created_at'],
  operations: [],
  area: 'integrations',
  envelope: { ...integrationEnvelope, links: 'none' },
})

/** The logs of one integration. An attempt is stored by this one. */
export const logsOfIntegration = listing(integrationLogs, {
  noun: ['log-of-integration', 'logs-of-integration'],
  scope: { columns: ['integration_id'] },
})

/** The logs of one job: few, so they are counted when they are listed. */
export const logsOfJob = listing(integrationLogs, {
  noun: ['log-of-job', 'logs-of-job'],
  scope: { columns: ['job_id'] },
  counted: false,
})
