import { resource } from '../kernel/declare/resource.ts'
import { choice, text } from '../kernel/shape/fields.ts'
import { readOnly } from '../kernel/shape/shown.ts'
import { initiator } from '../telling/index.ts'
import { personalDataEnvelope } from './envelope.ts'
import type { Register } from './register.ts'

/** The status of an erasure request. It erases the whole set or nothing. */
export const statuses = {
  CREATED: 'The request is waiting to be processed.',
  SUCCESS: 'The personal data was erased.',
  FAILURE: 'Nothing was erased; the server log has the reason. Create another request to try again.',
} as const

export type Status = keyof typeof statuses

const time = (about: string) => text({ readOnly: true, format: 'date-time', about })

/** A request to erase a set of personal data, with its status. */
export const erasureRequestsFor = ({ types }: Register) =>
  resource({
    type: 'erasure_request',
    noun: ['erasure-request', 'erasure-requests'],
    about:
      'A request to erase all personal data that belongs together with an object, including the log entries. It is processed in the background: read it until its status is SUCCESS.',
    path: '/v2/personal-data/erasure-requests',
    table: 'erasure_requests',
    fields: {
      resource_type: choice(types, { required: true, about: 'The type of the object.' }),
      resource_id: text({
        required: true,
        format: 'uuid',
        about:
          'The id of any of the objects that belong together. The object may already be deleted; then its log entries are erased.',
        example: '3f9ab3a5-6c5e-4a9f-9d3b-5a0c5f0f5d10',
      }),
      initiator: readOnly(initiator, { about: 'The author of the request.' }),
      status: choice(Object.keys(statuses) as Status[], {
        readOnly: true,
        about: 'The status of the request.',
      }),
      status_description: text({ readOnly: true, about: 'The status in words.' }),
      created_at: time('When the request was created.'),
      updated_at: time('When the status last changed.'),
    },
    area: 'personal-data',
    envelope: { ...personalDataEnvelope, links: 'inside' },
    // The create starts a job, and the list needs a filter, so both are actions.
    operations: ['get'],
  })

export type ErasureRequests = ReturnType<typeof erasureRequestsFor>
