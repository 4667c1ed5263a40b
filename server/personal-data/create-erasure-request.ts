import { action } from '../kernel/declare/action.ts'
import { objectAnswer } from '../kernel/http/object-answer.ts'
import { add } from '../kernel/write/by-rules.ts'
import { findInitiators } from '../telling/index.ts'
import type { Erasure } from './erase-personal-data.ts'
import { type ErasureRequests, statuses } from './erasure-requests.ts'

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
