import { action } from '../../kernel/declare/action.ts'
import type { Call } from '../../kernel/declare/call.ts'
import type { Resource } from '../../kernel/declare/resource.ts'
import { notFound } from '../../kernel/errors.ts'
import { pageMeta } from '../../kernel/http/page-links.ts'
import { isId } from '../../kernel/ids.ts'
import { findByName } from '../../kernel/query/find.ts'
import { answerList } from '../../kernel/request/export-list.ts'
import type { Answer } from '../../kernel/shape/answer.ts'
import type { Fields } from '../../kernel/shape/fields.ts'
import { shown } from '../../kernel/shape/shown.ts'
import type { Ctx } from '../../kernel/work/context.ts'
import { integrations } from '../integrations/integrations.ts'
import { integrationJobs } from './integration-jobs.ts'
import { integrationLogs, logsOfIntegration, logsOfJob } from './integration-logs.ts'

const flatMeta = { limit: shown.integer, offset: shown.integer, current: shown.integer, total: shown.integer }

/** A page with its numbers in both places that the public contract has for them. */
const listDeliveries = <F extends Fields>(
  ctx: Ctx,
  resource: Resource<F>,
  scope: readonly string[],
  call: Pick<Call, 'query' | 'path'>,
): Promise<Answer> =>
  answerList(
    ctx,
    call,
    { source: { resource, scope } },
    {
      meta: (page) => ({ ...pageMeta(page).page }),
      beside: (_, page) => [`,"results":${JSON.stringify(pageMeta(page).results)}`],
    },
  )

const shared = {
  area: 'integrations',
  status: 200,
} as const

const shows = <F extends Fields>(resource: Resource<F>) => ({
  ...{
    resource: resource as Resource,
    page: true as const,
    rows: [resource as Resource] as const,
    meta: flatMeta,
  },
  beside: { results: shown.group({ total: shown.integer }) },
})

export const listStoreLogs = action({
  ...shared,
  name: 'list-store-logs',
  route: 'GET /v2/integrations/logs',
  about: 'Lists the attempts to send events to any integration of the store, the newest first.',
  shows: shows(integrationLogs),
  run: (ctx, call) => listDeliveries(ctx, integrationLogs, [], call),
})

export const listIntegrationLogs = action({
  ...shared,
  name: 'list-integration-logs',
  route: 'GET /v2/integrations/:integration_id/logs',
  about: 'Lists the attempts to send events to an integration, the newest first.',
  shows: shows(logsOfIntegration),
  async run(ctx, call) {
    const { id } = await findByName(ctx, integrations, call.params.integration_id)
    return listDeliveries(ctx, logsOfIntegration, [id], call)
  },
})

export const listIntegrationJobs = action({
  ...shared,
  name: 'list-integration-jobs',
  route: 'GET /v2/integrations/:integration_id/jobs',
  about: 'Lists the events that were sent to an integration or wait to be sent, the newest first.',
  shows: shows(integrationJobs),
  async run(ctx, call) {
    const { id } = await findByName(ctx, integrations, call.params.integration_id)
    return listDeliveries(ctx, integrationJobs, [id], call)
  },
})

export const listJobLogs = action({
  ...shared,
  name: 'list-job-logs',
  route: 'GET /v2/integrations/:integration_id/jobs/:job_id/logs',
  about: 'Lists the attempts of a job, the newest first.',
  shows: shows(logsOfJob),
  async run(ctx, call) {
    const { id } = await findByName(ctx, integrations, call.params.integration_id)
    const name = call.params.job_id
    const job = isId(name) ? await ctx.store.find(integrationJobs, name.toLowerCase(), [id]) : undefined
    if (!job) throw notFound('integration job', name)
    return listDeliveries(ctx, logsOfJob, [job.id], call)
  },
})
