import { isSigned, signatureOf } from '../kernel/auth/signatures.ts'
import type { Instance } from '../kernel/work/context.ts'

const linkMs = 3_600_000
const minuteMs = 60_000

const signed = (storeId: string, catalogId: string, releaseId: string, until: string) =>
  `delta ${storeId} ${catalogId} ${releaseId} ${until}`

/** Where the delta of a release is read without a token, for an hour. */
export function deltaLink(
  { linkKeys, clock }: Instance,
  storeId: string,
  catalogId: string,
  releaseId: string,
): string {
  // The same for a while: whoever reads the release again is told the same.
  const until = String(Math.ceil(clock.now().getTime() / minuteMs) * minuteMs + linkMs)
  const signature = signatureOf(linkKeys, signed(storeId, catalogId, releaseId, until))
  return `/catalog-deltas/${storeId}/${catalogId}/${releaseId}?until=${until}&signature=${signature}`
}

/** Whether a link is one of ours, and still good. */
export function isDeltaLink(
  { linkKeys, clock }: Instance,
  { store_id, catalog_id, release_id }: Readonly<Record<'store_id' | 'catalog_id' | 'release_id', string>>,
  query: string,
): boolean {
  const given = new URLSearchParams(query)
  const until = given.get('until') ?? ''
  const good = isSigned(
    linkKeys,
    signed(store_id, catalog_id, release_id, until),
    given.get('signature') ?? '',
  )
  return good && Number(until) > clock.now().getTime()
}
