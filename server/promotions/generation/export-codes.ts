import { toCsvLine } from '../../kernel/http/csv-line.ts'
import { findById } from '../../kernel/query/find.ts'
import { isoTime } from '../../kernel/storage/expressions.ts'
import type { Work } from '../../kernel/work/context.ts'
import { type DocumentedJob, documentedJob, storeExport } from '../../store/index.ts'
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
