import { randomBytes } from 'node:crypto'
import { newId } from '../../kernel/ids.ts'
import { findById } from '../../kernel/query/find.ts'
import type { Work } from '../../kernel/work/context.ts'
import { type DocumentedJob, documentedJob } from '../../store/index.ts'
import { type CodeJobDetails, type CodeJobValues, type JobFields, jobDocumentOf } from '../codes/code-jobs.ts'
import type { PromotionKind } from '../codes/promotion-kinds.ts'
import { roomFor } from '../codes/room-for-codes.ts'

/** How many codes one statement inserts or deletes: nobody waits long for the promotion. */
const perPart = 1000

export interface CodeJobPayload {
  readonly promotionId: string
  readonly jobId: string
}

/** Generates codes of a promotion. A job that fails or is cancelled leaves none. */
export const generateCodesOf = (kind: PromotionKind): DocumentedJob<CodeJobPayload, JobFields> =>
  documentedJob<CodeJobPayload, JobFields, number, undefined, CodeJobDetails>({
    name: `promotion-codes:generate-${kind.name}-codes`,
    document: jobDocumentOf(kind.jobs),
    placeOf: ({ promotionId, jobId }) => ({ id: jobId, scope: [promotionId] }),
    lockFirst: ({ store }, { promotionId }) => store.lock(kind.promotions, promotionId),

    async run(work, { promotionId, jobId }, generated = 0) {
      const { doc: job } = await findById(work, kind.jobs, jobId, [promotionId])
      if (job.status === 'cancelling') {
        const now = await deleteSome(work, kind, jobId)
        const result = { generated, deleted: (job.result?.deleted ?? 0) + now }
        return now < perPart ? { details: { result } } : { next: generated, details: { result } }
      }
      const left = (job.parameters?.number_of_codes ?? 0) - generated
      const promotion = await findById(work, kind.promotions, promotionId, [])
      if (left > (await roomFor(work, kind, promotion))) return { errors: ['codes limit exceeded'] }
      const added = Math.min(left, perPart)
      await insertGenerated(work, kind, { promotionId, jobId, count: added, job })
      const details = { result: { generated: generated + added } }
      return added < left ? { next: generated + added, details } : { details }
    },

    async afterEnd(work, { promotionId, jobId }) {
      const row = await work.store.find(kind.jobs, jobId, [promotionId])
      if (row?.doc.status !== 'failed') return
      while ((await deleteSome(work, kind, jobId)) === perPart);
    },
  })

interface CodePortion extends CodeJobPayload {
  readonly count: number
  readonly job: CodeJobValues
}

/** Inserts new codes in one statement; again for those that were there already. */
async function insertGenerated(
  { store, who }: Work,
  { codes }: PromotionKind,
  { promotionId, jobId, count, job: { parameters } }: CodePortion,
): Promise<void> {
  const {
    code_length: length = 8,
    code_prefix: prefix = '',
    consume_unit,
    max_uses_per_code,
  } = parameters ?? {}
  for (let left = count; left > 0; ) {
    const documents = generateCodes(left, { length, prefix }).map((code) =>
      JSON.stringify({ code, consume_unit, max_uses: max_uses_per_code, created_by: who.actor }),
    )
    const inserted = await store.insertFrom(codes, {
      columns: ['promotion_id', 'hidden', 'id', 'doc'],
      rows: (bind) =>
        `SELECT ${bind(promotionId)}::uuid, ${bind(JSON.stringify({ job_id: jobId }))}::json, input.id, input.doc
         FROM unnest(${bind(documents.map(newId))}::uuid[], ${bind(documents)}::json[]) input (id, doc)`,
    })
    left -= inserted.length
  }
}

/** Deletes some of the codes that the job has generated. Returns how many. */
async function deleteSome({ store }: Work, { codes }: PromotionKind, jobId: string): Promise<number> {
  const deleted = await store.removeAll(
    codes,
    (bind) =>
      `r.id IN (SELECT id FROM ${codes.table} WHERE store_id = $1 AND job_id = ${bind(jobId)} LIMIT ${perPart})`,
  )
  return deleted.length
}

/** Letters and digits that people tell apart: without 0 and 1. */
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ23456789'

/** Bytes from here on would make the first letters more likely. */
const unbiasedBytes = 256 - (256 % alphabet.length)

const perGroup = 4

/** What generated codes look like. */
interface CodeForm {
  /** Characters after the prefix, without the dashes. */
  readonly length: number
  readonly prefix: string
}

/** A code that nobody can guess: `SUMMER-K7QD-9MZX`. */
function generateCode({ length, prefix }: CodeForm): string {
  let characters = ''
  while (characters.length < length) {
    for (const byte of randomBytes(length - characters.length)) {
      if (byte < unbiasedBytes) characters += alphabet[byte % alphabet.length]
    }
  }
  const groups = characters.match(new RegExp(`.{1,${perGroup}}`, 'g')) ?? []
  return (prefix + groups.join('-')).trim()
}

/** Codes that all differ. */
function generateCodes(count: number, form: CodeForm): readonly string[] {
  const codes = new Set<string>()
  while (codes.size < count) codes.add(generateCode(form))
  return [...codes]
}
