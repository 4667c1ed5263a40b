import { isSigned, signatureOf } from '../../kernel/auth/signatures.ts'
import type { Instance } from '../../kernel/work/context.ts'

const linkMs = 3_600_000
const minuteMs = 60_000

const toSignedText = (storeId: string, catalogId: string, releaseId: string, until: string) =>
  `delta ${storeId} ${catalogId} ${releaseId} ${until}`

/** The path of the delta of a release. It is valid for an hour and needs no token. */
export function signDeltaLink(
  { linkKeys, clock }: Instance,
  storeId: string,
  catalogId: string,
  releaseId: string,
): string {
  // Rounded, so that reading the release again shows the same link for a while.
  const until = String(Math.ceil(clock.now().getTime() / minuteMs) * minuteMs + linkMs)
  const signature = signatureOf(linkKeys, toSignedText(storeId, catalogId, releaseId, until))
  return `/catalog-deltas/${storeId}/${catalogId}/${releaseId}?until=${until}&signature=${signature}`
}

/** Whether this server made the link, and it has not expired. */
export function isDeltaLink(
  { linkKeys, clock }: Instance,
  { store_id, catalog_id, release_id }: Readonly<Record<'store_id' | 'catalog_id' | 'release_id', string>>,
  query: string,
): boolean {
  const parameters = new URLSearchParams(query)
  const until = parameters.get('until') ?? ''
  const good = isSigned(
    linkKeys,
    toSignedText(store_id, catalog_id, release_id, until),
    parameters.get('signature') ?? '',
  )
  return good && Number(until) > clock.now().getTime()
}
