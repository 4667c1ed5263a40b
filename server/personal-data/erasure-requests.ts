import { action } from '../kernel/declare/action.ts'
import { resource } from '../kernel/declare/resource.ts'
import { objectAnswer } from '../kernel/http/object-answer.ts'
import { objectOf } from '../kernel/openapi/named-schemas.ts'
import { answerList } from '../kernel/request/export-list.ts'
import { choice, text } from '../kernel/shape/fields.ts'
import { readOnly } from '../kernel/shape/shown.ts'
import { add } from '../kernel/write/by-rules.ts'
import { mayErase } from '../people/index.ts'
import { findInitiators, initiator } from '../telling/index.ts'
import { entryQuery, parseEntryQuery } from './data-entries.ts'
import type { Erasure } from './erase-personal-data.ts'
import { personalDataEnvelope } from './personal-data-envelope.ts'
import type { Register } from './register.ts'

/** The status of an erasure request. It erases the whole set or nothing. */
export const statuses = {
  CREATED: 'The request is waiting to be processed.',
  SUCCESS: 'The personal data was erased.',
  FAILURE: 'Nothing was erased; the server log has the reason. Create another request to try again.',
} as const

export type Status = keyof typeof statuses

const time = (about: string) => text({ readOnly: true, format: 'date-time', about })

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

export const createErasureRequest = (requests: ErasureRequests, erasePersonalData: Erasure) =>
  action({
    name: 'create-erasure-request',
    route: 'POST /v2/personal-data/erasure-requests',
    about:
      'Requests the erasure of all personal data that belongs together with an object: the object, all related objects and their log entries. An erasure cannot be undone.',
    area: 'personal-data',
    status: 201,
    body: { type: 'erasure_request', fields: requests.fields },

    async run(ctx, { body }) {
      await mayErase(ctx, body.resource_id)
      const { actor } = ctx.who
      const now = ctx.clock.now().toISOString()
      const request = await add(ctx, requests, [], {
        ...body,
        initiator: (await findInitiators(ctx, [actor]))(actor),
        status: 'CREATED',
        status_description: statuses.CREATED,
        created_at: now,
        updated_at: now,
      })
      await ctx.later(erasePersonalData, { requestId: request.id })
      return objectAnswer(201, requests, request, ctx)
    },
  })

export const listErasureRequests = (register: Register, requests: ErasureRequests) =>
  action({
    name: 'list-erasure-requests',
    route: 'GET /v2/personal-data/erasure-requests',
    about: 'Lists the erasure requests for one object, the newest first.',
    area: 'personal-data',
    status: 200,
    query: entryQuery(register),
    // It shows no resource, because the list needs a filter.
    shows: { page: true, data: objectOf(() => requests) },

    async run(ctx, call) {
      const { query, entry } = parseEntryQuery(register, call)
      const source = {
        resource: requests,
        scope: [],
        where: (bind: (value: unknown) => string) =>
          `resource_id = ${bind(entry.id)}::uuid AND resource_type = ${bind(entry.type)}`,
      }
      return answerList(ctx, call, { source }, { query })
    },
  })
