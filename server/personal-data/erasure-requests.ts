import { resource, shown } from '../kernel/declare/resource.ts'
import { choice, text } from '../kernel/shape/fields.ts'
import { personalDataEnvelope } from './envelope.ts'
import { type Initiator, initiatorSchema } from './initiators.ts'
import type { Register } from './register.ts'

/** How far an erasure request has come. It is carried out as a whole, or not at all. */
export const statuses = {
  CREATED: 'Waits to be carried out.',
  SUCCESS: 'The personal data was erased.',
  FAILURE: 'Nothing was erased: the reason is in the log of the server. Create another request to try again.',
} as const

export type Status = keyof typeof statuses

const time = (about: string) => text({ readOnly: true, format: 'date-time', about })

/** That a set of personal data is to be erased, and what became of it. */
export const erasureRequestsFor = ({ types }: Register) =>
  resource({
    type: 'erasure_request',
    noun: ['erasure-request', 'erasure-requests'],
    about:
      'That the set of personal data which an object belongs to is to be erased, its log entries too. Carried out in the background: ask for it until its status is SUCCESS.',
    path: '/v2/personal-data/erasure-requests',
    table: 'erasure_requests',
    fields: {
      resource_type: choice(types, { required: true, about: 'What kind of object.' }),
      resource_id: text({
        required: true,
        format: 'uuid',
        about: 'Any object of the set. It need not be there any more: its log entries are erased then.',
        example: '3f9ab3a5-6c5e-4a9f-9d3b-5a0c5f0f5d10',
      }),
      initiator: shown<Initiator>(initiatorSchema, { about: 'Who asked for it.' }),
      status: choice(Object.keys(statuses) as Status[], { readOnly: true, about: 'How far it has come.' }),
      status_description: text({ readOnly: true, about: 'What the status means.' }),
      created_at: time('When it was asked for.'),
      updated_at: time('When its status last changed.'),
    },
    area: 'personal-data',
    envelope: { ...personalDataEnvelope, links: 'inside' },
    // Creating one starts a job, and the list needs a filter: both are actions.
    operations: ['get'],
  })

export type ErasureRequests = ReturnType<typeof erasureRequestsFor>
