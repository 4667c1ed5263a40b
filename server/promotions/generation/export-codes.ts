import { action } from '../../kernel/declare/action.ts'
import { notFound, Problem } from '../../kernel/errors.ts'
import { toCsvLine } from '../../kernel/http/csv-line.ts'
import { findById, findByName } from '../../kernel/query/find.ts'
import { json } from '../../kernel/shape/answer.ts'
import { shown } from '../../kernel/shape/shown.ts'
import { isoTime } from '../../kernel/storage/expressions.ts'
import type { Work } from '../../kernel/work/context.ts'
import { type DocumentedJob, documentedJob, linkMs, signLink, storeExport } from '../../store/index.ts'
import { type CodeJobDetails, type JobFields, jobDocumentOf } from '../codes/code-jobs.ts'
import type { PromotionKind } from '../codes/promotion-kinds.ts'
import type { CodeJobPayload } from './generate-codes.ts'

/** How many codes are in memory at a time. */
const perRead = 1000

const columns = ['code', 'uses', 'user', 'consume_unit', 'created_at']

const first = '00000000-0000-0000-0000-000000000000'

/** Writes all codes of a promotion to a CSV file. */
export const exportCodesOf = (kind: PromotionKind): DocumentedJob<CodeJobPayload, JobFields> =>
  documentedJob<CodeJobPayload, JobFields, number, string | undefined, CodeJobDetails>({
    name: `promotion-codes:export-${kind.name}-codes`,
    document: jobDocumentOf(kind.jobs),
    placeOf: ({ promotionId, jobId }) => ({ id: jobId, scope: [promotionId] }),

    async prepare(work, { promotionId, jobId }) {
      const { doc } = await findById(work, kind.jobs, jobId, [promotionId])
      return doc.status === 'cancelling' ? undefined : storeExport(work, writeCodes(work, kind, promotionId))
    },

    run: async (_work, _payload, _state, fileId) => ({ details: fileId ? { file_id: fileId } : {} }),
  })

async function* writeCodes(
  { store }: Work,
  { codes: { table } }: PromotionKind,
  promotionId: string,
): AsyncGenerator<Uint8Array> {
  yield Buffer.from(toCsvLine(columns))
  for (let last = first; ; ) {
    const rows = await store.run(
      `SELECT id, doc->>'code', max_uses - used, doc->>'user', doc->>'consume_unit', ${isoTime('created_at')}
       FROM ${table} WHERE store_id = $1 AND promotion_id = $2 AND id > $3 ORDER BY id LIMIT ${perRead}`,
      promotionId,
      last,
    )
    const lines = rows.map(([, code, uses, user, unit, createdAt]) =>
      toCsvLine([code ?? '', uses ?? '', toUsers(user), unit ?? '', createdAt ?? '']),
    )
    yield Buffer.from(lines.join(''))
    if (rows.length < perRead) return
    last = rows.at(-1)?.[0] ?? last
  }
}

/** Several users are separated by commas. */
function toUsers(user: string | null | undefined): string {
  if (!user?.startsWith('[')) return user ?? ''
  return (JSON.parse(user) as readonly string[]).join(',')
}

/** How long the file of an export is stored at least. */
const keepMs = 86_400_000

export const getCodeFile = (kind: PromotionKind) =>
  action({
    name: `get-${kind.name}-job-file`,
    route: `GET ${kind.path}/:promotion_id/jobs/:id/file`,
    about:
      'Shows the URL of the CSV file of an export that has ended. The URL is valid for an hour and needs no token; the file is stored for a day.',
    area: 'promotions',
    status: 200,
    shows: { body: shown.group({ href: shown.uri }) },
    refuses: ['unprocessable'],
    async run(ctx, { params }) {
      const { id: promotionId } = await findByName(ctx, kind.promotions, params.promotion_id)
      const { id } = await findByName(ctx, kind.jobs, params.id, [promotionId])
      const job = await ctx.store.findWhole(kind.jobs, id, [promotionId])
      if (!job) throw notFound('promotion job', params.id)
      const { file_id: fileId } = job.hidden
      if (!fileId || job.doc.status !== 'completed') {
        throw new Problem('unprocessable', `Job has no file to download. Job status: ${job.doc.status}`)
      }
      const now = ctx.clock.now().getTime()
      if (Date.parse(job.updatedAt) + keepMs < now) {
        throw new Problem(
          'unprocessable',
          'The file is deleted a day after the export. Start another export.',
        )
      }
      const name = `${fileId}_codes.csv`
      return json(200, { href: ctx.baseUrl + signLink(ctx.instance, ctx.store.id, name, now + linkMs) })
    },
  })
